package dev.perhaps.similarity.baskets;

import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.similarity.Banding;
import dev.perhaps.similarity.Family;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.duplicates.NearDuplicates;
import dev.perhaps.similarity.search.Buckets;
import dev.perhaps.similarity.search.Candidates;
import dev.perhaps.similarity.search.PairIds;
import dev.perhaps.similarity.search.ShortSignatures;
import dev.perhaps.similarity.search.Workers;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Finds items that are mostly in the same baskets: for every reported pair, the sets of baskets of both items have an
 * exact Jaccard similarity of at least the threshold, however rare the items are; a pair at the threshold is missed
 * with at most the planned probability (default: 1 %). Reads the baskets twice and keeps none. The result depends only
 * on the baskets, not on their order, on the order of items or on threads. Immutable and thread-safe.
 *
 * <pre>{@code
 * Baskets.Listed baskets = Baskets.of(List.of(Set.of("bread", "butter"), Set.of("bread", "butter", "tea"), Set.of("tea")));
 * Correlations found = CorrelatedItems.atLeast(0.8).run(baskets);
 * found.pairs().forEach(pair -> System.out.println(baskets.name(pair.a()) + " with " + baskets.name(pair.b())));
 * }</pre>
 *
 * One-sided rules ("who buys A also buys B, but not the reverse") are not found.
 */
public final class CorrelatedItems {
    /*
     *     first pass → items of the same baskets are one → candidates, by bands or exact → second pass → pairs
     *     ItemSketches         ItemGroups                   Candidates    RarePairs      CommonBaskets  Correlations
     *
     * S_u, the set of baskets with item u, is signed while baskets stream by; items whose signatures agree on a band
     * are candidates; the second pass counts the baskets that both are in. There is no least support, so items that
     * come once are found too [1].
     *
     * Pairs of which both come up to 4 times are joined exactly, without bands (RarePairs): none is missed.
     *
     * Items in exactly the same baskets, the thousands that come once in one large basket above all, are one group: one
     * signature, and one candidate for all. A group of m has m(m − 1)/2 pairs at J = 1; they are generated one by one
     * while Correlations is read, and never stored.
     *
     * In a bucket of more than WHOLE groups not every pair is looked at (Candidates). That takes more than WHOLE items
     * with different baskets of which all share most, or a basket of many thousand items that come five times or a
     * little more. There each group is compared with the next ones in an order that is another one in each band: with
     * WHOLE³/size² of them, which is all at first, a third at 3,000, and no fewer than 4. So work and memory per item
     * are bounded, and pairs that share several bands meet in one of them.
     *
     * Bands: the most rows with the wanted recall at the threshold, or by the lectures' rule, (k/r)·t^r ≈ 1, which
     * finds 60 to 99 %.
     *
     * Memory, with k components: for an item in s baskets about 50 + 8s bytes while s < k, and 50 + 16k from there on
     * (2.1 kB for k = 128); 4k + 30 per group once all are read; 16 to 36 bytes per distinct basket, in the first pass
     * only, to distinguish equal ones; 16 bytes per candidate. At most 2^31 − 1 baskets.
     *
     * [1] Cohen, Datar, Fujiwara, Gionis, Indyk, Motwani, Ullman and Yang, "Finding interesting associations without
     * support pruning" (2000).
     */
    static final int WHOLE = 1 << 11;

    /** The default number of components of a signature. */
    public static final int DEFAULT_COMPONENTS = 128;
    /** The default probability of finding a pair at the threshold. */
    public static final double DEFAULT_RECALL = 0.99;

    private final double threshold;
    private final double recall;
    private final boolean lecture;
    private final int components;
    private final int threads;

    private CorrelatedItems(double threshold, double recall, boolean lecture, int components, int threads) {
        this.threshold = threshold;
        this.recall = recall;
        this.lecture = lecture;
        this.components = components;
        this.threads = threads;
    }

    /** Starts a plan: pairs of items whose sets of baskets have at least this Jaccard similarity are reported. */
    public static CorrelatedItems atLeast(double jaccard) {
        Banding.Plan bands = Banding.of(DEFAULT_COMPONENTS).threshold(jaccard);
        int processors = Runtime.getRuntime().availableProcessors();
        return new CorrelatedItems(bands.threshold(), DEFAULT_RECALL, false, bands.components(), processors);
    }

    /**
     * The probability, in (0, 1), of finding a pair at the threshold (default: 0.99); pairs above it are found more
     * often.
     */
    public CorrelatedItems recall(double chance) {
        Banding bands = Banding.of(components).threshold(threshold).recall(chance);
        assert bands.chance(threshold) >= chance;
        return new CorrelatedItems(threshold, chance, false, components, threads);
    }

    /** Uses the bands of the lectures' rule instead of the recall. */
    public CorrelatedItems lecture() {
        return new CorrelatedItems(threshold, recall, true, components, threads);
    }

