package dev.perhaps.similarity.search;

import dev.perhaps.similarity.Banding;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Pairs of contents that agree on a whole band and on enough components in all: candidates to compare exactly. A pair
 * is a long, the lesser content number in its high half. Depends on the contents only.
 */
public final class Candidates {
    /*
     * One band at a time: the rows of every content hashed to a key, keys sorted, runs of equal keys are buckets. A
     * bucket of up to HOT contents gives all its pairs with at least `leastHits` equal components.
     *
     * Groups. What has met two others or more in a bucket is banded twice again, with those only, by rows that lie a
     * band apart instead of next to each other, and then shifted by one more from each to the next (b bands of r rows):
     *
     *     rows 0 1 2 3 4 5 | 6 7 8 9 10 11 | …      pass 0, all contents       band i has rows ri … ri + r − 1
     *     rows 0 21 42 63 84 105 | 1 22 43 …        pass 1, crowded ones       band i has rows i, b + i, 2b + i, …
     *     rows 0 22 44 66 88 110 | 1 23 45 …        pass 2, crowded ones       band i has rows i, b + (i + 1) mod b, …
     *
     * A pair at the threshold that no band of one pass brought together meets in the next with nearly the same chance,
     * so of the pairs within groups some 0.01 % are missed instead of up to 1 %. A cluster is what edges connect, and
     * one missing edge at the rim of a group of m parts m − 1 pairs; pairs that are by themselves are not worth a
     * second look. The last pass is for groups too small to be hot, and passes hot buckets over.
     *
     * Hot buckets. All pairs of a larger bucket (a licence, a template that thousands share) would make the work
     * quadratic; and where all are nearly at the threshold, 128 components do not tell which pairs are worth comparing.
     * Contents of such buckets are signed again, finely (FineSketches), and HotBucket says which pairs are candidates,
     * bucket by bucket, with a bounded number of comparisons and pairs for each member. That is linear, finds nearly
     * all edges that would otherwise be missing between clusters in buckets of up to HotBucket.BLOCK, and beyond that
     * those to the closest and to the most central members. What is at the rim of such a bucket, and near to one or two
     * of tens of thousands, shares with them what few have: so all contents of buckets that are cut also meet under
     * each component (i, value) of their fine signatures that at most 32 of them have (Buckets.areFew).
     *
     * Without texts to sign again (correlated items, and the document graph, whose edges are hits) a hot bucket gives
     * pairs in two ways. Contents are ordered by the components that follow the band, and each is paired with the next
     * ones, of which the caller says how many for a bucket of this size. And after all bands, of the contents that were
     * in such a bucket, those that share a component which at most 32 of them have are paired.
     *
     * Sketch filter: a pair with fewer equal components than `leastHits` is dropped at once.
     */
    /** In a hot bucket whose size says nothing else, each content is paired with this number of next ones. */
    public static final int NEXT = 4;

    private static final int TIDY = 1 << 20;

    private final ShortSignatures signatures;
    private final int leastHits;
    private final int hotSize;
    private long[] pairs = new long[1 << 10];
    private int count;
    private int tidied;

    private Candidates(ShortSignatures signatures, int leastHits, int hotSize) {
        this.signatures = signatures;
        this.leastHits = leastHits;
        this.hotSize = hotSize;
    }

    private Candidates none() {
        return new Candidates(signatures, leastHits, hotSize);
    }

    /** What was found. */
    public static final class Found {
        /** Candidate pairs, ascending, each once. */
        public final long[] pairs;
        /** For each content, whether it was banded in all passes. */
        public final boolean[] crowded;
        /** For each content, whether it was in a hot bucket of which not all pairs are candidates. */
        public final boolean[] hot;

        public Found(long[] pairs, boolean[] crowded, boolean[] hot) {
            this.pairs = pairs;
            this.crowded = crowded;
            this.hot = hot;
        }
    }

    /** Signs the contents that are wanted, some of which are in buckets that are cut into blocks. */
    public interface FineSigner {
        FineSignatures sign(boolean[] wanted, boolean[] inLargeBuckets) throws IOException;
    }

