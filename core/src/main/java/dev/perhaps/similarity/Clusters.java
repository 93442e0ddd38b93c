package dev.perhaps.similarity;

import dev.perhaps.io.Figures;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What {@link NearDuplicates} found: which documents belong together, which one of each cluster is kept, and the edges that
 * say why. A document without a near duplicate is a cluster of its own, and kept. Immutable.
 */
public final class Clusters {
    /*
     * Edges lie between contents, in the order of their numbers; each is told between the documents that stand for them. An
     * exact duplicate has an edge of 1 to the document that stands for its content, if it is not that itself.
     */
    private final Contents contents;
    private final Banding banding;
    private final long candidates;
    private final long[] pairs;
    private final double[] jaccards;
    /** For each content, the content whose document is kept. */
    private final int[] keptContents;
    /** For each content, the index of its strongest edge, or −1. */
    private final int[] strongest;

    private Clusters(
            Contents contents,
            Banding banding,
            long candidates,
            long[] pairs,
            double[] jaccards,
            int[] keptContents,
            int[] strongest) {
        this.contents = contents;
        this.banding = banding;
        this.candidates = candidates;
        this.pairs = pairs;
        this.jaccards = jaccards;
        this.keptContents = keptContents;
        this.strongest = strongest;
    }

    /**
     * Two documents that are near duplicates.
     *
     * @param jaccard exact, save in the document graph, where it is hits / components
     * @param hits equal components of their signatures
     */
    public record Edge(int a, int b, double jaccard, int hits) {}

    /** From the candidates' similarities, of which those below 0 are no edges. */
    static Clusters of(
            Contents contents, Banding banding, long[] candidates, double[] similarities, boolean keepFirst) {
        long[] pairs = new long[candidates.length];
        double[] jaccards = new double[candidates.length];
        int edges = 0;
        UnionFind components = new UnionFind(contents.count());
        for (int i = 0; i < candidates.length; i++) {
            if (similarities[i] >= 0) {
                components.unite(Verification.first(candidates[i]), Verification.second(candidates[i]));
                pairs[edges] = candidates[i];
                jaccards[edges++] = similarities[i];
            }
        }
        int[] kept = new int[contents.count()];
        for (int content = 0; content < kept.length; content++) {
            int component = components.find(content);
            // The least member comes first, and stands for the component until a better one comes.
            if (component == content || isBetter(contents, content, kept[component], keepFirst)) {
                kept[component] = content;
            }
        }
        int[] keptContents = new int[kept.length];
        for (int content = 0; content < kept.length; content++) {
            keptContents[content] = kept[components.find(content)];
        }
        return new Clusters(
                contents,
                banding,
                candidates.length,
                Arrays.copyOf(pairs, edges),
                Arrays.copyOf(jaccards, edges),
                keptContents,
                strongest(contents.count(), pairs, jaccards, edges, keptContents));
    }

    /** Numbers ascend by fingerprint, so of two equally long ones the earlier is better already. */
    private static boolean isBetter(Contents contents, int content, int than, boolean keepFirst) {
        int a = contents.first(content);
        int b = contents.first(than);
        return keepFirst ? a < b : contents.lengths[a] > contents.lengths[b];
    }

    /** The edge with the highest similarity; of equal ones that to the kept document, then that to the first content. */
    private static int[] strongest(int contents, long[] pairs, double[] jaccards, int edges, int[] kept) {
        int[] strongest = new int[contents];
        Arrays.fill(strongest, -1);
        for (int edge = 0; edge < edges; edge++) {
            for (int end = 0; end < 2; end++) {
                int own = end == 0 ? Verification.first(pairs[edge]) : Verification.second(pairs[edge]);
                int best = strongest[own];
                if (best < 0
                        || jaccards[edge] > jaccards[best]
                        || jaccards[edge] == jaccards[best] && touches(pairs[edge], kept[own])) {
                    strongest[own] = edge;
                }
            }
        }
        return strongest;
    }

    private static boolean touches(long pair, int content) {
        return Verification.first(pair) == content || Verification.second(pair) == content;
    }

    /** Documents that were looked at. */
    public int documents() {
        return contents.ofDocument.length;
    }

    /** Documents with different contents. */
    public int distinct() {
        return contents.count();
    }

    /** The number of the document that is kept of this document's cluster: the cluster's name. */
    public int clusterOf(int document) {
        return contents.first(keptContents[contents.ofDocument[document]]);
    }

    /** True for exactly one document of each cluster. */
    public boolean kept(int document) {
        return clusterOf(document) == document;
    }

    /** How many documents are kept: as many as there are clusters, those of a single document included. */
    public int keptCount() {
        int count = 0;
        for (int content = 0; content < keptContents.length; content++) {
            count += keptContents[content] == content ? 1 : 0;
        }
        return count;
    }

    /** How many clusters have two documents or more. */
    public int groups() {
        BitSet named = new BitSet(documents());
        for (int document = 0; document < documents(); document++) {
            int kept = clusterOf(document);
            if (kept != document) {
                named.set(kept);
            }
        }
        return named.cardinality();
    }

    /** Why a document is where it is: its strongest edge, from it to another one; nothing if it is alone. */
    public Optional<Edge> match(int document) {
        int content = contents.ofDocument[document];
        int first = contents.first(content);
        if (first != document) {
            return Optional.of(new Edge(document, first, 1, banding.components()));
        }
        int edge = strongest[content];
        if (edge >= 0) {
            int one = Verification.first(pairs[edge]);
            int other = one == content ? Verification.second(pairs[edge]) : one;
            return Optional.of(new Edge(
                    document, contents.first(other), jaccards[edge], NearDuplicates.hits(contents, pairs[edge])));
        }
        int start = contents.starts[content];
        return contents.starts[content + 1] - start > 1
                ? Optional.of(new Edge(document, contents.documents[start + 1], 1, banding.components()))
                : Optional.empty();
    }

    /** All edges: those between contents first, then those of exact duplicates to the document that stands for them. */
    public Stream<Edge> edges() {
        Stream<Edge> near = IntStream.range(0, pairs.length)
                .mapToObj(edge -> new Edge(
                        contents.first(Verification.first(pairs[edge])),
                        contents.first(Verification.second(pairs[edge])),
                        jaccards[edge],
                        NearDuplicates.hits(contents, pairs[edge])));
        Stream<Edge> exact = IntStream.range(0, documents())
                .filter(document -> contents.first(contents.ofDocument[document]) != document)
                .mapToObj(document ->
                        new Edge(contents.first(contents.ofDocument[document]), document, 1, banding.components()));
        return Stream.concat(near, exact);
    }

    /** Pairs of contents that were compared exactly. */
    public long candidates() {
        return candidates;
    }

    /** Estimated number of pairs of contents at or above the threshold that no band brought together. */
    public double missed() {
        double missed = 0;
        for (double jaccard : jaccards) {
            missed += 1 / banding.chance(jaccard) - 1;
        }
        return missed;
    }

    /** The same as a share of all pairs of contents at or above the threshold, found or not. */
    public double missedShare() {
        double missed = missed();
        return missed == 0 ? 0 : missed / (missed + pairs.length);
    }

    @Override
    public String toString() {
        return Figures.count(documents()) + " documents, " + Figures.count(distinct()) + " different, "
                + Figures.count(keptCount()) + " kept, " + Figures.count(pairs.length) + " edges";
    }
}
