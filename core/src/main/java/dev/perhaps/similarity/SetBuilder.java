package dev.perhaps.similarity;

import java.util.Arrays;

/** Sorts hashes and drops repetitions, in about linear time since hashes are spread evenly. Confined to a thread. */
final class SetBuilder {
    /*
     * Two stable passes order the hashes by their 22 high bits; insertion mends the few places where these are equal and
     * the rest is not. Hashes that come often stand together already and cost nothing more. If an insertion has far to go,
     * the hashes are not spread evenly, and Arrays.sort takes over.
     */
    private static final int BITS = 11;
    private static final int CELLS = 1 << BITS;
    private static final int FAR = 256;
    private static final int FEW = 128;
    private static final int BATCH = 256;

    private final int[] highStarts = new int[CELLS];
    private final int[] lowStarts = new int[CELLS];
    private long[] half = new long[0];
    private long[] sorted = new long[0];

    /** The set of the first {@code count} hashes in ascending order; the array itself stays as it is. */
    long[] build(long[] hashes, int count) {
        if (sorted.length < count) {
            half = new long[count];
            sorted = new long[count];
        }
        if (count < FEW) {
            System.arraycopy(hashes, 0, sorted, 0, count);
            Arrays.sort(sorted, 0, count);
        } else {
            deal(hashes, count);
            if (!mend(sorted, count)) {
                Arrays.sort(sorted, 0, count);
            }
        }
        return Arrays.copyOf(sorted, distinct(sorted, count));
    }

    private void deal(long[] hashes, int count) {
        Arrays.fill(highStarts, 0);
        Arrays.fill(lowStarts, 0);
        for (int i = 0; i < count; i++) {
            highStarts[high(hashes[i])]++;
            lowStarts[low(hashes[i])]++;
        }
        int highStart = 0;
        int lowStart = 0;
        for (int cell = 0; cell < CELLS; cell++) {
            int highs = highStarts[cell];
            highStarts[cell] = highStart;
            highStart += highs;
            int lows = lowStarts[cell];
            lowStarts[cell] = lowStart;
            lowStart += lows;
        }
        for (int i = 0; i < count; i++) {
            half[lowStarts[low(hashes[i])]++] = hashes[i];
        }
        for (int i = 0; i < count; i++) {
            sorted[highStarts[high(half[i])]++] = half[i];
        }
    }

    /** The high bits in the order of signed numbers, as merging compares. */
    private static int high(long hash) {
        return (int) ((hash ^ Long.MIN_VALUE) >>> 64 - BITS);
    }

    private static int low(long hash) {
        return (int) (hash >>> 64 - 2 * BITS) & CELLS - 1;
    }

    private static boolean mend(long[] values, int count) {
        for (int i = 1; i < count; i++) {
            long value = values[i];
            if (values[i - 1] > value) {
                int at = i;
                while (at > 0 && values[at - 1] > value) {
                    values[at] = values[at - 1];
                    at--;
                }
                values[at] = value;
                if (i - at > FAR) {
                    return false;
                }
            }
        }
        return true;
    }

    private static int distinct(long[] sorted, int count) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (kept == 0 || sorted[kept - 1] != sorted[i]) {
                sorted[kept++] = sorted[i];
            }
        }
        return kept;
    }

    /** Exact Jaccard similarity of two sorted sets, or −1 as soon as it is certain to be below {@code threshold}. */
    static double jaccard(long[] a, long[] b, double threshold) {
        int most = Math.min(a.length, b.length);
        int total = a.length + b.length;
        if (isBelow(most, total, threshold)) {
            return -1;
        }
        int i = 0;
        int j = 0;
        int shared = 0;
        while (i < a.length && j < b.length) {
            // Each step takes one from either set at most: no bounds to check within the batch.
            for (int left = Math.min(BATCH, Math.min(a.length - i, b.length - j)); left > 0; left--) {
                long x = a[i];
                long y = b[j];
                if (x == y) {
                    shared++;
                    i++;
                    j++;
                } else if (x < y) {
                    i++;
                } else {
                    j++;
                }
            }
            if (isBelow(shared + Math.min(a.length - i, b.length - j), total, threshold)) {
                return -1;
            }
        }
        if (total == 0) {
            return 1;
        }
        double jaccard = (double) shared / (total - shared);
        return jaccard >= threshold ? jaccard : -1;
    }

    private static boolean isBelow(int shared, int total, double threshold) {
        return (double) shared / (total - shared) < threshold;
    }
}
