package dev.perhaps.membership.bloom;

import dev.perhaps.hash.Mix;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The inner loops of every Bloom filter over one array of words: from a mixed hash x to its positions, and the bits
 * there. {@code BloomFilter} explains why positions are taken this way.
 */
public final class BloomKernel {
    public static final long MIX = 0x9FB21C651E98DF25L;
    public static final long STEP = 0xF1357AEA2E62A9C5L;
    public static final int MAX_HASHES = 255;

    /** Below this, 32 bits of x are enough to reach every bit alike (within 3 %), and cost a shorter multiplication. */
    public static final long SMALL_BITS = 1L << 27;

    /** With so few hashes of 64 left, asking each by itself is less work than two positions of all. */
    private static final int FEW = 24;

    /** If at least this many of 64 are found, their neighbours are taken for values that are there. */
    public static final int MOST = 56;

    /** Powers of {@link #STEP}. */
    public static final long TWO_STEPS = 0x1427BB2D3769B199L;

    private static final long THREE_STEPS = 0x57545799E525ABBDL;
    private static final long FOUR_STEPS = 0xF53A8BBCE8B6ED71L;

    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private BloomKernel() {}

    /** Sets the positions of x, and returns a word that is 0 iff they were all set before. */
    public static long set(long[] words, long bits, int hashes, long x) {
        long fresh = 0;
        for (int i = 0; i < hashes; i++) {
            fresh |= setBit(words, position(x, bits));
            x *= STEP;
        }
        return fresh;
    }

    /**
     * The same for many threads at once, of which at most one gets a result other than 0 for one x. The first missing
     * position decides, and it is set last: a thread that finds it set finds all positions after it set too, and
     * returns 0; all other threads compete for the same bit. If another x sets that bit meanwhile, none of them wins.
     */
    public static long setAtomically(long[] words, long bits, int hashes, long x) {
        int i = 0;
        long deciding = position(x, bits);
        while (isSetForAll(words, deciding)) {
            if (++i == hashes) {
                return 0;
            }
            x *= STEP;
            deciding = position(x, bits);
        }
        for (i++; i < hashes; i++) {
            x *= STEP;
            long position = position(x, bits);
            // A bit that is there already is not written again: the line stays shared between the cores.
            if (position != deciding && !isSetForAll(words, position)) {
                setBitAtomically(words, position);
            }
        }
        return setBitAtomically(words, deciding);
    }

    /** True if it is set, and then what was set before it is seen as well. */
    private static boolean isSetForAll(long[] words, long position) {
        return ((long) WORD.getAcquire(words, (int) (position >>> 6)) >>> position & 1) != 0;
    }

    private static long setBitAtomically(long[] words, long position) {
        long bit = 1L << position;
        return ~(long) WORD.getAndBitwiseOr(words, (int) (position >>> 6), bit) & bit;
    }

    /*
     * Two positions first: of absent values three in four end there. Then four per step, and at last what is left of
     * four,
     * each time without a branch between them. (k = 7, 1 million keys, nanoseconds per hit and miss on Java 17 and 25:
     * 9.7, 9.6 and 9.0, 9.2; two per step 9.5, 10.6 and 8.8, 9.7.)
     *
     * Twice, by the size of a position. Where a position is an int for the compiler it shifts by it as it is, and Java
     * 25 takes a quarter more time if the same int is computed as a long: 11.2 instead of 9.0 ns per hit.
     */

    /** True iff all positions of x are set. */
    public static boolean allSet(long[] words, long bits, int hashes, long x) {
        return bits < SMALL_BITS ? allSetOfFew(words, bits, hashes, x) : allSetOfMany(words, bits, hashes, x);
    }

    private static boolean allSetOfFew(long[] words, long bits, int hashes, long x) {
        if (hashes == 1) {
            return (at(words, smallPosition(x, bits)) & 1) != 0;
        }
        if ((at(words, smallPosition(x, bits)) & at(words, smallPosition(x * STEP, bits)) & 1) == 0) {
            return false;
        }
        long y = x * TWO_STEPS;
        int left = hashes - 2;
        for (; left >= 4; left -= 4) {
            long four = at(words, smallPosition(y, bits))
                    & at(words, smallPosition(y * STEP, bits))
                    & at(words, smallPosition(y * TWO_STEPS, bits))
                    & at(words, smallPosition(y * THREE_STEPS, bits));
            if ((four & 1) == 0) {
                return false;
            }
            y *= FOUR_STEPS;
        }
        long all = 1;
        for (; left > 0; left--) {
            all &= at(words, smallPosition(y, bits));
            y *= STEP;
        }
        return all != 0;
    }

