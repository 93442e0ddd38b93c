package dev.perhaps.similarity.baskets;

import dev.perhaps.io.Figures;
import dev.perhaps.similarity.Banding;
import dev.perhaps.similarity.search.PairIds;
import java.util.Arrays;
import java.util.Comparator;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The result of {@link CorrelatedItems}: pairs of items with the exact similarity of their baskets. Pairs are generated
 * while they are read: there may be millions of pairs of items that are always together, and only a few bytes per item
 * are stored. Immutable.
 */
public final class Correlations {
    /*
     * Held are edges between groups of items that are in the same baskets. An edge between groups of m and n items is
     * m·n pairs, a group of m is m(m − 1)/2 at J = 1. To tell them in order, edges are sorted by J; for all edges of
     * one J the items are taken by name, and for each its partners that come after it. At most the partners of one item
     * are held.
     */
    private final Baskets names;
    private final int baskets;
    private final ItemGroups groups;
    private final Banding banding;
    /** Pairs of which both are in no more baskets than this cannot be missed. */
    private final int joined;

    private final long candidates;
    /** Sorted by J, the highest first; those of a group with itself first of all. */
    private final long[] edges;

    private final int[] commons;
    private final double[] jaccards;

    private Correlations(
            Baskets names,
            int baskets,
            ItemGroups groups,
            Banding banding,
            int joined,
            long candidates,
            long[] edges,
            int[] commons,
            double[] jaccards) {
        this.names = names;
        this.baskets = baskets;
        this.groups = groups;
        this.banding = banding;
        this.joined = joined;
        this.candidates = candidates;
        this.edges = edges;
        this.commons = commons;
        this.jaccards = jaccards;
    }

    /**
     * Two items that are mostly in the same baskets.
     *
     * @param a the number of an item; listed before {@code b}
     * @param common the number of baskets with both
     * @param supportA the number of baskets with {@code a}
     */
    public record Pair(int a, int b, int common, int supportA, int supportB) {
        /** Returns the share of baskets with both, of those with at least one of them. */
        public double jaccard() {
            return Correlations.jaccard(common, supportA, supportB);
        }
    }

    private static double jaccard(int common, int supportA, int supportB) {
        return (double) common / ((long) supportA + supportB - common);
    }

    /** From the candidates and the number of baskets that both are in. */
    static Correlations of(
            Baskets names,
            int baskets,
            ItemGroups groups,
            Banding banding,
            int joined,
            long[] candidates,
            int[] commons) {
        double[] all = new double[candidates.length];
        for (int i = 0; i < all.length; i++) {
            int a = groups.supports[PairIds.first(candidates[i])];
            int b = groups.supports[PairIds.second(candidates[i])];
            all[i] = jaccard(commons[i], a, b);
        }
        int[] order = IntStream.range(0, all.length)
                .filter(i -> all[i] >= banding.threshold())
                .boxed()
                .sorted(Comparator.comparingDouble(i -> -all[i]))
                .mapToInt(i -> i)
                .toArray();
        int[] selves = IntStream.range(0, groups.count())
                .filter(group -> groups.size(group) > 1)
                .toArray();
        long[] edges = new long[selves.length + order.length];
        int[] edgeCommons = new int[edges.length];
        double[] jaccards = new double[edges.length];
        for (int i = 0; i < edges.length; i++) {
            boolean self = i < selves.length;
            int at = self ? selves[i] : order[i - selves.length];
            edges[i] = self ? (long) at << 32 | at : candidates[at];
            edgeCommons[i] = self ? groups.supports[at] : commons[at];
            jaccards[i] = self ? 1 : all[at];
        }
        return new Correlations(
                names, baskets, groups, banding, joined, candidates.length, edges, edgeCommons, jaccards);
    }

    /** Returns the number of baskets with at least one item. */
    public int baskets() {
        return baskets;
    }

    /** Returns the number of distinct items. */
    public int items() {
        return groups.items.length;
    }

    /** Returns the number of pairs that were found. */
    public long count() {
        long count = 0;
        for (long edge : edges) {
            count += pairsOf(edge);
        }
        return count;
    }

    private long pairsOf(long edge) {
        long a = groups.size(PairIds.first(edge));
        return isSelf(edge) ? a * (a - 1) / 2 : a * groups.size(PairIds.second(edge));
    }

    private static boolean isSelf(long edge) {
        return PairIds.first(edge) == PairIds.second(edge);
    }

    /** Returns the number of candidate pairs that were compared exactly; items with the same baskets count as one. */
    public long candidates() {
        return candidates;
    }

