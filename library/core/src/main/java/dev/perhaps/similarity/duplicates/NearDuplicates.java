package dev.perhaps.similarity.duplicates;

import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.similarity.Banding;
import dev.perhaps.similarity.Documents;
import dev.perhaps.similarity.Family;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.index.DocumentIndex;
import dev.perhaps.similarity.index.SimilarityIndex;
import dev.perhaps.similarity.search.Buckets;
import dev.perhaps.similarity.search.Candidates;
import dev.perhaps.similarity.search.DistinctTexts;
import dev.perhaps.similarity.search.FineSignatures;
import dev.perhaps.similarity.search.OneText;
import dev.perhaps.similarity.search.PairIds;
import dev.perhaps.similarity.search.ShingleSource;
import dev.perhaps.similarity.search.ShortSignatures;
import dev.perhaps.similarity.search.SpilledSignatures;
import dev.perhaps.similarity.search.Verification;
import dev.perhaps.similarity.search.Workers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;

/**
 * Finds near duplicates: every reported pair has an exact Jaccard similarity of shingle sets of at least the threshold,
 * and a pair at the threshold is missed with at most the planned probability (default: 1 %) unless more than 64
 * documents share a band. Of such groups not every pair is compared, and at most 1 % of the documents with a near
 * duplicate are kept beside another of their cluster. Clusters are the connected components of the pairs; exactly one
 * document of each is kept. The result depends on the documents only, not on threads or (but for {@link #keepFirst},
 * and which of equal texts is kept) their order. Immutable and thread-safe.
 *
 * <pre>{@code
 * List<String> texts = List.of("The cat sat on the mat.", "The cat sat on the mat!", "Something else altogether.");
 * Clusters clusters = NearDuplicates.atLeast(0.8).run(Documents.of(texts));
 * boolean keep = clusters.kept(1);
 * }</pre>
 *
 * A text that is part of a much longer one is not similar to it: Jaccard similarity is not containment. To look up
 * single documents: {@link SimilarityIndex}.
 */
public final class NearDuplicates {
    /*
     *     documents → exact duplicates collapse → signatures → bands → candidates → exact verification → components
     *       Source            Contents            MinHash    Candidates               Verification        Clusters
     *
     * Everything after Contents works on different contents numbered by their fingerprints, and so cannot depend on the
     * order of the documents or on which thread did what.
     *
     * Edges. Of contents: the pairs that share a band and reach the threshold exactly. Of exact duplicates: each with
     * the one of them that stands for all. In buckets of more than 64 not every pair is looked at (Candidates,
     * HotBucket): each document takes the closest of its group until it may expect two dozen near duplicates among
     * them. So nearly all of a group of thousands end in the clusters that all their edges would give, but not every
     * pair of them is an edge. Measured on groups of 10 to 5,000: at most 0.1 % of the pairs of a component end apart;
     * in larger groups it can be more if most similarities are just below the threshold
     * (docs/decisions/near-duplicates.md).
     *
     * Kept: the longest text in bytes, then the one with the smallest fingerprint; of the same content the first by
     * Documents.compare. Or, on request, the first by number.
     *
     * The graph of the lectures (`documentGraph`): documents meet under each component (i, value) of their sketches,
     * and an edge is a pair with at least that number of hits. That is one row per band and no verification.
     *
     * Stars (`stars`): documents in the order in which they would be kept; one that has no edge to a kept one yet is
     * kept, the others belong to the first that they have an edge to. So two that are kept are never nearly the same,
     * and no chain of small changes removes a document that is unlike all that is left.
     *
     * Against an index: EarlierEdges has the edges to its documents, which join clusters as edges among new ones do. A
     * cluster with a document that was kept earlier keeps none of the new ones.
     *
     * Memory: 4k bytes per content for signatures (512 for k = 128), unless they are spilled to a file, and about 100
     * per document beside; 512 bytes, and 8 per band, for a content that was in a bucket of more than 64, and 768 more
     * for one that was in a bucket of more than 2,048; 24 bytes per content and thread for a band; 8 bytes per
     * candidate pair, in one array: at most 2^29 pairs; the sets of a component within an eighth of the heap; and for
     * each thread the document that it reads. At most 2^27 documents.
     *
     * [1] Broder, Glassman, Manasse and Zweig, "Syntactic clustering of the Web" (1997).
     */
    /** The default number of components of a signature. */
    public static final int DEFAULT_COMPONENTS = 128;
    /** The default probability of finding a pair at the threshold. */
    public static final double DEFAULT_RECALL = 0.99;

