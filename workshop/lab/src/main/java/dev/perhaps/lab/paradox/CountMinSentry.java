package dev.perhaps.lab.paradox;

import dev.perhaps.hash.Mix;
import java.util.HashSet;
import java.util.Set;

/**
 * A Count-Min sketch that assumes that frequent keys are in the cache: yes iff the smallest counter reaches (distinct
 * keys so far) / columns. As published, with all its faults: the threshold uses <em>distinct</em> keys where it means
 * accesses, so it stores every key to count them, and it ignores evictions.
 */
final class CountMinSentry implements Sentry {
    private final int rows;
    private final int columns;
    private final int highest;
    private final int[] counters;
    private final Set<Long> different = new HashSet<>();

    /** @param counterBits counters stay at 2^bits − 1 once they reach it */
    CountMinSentry(int rows, int columns, int counterBits) {
        this.rows = rows;
        this.columns = columns;
        this.highest = counterBits >= 31 ? Integer.MAX_VALUE : (1 << counterBits) - 1;
        this.counters = new int[rows * columns];
    }

    /** The widest sketch of these rows and bits whose counters hold twice their mean after this number of accesses. */
    static CountMinSentry inBits(int rows, int bits, int accesses) {
        for (int counterBits = 4; ; counterBits++) {
            int columns = bits / (rows * counterBits);
            if ((1L << counterBits) - 1 >= 2L * accesses / columns) {
                return new CountMinSentry(rows, columns, counterBits);
            }
        }
    }

    @Override
    public boolean isWorthAsking(long hash) {
        int threshold = (different.size() + columns - 1) / columns;
        long x = hash;
        for (int row = 0; row < rows; row++) {
            x = Mix.finish(x + row + 1);
            if (counters[at(row, x)] < threshold) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void sees(long hash, boolean hit, long evicted, int cached) {
        different.add(hash);
        long x = hash;
        for (int row = 0; row < rows; row++) {
            x = Mix.finish(x + row + 1);
            int at = at(row, x);
            counters[at] += counters[at] < highest ? 1 : 0;
        }
    }

    private int at(int row, long x) {
        return row * columns + (int) Mix.reduce(x, columns);
    }

    int highestCounter() {
        int most = 0;
        for (int counter : counters) {
            most = Math.max(most, counter);
        }
        return most;
    }

    int differentKeys() {
        return different.size();
    }
}
