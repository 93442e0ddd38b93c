package dev.perhaps.proxy.sharing;

import java.util.Arrays;

/**
 * The recent cost of lookups that ended alike: the mean of the last 16 without the largest eighth. Safe for any number of
 * threads.
 */
final class RecentCost {
    /*
     * The first lookup after a restart opens a connection and runs code that is not compiled yet; it can take a thousand times
     * as long as the next one. A mean would remember it for hundreds of lookups, and where the lookups seem too expensive there
     * are no more of them that could correct it. So nothing is known before 8 samples, and the largest of each 8 is left out.
     * A sibling that is slow more often than that is known to be slow.
     */
    private static final int SAMPLES = 16;
    private static final int ENOUGH = 8;

    private final double[] last = new double[SAMPLES];
    private long samples;
    private double mean;

    /** Adds a sample. */
    synchronized void add(double cost) {
        last[(int) (samples % SAMPLES)] = cost;
        samples++;
        int n = (int) Math.min(samples, SAMPLES);
        double[] sorted = Arrays.copyOf(last, n);
        Arrays.sort(sorted);
        mean = Arrays.stream(sorted, 0, n - n / ENOUGH).average().orElse(0);
    }

    /** Returns true if there are enough samples to decide by. */
    synchronized boolean isKnown() {
        return samples >= ENOUGH;
    }

    /** Returns the recent mean, 0 if there is no sample. */
    synchronized double mean() {
        return mean;
    }

    /** Forgets all samples. */
    synchronized void clear() {
        samples = 0;
        mean = 0;
    }
}
