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
import dev.perhaps.similarity.search.Candidates;
import dev.perhaps.similarity.search.DistinctTexts;
import dev.perhaps.similarity.search.FineSignatures;
import dev.perhaps.similarity.search.ShingleSource;
import dev.perhaps.similarity.search.ShortSignatures;
import dev.perhaps.similarity.search.SpilledSignatures;
import dev.perhaps.similarity.search.Verification;
import dev.perhaps.similarity.search.Workers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * Finds the documents that are nearly the same: every edge it names has an exact Jaccard similarity of shingle sets of
 * at least the threshold, and of the pairs at the threshold it misses no more than planned, 1 % unless said otherwise.
 * Clusters are what edges connect; exactly one document of each is kept. The result depends on the documents only: not
 * on their order, nor on threads. Immutable and safe for any number of threads.
 *
 * <pre>{@code
 * List<String> texts = List.of("The cat sat on the mat.", "The cat sat on the mat!", "Something else altogether.");
 * Clusters clusters = NearDuplicates.atLeast(0.8).run(Documents.of(texts));
 * boolean keep = clusters.kept(1);
 * }</pre>
 *
 * A text inside a much longer one is not similar to it: Jaccard is not containment.
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
     * them. So groups of thousands end in the clusters that all their edges would give, but not every pair of them is
     * an edge.
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
     * per document beside; 512 bytes, and 8 per band, for a content that was in a bucket of more than 64; 24 bytes per
     * content and thread for a band; 8 bytes per candidate pair, in one array: at most 2^29 pairs; the sets of a
     * component within an eighth of the heap; and for each thread the document that it reads. At most 2^27 documents.
     *
     * [1] Broder, Glassman, Manasse and Zweig, "Syntactic clustering of the Web" (1997).
     */
    /** Components of a signature, where a plan does not say. */
    public static final int DEFAULT_COMPONENTS = 128;
    /** The probability to find a pair at the threshold, where a plan does not say. */
    public static final double DEFAULT_RECALL = 0.99;

    private static final double LEAST_MISSED_BY_FILTER = 1e-5;
    private static final double MAX_MISSED_BY_FILTER = 1e-3;

    private final DuplicateRequest plan;

    private NearDuplicates(DuplicateRequest plan) {
        this.plan = plan;
    }

    /** Pairs of documents whose shingles have at least this Jaccard similarity. */
    public static NearDuplicates atLeast(double jaccard) {
        Banding.of(DEFAULT_COMPONENTS).threshold(jaccard);
        return new NearDuplicates(DuplicateRequest.of(jaccard, 0, DEFAULT_COMPONENTS));
    }

    /**
     * The lectures' document graph: sketches of 100 components, and an edge between documents with at least this number
     * in common. The similarity of an edge is an estimate.
     */
    public static NearDuplicates documentGraph(int minimumHits) {
        int most = 100;
        if (minimumHits < 1 || minimumHits > most) {
            throw new IllegalArgumentException("minimumHits must be in [1, " + most + "], got " + minimumHits);
        }
        return new NearDuplicates(DuplicateRequest.of((double) minimumHits / most, minimumHits, most));
    }

    /** As an index of texts was made, and against it. */
    public static NearDuplicates continuing(DocumentIndex earlier) {
        MinHash<?> minHash = earlier.minHash();
        DuplicateRequest same = DuplicateRequest.of(earlier.banding().threshold(), 0, minHash.components())
                .bands(earlier.recall(), earlier.banding().rows())
                .cutInto(Shingles.named(minHash.key().name(), minHash.key().seed()));
        return new NearDuplicates(minHash.scheme() == MinHash.CLASSIC ? same.byPermutations() : same).against(earlier);
    }

    /** Compares by these shingles instead of 10 code points. */
    public NearDuplicates shingles(Shingles other) {
        Objects.requireNonNull(other, "shingles");
        return new NearDuplicates(plan.cutInto(other));
    }

    /** Finds a pair at the threshold with this chance; a pair above it with a greater one. */
    public NearDuplicates recall(double chance) {
        Banding.of(plan.components()).threshold(plan.threshold()).recall(chance);
        return new NearDuplicates(plan.bands(chance, 0));
    }

    /** Takes the lectures' bands, of which one in common is expected at the threshold: fewer candidates, and more missed. */
    public NearDuplicates lectureBands() {
        return bands(Banding.of(plan.components()).threshold(plan.threshold()).lecture());
    }

    private NearDuplicates bands(Banding banding) {
        double chance = Math.min(banding.chance(plan.threshold()), Math.nextDown(1.0));
        return new NearDuplicates(plan.bands(chance, banding.rows()));
    }

    /** Signatures of this number of components instead of 128: more find the same with fewer candidates. */
    public NearDuplicates components(int k) {
        Family.checkedComponents(k);
        if (plan.minimumHits() > k) {
            throw new IllegalArgumentException("components must be at least " + plan.minimumHits() + ", got " + k);
        }
        return new NearDuplicates(plan.signed(k));
    }

    /** Signs by the lectures' linear permutations. */
    public NearDuplicates classic() {
        return new NearDuplicates(plan.byPermutations());
    }

    /** Keeps the first document of each cluster instead of the longest. */
    public NearDuplicates keepFirst() {
        return new NearDuplicates(plan.keepingFirst());
    }

    /** Removes a document only if it has an edge to one that is kept, instead of keeping one of all that edges connect. */
    public NearDuplicates stars() {
        return new NearDuplicates(plan.inStars());
    }

    /** Works with this number of threads instead of one per processor. */
    public NearDuplicates threads(int count) {
        return new NearDuplicates(plan.onThreads(Workers.checkedThreads(count)));
    }

    /**
     * Compares with the documents of an index too, which was made for the same threshold, bands and shingles. What was
     * kept earlier stays kept; the clusters are those of one run over all if the index is exact. What is found can be
     * put into the index: {@link Clusters#addTo}.
     */
    public NearDuplicates against(DocumentIndex earlier) {
        if (plan.minimumHits() > 0) {
            throw new IllegalArgumentException(
                    "the document graph of hits is not drawn against an index: use a threshold");
        }
        return new NearDuplicates(plan.against(earlier));
    }

    /** An empty index for what this finds. */
    public SimilarityIndex.Plan index() {
        return SimilarityIndex.of(family(plan.shingles().key())).bands(banding(), plan.recall());
    }

    /**
     * Keeps signatures in a file in this folder instead of in memory: 4 bytes per component and document. The answer is
     * the same. The file has no name, and is gone when nothing refers to it or the program ends.
     */
    public NearDuplicates spillTo(Path directory) {
        Objects.requireNonNull(directory, "directory");
        return new NearDuplicates(plan.spilledTo(directory));
    }

    private <T> MinHash<T> family(Key<T> key) {
        return MinHash.of(plan.classic() ? MinHash.CLASSIC : MinHash.FAST, plan.components(), key);
    }

    private static <T> MinHash<T> fine(Key<T> key) {
        return MinHash.of(MinHash.FAST, FineSignatures.COMPONENTS, key);
    }

    /** The bands that {@link #run} uses: one row each in the document graph. */
    public Banding banding() {
        Banding.Plan bands = Banding.of(plan.components()).threshold(plan.threshold());
        if (plan.minimumHits() > 0) {
            return bands.singleRows();
        }
        return plan.rows() > 0 ? bands.rows(plan.rows()) : bands.recall(plan.recall());
    }

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

    /** Documents by the hashes of their shingles; a set of hashes is its content, and its size its length. */
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
            long cacheBytes = Runtime.getRuntime().maxMemory() / 8;
            jaccards = new Verification(source, contents, plan.threshold(), cacheBytes).jaccards(pairs, plan.threads());
        }
        if (index != null) {
            earlier = EarlierEdges.find(index, contents, source, leastHits, plan.threads());
        }
        return new Clusters(
                new Clusters.Found(
                        source,
                        minHash,
                        banding,
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
                    wanted -> FineSignatures.of(fine, contents, wanted, plan.threads()));
        }
        long[] pairs = Candidates.find(
                contents.signatures, banding.bands(), banding.rows(), leastHits, Candidates.HOT, plan.threads());
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

    /** The filter may miss what the bands leave of the recall, and a thousandth at most. */
    public static int leastHits(Banding banding, double recall) {
        double spare = (banding.chance(banding.threshold()) - recall) / 2;
        double missed = Math.max(LEAST_MISSED_BY_FILTER, Math.min(MAX_MISSED_BY_FILTER, spare));
        return Binomial.quantile(banding.components(), banding.threshold(), missed);
    }

    static int hits(DistinctTexts contents, long pair) {
        return Candidates.hits(
                contents.signatures.get(Verification.first(pair)), contents.signatures.get(Verification.second(pair)));
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