    /**
     * The number of components of a signature (default: 128); more components find the same pairs with fewer
     * candidates.
     */
    public CorrelatedItems components(int k) {
        return new CorrelatedItems(threshold, recall, lecture, Family.checkedComponents(k), threads);
    }

    /** The number of threads (default: one per processor). */
    public CorrelatedItems threads(int count) {
        return new CorrelatedItems(threshold, recall, lecture, components, Workers.checkedThreads(count));
    }

    /** Returns the bands that {@link #run} uses. */
    public Banding banding() {
        Banding.Plan plan = Banding.of(components).threshold(threshold);
        return lecture ? plan.lecture() : plan.recall(recall);
    }

    /**
     * Reads the baskets twice and returns the pairs.
     *
     * @throws IllegalStateException if the baskets are not the same the second time
     * @throws IOException if the baskets cannot be read
     */
    public Correlations run(Baskets baskets) throws IOException {
        Banding banding = banding();
        ItemSketches sketches = new ItemSketches(baskets, MinHash.of(MinHash.FAST, components, Key.longs()));
        baskets.read(sketches);
        ItemGroups groups = ItemGroups.of(baskets, sketches, components, threads);
        int joined = joined();
        long[] rare = new RarePairs(
                        groups.supports, group -> sketches.list(groups.items[groups.starts[group]]), joined, threshold)
                .find();
        sketches.forget();
        return verified(baskets, sketches.baskets(), groups, banding, joined, rare);
    }

    private Correlations verified(
            Baskets baskets, int basketCount, ItemGroups groups, Banding banding, int joined, long[] rare)
            throws IOException {
        int leastHits = leastHits(banding);
        long[] banded = Candidates.find(
                ShortSignatures.of(groups.signatures),
                banding.bands(),
                banding.rows(),
                leastHits,
                WHOLE,
                CorrelatedItems::partners,
                threads);
        long[] candidates = Stream.of(rare, likely(banded, groups.supports, joined))
                .flatMapToLong(Arrays::stream)
                .sorted()
                .toArray();
        CommonBaskets common = new CommonBaskets(groups, candidates);
        baskets.read(common);
        return Correlations.of(baskets, basketCount, groups, banding, joined, candidates, common.counts());
    }

    /** The number of groups that each group of a larger bucket is compared with. */
    private static int partners(int size) {
        return (int) Math.max(Candidates.NEXT, (long) WHOLE * WHOLE * WHOLE / size / size);
    }

    /**
     * Pairs that are not joined yet, and whose smaller support is at least t times the larger one; otherwise {@code J <
     * t}.
     */
    private long[] likely(long[] pairs, int[] supports, int joined) {
        return Arrays.stream(pairs)
                .filter(pair -> {
                    int a = supports[PairIds.first(pair)];
                    int b = supports[PairIds.second(pair)];
                    return isLikely(a, b, joined, threshold);
                })
                .toArray();
    }

    private static boolean isLikely(int a, int b, int joined, double threshold) {
        return Math.max(a, b) > joined && (double) Math.min(a, b) / Math.max(a, b) >= threshold;
    }

    /** Returns the rule by which {@link #run} finds pairs, in steps for engines that keep baskets on many machines. */
    public Rule rule() {
        return new Rule(this);
    }

    /** The number of equal components that a pair of a bucket needs. */
    private int leastHits(Banding banding) {
        return NearDuplicates.leastHits(banding, lecture ? banding.chance(threshold) : recall);
    }

    /** The number of baskets up to which pairs are joined exactly. */
    private int joined() {
        return Math.min(RarePairs.MAX_SUPPORT, components);
    }

    @Override
    public String toString() {
        return "correlated items at " + Figures.significant(threshold) + ", " + banding();
    }

    /**
     * The steps by which {@link #run} finds pairs; they depend only on their arguments. An engine that follows them
     * gets the pairs of {@link #run}, however the baskets are distributed. Not thread-safe: one per thread.
     */
    public static final class Rule {
        /*
         * What an engine does:
         *
         *     1. Per basket, the sum of contentShare over its different items is its content.
         *     2. Per item, start(), then add the content of each of its baskets, equal ones together. Items with the
         *        same high, low and support are one group; groups are in the order of these three, signed.
         *     3. Groups with equal rareKeys (of one place) are pairs if their supports are those that rareSizes says.
         *     4. Groups with equal keys of one band are a bucket. Its pairs that areLikely and have leastHits are
         *        candidates, all of them; if isHot(size), those of hotPairs, and of all groups that were in a hot
         *        bucket, if meetByRare(), those of which areFew share a value of one component.
         *     5. Count for all candidates the baskets that both are in; those with a similarity of at least the
         *        threshold are pairs, as are any two items of one group.
         */
        private final CorrelatedItems search;
        private final Banding banding;
        private final int leastHits;
        private final int joined;
        private final int[][] rowsOf;
        private final int[][] rareSizes;
        private final long[] scratch;
        private final ItemSketches item;

