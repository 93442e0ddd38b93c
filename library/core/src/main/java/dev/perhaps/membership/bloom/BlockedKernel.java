package dev.perhaps.membership.bloom;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The inner loops of blocked Bloom filters: two words of one line of 512 bits per value. {@code BlockedBloom} explains
 * the layout.
 */
public final class BlockedKernel {
    public static final long MIX = 0xA0761D6478BD642FL;
    public static final int LINE_WORDS = 8;
    public static final long LINE_BYTES = LINE_WORDS * (long) Long.BYTES;

    private static final int ROW_BITS = 11;
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private BlockedKernel() {}

    // The two halves of Mix.with(mix, hash), from product = hash · mix: written so that the shift is paid once.

    public static long high(long product) {
        return product >>> 32;
    }

    public static int low(long product, long high) {
        return (int) (product ^ high);
    }

    public static long firstWord(long high, long words) {
        return high * words >>> 32;
    }

    /** What to flip in the number of the first word to get that of the second. */
    public static int toSecond(int low) {
        return 4 | low >>> 30;
    }

    public static long firstMask(long[] firsts, int low) {
        return firsts[low & firsts.length - 1]; // in this form the compiler needs no check of the index
    }

    public static long secondMask(long[] seconds, int low) {
        return seconds[low >>> ROW_BITS & seconds.length - 1];
    }

    public static boolean ask(long[] words, long[] firsts, long[] seconds, long product) {
        long high = high(product);
        int low = low(product, high);
        int i = (int) firstWord(high, words.length);
        if ((firstMask(firsts, low) & ~words[i]) != 0) {
            return false;
        }
        return (secondMask(seconds, low) & ~words[i ^ toSecond(low)]) == 0;
    }

    public static long ask64(
            long[] words, long[] firsts, long[] seconds, long mix, long[] hashes, int from, int count) {
        long answers = 0;
        for (int n = 0; n < count; n++) {
            long product = hashes[from + n] * mix;
            long high = high(product);
            int low = low(product, high);
            int i = (int) firstWord(high, words.length);
            long missing = firstMask(firsts, low) & ~words[i] | secondMask(seconds, low) & ~words[i ^ toSecond(low)];
            // The sign of x | −x is 0 iff x is.
            answers |= (~(missing | -missing) >>> 63) << n;
        }
        return answers;
    }

    /** Sets the bits of a hash, and returns a word that is 0 iff they were all set before. */
    public static long set(long[] words, long[] firsts, long[] seconds, long high, int low) {
        int i = (int) firstWord(high, words.length);
        int j = i ^ toSecond(low);
        long one = firstMask(firsts, low);
        long two = secondMask(seconds, low);
        long fresh = one & ~words[i] | two & ~words[j];
        words[i] |= one;
        words[j] |= two;
        return fresh;
    }

    /**
     * The same for many threads at once, of which at most one gets a result other than 0 for one hash. If the first
     * word lacks a bit it decides, and is written last: a thread that finds it complete finds the second complete, too.
     * If other hashes complete it meanwhile, no thread gets that result.
     */
    public static long setAtomically(long[] words, long[] firsts, long[] seconds, long high, int low) {
        int i = (int) firstWord(high, words.length);
        int j = i ^ toSecond(low);
        long one = firstMask(firsts, low);
        long two = secondMask(seconds, low);
        if ((one & ~(long) WORD.getAcquire(words, i)) == 0) {
            return missing(words, j, two);
        }
        missing(words, j, two);
        return missing(words, i, one);
    }

    /**
     * Sets the bits of a mask, and returns those that were not set. A word that has them is not written: it stays
     * shared.
     */
    private static long missing(long[] words, int at, long mask) {
        long missing = mask & ~(long) WORD.getAcquire(words, at);
        return missing == 0 ? 0 : mask & ~(long) WORD.getAndBitwiseOr(words, at, mask);
    }
}
