package dev.perhaps.similarity;

import dev.perhaps.key.Key;
import dev.perhaps.key.Mix;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * The hashes of all runs of so many code points, or words, in a text: what a document is compared by. A few nanoseconds a
 * character, no substrings, nothing allocated a shingle; a text hashes exactly as its UTF-8 bytes do. Different shingles
 * have different hashes, save with chance 2^−56 and less. Immutable and safe for any number of threads.
 *
 * <p>A text shorter than a shingle has one hash, of its whole: it matches only its exact duplicates.
 *
 * <pre>{@code
 * Shingles shingles = Shingles.codePoints(10).normalised(TextForm.NFC, TextForm.SINGLE_SPACES);
 * long[] hashes = shingles.hashes("It was the best of times, it was the worst of times");
 * Signature signature = MinHash.of(128).keyed(shingles.key()).sign(hashes, 0, hashes.length);
 * }</pre>
 */
public final class Shingles {
    /*
     *     text  →  a random word for each code point, or for each word of the text  →  RollingHash, in place
     *
     * The word of code point c is finish(c · GAMMA + offset), the offset from the seed; those of Latin-1 stand in a table.
     * A text's word is the polynomial of its code points, finished. Words are what stands between white space.
     *
     * Code points, because bytes and chars cut letters at the edge of a shingle. What is no Unicode becomes what the JDK
     * makes of it: malformed bytes U+FFFD, a lone surrogate '?'. The bytes of a string and the string agree.
     *
     * Left out: skipping white space or mark-up unasked. What is compared is what is there, or what TextForm says.
     */
    public static final int DEFAULT_SIZE = 10;

    private static final int MAX_SIZE = 1 << 16;
    private static final long GAMMA = 0x9E3779B97F4A7C15L;
    private static final long SEED_MIX = 0xAAAE3C4B55A5D68BL;
    private static final int TABLE = 256;
    private static final int BLOCK = 256;

    private final int size;
    private final boolean words;
    private final Set<TextForm> forms;
    private final long seed;
    private final long offset;
    private final long[] table = new long[TABLE];
    private final RollingHash rolling;
    private final TextKey key;

    private Shingles(int size, boolean words, Set<TextForm> forms, long seed) {
        if (size < 1 || size > MAX_SIZE) {
            throw new IllegalArgumentException("the size of a shingle must be in [1, " + MAX_SIZE + "], got " + size);
        }
        this.size = size;
        this.words = words;
        this.forms = forms;
        this.seed = seed;
        this.offset = Mix.finish(seed * SEED_MIX + SEED_MIX);
        this.rolling = new RollingHash(size);
        for (int c = 0; c < TABLE; c++) {
            table[c] = computed(c);
        }
        this.key = new TextKey(this);
    }

    /** Shingles of 10 code points. */
    public static Shingles codePoints() {
        return codePoints(DEFAULT_SIZE);
    }

    /** Shingles of so many Unicode code points. */
    public static Shingles codePoints(int size) {
        return new Shingles(size, false, Set.of(), Key.DEFAULT_SEED);
    }

    /** Shingles of so many words; words are separated by white space, and punctuation belongs to them. */
    public static Shingles words(int size) {
        return new Shingles(size, true, Set.of(), Key.DEFAULT_SEED);
    }

    /** Texts are brought into these forms first, or into all of them if none is named. */
    public Shingles normalised(TextForm... wanted) {
        EnumSet<TextForm> set = EnumSet.noneOf(TextForm.class);
        set.addAll(Arrays.asList(wanted));
        return new Shingles(size, words, set.isEmpty() ? EnumSet.allOf(TextForm.class) : set, seed);
    }

    public Shingles seeded(long otherSeed) {
        return new Shingles(size, words, forms, otherSeed);
    }

    public int size() {
        return size;
    }

    long seed() {
        return seed;
    }

    /** The text in the forms that were asked for; itself, if none was. */
    public String normalise(CharSequence text) {
        return TextForm.apply(forms, text.toString());
    }

    /** The same shingles of a text that is in its form already. */
    Shingles plain() {
        return isNormalising() ? new Shingles(size, words, Set.of(), seed) : this;
    }

    boolean isNormalising() {
        return !forms.isEmpty();
    }

    /**
     * The key of these shingles: its name tells size, unit and forms, so that signatures of other shingles are refused. It
     * hashes a text of exactly one shingle as that shingle, and any other as a whole.
     */
    public Key<CharSequence> key() {
        return key;
    }

