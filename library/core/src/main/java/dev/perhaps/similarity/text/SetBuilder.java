package dev.perhaps.similarity.text;

import dev.perhaps.hash.Mix;
import java.util.Arrays;

/**
 * Collects hashes and builds sorted sets of them, in about linear time because hashes are evenly distributed. Not
 * thread-safe.
 */
public final class SetBuilder {
    /*
     * Two stable passes order the hashes by their 22 high bits; insertion mends the few places where these are equal and
     * the rest is not. Hashes that come often stand together already and cost nothing more. If an insertion has far to go,
     * the hashes are not spread evenly, and Arrays.sort takes over; so it does for MANY, to need no second array.
     *
     * When the array of what is gathered is full, repetitions are dropped, and it grows only if that does not make room: it
     * has at most about twice as many places as there are different hashes, or as were expected.
     */
    private static final int BITS = 11;
    private static final int CELLS = 1 << BITS;
    private static final int FAR = 256;
    private static final int FEW = 128;
    private static final int MANY = 1 << 26;
    private static final int BATCH = 256;
    /** Arrays of more places are let go when the next set needs fewer. */
    private static final int KEPT = 1 << 20;

    private static final int MAX_HASHES = Integer.MAX_VALUE - 8;

    private final int[] highStarts = new int[CELLS];
    private final int[] lowStarts = new int[CELLS];
    private long[] gathered = new long[0];
    private long[] half = new long[0];
    private int count;

    /** The set of the first {@code size} hashes in ascending order; the array itself stays as it is. */
    public long[] build(long[] hashes, int size) {
        clear(size);
        System.arraycopy(hashes, 0, reserved(size), 0, size);
        count = size;
        return build();
    }

    /** The set of all hashes of a text that was started, of which there are about as many as expected. */
    public long[] build(ShingleBlocks blocks, long expected) {
        clear(expected);
        while (blocks.next()) {
            add(blocks);
        }
        return build();
    }

    /** Those of them that fall into part {@code part} of {@code parts} of all hashes. */
    public long[] build(ShingleBlocks blocks, long expected, int part, int parts) {
        clear(expected);
        while (blocks.next()) {
            add(blocks, part, parts);
        }
        return build();
    }

    /** Begins a set of about this number of hashes, with room for them at once; a wrong guess costs time only. */
    private void clear(long expected) {
        count = 0;
        int places = (int) Math.min(MAX_HASHES, expected);
        if (gathered.length < places || gathered.length > KEPT && gathered.length / 2 > places) {
            gathered = new long[places];
            half = half.length > KEPT ? new long[0] : half;
        }
    }

    /** Adds the hashes of a block. */
    private void add(ShingleBlocks blocks) {
        blocks.hashes(reserved(blocks.shingles()), count);
        count += blocks.shingles();
    }

    /** Adds those hashes of a block that fall into part {@code part} of {@code parts} of all hashes. */
    private void add(ShingleBlocks blocks, int part, int parts) {
        int from = count;
        add(blocks);
        int to = count;
        count = from;
        for (int i = from; i < to; i++) {
            gathered[count] = gathered[i];
            count += Mix.reduce(gathered[i], parts) == part ? 1 : 0;
        }
    }

    /** The set of all that was added, in ascending order. */
    private long[] build() {
        tidy();
        return Arrays.copyOf(gathered, count);
    }

    /** The array of what is gathered, with {@code more} free places after it. */
    private long[] reserved(int more) {
        if (gathered.length - count < more) {
            tidy();
            if (count + (long) more > gathered.length / 2) {
                gathered = Arrays.copyOf(gathered, (int)
                        Math.min(MAX_HASHES, Math.max(count + (long) more, 2L * gathered.length)));
            }
        }
        return gathered;
    }

    /** Sorts, and keeps each hash once. */
    private void tidy() {
        if (count < FEW || count > MANY || !deal()) {
            Arrays.sort(gathered, 0, count);
        }
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (kept == 0 || gathered[kept - 1] != gathered[i]) {
                gathered[kept++] = gathered[i];
            }
        }
        count = kept;
    }

    /** False if the hashes are not spread evenly, and are left in some order. */
    private boolean deal() {
        if (half.length < count) {
            half = new long[count];
        }
        Arrays.fill(highStarts, 0);
        Arrays.fill(lowStarts, 0);
        for (int i = 0; i < count; i++) {
            highStarts[high(gathered[i])]++;
            lowStarts[low(gathered[i])]++;
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
            half[lowStarts[low(gathered[i])]++] = gathered[i];
        }
        for (int i = 0; i < count; i++) {
            gathered[highStarts[high(half[i])]++] = half[i];
        }
        return mend(gathered, count);
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

    /** Exact Jaccard similarity of two sorted sets, or −1 as soon as it is certain to be below {@code threshold}. */
    public static double jaccard(long[] a, long[] b, double threshold) {
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

    /** Those hashes of a set that fall into part {@code part} of {@code parts} of all hashes. */
    public static long[] part(long[] set, int part, int parts) {
        return Arrays.stream(set)
                .filter(hash -> Mix.reduce(hash, parts) == part)
                .toArray();
    }

    /** How many both of two sorted sets have. */
    public static int shared(long[] a, long[] b) {
        int shared = 0;
        int i = 0;
        int j = 0;
        while (i < a.length && j < b.length) {
            shared += a[i] == b[j] ? 1 : 0;
            boolean isFirst = a[i] <= b[j];
            j += a[i] >= b[j] ? 1 : 0;
            i += isFirst ? 1 : 0;
        }
        return shared;
    }

    private static boolean isBelow(int shared, int total, double threshold) {
        return (double) shared / (total - shared) < threshold;
    }
}
