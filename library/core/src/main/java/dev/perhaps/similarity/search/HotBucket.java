package dev.perhaps.similarity.search;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Which pairs of a hot bucket are candidates: a pure function of the members' signatures and fine sketches. Not
 * thread-safe.
 */
public final class HotBucket {
    /*
     * Up to BLOCK members are one block. More are cut into blocks in the order of the components behind the band, so
     * that those that resemble each other most are often in one; and the CENTRAL members that are closest to what most
     * members have are in every block. Variants of one text are like each other the more, the less each was changed, so
     * one that has few near duplicates has them among the central ones.
     *
     * In a block all pairs are compared by their fine sketches, at 14 ns each; by a quarter of them if that is HOPELESS
     * deviations from the threshold, as it is among documents that share a header only. A member then takes its
     * partners from the closest on until it may expect ENOUGH near duplicates among them, at most MAX_PARTNERS, and
     * none that is further from the threshold than DEVIATIONS (which loses one near duplicate in 1,500 at the
     * threshold, and none above). A pair is a candidate if either takes the other. So a member with close partners
     * takes few, and a member with doubtful ones takes all of them.
     *
     * Partners that are equally close are taken in the order that follows the member, around to the first: where all
     * are equally close each is tied to the next, and all are connected.
     *
     * Work per member and bucket: at most BLOCK / 2 comparisons and MAX_PARTNERS candidates, whatever the size of the
     * bucket.
     */
    static final int BLOCK = 1 << 11;

    static final int CENTRAL = 1 << 8;
    private static final int SAMPLE = 255;
    /** This number of sketches, 16 KiB, stays in the first-level cache while others are compared with them. */
    private static final int TILE = 1 << 5;

    private static final double ENOUGH = 24;
    private static final int MAX_PARTNERS = 1 << 7;
    private static final double DEVIATIONS = 3.2;
    private static final double HOPELESS = 5;

    /** Takes pairs of members. */
    public interface Sink {
        void pair(int a, int b);
    }

    private final int least;
    private final int mostDifferent;
    private final double[] chances = new double[FineSignatures.COMPONENTS + 1];
    private final int[] counts = new int[FineSignatures.COMPONENTS + 1];
    /** A row per member of a block; grows to what the largest block needs, 8 MiB at most. */
    private short[] hits = new short[0];

    public HotBucket(double threshold) {
        double mean = FineSignatures.expected(threshold);
        double deviation = FineSignatures.deviation(threshold);
        this.least = least(threshold);
        // A quarter has half the deviation.
        this.mostDifferent = (int) Math.ceil((FineSignatures.COMPONENTS - mean) / 4 + HOPELESS * deviation / 2);
        for (int h = 0; h < chances.length; h++) {
            // The logistic function in place of the normal one: within 0.01 of it.
            chances[h] = 1 / (1 + StrictMath.exp(-1.702 * (h - mean) / deviation));
        }
    }

    /** The number of equal components below which no pair is a candidate. */
    public static int least(double threshold) {
        return (int) Math.floor(FineSignatures.expected(threshold) - DEVIATIONS * FineSignatures.deviation(threshold));
    }

    /** The number of blocks into which a bucket is cut. */
    static int blocks(int members) {
        return !isCut(members) ? 1 : (members + BLOCK - CENTRAL - 1) / (BLOCK - CENTRAL);
    }

    /** True if a bucket of this size is cut into blocks. */
    public static boolean isCut(int members) {
        return members > BLOCK;
    }

    /**
     * Candidate pairs of a bucket, some of them twice. The members are given in ascending order; if they are cut into
     * blocks, they are ordered by their components from {@code nextRow} on first, in the array given.
     */
    public void pairs(int[] members, int nextRow, ShortSignatures signatures, FineSignatures sketches, Sink sink) {
        int blocks = blocks(members.length);
        if (isCut(members.length)) {
            order(members, 0, members.length, signatures, nextRow);
        }
        if (blocks == 1) {
            block(members, sketches, sink);
            return;
        }
        int[] central = central(members, sketches);
        for (int block = 0; block < blocks; block++) {
            int from = (int) ((long) members.length * block / blocks);
            int to = (int) ((long) members.length * (block + 1) / blocks);
            int[] own = Arrays.copyOfRange(members, from, to);
            int[] others = Arrays.stream(central)
                    .filter(place -> place < from || place >= to)
                    .map(place -> members[place])
                    .toArray();
            int[] all = Arrays.copyOf(own, own.length + others.length);
            System.arraycopy(others, 0, all, own.length, others.length);
            block(all, sketches, sink);
        }
    }