    /** Of documents, for which texts can be signed again. */
    public static Found find(ShortSignatures signatures, Banding banding, int leastHits, int threads, FineSigner signer)
            throws IOException {
        int bands = banding.bands();
        int rows = banding.rows();
        Candidates all = new Candidates(signatures, leastHits, Buckets.HOT);
        boolean[] crowded = new boolean[signatures.count()];
        List<Hot> hot = new ArrayList<>();
        Workers.run(threads, bands, 1, () -> {
            RadixSort sort = new RadixSort(signatures.count());
            return band -> {
                Candidates own = all.none();
                List<Hot> large = new ArrayList<>();
                int orderedFrom = Buckets.orderedFrom(0, band, rows);
                own.sort(Buckets.rows(0, band, bands, rows), all(signatures.count()), sort)
                        .forEachRun((from, to) -> {
                            if (Buckets.isCrowd(to - from)) {
                                mark(sort.values(), from, to, crowded);
                            }
                            own.pairOrKeep(sort.values(), from, to, orderedFrom, large);
                        });
                all.addAll(own, large, hot);
            };
        });
        int[] again = marked(crowded);
        Workers.run(threads, again.length == 0 ? 0 : (Buckets.PASSES - 1) * bands, 1, () -> {
            RadixSort sort = new RadixSort(again.length);
            return task -> {
                int band = task % bands;
                int pass = 1 + task / bands;
                Candidates own = all.none();
                List<Hot> large = new ArrayList<>();
                int orderedFrom = Buckets.orderedFrom(pass, band, rows);
                own.sort(Buckets.rows(pass, band, bands, rows), again, sort)
                        .forEachRun((from, to) -> own.pairOrKeep(sort.values(), from, to, orderedFrom, large));
                if (Buckets.isLast(pass)) {
                    large.clear();
                }
                all.addAll(own, large, hot);
            };
        });
        boolean[] wanted = new boolean[signatures.count()];
        hot.forEach(bucket -> mark(bucket.members, 0, bucket.members.length, wanted));
        boolean[] large = new boolean[signatures.count()];
        hot.stream()
                .filter(bucket -> HotBucket.isCut(bucket.members.length))
                .forEach(bucket -> mark(bucket.members, 0, bucket.members.length, large));
        if (!hot.isEmpty()) {
            FineSignatures fine = signer.sign(wanted, large);
            all.pairHot(hot, banding.threshold(), fine, threads);
            all.pairRare(marked(large), banding.threshold(), fine, threads);
        }
        all.tidy();
        return new Found(Arrays.copyOf(all.pairs, all.count), crowded, wanted);
    }

    /** A hot bucket, with the first component by which its members are ordered if they are many. */
    private static final class Hot {
        final int[] members;
        final int orderedFrom;

        Hot(int[] members, int orderedFrom) {
            this.members = members;
            this.orderedFrom = orderedFrom;
        }
    }

    private void pairHot(List<Hot> hot, double threshold, FineSignatures sketches, int threads) throws IOException {
        Workers.run(threads, hot.size(), 1, () -> {
            HotBucket rule = new HotBucket(threshold);
            return bucket -> {
                Candidates own = none();
                rule.pairs(hot.get(bucket).members, hot.get(bucket).orderedFrom, signatures, sketches, own::add);
                addAll(own);
            };
        });
    }

    /** Pairs of contents of large buckets that share a value which few of them have. */
    private void pairRare(int[] contents, double threshold, FineSignatures fine, int threads) throws IOException {
        int least = HotBucket.least(threshold);
        Workers.run(threads, contents.length == 0 ? 0 : FineSignatures.LONG, 1, () -> {
            RadixSort sort = new RadixSort(contents.length);
            return component -> {
                Candidates own = none();
                runsOfFew(contents, content -> fine.value(content, component), sort, (a, b) -> {
                    if (FineSignatures.hits(fine.of(a), fine.of(b)) >= least) {
                        own.add(a, b);
                    }
                });
                addAll(own);
            };
        });
    }

    private static int[] all(int count) {
        return IntStream.range(0, count).toArray();
    }

    private static int[] marked(boolean[] marks) {
        return IntStream.range(0, marks.length).filter(i -> marks[i]).toArray();
    }

    private static void mark(int[] contents, int from, int to, boolean[] marks) {
        for (int i = from; i < to; i++) {
            marks[contents[i]] = true;
        }
    }

    /** All pairs of a bucket; or the whole bucket if it is hot. */
    private void pairOrKeep(int[] contents, int from, int to, int orderedFrom, List<Hot> large) {
        if (to - from <= hotSize) {
            pair(contents, from, to, to - from);
            return;
        }
        large.add(new Hot(Arrays.copyOfRange(contents, from, to), orderedFrom));
    }