    private static final double LEAST_MISSED_BY_FILTER = 1e-5;
    private static final double MAX_MISSED_BY_FILTER = 1e-3;

    private final DuplicateRequest plan;

    private NearDuplicates(DuplicateRequest plan) {
        this.plan = plan;
    }

    /**
     * Starts a plan: pairs of documents whose shingle sets have at least this Jaccard similarity are near duplicates.
     */
    public static NearDuplicates atLeast(double jaccard) {
        Banding.Plan bands = Banding.of(DEFAULT_COMPONENTS).threshold(jaccard);
        return new NearDuplicates(DuplicateRequest.of(bands.threshold(), 0, bands.components()));
    }

    /**
     * Starts a plan for the document graph of the lectures: signatures of 100 components, and an edge between documents
     * with at least this number of equal components. The similarity of an edge is an estimate.
     */
    public static NearDuplicates documentGraph(int minimumHits) {
        int most = 100;
        if (minimumHits < 1 || minimumHits > most) {
            throw new IllegalArgumentException("minimumHits must be in [1, " + most + "], got " + minimumHits);
        }
        return new NearDuplicates(DuplicateRequest.of((double) minimumHits / most, minimumHits, most));
    }

    /** Starts a plan with the settings of an index of texts, which compares documents with that index. */
    public static NearDuplicates continuing(DocumentIndex earlier) {
        MinHash<?> minHash = earlier.minHash();
        DuplicateRequest same = DuplicateRequest.of(earlier.banding().threshold(), 0, minHash.components())
                .bands(earlier.recall(), earlier.banding().rows())
                .cutInto(Shingles.named(minHash.key().name(), minHash.key().seed()));
        return new NearDuplicates(minHash.scheme() == MinHash.CLASSIC ? same.byPermutations() : same).against(earlier);
    }

    /** The shingles to compare by (default: 10 code points). */
    public NearDuplicates shingles(Shingles other) {
        Objects.requireNonNull(other, "shingles");
        return new NearDuplicates(plan.cutInto(other));
    }

    /**
     * The probability, in (0, 1), of finding a pair at the threshold if at most 64 documents share a band (default:
     * 0.99); pairs above the threshold are found more often.
     */
    public NearDuplicates recall(double chance) {
        Banding bands =
                Banding.of(plan.components()).threshold(plan.threshold()).recall(chance);
        assert bands.chance(plan.threshold()) >= chance;
        return new NearDuplicates(plan.bands(chance, 0));
    }

    /**
     * Uses the bands of the lectures, of which one is expected to be equal at the threshold: fewer candidates, and more
     * misses.
     */
    public NearDuplicates lectureBands() {
        return bands(Banding.of(plan.components()).threshold(plan.threshold()).lecture());
    }

    private NearDuplicates bands(Banding banding) {
        double chance = Math.min(banding.chance(plan.threshold()), Math.nextDown(1.0));
        return new NearDuplicates(plan.bands(chance, banding.rows()));
    }

    /**
     * The number of components of a signature (default: 128); more components find the same pairs with fewer
     * candidates.
     */
    public NearDuplicates components(int k) {
        Family.checkedComponents(k);
        if (plan.minimumHits() > k) {
            throw new IllegalArgumentException("components must be at least " + plan.minimumHits() + ", got " + k);
        }
        return new NearDuplicates(plan.signed(k));
    }

    /** Signs with linear permutations, as in the lectures. */
    public NearDuplicates classic() {
        return new NearDuplicates(plan.byPermutations());
    }

    /** Keeps the first document of each cluster (default: the longest). */
    public NearDuplicates keepFirst() {
        return new NearDuplicates(plan.keepingFirst());
    }

    /**
     * Removes a document only if it is a near duplicate of a kept one (default: keep one document per connected
     * component).
     */
    public NearDuplicates stars() {
        return new NearDuplicates(plan.inStars());
    }

    /** The number of threads (default: one per processor). */
    public NearDuplicates threads(int count) {
        return new NearDuplicates(plan.onThreads(Workers.checkedThreads(count)));
    }

    /**
     * Also compares with the documents of an index with the same threshold, bands and shingles. Documents that were
     * kept earlier stay kept. If the index is exact and at most 64 documents share a band, the clusters are those of
     * one
     * run over all documents; in larger groups, nearly. If it is not exact, edges to it are estimates. {@link
     * Clusters#addTo} adds the new documents to the index.
     */
    public NearDuplicates against(DocumentIndex earlier) {
        if (plan.minimumHits() > 0) {
            throw new IllegalArgumentException(
                    "the document graph of hits does not work with an index: use a threshold");
        }
        return new NearDuplicates(plan.against(earlier));
    }

