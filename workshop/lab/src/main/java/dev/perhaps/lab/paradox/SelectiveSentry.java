package dev.perhaps.lab.paradox;

import dev.perhaps.guard.SelectiveCounting;

/**
 * The selective counting filter as it was published: one prior for all keys, which is the share of the memory that is
 * in the cache; a maximum number of insertions, repeats among them; and nothing is removed on eviction.
 */
final class SelectiveSentry implements Sentry {
    /** How many keys there are behind the cache. */
    private static final double MEMORY_KEYS = 1_600_000;

    private final SelectiveCounting<String> filter;
    private double prior;

    SelectiveSentry(int counters, int hashes, int insertions, double alpha) {
        filter = SelectiveCounting.expecting(insertions)
                .alpha(alpha)
                .counters(counters)
                .hashes(hashes)
                .build();
    }

    @Override
    public boolean isWorthAsking(long hash) {
        return filter.isWorthAskingHash(hash, prior);
    }

    @Override
    public void sees(long hash, boolean hit, long evicted, int cached) {
        prior = cached / MEMORY_KEYS;
        filter.addHash(hash, prior);
    }

    int highestCounter() {
        return filter.highest();
    }
}
