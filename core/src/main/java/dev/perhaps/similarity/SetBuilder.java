package dev.perhaps.similarity;

import java.util.Arrays;

/** Sorts hashes and drops repetitions, in about linear time since hashes are spread evenly. Confined to a thread. */
final class SetBuilder {
    /*
     * Hashes are dealt by their high bits into as many cells as there are hashes, and the cells, of one or two hashes each,
     * sorted by insertion; a cell that a hash fills by coming often is left to Arrays.sort. A quarter of the time that
     * Arrays.sort takes for all.
     */
    private static final int MOST_BY_INSERTION = 24;
    private static final int BATCH = 256;

    private long[] dealt = new long[0];
    private int[] ends = new int[0];

    /** The set of the first {@code count} hashes in ascending order; the array itself stays as it is. */
    long[] build(long[] hashes, int count) {
        if (count < 64) {
            long[] sorted = Arrays.copyOf(hashes, count);
            Arrays.sort(sorted);
            return Arrays.copyOf(sorted, distinct(sorted, count));
        }
        int bits = Math.min(24, 32 - Integer.numberOfLeadingZeros(count - 1));
        int cells = 1 << bits;
        if (dealt.length < count) {
            dealt = new long[count];
        }
        if (ends.length < cells) {
            ends = new int[cells];
        }
        Arrays.fill(ends, 0, cells, 0);
        int shift = 64 - bits;
        for (int i = 0; i < count; i++) {
            ends[cell(hashes[i], shift)]++;
        }
        int start = 0;
        for (int cell = 0; cell < cells; cell++) {
            int size = ends[cell];
            ends[cell] = start;
            start += size;
        }
        for (int i = 0; i < count; i++) {
            dealt[ends[cell(hashes[i], shift)]++] = hashes[i];
        }
        int from = 0;
        for (int cell = 0; cell < cells; cell++) {
            sort(dealt, from, ends[cell]);
            from = ends[cell];
        }
        return Arrays.copyOf(dealt, distinct(dealt, count));
    }

    /** Cells in the order of signed numbers, as merging compares. */
    private static int cell(long hash, int shift) {
        return (int) ((hash ^ Long.MIN_VALUE) >>> shift);
    }

    private static void sort(long[] values, int from, int to) {
        if (to - from > MOST_BY_INSERTION) {
            Arrays.sort(values, from, to);
            return;
        }
        for (int i = from + 1; i < to; i++) {
            long value = values[i];
            int at = i;
            while (at > from && values[at - 1] > value) {
                values[at] = values[at - 1];
                at--;
            }
            values[at] = value;
        }
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
