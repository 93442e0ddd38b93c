package dev.perhaps.similarity.duplicates;

import dev.perhaps.similarity.Banding;
import dev.perhaps.similarity.index.DocumentIndex;
import dev.perhaps.similarity.search.DistinctTexts;
import dev.perhaps.similarity.search.ShingleSource;
import dev.perhaps.similarity.segments.IndexShape;
import dev.perhaps.similarity.segments.Neighbours;
import dev.perhaps.similarity.segments.Snapshot;
import dev.perhaps.similarity.text.SetBuilder;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/** Finds the {@link EarlierEdges} of one content after the other. Confined to a thread. */
final class EarlierSearch {
    /** Edges to one cluster, after which only its kept documents are still compared. */
    private static final int FEW = 32;

    private final Banding banding;
    private final boolean exact;
    private final Snapshot index;
    private final DistinctTexts contents;
    private final int leastHits;
    private final Neighbours neighbours = new Neighbours();
    private final ShingleSource.Reader reader;
    private final Map<Integer, Integer> edgesOfCluster = new HashMap<>();
    private EarlierEdges.Edge[] edges = new EarlierEdges.Edge[16];

    EarlierSearch(DocumentIndex index, Snapshot now, DistinctTexts contents, ShingleSource source, int leastHits) {
        this.banding = index.banding();
        this.exact = index.isExact();
        this.index = now;
        this.contents = contents;
        this.reader = source.reader();
        this.leastHits = leastHits;
    }

    EarlierEdges.Edge[] edges(int content) throws IOException {
        int first = contents.first(content);
        int same = index.fingerprinted(contents.high[first], contents.low[first]);
        if (same != Snapshot.NONE) {
            return new EarlierEdges.Edge[] {new EarlierEdges.Edge(same, 1, banding.components(), true)};
        }
        long[] signature = IndexShape.cut(contents.signatures.get(content));
        long[] other = new long[signature.length];
        long[] set = null;
        int count = 0;
        int[] numbers = index.sharingABand(signature, banding.bands(), banding.rows(), neighbours);
        long[] closest = new long[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            index.signature(numbers[i], other);
            int different = banding.components() - IndexShape.hits(signature, other, banding.components());
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
            double jaccard = IndexShape.estimate(hits, banding.components());
            if (exact) {
                if (set == null) {
                    reader.open(first);
                    set = reader.set();
                }
                jaccard = SetBuilder.jaccard(set, index.set(number), banding.threshold());
            }
            if (jaccard >= banding.threshold()) {
                edges = count == edges.length ? Arrays.copyOf(edges, 2 * count) : edges;
                edges[count++] = new EarlierEdges.Edge(number, jaccard, hits, exact);
                edgesOfCluster.merge(root, 1, Integer::sum);
            }
        }
        Arrays.sort(edges, 0, count, Comparator.comparingInt(EarlierEdges.Edge::number));
        return count == 0 ? EarlierEdges.NO_EDGES : Arrays.copyOf(edges, count);
    }

    /** True if an edge goes to the same content already. */
    private boolean isSame(int number, int count) {
        long high = index.high(number);
        for (int i = 0; i < count; i++) {
            if (high != 0
                    && high == index.high(edges[i].number())
                    && index.low(number) == index.low(edges[i].number())) {
                return true;
            }
        }
        return false;
    }
}