    /** Orders a bucket by the components from {@code nextRow} on, around to the first; equal signatures by number. */
    static void order(int[] contents, int from, int to, ShortSignatures signatures, int nextRow) {
        Integer[] boxed = new Integer[to - from];
        Arrays.setAll(boxed, i -> contents[from + i]);
        Arrays.sort(boxed, (a, b) -> {
            int[] left = signatures.get(a);
            int[] right = signatures.get(b);
            for (int i = 0; i < left.length; i++) {
                int row = (nextRow + i) % left.length;
                if (left[row] != right[row]) {
                    return Integer.compare(left[row], right[row]);
                }
            }
            return Integer.compare(a, b);
        });
        for (int i = 0; i < boxed.length; i++) {
            contents[from + i] = boxed[i];
        }
    }

    /** Places of the members that are closest to the bits which most of a sample of them have, in ascending order. */
    private static int[] central(int[] members, FineSignatures sketches) {
        long[][] sample = new long[SAMPLE][];
        for (int i = 0; i < SAMPLE; i++) {
            sample[i] = sketches.of(members[(int) ((long) members.length * i / SAMPLE)]);
        }
        long[] middle = FineSignatures.majority(sample);
        int[] closeness = new int[members.length];
        for (int i = 0; i < members.length; i++) {
            closeness[i] = FineSignatures.hits(middle, sketches.of(members[i]));
        }
        return IntStream.range(0, members.length)
                .boxed()
                .sorted(Comparator.comparingInt(place -> -closeness[place]))
                .limit(CENTRAL)
                .mapToInt(place -> place)
                .sorted()
                .toArray();
    }

    private void block(int[] members, FineSignatures sketches, Sink sink) {
        int size = members.length;
        if (hits.length < size * size) {
            hits = new short[size * size];
        }
        // Sketches of a bucket are scattered over the heap; these copies lie side by side.
        long[][] own = new long[size][];
        for (int i = 0; i < size; i++) {
            own[i] = sketches.of(members[i]).clone();
        }
        for (int from = 0; from < size; from += TILE) {
            int to = Math.min(size, from + TILE);
            for (int i = 0; i < to; i++) {
                for (int j = Math.max(i + 1, from); j < to; j++) {
                    short equal = (short) FineSignatures.hits(own[i], own[j], mostDifferent);
                    hits[i * size + j] = equal;
                    hits[j * size + i] = equal;
                }
            }
        }
        for (int i = 0; i < size; i++) {
            take(members, i, sink);
        }
    }

    private void take(int[] members, int i, Sink sink) {
        int size = members.length;
        int row = i * size;
        Arrays.fill(counts, 0);
        for (int j = 0; j < size; j++) {
            counts[hits[row + j]] += j == i ? 0 : 1;
        }
        double expected = 0;
        int room = MAX_PARTNERS;
        int level = FineSignatures.COMPONENTS;
        while (level >= least && room >= counts[level] && expected + counts[level] * chances[level] < ENOUGH) {
            expected += counts[level] * chances[level];
            room -= counts[level];
            level--;
        }
        // All above the level, and of it those that are still wanted.
        int more = level < least ? 0 : (int) Math.min(room, Math.ceil((ENOUGH - expected) / chances[level]));
        for (int step = 1; step < size; step++) {
            int j = i + step < size ? i + step : i + step - size;
            int equal = hits[row + j];
            if (equal > level || equal == level && more-- > 0) {
                sink.pair(members[i], members[j]);
            }
        }
    }
}