    /**
     * Of signatures that are all there is, ascending, each pair once; all pairs of buckets of up to {@code hotSize}, of
     * larger ones the next of each in order, as many as {@code next} says of the size, and those that share a rare
     * component.
     */
    public static long[] find(
            ShortSignatures signatures,
            int bands,
            int rows,
            int leastHits,
            int hotSize,
            IntUnaryOperator next,
            int threads)
            throws IOException {
        Candidates all = new Candidates(signatures, leastHits, hotSize);
        boolean[] hot = new boolean[signatures.count()];
        Workers.run(threads, bands, 1, () -> {
            RadixSort sort = new RadixSort(signatures.count());
            return band -> {
                Candidates own = all.none();
                own.sort(Buckets.rows(0, band, bands, rows), all(signatures.count()), sort)
                        .forEachRun((from, to) -> {
                            int[] contents = sort.values();
                            if (to - from <= hotSize) {
                                own.pair(contents, from, to, to - from);
                                return;
                            }
                            mark(contents, from, to, hot);
                            HotBucket.order(contents, from, to, signatures, Buckets.orderedFrom(0, band, rows));
                            own.pair(contents, from, to, next.applyAsInt(to - from));
                        });
                all.addAll(own);
            };
        });
        if (rows > 1) {
            int[] contents = marked(hot);
            int components = contents.length == 0 ? 0 : signatures.get(contents[0]).length;
            Workers.run(threads, components, 1, () -> {
                RadixSort sort = new RadixSort(contents.length);
                return component -> {
                    Candidates own = all.none();
                    runsOfFew(
                            contents,
                            content -> signatures.get(content)[component] & 0xFFFFFFFFL,
                            sort,
                            own::addIfHits);
                    all.addAll(own);
                };
            });
        }
        all.tidy();
        return Arrays.copyOf(all.pairs, all.count);
    }

    /**
     * Of a hot bucket, ordered by the components from {@code orderedFrom} on: each with the next that have enough hits.
     */
    public static void next(ShortSignatures members, int orderedFrom, int next, int leastHits, HotBucket.Sink sink) {
        int[] order = all(members.count());
        HotBucket.order(order, 0, order.length, members, orderedFrom);
        Candidates own = new Candidates(members, leastHits, 0);
        own.pair(order, 0, order.length, next);
        for (int i = 0; i < own.count; i++) {
            sink.pair(PairIds.first(own.pairs[i]), PairIds.second(own.pairs[i]));
        }
    }

    /** Contents by the key of some of their rows. */
    private RadixSort sort(int[] rowsOfKey, int[] contents, RadixSort sort) {
        for (int i = 0; i < contents.length; i++) {
            sort.keys()[i] = Buckets.key(signatures.get(contents[i]), rowsOfKey);
            sort.values()[i] = contents[i];
        }
        sort.sort();
        return sort;
    }

    /** All pairs of contents that share a value which few of them have. */
    private static void runsOfFew(int[] contents, IntToLongFunction value, RadixSort sort, HotBucket.Sink sink) {
        for (int i = 0; i < contents.length; i++) {
            sort.keys()[i] = value.applyAsLong(contents[i]);
            sort.values()[i] = contents[i];
        }
        sort.sort();
        int[] sorted = sort.values();
        sort.forEachRun((from, to) -> {
            for (int i = from; Buckets.areFew(to - from) && i < to; i++) {
                for (int j = i + 1; j < to; j++) {
                    sink.pair(sorted[i], sorted[j]);
                }
            }
        });
    }

    /** Pairs each content with the {@code next} ones that have enough components in common with it. */
    private void pair(int[] contents, int from, int to, int next) {
        for (int i = from; i < to; i++) {
            int end = Math.min(to, i + 1 + next);
            int a = contents[i];
            int[] signature = signatures.get(a);
            for (int j = i + 1; j < end; j++) {
                int b = contents[j];
                if (hits(signature, signatures.get(b)) >= leastHits) {
                    add(a, b);
                }
            }
        }
    }

    public static int hits(int[] a, int[] b) {
        int hits = 0;
        for (int i = 0; i < a.length; i++) {
            hits += a[i] == b[i] ? 1 : 0;
        }
        return hits;
    }

    private void addIfHits(int a, int b) {
        if (hits(signatures.get(a), signatures.get(b)) >= leastHits) {
            add(a, b);
        }
    }

    private void add(int a, int b) {
        add(PairIds.of(a, b));
    }

    private void add(long pair) {
        if (count == pairs.length) {
            if (count > TIDY && count / 2 >= tidied) {
                tidy();
            }
            if (count > pairs.length / 2) {
                if (pairs.length > (1 << 29)) {
                    throw new IllegalStateException(
                            "more than " + count + " candidate pairs: raise the threshold or split the documents");
                }
                pairs = Arrays.copyOf(pairs, 2 * pairs.length);
            }
        }
        pairs[count++] = pair;
    }

    private void addAll(Candidates others, List<Hot> buckets, List<Hot> hot) {
        addAll(others);
        synchronized (this) {
            hot.addAll(buckets);
        }
    }

    /** Adds the pairs of one task. They are sorted by its thread, so that sorting all of them is merging a few runs. */
    private void addAll(Candidates others) {
        others.tidy();
        synchronized (this) {
            for (int i = 0; i < others.count; i++) {
                add(others.pairs[i]);
            }
        }
    }

    /** Sorts, and keeps each pair once. */
    private void tidy() {
        Arrays.sort(pairs, 0, count);
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (kept == 0 || pairs[kept - 1] != pairs[i]) {
                pairs[kept++] = pairs[i];
            }
        }
        count = kept;
        tidied = kept;
    }
}
