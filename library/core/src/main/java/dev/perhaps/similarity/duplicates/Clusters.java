package dev.perhaps.similarity.duplicates;

import dev.perhaps.io.Figures;
import dev.perhaps.similarity.Banding;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.index.SimilarityIndex;
import dev.perhaps.similarity.search.Candidates;
import dev.perhaps.similarity.search.DistinctTexts;
import dev.perhaps.similarity.search.PairIds;
import dev.perhaps.similarity.search.ShingleSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@link NearDuplicates}: the clusters of documents, which document of each is kept, and the edges (pairs
 * of near duplicates) that connect them. A document without a near duplicate is its own cluster, and kept. Immutable.
 *
 * <p>Documents are numbered in the order in which they were given. Numbers from {@link #documents} on are documents of
 * the index that they were compared with; {@link #earlierName} returns their names.
 */
public final class Clusters {
    /*
     * Edges lie between contents, in the order of their numbers; each is reported between the documents that represent
     * them. An exact duplicate has an edge of 1 to the document that represents its content. Edges to the index come
     * last.
     */
    private final Found found;
    private final DistinctTexts contents;
    private final long candidates;
    private final boolean[] crowded;
    private final boolean[] hot;
    private final long[] pairs;
    private final double[] jaccards;
    private final EarlierEdges earlier;
    /** For each content, the one whose document is kept: a content, or one of the index (Clustering). */
    private final int[] heads;
    /** For each content, the index of its strongest edge, or −1. */
    private final int[] strongest;

    /** How it was found. */
    record Found(
            ShingleSource source,
            MinHash<?> minHash,
            Banding banding,
            double bytesPerItem,
            int leastHits,
            boolean exact,
            boolean keepFirst,
            boolean star) {}

    /** From all candidates and their similarities, of which those below 0 are no edges. */
    Clusters(Found found, DistinctTexts contents, Candidates.Found all, double[] similarities, EarlierEdges earlier) {
        this.found = found;
        this.contents = contents;
        this.crowded = all.crowded;
        this.hot = all.hot;
        long[] candidates = all.pairs;
        this.candidates = candidates.length;
        this.earlier = earlier;
        long[] edges = new long[candidates.length];
        double[] strengths = new double[candidates.length];
        int count = 0;
        for (int i = 0; i < candidates.length; i++) {
            if (similarities[i] >= 0) {
                edges[count] = candidates[i];
                strengths[count++] = similarities[i];
            }
        }
        this.pairs = Arrays.copyOf(edges, count);
        this.jaccards = Arrays.copyOf(strengths, count);
        Clustering clustering = new Clustering(contents, pairs, earlier, found.keepFirst);
        this.heads = found.star ? clustering.stars() : clustering.components();
        this.strongest = strongest();
    }

    /**
     * Two documents that are near duplicates.
     *
     * @param hits the number of equal components of their signatures
     * @param exact false if the similarity is an estimate: in the document graph (hits / components), and for an index
     *     without sets
     */
    public record Edge(int a, int b, double jaccard, int hits, boolean exact) {}

    /**
     * The edge with the highest similarity; of equal ones that to the kept document, then that to the first content. In
     * a star, of a removed one that to the kept document.
     */
    private int[] strongest() {
        int[] best = new int[contents.count()];
        Arrays.fill(best, -1);
        for (int edge = 0; edge < pairs.length; edge++) {
            for (int end = 0; end < 2; end++) {
                int own = end == 0 ? PairIds.first(pairs[edge]) : PairIds.second(pairs[edge]);
                int other = end == 0 ? PairIds.second(pairs[edge]) : PairIds.first(pairs[edge]);
                double before = best[own] < 0 ? -1 : jaccards[best[own]];
                boolean toHead = other == heads[own];
                boolean settled = found.star && best[own] >= 0 && leadsToHead(own, best[own]);
                if (toHead && found.star || !settled && jaccards[edge] > before || toHead && jaccards[edge] == before) {
                    best[own] = edge;
                }
            }
        }
        return best;
    }

    private boolean leadsToHead(int content, int edge) {
        return heads[content] != content && other(edge, content) == heads[content];
    }

    /** The content at the other end of an edge. */
    private int other(int edge, int content) {
        int one = PairIds.first(pairs[edge]);
        return one == content ? PairIds.second(pairs[edge]) : one;
    }

    /** Returns the number of documents that were compared. */
    public int documents() {
        return contents.ofDocument.length;
    }

    /** Returns the number of documents with distinct contents. */
    public int distinct() {
        return contents.count();
    }

    /** Returns the number of the document that is kept of this document's cluster; it identifies the cluster. */
    public int clusterOf(int document) {
        int head = heads[contents.ofDocument[document]];
        return Clustering.isInIndex(head) ? documents() + Clustering.inIndex(head) : contents.first(head);
    }

    /** Returns true for exactly one document of each cluster, or for none if one in the index was kept earlier. */
    public boolean kept(int document) {
        return clusterOf(document) == document;
    }

    /**
     * Returns the number of kept documents, which is the number of new clusters, including those of a single document.
     */
    public int keptCount() {
        int count = 0;
        for (int content = 0; content < heads.length; content++) {
            count += heads[content] == content ? 1 : 0;
        }
        return count;
    }

    /** Returns the name of a document of the index, given by its number here, {@link #documents} or more. */
    public String earlierName(int number) {
        Objects.checkIndex(number - documents(), earlier.documents);
        return new String(earlier.index.utf8(number - documents()), StandardCharsets.UTF_8);
    }

    /** Returns the number of documents with an edge to one of the index. */
    public int matchedEarlier() {
        int count = 0;
        for (int content = 0; content < heads.length; content++) {
            count += earlier.of(content).length > 0 ? contents.starts[content + 1] - contents.starts[content] : 0;
        }
        return count;
    }

    /** Returns the number of clusters with two or more documents. */
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

    /**
     * Returns the strongest edge of a document, which shows why it is in its cluster; an edge to the index, if its
     * cluster has a document that was kept there. Nothing if it is alone.
     */
    public Optional<Edge> match(int document) {
        int content = contents.ofDocument[document];
        int first = contents.first(content);
        if (first != document) {
            return Optional.of(same(document, first));
        }
        int edge = strongest[content];
        EarlierEdges.Edge toEarlier = earlierMatch(content);
        if (toEarlier != null && (edge < 0 || isStronger(toEarlier, content, edge))) {
            return Optional.of(toEarlier(document, toEarlier));
        }
        if (edge >= 0) {
            return Optional.of(near(document, contents.first(other(edge, content)), edge));
        }
        int start = contents.starts[content];
        return contents.starts[content + 1] - start > 1
                ? Optional.of(same(document, contents.documents[start + 1]))
                : Optional.empty();
    }

    private EarlierEdges.@Nullable Edge earlierMatch(int content) {
        int head = heads[content];
        if (found.star && Clustering.isInIndex(head)) {
            for (EarlierEdges.Edge edge : earlier.of(content)) {
                if (edge.number() == Clustering.inIndex(head)) {
                    return edge;
                }
            }
        }
        return earlier.strongest(content);
    }

    /**
     * A content that was removed because of the index reports its edge to the index; otherwise the stronger edge
     * counts.
     */
    private boolean isStronger(EarlierEdges.Edge toEarlier, int content, int edge) {
        if (Clustering.isInIndex(heads[content])) {
            return true;
        }
        boolean inStar = found.star && heads[content] != content;
        return !inStar && toEarlier.jaccard() >= jaccards[edge];
    }

    private Edge same(int a, int b) {
        return new Edge(a, b, 1, found.banding.components(), true);
    }

    private Edge near(int a, int b, int edge) {
        return new Edge(a, b, jaccards[edge], NearDuplicates.hits(contents, pairs[edge]), found.exact);
    }

    private Edge toEarlier(int document, EarlierEdges.Edge edge) {
        return new Edge(document, documents() + edge.number(), edge.jaccard(), edge.hits(), edge.exact());
    }

    /**
     * Returns all edges: those between distinct contents, then those of exact duplicates to the document that
     * represents them, then those to the index.
     */
    public Stream<Edge> edges() {
        Stream<Edge> near = IntStream.range(0, pairs.length)
                .mapToObj(edge -> near(
                        contents.first(PairIds.first(pairs[edge])), contents.first(PairIds.second(pairs[edge])), edge));
        Stream<Edge> exact = IntStream.range(0, documents())
                .filter(document -> contents.first(contents.ofDocument[document]) != document)
                .mapToObj(document -> same(contents.first(contents.ofDocument[document]), document));
        Stream<Edge> back = IntStream.range(0, contents.count())
                .boxed()
                .flatMap(content ->
                        Arrays.stream(earlier.of(content)).map(edge -> toEarlier(contents.first(content), edge)));
        return Stream.concat(Stream.concat(near, exact), back);
    }

    /**
     * Adds all documents, kept and removed, and their clusters to the index that they were compared with, or to an
     * empty one, under these names, so that the next run can continue from here.
     *
     * @throws IllegalArgumentException if a name exists already or is repeated, or if it is another index
     */
    public void addTo(SimilarityIndex index, IntFunction<String> names) throws IOException {
        String difference = NearDuplicates.difference(index, found.minHash, found.banding);
        if (!difference.isEmpty() || !found.exact) {
            throw new IllegalArgumentException("the index was made for something else: "
                    + (found.exact ? difference : "a threshold, not a graph of hits"));
        }
        Additions additions = new Additions(found.source, contents, index, earlier.documents);
        for (int document = 0; document < documents(); document++) {
            additions.add(document, names.apply(document), clusterOf(document), kept(document));
        }
        Map<Integer, Integer> joined = new HashMap<>();
        for (int content = 0; !found.star && content < heads.length; content++) {
            for (EarlierEdges.Edge edge : earlier.of(content)) {
                joined.put(earlier.index.root(edge.number()), clusterOf(contents.first(content)));
            }
        }
        additions.put(joined);
    }

    /** Returns the number of pairs of contents that were compared exactly. */
    public long candidates() {
        return candidates;
    }

    /**
     * Returns an estimate of the number of documents that are kept although they have a near duplicate: the clusters
     * beyond those that all pairs at or above the threshold would give, if none had been missed. A pair by itself that
     * was missed counts 1, and so do a broken link of a chain and a document of a group, or a part of it, that was not
     * brought to any other of its group. Pairs that others connect are not missed, though not all of them are edges.
     *
     * <p>It is derived from the edges: how easily each part might have been lost says how many like it were. For pairs
     * by themselves, chains, and groups of up to 64 it is within a factor of two of the mean over many runs; for groups
     * of up to 2,000, of which hardly any document is lost, of the right order only. For larger groups it is too low:
     * it does not count documents with one or two near duplicates that were not compared with them (fewer than 1 % of
     * the group). A single run misses a number with a Poisson distribution around its mean: if the estimate is 3, 0 to
     * 8 are not unusual. With {@link NearDuplicates#stars} it still counts connected components.
     */
    public double missed() {
        Map<Integer, Integer> nodes = new HashMap<>();
        int count = contents.count();
        int edges = pairs.length + (int) earlier.count();
        int[] from = new int[edges];
        int[] to = new int[edges];
        double[] similarities = Arrays.copyOf(jaccards, edges);
        int at = 0;
        for (; at < pairs.length; at++) {
            from[at] = PairIds.first(pairs[at]);
            to[at] = PairIds.second(pairs[at]);
        }
        for (int content = 0; content < count; content++) {
            for (EarlierEdges.Edge edge : earlier.of(content)) {
                from[at] = content;
                to[at] = nodes.computeIfAbsent(earlier.index.root(edge.number()), root -> count + nodes.size());
                similarities[at++] = edge.jaccard();
            }
        }
        // In the document graph the least hits are what is asked for: nothing is missed by that.
        int leastHits = found.exact ? found.leastHits : 0;
        return new MissEstimate(found.banding, leastHits, crowded, hot, this::items)
                .clusters(count + nodes.size(), from, to, similarities);
    }

    /** About the number of shingles of a content, or infinity if that does not matter or it is in the index. */
    private double items(int content) {
        boolean dealt = found.minHash.scheme() == MinHash.FAST && content < contents.count();
        return dealt ? Math.max(1, contents.length(content) / found.bytesPerItem) : Double.POSITIVE_INFINITY;
    }

    /**
     * Returns {@link #missed} as a share of the documents with distinct contents that would be removed if none were
     * missed.
     */
    public double missedShare() {
        double missed = missed();
        return missed == 0 ? 0 : missed / (missed + distinct() - keptCount());
    }

    @Override
    public String toString() {
        return Figures.count(documents()) + " documents, " + Figures.count(distinct()) + " different, "
                + Figures.count(keptCount()) + " kept, " + Figures.count(pairs.length) + " edges";
    }
}
