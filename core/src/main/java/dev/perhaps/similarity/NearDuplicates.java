package dev.perhaps.similarity;

import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds the documents that are nearly the same: every edge it names has an exact Jaccard similarity of shingle sets of at
 * least the threshold, and of the pairs at the threshold it misses no more than planned, 1 % unless said otherwise. Clusters are
 * what edges connect; exactly one document of each is kept. The result depends on the documents only: not on their order,
 * nor on threads. Immutable and safe for any number of threads.
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
     * Edges. Of contents: the pairs that share a band and reach the threshold exactly. Of exact duplicates: each with the
     * one of them that stands for all. In very full buckets not every pair is looked at (Candidates): documents that all
     * resemble each other by the thousand end in one cluster, but not every pair of them is an edge, and a pair that shares
     * little more than thousands do may be missed.
     *
     * Kept: the longest text in bytes, then the one with the smallest fingerprint; of the same content the first by
     * Documents.compare. Or, on request, the first by number.
     *
     * The graph of the lectures (`documentGraph`): documents meet under each component (i, value) of their sketches, and an
     * edge is a pair with at least so many hits. That is one row a band and no verification.
     *
     * Memory: 4k bytes a content for signatures (512 for k = 128), unless they are spilled to a file, and about 100 a document
     * beside; 24 bytes a content and thread for a band; 8 bytes a candidate pair, in one array: at most 2^29 pairs; the sets of
     * a component within an eighth of the heap; and for each thread the document that it reads, and its set of hashes if it
     * is compared. At most 2^27 documents.
     *
     * [1] Broder, Glassman, Manasse and Zweig, "Syntactic clustering of the Web" (1997).
     */
    private static final int DEFAULT_COMPONENTS = 128;
    private static final double DEFAULT_RECALL = 0.99;
    private static final double LEAST_MISSED_BY_FILTER = 1e-5;
    private static final double MOST_MISSED_BY_FILTER = 1e-3;

    private final double threshold;
    private final double recall;
    private final int minimumHits;
    private final int components;
    private final boolean classic;
    private final boolean keepFirst;
    private final int threads;
    private final Shingles shingles;
    /** Where signatures go, or null if they stay in memory. */
    private final @Nullable Path folder;

    private NearDuplicates(
            double threshold,
            double recall,
            int minimumHits,
            int components,
            boolean classic,
            boolean keepFirst,
            int threads,
            Shingles shingles,
            @Nullable Path folder) {
        this.threshold = threshold;
        this.recall = recall;
        this.minimumHits = minimumHits;
        this.components = components;
        this.classic = classic;
        this.keepFirst = keepFirst;
        this.threads = threads;
        this.shingles = shingles;
        this.folder = folder;
    }

    /** Pairs of documents whose shingles have at least this Jaccard similarity. */
    public static NearDuplicates atLeast(double jaccard) {
        Banding.of(DEFAULT_COMPONENTS).threshold(jaccard);
        int processors = Runtime.getRuntime().availableProcessors();
        return new NearDuplicates(
                jaccard, DEFAULT_RECALL, 0, DEFAULT_COMPONENTS, false, false, processors, Shingles.codePoints(), null);
    }

    /**
     * The lectures' document graph: sketches of 100 components, and an edge between documents with at least so many in
     * common. The similarity of an edge is an estimate.
     */
    public static NearDuplicates documentGraph(int minimumHits) {
        int most = 100;
        if (minimumHits < 1 || minimumHits > most) {
            throw new IllegalArgumentException("minimumHits must be in [1, " + most + "], got " + minimumHits);
        }
        int processors = Runtime.getRuntime().availableProcessors();
        return new NearDuplicates(
                (double) minimumHits / most,
                DEFAULT_RECALL,
                minimumHits,
                most,
                false,
                false,
                processors,
                Shingles.codePoints(),
                null);
    }

    /** Compares by these shingles instead of 10 code points. */
    public NearDuplicates shingles(Shingles other) {
        return new NearDuplicates(
                threshold,
                recall,
                minimumHits,
                components,
                classic,
                keepFirst,
                threads,
                Objects.requireNonNull(other, "shingles"),
                folder);
    }

    /** Finds a pair at the threshold with this chance; a pair above it with a greater one. */
    public NearDuplicates recall(double chance) {
        Banding.of(components).threshold(threshold).recall(chance);
        return new NearDuplicates(
                threshold, chance, minimumHits, components, classic, keepFirst, threads, shingles, folder);
    }

    /** Signatures of so many components instead of 128: more find the same with fewer candidates. */
    public NearDuplicates components(int k) {
        Family.checkedComponents(k);
        if (minimumHits > k) {
            throw new IllegalArgumentException("components must be at least " + minimumHits + ", got " + k);
        }
        return new NearDuplicates(threshold, recall, minimumHits, k, classic, keepFirst, threads, shingles, folder);
    }

    /** Signs by the lectures' linear permutations. */
    public NearDuplicates classic() {
        return new NearDuplicates(
                threshold, recall, minimumHits, components, true, keepFirst, threads, shingles, folder);
    }

    /** Keeps the first document of each cluster instead of the longest. */
    public NearDuplicates keepFirst() {
        return new NearDuplicates(threshold, recall, minimumHits, components, classic, true, threads, shingles, folder);
    }

    /** Works with so many threads instead of one a processor. */
    public NearDuplicates threads(int count) {
        int checked = Workers.checkedThreads(count);
        return new NearDuplicates(
                threshold, recall, minimumHits, components, classic, keepFirst, checked, shingles, folder);
    }

    /**
     * Keeps signatures in a file in this folder instead of in memory: 4 bytes a component and document. The answer is the
     * same. The file has no name, and is gone when nothing refers to it or the program ends.
     */
    public NearDuplicates spillTo(Path directory) {
        return new NearDuplicates(
                threshold,
                recall,
                minimumHits,
                components,
                classic,
                keepFirst,
                threads,
                shingles,
                Objects.requireNonNull(directory, "directory"));
    }

    /** The bands that {@link #run} uses: one row each in the document graph. */
    public Banding banding() {
        Banding.Plan plan = Banding.of(components).threshold(threshold);
        return minimumHits > 0 ? plan.singleRows() : plan.recall(recall);
    }

    public Clusters run(Documents documents) throws IOException {
        return run(Source.texts(documents, shingles, family(shingles.key())));
    }

    /** Documents by the hashes of their shingles; a set of hashes is its content, and its size its length. */
    public Clusters runOnHashes(List<long[]> documents) throws IOException {
        return run(Source.hashes(documents, family(Key.longs())));
    }

    private <T> MinHash<T> family(Key<T> key) {
        return MinHash.of(classic ? MinHash.CLASSIC : MinHash.FAST, components, key);
    }

    private Clusters run(Source source) throws IOException {
        Banding banding = banding();
        Contents contents = contents(source);
        int leastHits = minimumHits > 0 ? minimumHits : leastHits(banding, recall);
        long[] pairs = Candidates.find(
                contents.signatures, banding.bands(), banding.rows(), leastHits, Candidates.HOT, threads);
        double[] jaccards;
        if (minimumHits > 0) {
            jaccards = new double[pairs.length];
            for (int i = 0; i < pairs.length; i++) {
                jaccards[i] = hits(contents, pairs[i]) / (double) components;
            }
        } else {
            long cacheBytes = Runtime.getRuntime().maxMemory() / 8;
            jaccards = new Verification(source, contents, threshold, cacheBytes).jaccards(pairs, threads);
        }
        return Clusters.of(contents, banding, pairs, jaccards, keepFirst);
    }

    private Contents contents(Source source) throws IOException {
        if (folder == null) {
            return Contents.read(source, components, keepFirst, threads, Sketches.Store.inMemory(source.count()));
        }
        SpilledSketches spilled = SpilledSketches.in(folder, components);
        try {
            return Contents.read(source, components, keepFirst, threads, spilled);
        } finally {
            spilled.close();
        }
    }

    /** The filter may miss what the bands leave of the recall, and a thousandth at most. */
    static int leastHits(Banding banding, double recall) {
        double spare = (banding.chance(banding.threshold()) - recall) / 2;
        double missed = Math.max(LEAST_MISSED_BY_FILTER, Math.min(MOST_MISSED_BY_FILTER, spare));
        return Binomial.quantile(banding.components(), banding.threshold(), missed);
    }

    static int hits(Contents contents, long pair) {
        return Candidates.hits(
                contents.signatures.get(Verification.first(pair)), contents.signatures.get(Verification.second(pair)));
    }

    @Override
    public String toString() {
        return "near duplicates at " + Figures.significant(threshold) + ", " + banding() + ", " + shingles;
    }
}