        private Rule(CorrelatedItems search) {
            this.search = search;
            this.banding = search.banding();
            this.leastHits = search.leastHits(banding);
            this.joined = search.joined();
            this.rowsOf = IntStream.range(0, banding.bands())
                    .mapToObj(band -> Buckets.rows(0, band, banding.bands(), banding.rows()))
                    .toArray(int[][]::new);
            this.rareSizes = IntStream.rangeClosed(1, joined)
                    .boxed()
                    .flatMap(larger -> IntStream.rangeClosed(1, larger).mapToObj(smaller ->
                            new int[] {smaller, larger, RarePairs.leastCommon(smaller, larger, search.threshold)}))
                    .filter(sizes -> RarePairs.isJoined(sizes[0], sizes[1], sizes[2]))
                    .toArray(int[][]::new);
            this.scratch = new long[search.components];
            this.item =
                    new ItemSketches(Baskets.of(List.of()), MinHash.of(MinHash.FAST, search.components, Key.longs()));
            item.restart();
        }

        /** Receives pairs. */
        @FunctionalInterface
        public interface Sink {
            /** Takes a pair, given by the positions of both. */
            void pair(int a, int b);
        }

        /**
         * Returns the number that an item adds to the content of its basket; the item is given by the hash of its name.
         */
        public static long contentShare(long itemHash) {
            return ItemSketches.share(itemHash);
        }

        /** Starts with another item. */
        public void start() {
            item.restart();
        }

        /** Adds the baskets of the item that have this content. */
        public void add(long content, int baskets) {
            if (baskets < 1 || baskets > Integer.MAX_VALUE - support()) {
                throw new IllegalStateException(
                        "an item is in more than " + Integer.MAX_VALUE + " baskets: split them, or sample them first");
            }
            for (int before = 0; before < baskets; before++) {
                item.add(0, Occurrences.hash(content, before));
            }
        }

        /** Returns the first half of the fingerprint of the item's baskets. */
        public long high() {
            return item.high(0);
        }

        /** Returns the second half of the fingerprint. */
        public long low() {
            return item.low(0);
        }

        /** Returns the number of the item's baskets. */
        public int support() {
            return item.support(0);
        }

        /**
         * Returns the signature of the item's baskets, which must not be empty; call it once, after all other methods.
         */
        public int[] signature() {
            return item.signature(0, scratch);
        }

        /** Returns the keys of an item that is in few baskets: one array per position of {@link #rareSizes}. */
        public long[][] rareKeys() {
            int size = support();
            long[] set = size <= joined ? item.list(0) : new long[0];
            return Arrays.stream(rareSizes)
                    .map(sizes -> size > joined || size != sizes[0] && size != sizes[1]
                            ? new long[0]
                            : IntStream.range(1, 1 << size)
                                    .filter(subset -> Integer.bitCount(subset) == sizes[2])
                                    .mapToLong(subset -> RarePairs.key(set, subset))
                                    .toArray())
                    .toArray(long[][]::new);
        }

        /** Returns the smaller and the larger support of the pairs that are found by the rare keys of a position. */
        public int[] rareSizes(int place) {
            return Arrays.copyOf(rareSizes[place], 2);
        }

        /** Returns the keys of a signature, one per band. */
        public long[] keys(int[] signature) {
            return Arrays.stream(rowsOf)
                    .mapToLong(rows -> Buckets.key(signature, rows))
                    .toArray();
        }

        /** Returns the number of equal components that a candidate needs. */
        public int leastHits() {
            return leastHits;
        }

        /** Returns true if two signatures have as many equal components as a candidate needs. */
        public boolean haveHits(int[] a, int[] b) {
            return Candidates.hits(a, b) >= leastHits;
        }

        /**
         * Returns true if two groups with these supports, which share a band, can be a pair that is not joined exactly.
         */
        public boolean areLikely(int supportA, int supportB) {
            return isLikely(supportA, supportB, joined, search.threshold);
        }

        /** Returns true if not all pairs of a bucket of this size are candidates. */
        public static boolean isHot(int size) {
            return size > WHOLE;
        }

        /** Chooses pairs of a hot bucket of one band, given the signatures of its groups in their order. */
        public void hotPairs(int band, int[][] signatures, Sink sink) {
            int orderedFrom = Buckets.orderedFrom(0, band, banding.rows());
            Candidates.next(
                    ShortSignatures.of(signatures), orderedFrom, partners(signatures.length), leastHits, sink::pair);
        }

        /** Returns true if groups of hot buckets are also paired by components that few of them share. */
        public boolean meetByRare() {
            return banding.rows() > 1;
        }

        /**
         * Returns the number of baskets up to which pairs are joined exactly: if both items are in no more, none is
         * missed.
         */
        public int joined() {
            return joined;
        }

        /** Returns an estimate of the pairs that were missed, from those that were found by bands. */
        public MissedPairs missedPairs() {
            return new MissedPairs(banding);
        }

        /**
         * Returns true if a component is shared by so small a number of groups of hot buckets that all their pairs are
         * compared.
         */
        public static boolean areFew(int size) {
            return Buckets.areFew(size);
        }
    }
}