    /** Returns an estimate of the share of pairs at or above the threshold that were missed. */
    public double missedShare() {
        SortedMap<Double, Long> banded = new TreeMap<>(Comparator.reverseOrder());
        for (int i = 0; i < edges.length; i++) {
            int a = groups.supports[PairIds.first(edges[i])];
            int b = groups.supports[PairIds.second(edges[i])];
            if (!isSelf(edges[i]) && Math.max(a, b) > joined) {
                banded.merge(jaccards[i], pairsOf(edges[i]), Long::sum);
            }
        }
        MissedPairs missed = new MissedPairs(banding);
        banded.forEach(missed::add);
        return missed.share(count());
    }

    /** Returns all pairs, the most similar first, pairs of equal similarity by name. */
    public Stream<Pair> pairs() {
        int[] ranks = new int[groups.ofItem.length];
        int[] byName = IntStream.of(groups.items)
                .boxed()
                .sorted(names::compare)
                .mapToInt(i -> i)
                .toArray();
        for (int i = 0; i < byName.length; i++) {
            ranks[byName[i]] = i;
        }
        int[] starts = IntStream.range(0, edges.length)
                .filter(i -> i == 0 || jaccards[i - 1] != jaccards[i])
                .toArray();
        return IntStream.range(0, starts.length).boxed().flatMap(level -> {
            int to = level + 1 < starts.length ? starts[level + 1] : edges.length;
            return new Level(starts[level], to, ranks, byName).pairs();
        });
    }

    /** All edges of one similarity. */
    private final class Level {
        private final int[] ranks;
        private final int[] byName;
        /** Both ends of every edge, ascending: the group in the high half, the edge in the low one. */
        private final long[] ends;

        Level(int from, int to, int[] ranks, int[] byName) {
            this.ranks = ranks;
            this.byName = byName;
            long[] both = new long[2 * (to - from)];
            int count = 0;
            for (int i = from; i < to; i++) {
                both[count++] = (long) PairIds.first(edges[i]) << 32 | i;
                if (!isSelf(edges[i])) {
                    both[count++] = (long) PairIds.second(edges[i]) << 32 | i;
                }
            }
            this.ends = Arrays.copyOf(both, count);
            Arrays.sort(ends);
        }

        Stream<Pair> pairs() {
            return IntStream.of(items()).mapToObj(rank -> byName[rank]).flatMap(this::pairsFrom);
        }

        /** Ranks of all items that have a pair here, ascending. */
        private int[] items() {
            int[] items = new int[1 << 4];
            int count = 0;
            for (int i = 0; i < ends.length; i++) {
                int group = (int) (ends[i] >>> 32);
                if (i > 0 && (int) (ends[i - 1] >>> 32) == group) {
                    continue;
                }
                int size = groups.size(group);
                if (count + size > items.length) {
                    items = Arrays.copyOf(items, Math.max(count + size, 2 * items.length));
                }
                for (int j = groups.starts[group]; j < groups.starts[group + 1]; j++) {
                    items[count++] = ranks[groups.items[j]];
                }
            }
            int[] sorted = Arrays.copyOf(items, count);
            Arrays.sort(sorted);
            return sorted;
        }

        private Stream<Pair> pairsFrom(int item) {
            int group = groups.ofItem[item];
            int at = Arrays.binarySearch(ends, (long) group << 32);
            at = at < 0 ? -at - 1 : at;
            // Each partner as its rank and the edge that leads to it.
            long[] partners = new long[1 << 4];
            int count = 0;
            for (; at < ends.length && (int) (ends[at] >>> 32) == group; at++) {
                int edge = (int) ends[at];
                int first = PairIds.first(edges[edge]);
                int other = first == group ? PairIds.second(edges[edge]) : first;
                int end = groups.starts[other + 1];
                for (int j = firstAfter(other, ranks[item]); j < end; j++) {
                    partners = count == partners.length ? Arrays.copyOf(partners, 2 * count) : partners;
                    partners[count++] = (long) ranks[groups.items[j]] << 32 | edge;
                }
            }
            Arrays.sort(partners, 0, count);
            return Arrays.stream(partners, 0, count).mapToObj(partner -> {
                int other = byName[(int) (partner >>> 32)];
                int common = commons[(int) partner];
                return new Pair(item, other, common, groups.supports[group], groups.supports[groups.ofItem[other]]);
            });
        }

        /** Where, in a group, the items begin that are named after this rank. */
        private int firstAfter(int group, int rank) {
            int low = groups.starts[group];
            int high = groups.starts[group + 1];
            while (low < high) {
                int middle = low + high >>> 1;
                if (ranks[groups.items[middle]] > rank) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            return low;
        }
    }

    @Override
    public String toString() {
        return Figures.count(count()) + " pairs of " + Figures.count(items()) + " items in " + Figures.count(baskets)
                + " baskets";
    }
}
