package dev.perhaps.similarity.duplicates;

import dev.perhaps.similarity.index.DocumentIndex;
import dev.perhaps.similarity.search.DistinctTexts;
import dev.perhaps.similarity.search.ShingleSource;
import dev.perhaps.similarity.search.Workers;
import dev.perhaps.similarity.segments.IndexInside;
import dev.perhaps.similarity.segments.Snapshot;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The edges between contents and the documents of an index. Depends on the contents and the index only. */
final class EarlierEdges {
    /*
     * A content that is in the index already has one edge, exactly 1, to the first document with its fingerprint: what
     * resembles the one resembles the other, and is in its cluster since that was indexed. For any other the index
     * gives those that share a band; with sets they are compared exactly, after the same sketch filter as among new
     * contents, and so the clusters are those of one run over both; without, an edge is where the estimate reaches the
     * threshold. Of documents with one content only the first has an edge. Buckets of more than 2,048 are not read
     * whole (Neighbours). Which of those are compared: DuplicateRule.EarlierChoice.
     */
    private static final int CHUNK = 16;
    static final Edge[] NO_EDGES = {};

    /** An edge of a content to the document with this number in the index. */
    record Edge(int number, double jaccard, int hits, boolean exact) {}

    final EarlierDocuments index;
    /** Documents of the index then, removed ones too. */
    final int documents;
    /** For each content its edges, those to the first numbers first. */
    private final Edge[][] ofContent;

    EarlierEdges(EarlierDocuments index, int documents, Edge[][] ofContent) {
        this.index = index;
        this.documents = documents;
        this.ofContent = ofContent;
    }

    static EarlierEdges none() {
        return new EarlierEdges(EarlierDocuments.of(new Snapshot(List.of(), 0)), 0, new Edge[0][]);
    }

    /** The edges of a content. */
    Edge[] of(int content) {
        return content < ofContent.length ? ofContent[content] : NO_EDGES;
    }

    /** All edges. */
    long count() {
        return Arrays.stream(ofContent).mapToLong(edges -> edges.length).sum();
    }

    /**
     * The edge that tells most of where a content belongs: the strongest, then an exact one, then that to the first.
     */
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
        Snapshot now = IndexInside.get().snapshot(index);
        int documents = now.documents();
        Edge[][] found = new Edge[contents.count()][];
        Workers.run(threads, contents.count(), CHUNK, () -> {
            EarlierSearch search = new EarlierSearch(index, now, contents, source, leastHits);
            return content -> found[content] = search.edges(content);
        });
        return new EarlierEdges(EarlierDocuments.of(now), documents, found);
    }
}
