package dev.perhaps.placement;

import dev.perhaps.hash.Mix;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Consistent hashing: a key belongs to the first point at or after it on a circle, and each node has points in
 * proportion to its weight. When a node joins, keys move only to it; when it leaves, only its keys move. Finding an
 * owner takes about one step for any number of nodes; 32 to 52 bytes per point. With 128 points, the standard deviation
 * of a node's share is 9 % of the share. Immutable and thread-safe.
 *
 * <pre>{@code
 * HashRing<String> ring = HashRing.of(Map.of("alpha", 1, "beta", 1, "gamma", 2));
 * String owner = ring.owner(Key.strings().hash("user:42"));
 * HashRing<String> larger = ring.with("delta", 1);
 * double share = ring.moved(larger);
 * }</pre>
 *
 * Exact shares, at one step per node: {@link Rendezvous}. Numbered nodes: {@link JumpHash}. A limit on the load of each
 * node: {@link BoundedLoads}.
 */
public final class HashRing<N> implements Placement<N> {
    /*
     * The circle is the 64-bit numbers. Point j of a node is its hash mixed with j; a key stands where its mixed hash
     * is.
     *
     *     points   | 03… | 1a… | 4c… | 4f… | a0… | e1… | ff…ff |     sorted; the last stands for the first, once around
     *     owners   |  2  |  0  |  1  |  2  |  0  |  1  |   2   |     numbers of nodes
     *     parts    |  2 | 0  |    0    |  0 | 1  |    1    | …       by the high bits of the key
     *     starts   |   0   |   1   |   2   |   2   |   3   | …       by fewer of them: the first point to compare with
     *
     * Four to eight parts of the circle per point: nearly all have one point in them or none. A part holds the number
     * of the node up to its point, and the 16 bits of the point that follow those of the part; a comparison with the
     * same bits of the key decides, without a branch, between this node and the one after it, which is the node that
     * the next part begins with. A part without a point holds the highest bits there are. Only if two points lie in the
     * part, or the 16 bits are equal, is the key compared with points, from that of its start on:
     *
     *     | bits of the point: 16 | node up to it: 16 |
     *
     * With more nodes than 16 bits can number, all keys are compared with points. A branch on whether a part has a
     * point cost a third of the time, and a tree takes log2 of the points, each step in another place of memory. (1,000
     * nodes of 100 points: 10.1 ns per owner on Java 17, 10.7 on 25. With both nodes and 32 bits of the point in each
     * part, a table of twice the size, 13.2 and 14.7; with half as many parts 11.2 and 11.5.)
     *
     * Load. With one point per node the longest arc is about ln n times the mean [1]; with p points per node the share
     * of a node varies by 1/√p of itself. Shares are exact sums of arcs, and so is what moves between two rings.
     *
     * A key that stands on a point belongs to it. Two points in one place: the node with the lesser hash has it.
     *
     * [1] Karger, Lehman, Leighton, Levine, Lewin and Panigrahy, "Consistent hashing and random trees" (1997).
     */
    /** The default number of points of a node of weight 1. */
    public static final int DEFAULT_POINTS = 128;

    private static final int MAX_POINTS = 1 << 26;
    private static final int PARTS_PER_POINT_BITS = 2;
    /** A quarter of a gigabyte; rings that are so large have fewer parts per point. */
    private static final int MAX_PART_BITS = 26;
    /** In place of a node's number: compare with points. */
    private static final int COMPARE = 0xFFFF;
    /** In place of the bits of a point, if a part has none. */
    private static final int NO_POINT = 0xFFFF;

    private static final long MIX = 0xB9C2D8E14F6A7305L;
    private static final long GAMMA = 0x9E3779B97F4A7C15L;

    final Nodes<N> nodes;

    private final int pointsEach;
    /** Ascending as signed numbers: the highest bit is turned over. One more than there are points. */
    private final long[] points;

    private final int[] owners;
    private final Object[] names;
    private final int[] parts;
    private final int partBits;
    private final int[] starts;
    private final int startShift;

