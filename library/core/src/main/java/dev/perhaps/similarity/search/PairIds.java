package dev.perhaps.similarity.search;

/** Two numbers of documents in one long, the first in the upper half: sorted, such pairs are in order of both. */
public final class PairIds {
    private PairIds() {}

    /** The pair of two numbers, the lesser first. */
    public static long of(int a, int b) {
        return (long) Math.min(a, b) << 32 | Math.max(a, b);
    }

    public static int first(long pair) {
        return (int) (pair >>> 32);
    }

    public static int second(long pair) {
        return (int) pair;
    }
}
