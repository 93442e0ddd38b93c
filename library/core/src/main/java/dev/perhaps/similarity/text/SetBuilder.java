package dev.perhaps.similarity.text;

import dev.perhaps.hash.Mix;
import java.util.Arrays;

/**
 * Collects hashes and builds sorted sets of them, in about linear time because hashes are evenly distributed. Not
 * thread-safe.
 */
public final class SetBuilder {
    /*
     * One pass deals the hashes by their high bits into as many cells; of more than LARGE, two stable passes order them
     * by 22 bits. Then each is inserted into the set of those before it, mostly at its end or a place or two before,
     * and left out if it is there. If that has to move many, the hashes are not spread evenly, and Arrays.sort takes
     * over; so it does for MANY, to need no second array.
     *
     * When the array of what is gathered is full, repetitions are dropped, and it grows only if that does not make
     * room: it has at most about twice as many places as there are different hashes, or as were expected.
     */
    private static final int BITS = 11;
    private static final int CELLS = 1 << BITS;
    /** With more, the starts of single cells would no longer be in the first-level cache. */
    private static final int LARGE = 1 << 15;

    /** The number of moves per hash above which they are not spread evenly. */
    private static final int MAX_MOVES = 16;

    private static final int FEW = 128;
    private static final int MANY = 1 << 26;
    private static final int BATCH = 256;
    /** Arrays of more places are let go when the next set needs fewer. */
    private static final int KEPT = 1 << 20;

    private static final int MAX_HASHES = Integer.MAX_VALUE - 8;

    private final int[] highStarts = new int[LARGE];
    private final int[] lowStarts = new int[CELLS];
    private long[] gathered = new long[0];
    private long[] half = new long[0];
    private int count;

    /** The set of the first {@code size} hashes in ascending order; the array itself stays as it is. */
    public long[] build(long[] hashes, int size) {
        gather(hashes, size);
        return gathered();
    }

    /** Gathers that set, to be copied, and returns its size. */
    public int gather(long[] hashes, int size) {
        clear(size);
        System.arraycopy(hashes, 0, reserved(size), 0, size);
        count = size;
        tidy();
        return count;
    }

    /** The set of all hashes of a text that was started, of which there are about as many as expected. */
    public long[] build(ShingleBlocks blocks, long expected) {
        gather(blocks, expected);
        return gathered();
    }

    /** Gathers that set, to be copied, and returns its size. */
    public int gather(ShingleBlocks blocks, long expected) {
        clear(expected);
        while (blocks.next()) {
            add(blocks);
        }
        tidy();
        return count;
    }

    /** Those of them that fall into part {@code part} of {@code parts} of all hashes. */
    public long[] build(ShingleBlocks blocks, long expected, int part, int parts) {
        clear(expected);
        while (blocks.next()) {
            add(blocks, part, parts);
        }
        tidy();
        return gathered();
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

    private long[] gathered() {
        return Arrays.copyOf(gathered, count);
    }

    /** Copies the set that was gathered last. */
    public void copy(long[] into) {
        System.arraycopy(gathered, 0, into, 0, count);
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
        if (count >= FEW && count <= MANY) {
            deal();
            int kept = insert(gathered, count);
            if (kept >= 0) {
                count = kept;
                return;
            }
        }
        Arrays.sort(gathered, 0, count);
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (kept == 0 || gathered[kept - 1] != gathered[i]) {
                gathered[kept++] = gathered[i];
            }
        }
        count = kept;
    }

    /** Orders the hashes by some of their high bits. */
    private void deal() {
        if (half.length < count) {
            half = new long[gathered.length];
        }
        if (count <= LARGE) {
            // As many cells as hashes, rounded up to a power of two, need this shift.
            int shift = Long.numberOfLeadingZeros(count - 1);
            deal(gathered, half, count, shift, highStarts);
            long[] dealt = half;
            half = gathered;
            gathered = dealt;
            return;
        }
        Arrays.fill(lowStarts, 0);
        for (int i = 0; i < count; i++) {
            lowStarts[low(gathered[i])]++;
        }
        starts(lowStarts, CELLS);
        for (int i = 0; i < count; i++) {
            half[lowStarts[low(gathered[i])]++] = gathered[i];
        }
        deal(half, gathered, count, Long.SIZE - BITS, highStarts);
    }

    /** Deals the hashes into cells by the bits above {@code shift}, in the order of signed numbers. */
    private static void deal(long[] hashes, long[] into, int count, int shift, int[] starts) {
        int cells = 1 << Long.SIZE - shift;
        Arrays.fill(starts, 0, cells, 0);
        for (int i = 0; i < count; i++) {
            starts[cell(hashes[i], shift)]++;
        }
        starts(starts, cells);
        for (int i = 0; i < count; i++) {
            into[starts[cell(hashes[i], shift)]++] = hashes[i];
        }
    }

    /** Turns the sizes of cells into their starts. */
    private static void starts(int[] cells, int number) {
        int start = 0;
        for (int cell = 0; cell < number; cell++) {
            int size = cells[cell];
            cells[cell] = start;
            start += size;
        }
    }

    /** The high bits in the order of signed numbers, as merging compares. */
    private static int cell(long hash, int shift) {
        return (int) ((hash ^ Long.MIN_VALUE) >>> shift);
    }

    private static int low(long hash) {
        return (int) (hash >>> 64 - 2 * BITS) & CELLS - 1;
    }

    /**
     * Makes a set of the values, in place, and returns its size; or −1 if that moves many, and then leaves them in some
     * order.
     */
    private static int insert(long[] values, int count) {
        long moves = (long) count * MAX_MOVES;
        int kept = 1;
        for (int i = 1; i < count; i++) {
            long value = values[i];
            int at = kept;
            while (at > 0 && values[at - 1] > value) {
                at--;
            }
            moves -= kept - at;
            if (at > 0 && values[at - 1] == value) {
                continue;
            }
            for (int place = kept; place > at; place--) {
                values[place] = values[place - 1];
            }
            values[at] = value;
            kept++;
            if (moves < 0) {
                // What was left out is missing between the set and the rest.
                System.arraycopy(values, i + 1, values, kept, count - i - 1);
                Arrays.fill(values, kept + count - i - 1, count, value);
                return -1;
            }
        }
        return kept;
    }

    /** Exact Jaccard similarity of two sorted sets, or −1 as soon as it is certain to be below {@code threshold}. */
    public static double jaccard(long[] a, long[] b, double threshold) {
        return jaccard(a, a.length, b, b.length, threshold);
    }

    /** The same of sets that fill only the beginning of their arrays. */
    public static double jaccard(long[] a, int sizeOfA, long[] b, int sizeOfB, double threshold) {
        int most = Math.min(sizeOfA, sizeOfB);
        int total = sizeOfA + sizeOfB;
        if (isBelow(most, total, threshold)) {
            return -1;
        }
        int i = 0;
        int j = 0;
        int shared = 0;
        while (i < sizeOfA && j < sizeOfB) {
            // Each step takes one from either set at most: no bounds to check within the batch.
            for (int left = Math.min(BATCH, Math.min(sizeOfA - i, sizeOfB - j)); left > 0; left--) {
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
            if (isBelow(shared + Math.min(sizeOfA - i, sizeOfB - j), total, threshold)) {
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
