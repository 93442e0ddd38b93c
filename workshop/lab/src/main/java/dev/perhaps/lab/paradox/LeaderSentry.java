package dev.perhaps.lab.paradox;

import dev.perhaps.hash.Mix;
import dev.perhaps.membership.BloomFilter;
import java.util.Arrays;

/**
 * The first attempt of the published experiment: keys are hashed into ranges, each range has a leader that moves
 * towards new keys (0.7 of the old value, 0.3 of the new), and only keys near their leader are added to a Bloom filter.
 * The distance of two hashes means nothing, as its authors found: a baseline that must be beaten.
 */
final class LeaderSentry implements Sentry {
    private static final int RANGES = 350;
    private static final int LEADER_BITS = 16;
    private static final double NEAR = 0.1;
    private static final double KEPT = 0.7;

    private final double[] leaders = new double[RANGES];
    private final BloomFilter<String> filter;

    LeaderSentry(int bits, int accesses) {
        Arrays.fill(leaders, 0.5);
        filter = BloomFilter.expecting(accesses)
                .bits(bits - RANGES * LEADER_BITS)
                .build();
    }

    @Override
    public boolean isWorthAsking(long hash) {
        return Math.abs(place(hash) - leaders[range(hash)]) <= NEAR && filter.mightContainHash(hash);
    }

    @Override
    public void sees(long hash, boolean hit, long evicted, int cached) {
        filter.addHash(hash);
        sawQuestion(hash);
    }

    @Override
    public void sawQuestion(long hash) {
        int range = range(hash);
        leaders[range] = KEPT * leaders[range] + (1 - KEPT) * place(hash);
    }

    private static int range(long hash) {
        return (int) Mix.reduce(Mix.finish(hash), RANGES);
    }

    /** Where in its range a key lies, in [0, 1). */
    private static double place(long hash) {
        return (Mix.finish(~hash) >>> 11) * 0x1p-53;
    }
}
