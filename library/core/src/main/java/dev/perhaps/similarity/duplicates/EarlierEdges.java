package dev.perhaps.similarity.duplicates;

import dev.perhaps.similarity.Banding;
import dev.perhaps.similarity.index.DocumentIndex;
import dev.perhaps.similarity.search.DistinctTexts;
import dev.perhaps.similarity.search.ShingleSource;
import dev.perhaps.similarity.search.Workers;
import dev.perhaps.similarity.segments.IndexShape;
import dev.perhaps.similarity.segments.Neighbours;
import dev.perhaps.similarity.segments.Snapshot;
import dev.perhaps.similarity.text.SetBuilder;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The edges between contents and the documents of an index. Depends on the contents and the index only. */
final class EarlierEdges {
    /*
     * A content that is in the index already has one edge, exactly 1, to the first document with its fingerprint: what
     * resembles the one resembles the other, and is in its cluster since that was indexed. For any other the index
     * gives those that share a band; with sets they are compared exactly, after the same sketch filter as among new
     * contents, and so the clusters are those of one run over both; without, an edge is where the estimate reaches the
     * threshold. Of documents with one content only the first has an edge. Buckets of more than 2,048 are not read
     * whole (Neighbours).
     *
     * Those with the most hits come first. Once FEW edges lead to one cluster of the index, only its kept documents are
     * still compared: further edges to it connect nothing.
     */
    private static final int FEW = 32;

    private static final int CHUNK = 16;
    private static final Edge[] NO_EDGES = {};

    /** An edge of a content to the document with this number in the index. */
    record Edge(int number, double jaccard, int hits, boolean exact) {}

    final Snapshot index;
    /** Documents of the index then, removed ones too. */
    final int documents;
    /** For each content its edges, those to the first numbers first. */
    private final Edge[][] ofContent;

    private EarlierEdges(Snapshot index, int documents, Edge[][] ofContent) {
        this.index = index;
        this.documents = documents;
        this.ofContent = ofContent;
    }

    static EarlierEdges none() {
        return new EarlierEdges(new Snapshot(List.of(), 0), 0, new Edge[0][]);
    }

    /** The edges of a content. */
    Edge[] of(int content) {
        return content < ofContent.length ? ofContent[content] : NO_EDGES;
    }

    /** All edges. */
    long count() {
        return Arrays.stream(ofContent).mapToLong(edges -> edges.length).sum();
    }

    /** The edge that tells most of where a content belongs: the strongest, then an exact one, then that to the first. */
    @Nullable
    Edge strongest(int content) {
        Edge best = null;
        for (Edge edge : of(content)) {
            if (best == null
                    || edge.jaccard > best.jaccard
                    || edge.jaccard == best.jaccard && edge.exact && !best.exact) {
                best = edge;
            }
        }
        return best;
    }

    static EarlierEdges find(
            DocumentIndex index, DistinctTexts contents, ShingleSource source, int leastHits, int threads)
            throws IOException {
        Snapshot now = index.snapshot();
        int documents = now.documents();
        Edge[][] found = new Edge[contents.count()][];
        Workers.run(threads, contents.count(), CHUNK, () -> {
            Search search = new Search(index, now, contents, source, leastHits);
            return content -> found[content] = search.edges(content);
        });
        return new EarlierEdges(now, documents, found);
    }

    /** What one thread keeps between contents. */
    private static final class Search {
        private final Banding banding;
        private final boolean exact;
        private final Snapshot index;
        private final DistinctTexts contents;
        private final int leastHits;
        private final Neighbours neighbours = new Neighbours();
        private final ShingleSource.Reader reader;
        private final Map<Integer, Integer> edgesOfCluster = new HashMap<>();
        private Edge[] edges = new Edge[16];

        Search(DocumentIndex index, Snapshot now, DistinctTexts contents, ShingleSource source, int leastHits) {
            this.banding = index.banding();
            this.exact = index.isExact();
            this.index = now;
            this.contents = contents;
            this.reader = source.reader();
            this.leastHits = leastHits;
        }

        Edge[] edges(int content) throws IOException {
            int first = contents.first(content);
            int same = index.fingerprinted(contents.high[first], contents.low[first]);
            if (same != Snapshot.NONE) {
                return new Edge[] {new Edge(same, 1, banding.components(), true)};
            }
            long[] signature = IndexShape.cut(contents.signatures.get(content));
            long[] other = new long[signature.length];
            long[] set = null;
            int count = 0;
            int[] numbers = index.sharingABand(signature, banding.bands(), banding.rows(), neighbours);
            long[] closest = new long[numbers.length];
            for (int i = 0; i < numbers.length; i++) {
                index.signature(numbers[i], other);
                int different = banding.components() - DocumentIndex.hits(signature, other, banding.components());
                closest[i] = (long) different << 32 | numbers[i];
            }
            Arrays.sort(closest);
            edgesOfCluster.clear();
            for (long next : closest) {
                int number = (int) next;
                int hits = banding.components() - (int) (next >>> 32);
                if (hits < leastHits) {
                    break;
                }
                if (!index.isLiving(number) || isSame(number, count)) {
                    continue;
                }
                int root = index.root(number);
                if (edgesOfCluster.getOrDefault(root, 0) >= FEW && !index.isKept(number)) {
                    continue;
                }
                double jaccard = DocumentIndex.estimate(hits, banding.components());
                if (exact) {
                    if (set == null) {
                        reader.open(first);
                        set = reader.set();
                    }
                    jaccard = SetBuilder.jaccard(set, index.set(number), banding.threshold());
                }
                if (jaccard >= banding.threshold()) {
                    edges = count == edges.length ? Arrays.copyOf(edges, 2 * count) : edges;
                    edges[count++] = new Edge(number, jaccard, hits, exact);
                    edgesOfCluster.merge(root, 1, Integer::sum);
                }
            }
            Arrays.sort(edges, 0, count, Comparator.comparingInt(Edge::number));
            return count == 0 ? NO_EDGES : Arrays.copyOf(edges, count);
        }

        /** True if an edge goes to the same content already. */
        private boolean isSame(int number, int count) {
            long high = index.high(number);
            for (int i = 0; i < count; i++) {
                if (high != 0
                        && high == index.high(edges[i].number)
                        && index.low(number) == index.low(edges[i].number)) {
                    return true;
                }
            }
            return false;
        }
    }
}
