package dev.perhaps.similarity.search;

import dev.perhaps.similarity.text.SetBuilder;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Exact Jaccard similarities of candidate pairs, from sorted sets of shingle hashes that are built once where memory allows. */
public final class Verification {
    /*
     * Pairs are worked off component by component of the candidate graph, so the sets that are needed together are in
     * memory together, and not much else. Each thread keeps the sets that it used last, up to its share of the bytes
     * allowed; a component that is larger builds some of its sets again.
     *
     * A pair costs two comparisons if the sizes alone rule it out, else a merge of both sets that ends as soon as the
     * threshold cannot be reached any more.
     *
     * Sets of documents that are too large for that are compared part by part: the hashes of each 1/p of all hashes, from p
     * passes over both texts.
     */
    private static final int LEAST_PAIRS = 1 << 5;
    private static final int MAX_PAIRS = 1 << 11;
    private static final int MAX_PARTS = 1 << 12;

    /** What building a set takes for a byte of text: the hashes, as many places to sort them, and the set. */
    private static final int BYTES_PER_BYTE = 24;

    private final ShingleSource source;
    private final DistinctTexts contents;
    private final double threshold;
    private final long cacheBytes;

    public Verification(ShingleSource source, DistinctTexts contents, double threshold, long cacheBytes) {
        this.source = source;
        this.contents = contents;
        this.threshold = threshold;
        this.cacheBytes = cacheBytes;
    }

    /** For each pair its similarity, or −1 if that is below the threshold. */
    public double[] jaccards(long[] pairs, int threads) throws IOException {
        RadixSort byComponent = byComponent(pairs);
        int[] order = byComponent.values();
        int[] pieces = pieces(byComponent.keys());
        double[] jaccards = new double[pairs.length];
        Workers.run(threads, pieces.length - 1, 1, () -> {
            Sets sets = new Sets(cacheBytes / threads);
            return piece -> {
                for (int i = pieces[piece]; i < pieces[piece + 1]; i++) {
                    long pair = pairs[order[i]];
                    jaccards[order[i]] = sets.jaccard(PairIds.first(pair), PairIds.second(pair));
                }
            };
        });
        return jaccards;
    }

    /** Indices of the pairs by component of the candidate graph, else as they were. */
    private RadixSort byComponent(long[] pairs) {
        UnionFind components = new UnionFind(contents.count());
        for (long pair : pairs) {
            components.unite(PairIds.first(pair), PairIds.second(pair));
        }
        RadixSort sort = new RadixSort(pairs.length);
        for (int i = 0; i < pairs.length; i++) {
            sort.keys()[i] = components.find(PairIds.first(pairs[i]));
            sort.values()[i] = i;
        }
        sort.sort();
        return sort;
    }

    /** Where pieces of work start: between components, and within one only if it has very many pairs. */
    private static int[] pieces(long[] components) {
        int[] starts = new int[components.length + 1];
        int count = 0;
        for (int at = 0; at < components.length; count++) {
            starts[count] = at;
            int next = Math.min(components.length, at + LEAST_PAIRS);
            while (next < components.length && next < at + MAX_PAIRS && components[next] == components[next - 1]) {
                next++;
            }
            at = next;
        }
        starts[count] = components.length;
        return Arrays.copyOf(starts, count + 1);
    }

    /** The sets that one thread used last. */
    private final class Sets {
        private final Map<Integer, long[]> recent = new LinkedHashMap<>(16, 0.75f, true);
        private final ShingleSource.Reader reader = source.reader();
        private final long mostBytes;
        private long bytes;

        Sets(long mostBytes) {
            this.mostBytes = mostBytes;
        }

        double jaccard(int a, int b) throws IOException {
            long longer = Math.max(contents.length(a), contents.length(b));
            long parts = 1 + longer * BYTES_PER_BYTE / (2 * mostBytes);
            return parts == 1
                    ? SetBuilder.jaccard(of(a), of(b), threshold)
                    : jaccard(a, b, (int) Math.min(MAX_PARTS, parts));
        }

        private double jaccard(int a, int b, int parts) throws IOException {
            recent.clear();
            bytes = 0;
            long shared = 0;
            long total = 0;
            for (int part = 0; part < parts; part++) {
                reader.open(contents.first(a));
                long[] left = reader.part(part, parts);
                reader.open(contents.first(b));
                long[] right = reader.part(part, parts);
                shared += SetBuilder.shared(left, right);
                total += left.length + right.length;
            }
            double jaccard = (double) shared / (total - shared);
            return jaccard >= threshold ? jaccard : -1;
        }

        private long[] of(int content) throws IOException {
            long[] set = recent.get(content);
            if (set == null) {
                reader.open(contents.first(content));
                set = reader.set();
                recent.put(content, set);
                bytes += set.length * (long) Long.BYTES;
                var oldest = recent.entrySet().iterator();
                while (bytes > mostBytes && recent.size() > 1) {
                    bytes -= oldest.next().getValue().length * (long) Long.BYTES;
                    oldest.remove();
                }
            }
            return set;
        }
    }
}
