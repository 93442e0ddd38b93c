package dev.perhaps.similarity;

/** x → a·x + b modulo the prime 2^61 − 1: a permutation of 0 … 2^61 − 2 for every a that is not 0. */
final class LinearPermutation {
    static final long MODULUS = (1L << 61) - 1;

    private LinearPermutation() {}

    /** Any number modulo 2^61 − 1, read as unsigned. */
    static long reduce(long x) {
        return lessModulus((x & MODULUS) + (x >>> 61));
    }

    static long apply(long factor, long offset, long x) {
        // 2^61 ≡ 1: the product's bits from 61 on are added to those below.
        long low = factor * x;
        long high = Math.multiplyHigh(factor, x);
        return lessModulus(lessModulus((low & MODULUS) + (low >>> 61 | high << 3)) + offset);
    }

    /** A number below twice the modulus, reduced without an unpredictable branch. */
    private static long lessModulus(long x) {
        return x - (MODULUS & MODULUS - 1 - x >> 63);
    }
}
