package dev.perhaps.similarity.baskets;

import dev.perhaps.hash.Mix;
import dev.perhaps.similarity.search.RadixSort;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * All pairs at or above the threshold of groups that are in so few baskets that they can be joined exactly: none is
 * missed, and no pair is looked at that is none. Not thread-safe.
 */
final class RarePairs {
    /*
     * Sets of sizes m ≤ n reach the threshold iff they have a certain number c of members in common, the least with c /
     * (m + n − c) ≥ t. So for each two sizes every set is entered under each of its subsets of c members, and those
     * that meet under one are pairs, all of them. A set of 4 has 6 such subsets at most.
     *
     * This is what makes large baskets bearable. In a basket of 10,000 items that come twice each, an eighth of them
     * agrees with the others on any band of three rows: buckets as large as that are not searched whole (Candidates),
     * and bands alone found three quarters of the pairs with the items that come only there.
     */
    static final int MAX_SUPPORT = 4;

    private static final int MAX_PAIRS = 1 << 29;
    private static final long GAMMA = 0x9E3779B97F4A7C15L;

    private final int[] supports;
    private final IntFunction<long[]> baskets;
    private final double threshold;
    private final int most;
    private final int[][] ofSize = new int[MAX_SUPPORT + 1][];
    private long[] pairs = new long[1 << 8];
    private int count;

    /**
     * The baskets of a group are given by their hashes, the first as many as its support says; they are asked for
     * groups of up to {@code most} baskets.
     */
    RarePairs(int[] supports, IntFunction<long[]> baskets, int most, double threshold) {
        assert most <= MAX_SUPPORT;
        this.supports = supports;
        this.baskets = baskets;
        this.threshold = threshold;
        this.most = most;
        for (int size = 1; size <= most; size++) {
            int wanted = size;
            ofSize[size] = IntStream.range(0, supports.length)
                    .filter(group -> supports[group] == wanted)
                    .toArray();
        }
    }

    /** All pairs, ascending, each once. */
    long[] find() {
        for (int larger = 1; larger <= most; larger++) {
            for (int smaller = 1; smaller <= larger; smaller++) {
                int common = leastCommon(smaller, larger, threshold);
                if (isJoined(smaller, larger, common)) {
                    join(smaller, larger, common);
                }
            }
        }
        return Arrays.stream(pairs, 0, count).sorted().distinct().toArray();
    }

    /** Two sets of one size with all members in common are one group. */
    static boolean isJoined(int smaller, int larger, int common) {
        return common <= smaller && common < larger;
    }

    static int leastCommon(int smaller, int larger, double threshold) {
        int common = 1;
        while (common <= smaller && (double) common / (smaller + larger - common) < threshold) {
            common++;
        }
        return common;
    }

    private void join(int smaller, int larger, int common) {
        int[] groups = smaller == larger
                ? ofSize[larger]
                : IntStream.concat(IntStream.of(ofSize[smaller]), IntStream.of(ofSize[larger]))
                        .toArray();
        int entries = 0;
        for (int group : groups) {
            entries += subsets(supports[group], common);
        }
        RadixSort sort = new RadixSort(entries);
        int at = 0;
        for (int group : groups) {
            long[] set = baskets.apply(group);
            int size = supports[group];
            for (int subset = 1; subset < 1 << size; subset++) {
                if (Integer.bitCount(subset) == common) {
                    sort.keys()[at] = key(set, subset);
                    sort.values()[at++] = group;
                }
            }
        }
        sort.sort();
        int[] sorted = sort.values();
        sort.forEachRun((from, to) -> pair(sorted, from, to, smaller, larger));
    }

    /** Entries were made smaller sets first, and sorting is stable: so they stand in a run. */
    private void pair(int[] sorted, int from, int to, int smaller, int larger) {
        int firstLarger = from;
        while (firstLarger < to && smaller != larger && supports[sorted[firstLarger]] == smaller) {
            firstLarger++;
        }
        for (int i = from; i < (smaller == larger ? to : firstLarger); i++) {
            for (int j = smaller == larger ? i + 1 : firstLarger; j < to; j++) {
                add(sorted[i], sorted[j]);
            }
        }
    }

    private static int subsets(int size, int common) {
        int subsets = 1;
        for (int i = 0; i < common; i++) {
            subsets = subsets * (size - i) / (i + 1);
        }
        return subsets;
    }

    /** The key of some members of a set, given as bits, whatever their order. */
    static long key(long[] set, int subset) {
        long key = 0;
        for (int i = 0; subset >>> i != 0; i++) {
            key += (subset >>> i & 1) * Mix.finish(set[i] + GAMMA);
        }
        return key;
    }

    private void add(int a, int b) {
        if (count == pairs.length) {
            if (count >= MAX_PAIRS) {
                throw new IllegalStateException(
                        "more than " + count + " pairs of items in different baskets: raise the threshold");
            }
            pairs = Arrays.copyOf(pairs, 2 * count);
        }
        pairs[count++] = (long) Math.min(a, b) << 32 | Math.max(a, b);
    }
}