    private static boolean allSetOfMany(long[] words, long bits, int hashes, long x) {
        if (hashes == 1) {
            return isSet(words, Mix.reduce(x, bits));
        }
        if ((at(words, Mix.reduce(x, bits)) & at(words, Mix.reduce(x * STEP, bits)) & 1) == 0) {
            return false;
        }
        long y = x * TWO_STEPS;
        int left = hashes - 2;
        for (; left >= 4; left -= 4) {
            long four = at(words, Mix.reduce(y, bits))
                    & at(words, Mix.reduce(y * STEP, bits))
                    & at(words, Mix.reduce(y * TWO_STEPS, bits))
                    & at(words, Mix.reduce(y * THREE_STEPS, bits));
            if ((four & 1) == 0) {
                return false;
            }
            y *= FOUR_STEPS;
        }
        long all = 1;
        for (; left > 0; left--) {
            all &= at(words, Mix.reduce(y, bits));
            y *= STEP;
        }
        return all != 0;
    }

    /** The word with this position, shifted so that the bit at the position is its lowest. */
    private static long at(long[] words, int position) {
        return words[position >>> 6] >>> position;
    }

    private static long at(long[] words, long position) {
        return words[(int) (position >>> 6)] >>> position;
    }

    /** Position of x among this number of bits: x / 2^64 of them. */
    public static long position(long x, long bits) {
        return bits < SMALL_BITS ? (x >>> 32) * bits >>> 32 : Mix.reduce(x, bits);
    }

    /** The same where there are fewer than {@link #SMALL_BITS}. */
    public static int smallPosition(long x, long bits) {
        return (int) ((x >>> 32) * bits >>> 32);
    }

    public static boolean isSet(long[] words, long position) {
        return (words[(int) (position >>> 6)] >>> position & 1) != 0;
    }

    /** Sets a bit, and returns it in its place if it was not set before, else 0. */
    public static long setBit(long[] words, long position) {
        int at = (int) (position >>> 6);
        long bit = 1L << position;
        long word = words[at];
        words[at] = word | bit;
        return ~word & bit;
    }

    /**
     * Asks those of up to 64 hashes whose bit is in {@code open}; bit i of the result is the answer for
     * {@code asked[from + i]}. The positions begin {@code start} steps into the sequence of the mixed hash.
     */
    public static long ask64(
            long[] words, long mix, long start, long bits, int hashes, long[] asked, int from, int count, long open) {
        // Two positions of all hashes first, without a branch. Of absent values a quarter is alive after them, and the
        // few are asked one by one. If nearly all are alive, they are values that are there: their branches are
        // predicted, single lookups overlap as well, and further passes over all would only repeat the arithmetic.
        long alive = open;
        long step = start;
        int left = hashes;
        while (left > 0 && Long.bitCount(alive) > FEW) {
            alive &= ask64AtTwo(words, mix, step, left == 1 ? 1 : STEP, bits, asked, from, count);
            step *= TWO_STEPS;
            left -= 2;
            if (Long.bitCount(alive) >= MOST) {
                break;
            }
        }
        return left <= 0 ? alive : askEach(words, mix, step, bits, left, asked, from, alive);
    }

    /** The same, one by one: faster than {@link #ask64} where nearly all values are there. */
    public static long askEach(
            long[] words, long mix, long start, long bits, int hashes, long[] asked, int from, long open) {
        long answers = open;
        for (long rest = open; rest != 0; rest &= rest - 1) {
            int i = Long.numberOfTrailingZeros(rest);
            if (!allSet(words, bits, hashes, Mix.with(mix, asked[from + i]) * start)) {
                answers &= ~(1L << i);
            }
        }
        return answers;
    }

    /** Bit i is 1 iff both positions of hash i are set: the one at {@code step}, and the one {@code further} on. */
    private static long ask64AtTwo(
            long[] words, long mix, long step, long further, long bits, long[] asked, int from, int count) {
        long set = 0;
        for (int i = 0; i < count; i++) {
            long x = Mix.with(mix, asked[from + i]) * step;
            long first = position(x, bits);
            long second = position(x * further, bits);
            long both = words[(int) (first >>> 6)] >>> first & words[(int) (second >>> 6)] >>> second & 1;
            set |= both << i;
        }
        return set;
    }

    /** The bits of the first {@code count} of 64 hashes. */
    public static long all(int count) {
        return -1L >>> (64 - count);
    }

    public static int wordsFor(long bits) {
        return (int) ((bits + 63) >>> 6);
    }

    /** Adds the bits of {@code more} to word i while other threads may set bits of it. */
    public static void orAtomically(long[] words, int i, long more) {
        WORD.getAndBitwiseOr(words, i, more);
    }

    /** Keeps only the bits of {@code mask} in word i while other threads may set bits of it. */
    public static void andAtomically(long[] words, int i, long mask) {
        WORD.getAndBitwiseAnd(words, i, mask);
    }
}