    private HashRing(Nodes<N> nodes, int pointsEach) {
        this.nodes = nodes;
        this.pointsEach = pointsEach;
        long total = 0;
        for (int weight : nodes.weights.values()) {
            total += (long) weight * pointsEach;
        }
        if (total > MAX_POINTS) {
            throw new IllegalArgumentException(
                    "all nodes may have " + MAX_POINTS + " points, got " + total + ", " + pointsEach
                            + " for each unit of weight: take fewer, or smaller weights, of which only the ratios count");
        }
        long[] all = new long[(int) total];
        int at = 0;
        for (int node = 0; node < nodes.count(); node++) {
            for (int j = 0; j < nodes.weight(node) * pointsEach; j++) {
                all[at++] = point(node, j);
            }
        }
        Arrays.sort(all);
        int different = 0;
        for (int i = 0; i < all.length; i++) {
            if (different == 0 || all[different - 1] != all[i]) {
                all[different++] = all[i];
            }
        }
        this.points = Arrays.copyOf(all, different + 1);
        this.owners = new int[different + 1];
        for (int node = nodes.count() - 1; node >= 0; node--) {
            for (int j = 0; j < nodes.weight(node) * pointsEach; j++) {
                owners[Arrays.binarySearch(points, 0, different, point(node, j))] = node;
            }
        }
        points[different] = Long.MAX_VALUE;
        owners[different] = owners[0];
        this.names = nodes.byHash.toArray();
        int pointBits = Integer.SIZE - Integer.numberOfLeadingZeros(different);
        this.startShift = Long.SIZE - pointBits;
        this.starts = starts(points, different, pointBits);
        boolean fits = nodes.count() < COMPARE;
        this.partBits = fits ? Math.min(MAX_PART_BITS, pointBits + PARTS_PER_POINT_BITS) : 1;
        this.parts = parts(points, owners, partBits, fits);
    }

    /** The first point at or after the beginning of each part of the circle. */
    private static int[] starts(long[] points, int count, int bits) {
        int[] starts = new int[1 << bits];
        int point = 0;
        for (int part = 0; part < starts.length; part++) {
            while (point < count && partOf(points[point], bits) < part) {
                point++;
            }
            starts[part] = point;
        }
        return starts;
    }

    /** What the drawing above says of each part of the circle, and of the first one once more. */
    private static int[] parts(long[] points, int[] owners, int bits, boolean fits) {
        int[] parts = new int[(1 << bits) + 1];
        int last = points.length - 1;
        int point = 0;
        for (int part = 0; part < 1 << bits; part++) {
            int first = point;
            while (point < last && partOf(points[point], bits) == part) {
                point++;
            }
            if (!fits || point - first > 1) {
                parts[part] = NO_POINT << 16 | COMPARE;
            } else {
                int bitsOfPoint = point == first ? NO_POINT : bitsIn(points[first] ^ Long.MIN_VALUE, bits);
                parts[part] = bitsOfPoint << 16 | owners[first];
            }
        }
        parts[1 << bits] = parts[0];
        return parts;
    }

    /** The 16 bits of a place on the circle that follow those of its part. */
    private static int bitsIn(long x, int partBits) {
        return (int) (x << partBits >>> 48);
    }

    private static long partOf(long point, int bits) {
        return (point ^ Long.MIN_VALUE) >>> Long.SIZE - bits;
    }

    private long point(int node, int j) {
        return Mix.finish(nodes.hashes[node] + (j + 1) * GAMMA) ^ Long.MIN_VALUE;
    }

    /** Returns a ring of nodes that are named by strings, with their weights, and 128 points per unit of weight. */
    public static HashRing<String> of(Map<String, Integer> weights) {
        return points(DEFAULT_POINTS).of(weights);
    }

    /** Returns a ring of nodes that this key hashes, with their weights, and 128 points per unit of weight. */
    public static <N> HashRing<N> of(Map<N, Integer> weights, Key<N> key) {
        return points(DEFAULT_POINTS).of(weights, key);
    }

    /**
     * Starts a ring with this number of points per unit of weight: more points make shares more even and the ring
     * larger.
     */
    public static Points points(int each) {
        return new Points(each);
    }

    /** The number of points per unit of weight of a ring whose nodes are not given yet. */
    public record Points(int each) {
        public Points {
            if (each < 1) {
                throw new IllegalArgumentException("points must be at least 1, got " + each);
            }
        }

