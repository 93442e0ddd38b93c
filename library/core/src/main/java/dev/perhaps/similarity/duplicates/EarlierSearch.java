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

/** Finds the {@link EarlierEdges} of one content after the other. Confined to a thread. */
final class EarlierSearch {
    private final Banding banding;
    private final boolean exact;
    private final Snapshot index;
    private final DistinctTexts contents;
    private final int leastHits;
    private final Neighbours neighbours = new Neighbours();
    private final ShingleSource.Reader reader;
    private final DuplicateRule.EarlierChoice choice;
    private EarlierEdges.Edge[] edges = new EarlierEdges.Edge[16];

    EarlierSearch(DocumentIndex index, Snapshot now, DistinctTexts contents, ShingleSource source, int leastHits) {
        this.banding = index.banding();
        this.exact = index.isExact();
        this.index = now;
        this.contents = contents;
        this.reader = source.reader();
        this.leastHits = leastHits;
        this.choice = new DuplicateRule.EarlierChoice(banding.threshold(), banding.components());
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
        choice.start();
        for (long next : closest) {
            int number = (int) next;
            int hits = banding.components() - (int) (next >>> 32);
            if (hits < leastHits) {
                break;
            }
            if (!index.isLiving(number)) {
                continue;
            }
            Integer root = index.root(number);
            long high = index.high(number);
            long low = index.low(number);
            if (!choice.isWanted(root, index.isKept(number), high, low)) {
                continue;
            }
            double jaccard = choice.estimate(hits);
            if (exact) {
                if (set == null) {
                    reader.open(first);
                    set = reader.set();
                }
                jaccard = SetBuilder.jaccard(set, index.set(number), banding.threshold());
            }
            if (choice.isEdge(root, high, low, jaccard)) {
                edges = count == edges.length ? Arrays.copyOf(edges, 2 * count) : edges;
                edges[count++] = new EarlierEdges.Edge(number, jaccard, hits, exact);
            }
        }
        Arrays.sort(edges, 0, count, Comparator.comparingInt(EarlierEdges.Edge::number));
        return count == 0 ? EarlierEdges.NO_EDGES : Arrays.copyOf(edges, count);
    }
}
