package dev.perhaps.similarity.search;

import dev.perhaps.similarity.text.SetBuilder;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Exact Jaccard similarities of candidate pairs, from sorted sets of shingle hashes that are built once where memory
 * allows.
 */
public final class Verification {
    /*
     * Pairs are worked off component by component of the candidate graph, so the sets that are needed together are in
     * memory together, and nothing else: the arrays of one component are used for the next, and stay in the processor's
     * cache if components are small. Each thread keeps the sets that it used last, up to its share of the bytes
     * allowed.
     *
     * The pairs (a, b) of a component are in the order of the bits of a and b by turns, a Z-order curve [1]: so they
     * are worked off square by square, of squares of any size, and the sets of one are built once if they fit into that
     * memory, and read once from it if they fit into the processor's cache. In the order of a alone, with b anywhere, a
     * component that is too large for the memory builds a set for many of its pairs.
     *
     * A pair costs two comparisons if the sizes alone rule it out, else a merge of both sets that ends as soon as the
     * threshold cannot be reached any more.
     *
     * Sets of documents that are too large for that are compared part by part: the hashes of each 1/p of all hashes,
     * from p passes over both texts.
     *
     * [1] Morton, "A computer oriented geodetic data base and a new technique in file sequencing" (1966).
     */
    private static final int LEAST_PAIRS = 1 << 5;
    private static final int FEW_PAIRS = 1 << 11;
    private static final int MAX_PAIRS = 1 << 16;
    private static final int PIECES_PER_THREAD = 16;
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
        long[] components = byComponent.keys();
        int[] pieces = pieces(components, threads);
        double[] jaccards = new double[pairs.length];
        Workers.run(threads, pieces.length - 1, 1, () -> {
            Sets sets = new Sets(cacheBytes / threads);
            return piece -> {
                for (int i = pieces[piece]; i < pieces[piece + 1]; i++) {
                    sets.startComponent(components[i]);
                    long pair = pairs[order[i]];
                    jaccards[order[i]] = sets.jaccard(PairIds.first(pair), PairIds.second(pair));
                }
            };
        });
        return jaccards;
    }

    /** Indices of the pairs by component of the candidate graph, and in each along a Z-order curve. */
    private RadixSort byComponent(long[] pairs) {
        UnionFind components = new UnionFind(contents.count());
        for (long pair : pairs) {
            components.unite(PairIds.first(pair), PairIds.second(pair));
        }
        RadixSort sort = new RadixSort(pairs.length);
        for (int i = 0; i < pairs.length; i++) {
            sort.keys()[i] = spread(PairIds.first(pairs[i])) << 1 | spread(PairIds.second(pairs[i]));
            sort.values()[i] = i;
        }
        sort.sort();
        for (int i = 0; i < pairs.length; i++) {
            sort.keys()[i] = components.find(PairIds.first(pairs[sort.values()[i]]));
        }
        sort.sort();
        return sort;
    }

    /** The bits of a number, each followed by one that is 0. */
    static long spread(int number) {
        long bits = number & 0xFFFFFFFFL;
        bits = (bits | bits << 16) & 0x0000FFFF0000FFFFL;
        bits = (bits | bits << 8) & 0x00FF00FF00FF00FFL;
        bits = (bits | bits << 4) & 0x0F0F0F0F0F0F0F0FL;
        bits = (bits | bits << 2) & 0x3333333333333333L;
        return (bits | bits << 1) & 0x5555555555555555L;
    }

    /** Where pieces of work start: between components, and within one only if it has very many pairs. */
    private static int[] pieces(long[] components, int threads) {
        int most = Math.min(MAX_PAIRS, Math.max(FEW_PAIRS, components.length / (PIECES_PER_THREAD * threads)));
        int[] starts = new int[components.length + 1];
        int count = 0;
        for (int at = 0; at < components.length; count++) {
            starts[count] = at;
            int next = Math.min(components.length, at + LEAST_PAIRS);
            while (next < components.length && next < at + most && components[next] == components[next - 1]) {
                next++;
            }
            at = next;
        }
        starts[count] = components.length;
        return Arrays.copyOf(starts, count + 1);
    }

    /** A set that fills the beginning of an array. */
    private static final class ShingleSet {
        final long[] hashes;
        final int size;

        ShingleSet(long[] hashes, int size) {
            this.hashes = hashes;
            this.size = size;
        }

        long bytes() {
            return hashes.length * (long) Long.BYTES;
        }
    }

    /** The sets that one thread used last. */
    private final class Sets {
        private final Map<Integer, ShingleSet> recent = new LinkedHashMap<>(16, 0.75f, true);
        private final ShingleSource.Reader reader = source.reader();
        private final FreeArrays free = new FreeArrays();
        private final long mostBytes;
        private long bytes;
        private long component = -1;

        Sets(long mostBytes) {
            this.mostBytes = mostBytes;
        }

        /** Lets the sets go if this is another component than before. */
        void startComponent(long next) {
            if (next != component) {
                component = next;
                clear();
            }
        }

        private void clear() {
            recent.values().forEach(set -> free.add(set.hashes));
            recent.clear();
            bytes = 0;
        }

        double jaccard(int a, int b) throws IOException {
            long longer = Math.max(contents.length(a), contents.length(b));
            long parts = 1 + longer * BYTES_PER_BYTE / (2 * mostBytes);
            if (parts > 1) {
                return jaccard(a, b, (int) Math.min(MAX_PARTS, parts));
            }
            ShingleSet left = of(a);
            ShingleSet right = of(b);
            return SetBuilder.jaccard(left.hashes, left.size, right.hashes, right.size, threshold);
        }

        private double jaccard(int a, int b, int parts) throws IOException {
            clear();
            free.clear();
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

        private ShingleSet of(int content) throws IOException {
            ShingleSet set = recent.get(content);
            if (set == null) {
                reader.open(contents.first(content));
                int size = reader.gather();
                // The last of those that are kept may be the other one of the pair.
                while (bytes + FreeArrays.bytes(size) > mostBytes && recent.size() > 1) {
                    evictOldest();
                }
                set = new ShingleSet(free.take(size), size);
                reader.copy(set.hashes);
                recent.put(content, set);
                bytes += set.bytes();
                if (bytes + free.bytes() > mostBytes) {
                    free.clear();
                }
            }
            return set;
        }

        private void evictOldest() {
            var sets = recent.values().iterator();
            ShingleSet oldest = sets.next();
            sets.remove();
            bytes -= oldest.bytes();
            free.add(oldest.hashes);
        }
    }

    /** Arrays to use again, by the logarithm of their length. */
    private static final class FreeArrays {
        private static final int LEAST = 10;

        private final List<ArrayDeque<long[]>> bySize =
                Stream.generate(ArrayDeque<long[]>::new).limit(Integer.SIZE).toList();
        private long bytes;

        private static int log(int size) {
            return Math.max(LEAST, Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(0, size - 1)));
        }

        /** The bytes of the array for a set of this size. */
        static long bytes(int size) {
            return (long) Long.BYTES * Math.max(size, 1L << Math.min(log(size), Integer.SIZE - 2));
        }

        /** An array of at least this size, with anything in it. */
        long[] take(int size) {
            int log = log(size);
            long[] array = bySize.get(log).poll();
            if (array == null) {
                return new long[log < Integer.SIZE - 1 ? 1 << log : size];
            }
            bytes -= array.length * (long) Long.BYTES;
            return array;
        }

        void add(long[] array) {
            if (Integer.bitCount(array.length) == 1) {
                bySize.get(Integer.numberOfTrailingZeros(array.length)).push(array);
                bytes += array.length * (long) Long.BYTES;
            }
        }

        long bytes() {
            return bytes;
        }

        void clear() {
            bySize.forEach(ArrayDeque::clear);
            bytes = 0;
        }
    }
}
