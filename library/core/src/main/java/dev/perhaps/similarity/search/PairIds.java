package dev.perhaps.similarity.search;

/** Two numbers of documents in one long, the first in the upper half: sorted, such pairs are in order of both. */
public final class PairIds {
    private PairIds() {}

    public static int first(long pair) {
        return (int) (pair >>> 32);
    }

    public static int second(long pair) {
        return (int) pair;
    }
}
