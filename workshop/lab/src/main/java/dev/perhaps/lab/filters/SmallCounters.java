package dev.perhaps.lab.filters;

import dev.perhaps.hash.Mix;

/**
 * A counting Bloom filter with counters of few bits, and a choice of what happens to one that is full. For comparison.
 */
final class SmallCounters {
    /** What becomes of a counter at its maximum. */
    enum Full {
        /** It stays there forever: no key is ever lost, but the counter is. */
        STICKS,
        /** It is counted down like any other: it may reach 0 while keys still need it. */
        FALLS
    }

    private final int[] counters;
    private final int hashes;
    private final int most;
    private final Full full;

    SmallCounters(int count, int hashes, int bits, Full full) {
        this.counters = new int[count];
        this.hashes = hashes;
        this.most = (1 << bits) - 1;
        this.full = full;
    }

    void add(long hash) {
        long x = hash;
        for (int i = 0; i < hashes; i++) {
            x = Mix.finish(x + i + 1);
            int at = (int) Mix.reduce(x, counters.length);
            counters[at] += counters[at] < most ? 1 : 0;
        }
    }

    void remove(long hash) {
        long x = hash;
        for (int i = 0; i < hashes; i++) {
            x = Mix.finish(x + i + 1);
            int at = (int) Mix.reduce(x, counters.length);
            boolean counted = counters[at] > 0 && (full == Full.FALLS || counters[at] < most);
            counters[at] -= counted ? 1 : 0;
        }
    }

    boolean mightContain(long hash) {
        long x = hash;
        for (int i = 0; i < hashes; i++) {
            x = Mix.finish(x + i + 1);
            if (counters[(int) Mix.reduce(x, counters.length)] == 0) {
                return false;
            }
        }
        return true;
    }

    void clear() {
        java.util.Arrays.fill(counters, 0);
    }

    /** The number of counters that have reached this value. */
    int reached(int least) {
        int found = 0;
        for (int counter : counters) {
            found += counter >= least ? 1 : 0;
        }
        return found;
    }
}