    /** Returns the plan of an index that fits this search. */
    public SimilarityIndex.Plan index() {
        return SimilarityIndex.of(family(plan.shingles().key())).bands(banding(), plan.recall());
    }

    /**
     * Keeps signatures in a file in this folder instead of in memory: 4 bytes per component and document. The result is
     * the same. The file is deleted at the latest when the program ends.
     */
    public NearDuplicates spillTo(Path directory) {
        Objects.requireNonNull(directory, "directory");
        return new NearDuplicates(plan.spilledTo(directory));
    }

    /**
     * Returns the rule by which this search finds the pairs to compare, in steps, for an engine that holds the
     * documents elsewhere.
     *
     * @throws IllegalArgumentException for the document graph, and for a search against an index
     */
    public DuplicateRule rule() {
        if (plan.minimumHits() > 0 || plan.earlier() != null) {
            throw new IllegalArgumentException(
                    "there is no rule in steps for the document graph of hits, or against an index: use a threshold");
        }
        return new DuplicateRule(this, leastHits(banding(), plan.recall()));
    }

    /** Signs one text after the other, as {@link #run} does. */
    DuplicateRule.Reader reader() {
        Key<CharSequence> key = plan.shingles().key();
        OneText text = new OneText();
        return new DuplicateRule.Reader(
                text,
                ShingleSource.texts(text, plan.shingles(), family(key)).reader(),
                ShingleSource.texts(text, plan.shingles(), fine(key)).reader(),
                plan.components());
    }

    /** Compares these pairs of documents only; those that met in a band if they have enough components in common. */
    Clusters compare(Documents documents, long[] met, long[] chosen, DuplicateRule.EarlierMatches earlier)
            throws IOException {
        MinHash<CharSequence> minHash = family(plan.shingles().key());
        ShingleSource source = ShingleSource.texts(documents, plan.shingles(), minHash);
        DistinctTexts contents = contents(source);
        int leastHits = leastHits(banding(), plan.recall());
        long[] pairs = LongStream.concat(
                        Arrays.stream(met).map(contents::pair).filter(pair -> hits(contents, pair) >= leastHits),
                        Arrays.stream(chosen).map(contents::pair))
                .sorted()
                .distinct()
                .toArray();
        return clusters(
                source,
                minHash,
                plan.shingles().bytesPerShingle(),
                leastHits,
                contents,
                new Candidates.Found(pairs, new boolean[0], new boolean[0]),
                verified(source, contents, pairs),
                earlier.of(contents.ofDocument, contents.count()));
    }

    private double[] verified(ShingleSource source, DistinctTexts contents, long[] pairs) throws IOException {
        long cacheBytes = Runtime.getRuntime().maxMemory() / 8;
        return new Verification(source, contents, plan.threshold(), cacheBytes).jaccards(pairs, plan.threads());
    }

    private <T> MinHash<T> family(Key<T> key) {
        return MinHash.of(plan.classic() ? MinHash.CLASSIC : MinHash.FAST, plan.components(), key);
    }

    private static <T> MinHash<T> fine(Key<T> key) {
        return MinHash.of(MinHash.FAST, FineSignatures.COMPONENTS, key);
    }

    /** Returns the bands that {@link #run} uses; in the document graph, each has one row. */
    public Banding banding() {
        Banding.Plan bands = Banding.of(plan.components()).threshold(plan.threshold());
        if (plan.minimumHits() > 0) {
            return bands.singleRows();
        }
        return plan.rows() > 0 ? bands.rows(plan.rows()) : bands.recall(plan.recall());
    }

    /**
     * Compares the documents and returns the clusters.
     *
     * @throws IOException if a document cannot be read, or signatures cannot be written to the folder of {@link
     *      #spillTo}
     */
    public Clusters run(Documents documents) throws IOException {
        MinHash<CharSequence> minHash = family(plan.shingles().key());
        ShingleSource fine = ShingleSource.texts(
                documents, plan.shingles(), fine(plan.shingles().key()));
        return run(
                ShingleSource.texts(documents, plan.shingles(), minHash),
                fine,
                minHash,
                plan.shingles().bytesPerShingle());
    }

    /**
     * Compares documents that are given by the hashes of their shingles; the length of a document is the number of its
     * hashes.
     */
    public Clusters runOnHashes(List<long[]> documents) throws IOException {
        MinHash<Long> minHash = family(Key.longs());
        return run(
                ShingleSource.hashes(documents, minHash),
                ShingleSource.hashes(documents, fine(Key.longs())),
                minHash,
                1);
    }