    /** The shingles that a key's name tells of. */
    public static Shingles named(String name, long seed) {
        return TextKey.parse(name).seeded(seed);
    }

    String name() {
        StringBuilder name = new StringBuilder(words ? TextKey.WORDS : TextKey.CODE_POINTS).append(size);
        for (TextForm form : TextForm.values()) {
            if (forms.contains(form)) {
                name.append('+').append(form.word());
            }
        }
        return name.toString();
    }

    /** The hashes of all shingles, in the order of the text, equal ones each time. */
    public long[] hashes(CharSequence text) {
        String formed = normalise(text);
        long[] into = new long[Math.max(1, formed.length())];
        return Arrays.copyOf(into, formedHashes(formed, into));
    }

    /**
     * As {@link #hashes(CharSequence)}, into an array that has as many places as the normalised text has chars, and at least
     * one. Answers how many hashes there are; what stands behind them is overwritten too.
     */
    public int hashes(CharSequence text, long[] into) {
        return formedHashes(normalise(text), into);
    }

    /** The hashes of the shingles of UTF-8 bytes; as many places as bytes, and at least one. */
    public int hashes(byte[] utf8, int from, int to, long[] into) {
        Objects.checkFromToIndex(from, to, utf8.length);
        if (!isNormalising() && !words) {
            checkRoom(to - from, into);
            int count = values(utf8, from, to, into);
            if (count >= 0) {
                return rolling.roll(into, count);
            }
        }
        return hashes(new String(utf8, from, to - from, StandardCharsets.UTF_8), into);
    }

    private int formedHashes(String text, long[] into) {
        checkRoom(text.length(), into);
        return rolling.roll(into, words ? wordValues(text, into) : values(text, into));
    }

    /** The hash of a text taken as one: its shingle, if it is exactly that long. */
    long wholeHash(CharSequence text) {
        String formed = normalise(text);
        long[] into = new long[Math.max(1, formed.length())];
        int count = words ? wordValues(formed, into) : values(formed, into);
        return count == size ? hashOfOne(into, count) : RollingHash.whole(into, count);
    }

    private long hashOfOne(long[] values, int count) {
        rolling.roll(values, count);
        return values[0];
    }

    private static void checkRoom(int length, long[] into) {
        if (into.length < Math.max(1, length)) {
            throw new IllegalArgumentException(
                    "into must have " + Math.max(1, length) + " places for this text, got " + into.length);
        }
    }

    private long computed(int codePoint) {
        return Mix.finish(codePoint * GAMMA + offset);
    }

    private long value(int codePoint) {
        return codePoint < TABLE ? table[codePoint] : computed(codePoint);
    }

    /** The code point at {@code i}; a surrogate without its other half is '?', as in the bytes of such a string. */
    private static int codePointAt(String text, int i) {
        int codePoint = text.codePointAt(i);
        return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE ? '?' : codePoint;
    }

    private int values(String text, long[] into) {
        long[] latin = table;
        int length = text.length();
        int count = 0;
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c < TABLE) {
                into[count++] = latin[c];
            } else {
                int codePoint = codePointAt(text, i);
                into[count++] = computed(codePoint);
                i += Character.charCount(codePoint) - 1;
            }
        }
        return count;
    }

    private int wordValues(String text, long[] into) {
        int count = 0;
        long sum = 0;
        boolean inside = false;
        for (int i = 0; i < text.length(); ) {
            int codePoint = codePointAt(text, i);
            i += Character.charCount(codePoint);
            if (!TextForm.isSpace(codePoint)) {
                sum = RollingHash.extended(inside ? sum : 0, value(codePoint));
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

    /** As for strings, or −1 if the bytes are no UTF-8. */
    private int values(byte[] utf8, int from, int to, long[] into) {
        long[] latin = table;
        int count = 0;
        int i = from;
        while (i < to) {
            // A block as if it were ASCII, which nearly all of most texts is; if it is not, again letter by letter.
            int end = Math.min(to, i + BLOCK);
            int shift = count - i;
            int all = 0;
            for (int j = i; j < end; j++) {
                int b = utf8[j];
                all |= b;
                into[shift + j] = latin[b & TABLE - 1];
            }
            if (all >= 0) {
                count += end - i;
                i = end;
            }
            while (i < end) {
                int codePoint = utf8[i] >= 0 ? utf8[i] : Utf8.decode(utf8, i, to);
                if (codePoint < 0) {
                    return -1;
                }
                into[count++] = value(codePoint);
                i += Utf8.bytes(codePoint);
            }
        }
        return count;
    }

    @Override
    public String toString() {
        return name();
    }
}