        /** Returns a ring of nodes that are named by strings, with their weights. */
        public HashRing<String> of(Map<String, Integer> weights) {
            return of(weights, Key.strings());
        }

        /** Returns a ring of nodes that this key hashes, with their weights. */
        public <N> HashRing<N> of(Map<N, Integer> weights, Key<N> key) {
            return new HashRing<>(Nodes.of(weights, key), each);
        }
    }

    /** Returns a ring with one more node, or with another weight of a node. */
    public HashRing<N> with(N node, int weight) {
        return new HashRing<>(nodes.with(node, weight), pointsEach);
    }

    /** Returns a ring without this node; at least one node must remain. */
    public HashRing<N> without(N node) {
        return new HashRing<>(nodes.without(node), pointsEach);
    }

    @Override
    public Map<N, Integer> weights() {
        return nodes.weights;
    }

    @Override
    @SuppressWarnings("unchecked") // the names are those of the nodes
    public N owner(long hash) {
        long x = Mix.with(MIX, hash);
        int part = (int) (x >>> -partBits);
        int up = (parts[part] >>> 16) - bitsIn(x, partBits);
        int node = parts[part - (up >> 31)] & COMPARE;
        return (N) names[node == COMPARE || up == 0 ? owners[findMixed(x)] : node];
    }

    @Override
    public List<N> owners(long hash, int count, Function<? super N, ?> host) {
        Copies<N> copies = new Copies<>(count, host);
        int start = find(hash);
        for (int step = 0; step < size() && !copies.isComplete(); step++) {
            copies.offer(nodes.byHash.get(nodeAt(start + step)));
        }
        return copies.chosen();
    }

    /** The point that a key belongs to; the number of points stands for point 0. */
    int find(long hash) {
        return findMixed(Mix.with(MIX, hash));
    }

    private int findMixed(long x) {
        int at = starts[(int) (x >>> startShift)];
        long place = x ^ Long.MIN_VALUE;
        while (points[at] < place) {
            at++;
        }
        return at;
    }

    /** The number of the node that has a point; points go on around the circle. */
    int nodeAt(int point) {
        return owners[point % size()];
    }

    /** How many points there are on the circle. */
    int size() {
        return points.length - 1;
    }

    /** Returns the exact share of the circle of each node, which is its expected share of the keys. */
    public Map<N, Double> shares() {
        double[] shares = new double[nodes.count()];
        for (int i = 0; i < size(); i++) {
            shares[owners[i]] += arc(i);
        }
        Map<N, Double> named = new LinkedHashMap<>();
        nodes.weights.keySet().forEach(node -> named.put(node, 0.0));
        for (int node = 0; node < shares.length; node++) {
            named.put(nodes.byHash.get(node), shares[node]);
        }
        return named;
    }

    /** The share of the circle between a point and the one before it. */
    private double arc(int point) {
        long before = points[point == 0 ? size() - 1 : point - 1];
        return size() == 1 ? 1 : share(points[point] - before);
    }

    private static double share(long length) {
        return (length >>> 1) * 0x1p-63;
    }

    /**
     * Returns the exact share of keys that have another owner in the other ring; at best {@link Placement#leastMoved}.
     */
    public double moved(HashRing<N> after) {
        if (!nodes.key.fits(after.nodes.key)) {
            throw new IllegalArgumentException(
                    "these rings hash nodes in different ways: " + nodes.key.against(after.nodes.key));
        }
        double moved = 0;
        long last = Long.MIN_VALUE;
        int mine = 0;
        int theirs = 0;
        // Between two points of either ring, all keys have the same owner in each.
        while (last != Long.MAX_VALUE) {
            long next = Math.min(points[mine], after.points[theirs]);
            N owner = nodes.byHash.get(owners[mine]);
            N other = after.nodes.byHash.get(after.owners[theirs]);
            moved += owner.equals(other) ? 0 : share(next - last);
            mine += points[mine] == next && mine < size() ? 1 : 0;
            theirs += after.points[theirs] == next && theirs < after.size() ? 1 : 0;
            last = next;
        }
        return moved;
    }

    @Override
    public String toString() {
        return "ring of " + Figures.count(nodes.count()) + " nodes, " + Figures.count(size()) + " points";
    }
}