    private Clusters run(ShingleSource source, ShingleSource fine, MinHash<?> minHash, double bytesPerItem)
            throws IOException {
        Banding banding = banding();
        EarlierEdges earlier = EarlierEdges.none();
        DocumentIndex index = plan.earlier();
        if (index != null) {
            String difference = difference(index, minHash, banding);
            if (!difference.isEmpty()) {
                throw new IllegalArgumentException("the index was made for something else: " + difference);
            }
        }
        DistinctTexts contents = contents(source);
        int leastHits = plan.minimumHits() > 0 ? plan.minimumHits() : leastHits(banding, plan.recall());
        Candidates.Found candidates = candidates(contents, fine, banding, leastHits);
        long[] pairs = candidates.pairs;
        double[] jaccards;
        if (plan.minimumHits() > 0) {
            jaccards = new double[pairs.length];
            for (int i = 0; i < pairs.length; i++) {
                jaccards[i] = hits(contents, pairs[i]) / (double) plan.components();
            }
        } else {
            jaccards = verified(source, contents, pairs);
        }
        if (index != null) {
            earlier = EarlierEdges.find(index, contents, source, leastHits, plan.threads());
        }
        return clusters(source, minHash, bytesPerItem, leastHits, contents, candidates, jaccards, earlier);
    }

    private Clusters clusters(
            ShingleSource source,
            MinHash<?> minHash,
            double bytesPerItem,
            int leastHits,
            DistinctTexts contents,
            Candidates.Found candidates,
            double[] jaccards,
            EarlierEdges earlier) {
        return new Clusters(
                new Clusters.Found(
                        source,
                        minHash,
                        banding(),
                        bytesPerItem,
                        leastHits,
                        plan.minimumHits() == 0,
                        plan.keepFirst(),
                        plan.star()),
                contents,
                candidates,
                jaccards,
                earlier);
    }

    private Candidates.Found candidates(DistinctTexts contents, ShingleSource fine, Banding banding, int leastHits)
            throws IOException {
        if (plan.minimumHits() == 0) {
            return Candidates.find(
                    contents.signatures,
                    banding,
                    leastHits,
                    plan.threads(),
                    (wanted, large) -> FineSignatures.of(fine, contents, wanted, large, plan.threads()));
        }
        long[] pairs = Candidates.find(
                contents.signatures,
                banding.bands(),
                banding.rows(),
                leastHits,
                Buckets.HOT,
                size -> Candidates.NEXT,
                plan.threads());
        return new Candidates.Found(pairs, new boolean[0], new boolean[0]);
    }

    private DistinctTexts contents(ShingleSource source) throws IOException {
        Path folder = plan.folder();
        if (folder == null) {
            ShortSignatures.Store store = ShortSignatures.Store.inMemory(source.count());
            return DistinctTexts.read(source, plan.components(), plan.keepFirst(), plan.threads(), store);
        }
        SpilledSignatures spilled = SpilledSignatures.in(folder, plan.components());
        try {
            return DistinctTexts.read(source, plan.components(), plan.keepFirst(), plan.threads(), spilled);
        } finally {
            spilled.close();
        }
    }

    /**
     * Returns the number of equal components below which a candidate is dropped: it loses at most what the bands leave
     * of the recall, and at most 0.1 %.
     */
    public static int leastHits(Banding banding, double recall) {
        double spare = (banding.chance(banding.threshold()) - recall) / 2;
        double missed = Math.max(LEAST_MISSED_BY_FILTER, Math.min(MAX_MISSED_BY_FILTER, spare));
        return Binomial.quantile(banding.components(), banding.threshold(), missed);
    }

    static int hits(DistinctTexts contents, long pair) {
        return Candidates.hits(
                contents.signatures.get(PairIds.first(pair)), contents.signatures.get(PairIds.second(pair)));
    }

    /** What an index was made for that differs from this, or "". */
    static String difference(DocumentIndex index, MinHash<?> minHash, Banding banding) {
        String family = index.minHash().difference(minHash);
        if (!family.isEmpty()) {
            return family;
        }
        if (index.banding().threshold() != banding.threshold()) {
            return "threshold " + index.banding().threshold() + " against " + banding.threshold();
        }
        return index.banding().rows() == banding.rows()
                ? ""
                : "bands of " + index.banding().rows() + " rows against " + banding.rows();
    }

    @Override
    public String toString() {
        return "near duplicates at " + Figures.significant(plan.threshold()) + ", " + banding() + ", "
                + plan.shingles();
    }
}
