package dev.perhaps.similarity.text;

import dev.perhaps.hash.Mix;

/** A random word of 64 bits for each code point, and texts as rows of such words. Immutable. */
public final class Letters {
    /*
     * The word of code point c is finish(c · GAMMA + offset), the offset from the seed. Those of Latin-1 stand in a
     * table, and in a second one what is taken off a rolling sum when that letter leaves it: the sum needs one product
     * per step.
     */
    static final int TABLE = 256;

    private static final long GAMMA = 0x9E3779B97F4A7C15L;
    private static final long SEED_MIX = 0xAAAE3C4B55A5D68BL;

    private final long offset;
    /** By code point below 256, and so also by ASCII byte. */
    public final long[] entering = new long[TABLE];

    public final long[] leaving = new long[TABLE];

    public Letters(long seed, RollingHash rolling) {
        this.offset = Mix.finish(seed * SEED_MIX + SEED_MIX);
        for (int c = 0; c < TABLE; c++) {
            entering[c] = computed(c);
            leaving[c] = rolling.leaving(entering[c]);
        }
    }

    private long computed(int codePoint) {
        return Mix.finish(codePoint * GAMMA + offset);
    }

    long word(int codePoint) {
        return codePoint < TABLE ? entering[codePoint] : computed(codePoint);
    }

    /** The code point at {@code i}; a surrogate without its other half is '?', as in the bytes of such a string. */
    private static int codePointAt(String text, int i) {
        int codePoint = text.codePointAt(i);
        return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE ? '?' : codePoint;
    }

    /** The words of a text's code points; returns how many. */
    public int words(String text, long[] into) {
        int count = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < TABLE) {
                into[count++] = entering[c];
            } else {
                int codePoint = codePointAt(text, i);
                into[count++] = computed(codePoint);
                i += Character.charCount(codePoint) - 1;
            }
        }
        return count;
    }

    /** A word for each run of text without white space: the polynomial of its code points, finished. */
    public int wordsOfWords(String text, long[] into) {
        int count = 0;
        long sum = 0;
        boolean inside = false;
        for (int i = 0; i < text.length(); ) {
            int codePoint = codePointAt(text, i);
            i += Character.charCount(codePoint);
            if (!isSpace(codePoint)) {
                sum = RollingHash.extended(inside ? sum : 0, word(codePoint));
                inside = true;
            } else if (inside) {
                into[count++] = Mix.finish(sum);
                inside = false;
            }
        }
        if (inside) {
            into[count++] = Mix.finish(sum);
        }
        return count;
    }

    /** True for all that separates words, the spaces that do not break a line included. */
    public static boolean isSpace(int codePoint) {
        return Character.isWhitespace(codePoint) || Character.isSpaceChar(codePoint);
    }
}
