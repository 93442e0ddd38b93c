package dev.perhaps.cli.similarity;

import dev.perhaps.cli.engine.Engine;
import dev.perhaps.similarity.duplicates.Clusters;
import dev.perhaps.similarity.duplicates.Clusters.Edge;
import java.util.BitSet;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Clusters of near duplicates as {@code perhaps dedup} prints them, wherever they were found. */
interface DocumentClusters {
    int documents();

    /** The document that is kept of a document's cluster; numbers from {@link #documents} on are of an index. */
    int clusterOf(int document);

    Optional<Edge> match(int document);

    Stream<Edge> edges();

    /** The estimated share of what should be removed and was not; nothing where it is not estimated. */
    OptionalDouble missedShare();

    /** The number of documents with an edge to one of an index. */
    int matchedEarlier();

    /** The name of a document of an index. */
    String earlierName(int number);

    default boolean kept(int document) {
        return clusterOf(document) == document;
    }

    default int keptCount() {
        return (int) IntStream.range(0, documents()).filter(this::kept).count();
    }

    /** The number of clusters of two documents or more. */
    default int groups() {
        BitSet named = new BitSet(documents());
        IntStream.range(0, documents())
                .filter(document -> !kept(document))
                .forEach(document -> named.set(clusterOf(document)));
        return named.cardinality();
    }

    /** Found in this process. */
    static DocumentClusters of(Clusters clusters) {
        return new DocumentClusters() {
            @Override
            public int documents() {
                return clusters.documents();
            }

            @Override
            public int clusterOf(int document) {
                return clusters.clusterOf(document);
            }

            @Override
            public Optional<Edge> match(int document) {
                return clusters.match(document);
            }

            @Override
            public Stream<Edge> edges() {
                return clusters.edges();
            }

            @Override
            public OptionalDouble missedShare() {
                return OptionalDouble.of(clusters.missedShare());
            }

            @Override
            public int matchedEarlier() {
                return clusters.matchedEarlier();
            }

            @Override
            public String earlierName(int number) {
                return clusters.earlierName(number);
            }
        };
    }

    /** Found by an engine, where every edge is exact, and no index is searched. */
    static DocumentClusters of(Engine.Duplicates found) {
        return new DocumentClusters() {
            @Override
            public int documents() {
                return found.clusters().length;
            }

            @Override
            public int clusterOf(int document) {
                return found.clusters()[document];
            }

            @Override
            public Optional<Edge> match(int document) {
                int match = found.matches()[document];
                return match < 0
                        ? Optional.empty()
                        : Optional.of(edge(document, match, found.similarities()[document]));
            }

            @Override
            public Stream<Edge> edges() {
                return IntStream.range(0, found.pairSimilarities().length)
                        .mapToObj(pair -> edge(
                                found.pairs()[2 * pair], found.pairs()[2 * pair + 1], found.pairSimilarities()[pair]));
            }

            private Edge edge(int a, int b, double jaccard) {
                return new Edge(a, b, jaccard, 0, true);
            }

            @Override
            public OptionalDouble missedShare() {
                return OptionalDouble.empty();
            }

            @Override
            public int matchedEarlier() {
                return 0;
            }

            @Override
            public String earlierName(int number) {
                throw new IllegalStateException("there is no document " + number);
            }
        };
    }
}
