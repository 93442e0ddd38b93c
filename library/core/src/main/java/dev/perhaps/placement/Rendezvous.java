package dev.perhaps.placement;

import dev.perhaps.hash.Mix;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Rendezvous hashing: each node gets a pseudorandom score for the key, and the best score owns it. The expected share
 * of a node is exactly its share of the weights, and the smallest possible number of keys moves when nodes or weights
 * change. Finding an owner takes one step per node; 16 bytes per node. Immutable and thread-safe.
 *
 * <pre>{@code
 * Rendezvous<String> caches = Rendezvous.of(Map.of("alpha", 1, "beta", 3));
 * List<String> copies = caches.owners(Key.strings().hash("user:42"), 2);
 * }</pre>
 *
 * With hundreds of nodes {@link HashRing} is faster.
 */
public final class Rendezvous<N> implements Placement<N> {
    /*
     * A node of weight w draws u from (0, 1) by hashing itself with the key, and its time is −ln(u)/w: an exponential
     * clock of rate w. The first clock to ring is the node's with chance w/W [2]; a clock does not depend on who else
     * is there, so keys move only to a node that is new or weighs more, or away from one that is gone or weighs less
     * [1].
     *
     * Logarithms are expensive, and −ln(u) ≥ 1 − u: a node whose (1 − u)/w is not better than the best so far is
     * skipped without one. Of n nodes about ln n take a logarithm. It is StrictMath's: the same on every machine.
     *
     * [1] Thaler and Ravishankar, "Using name-based mappings to increase hit rates" (1998). [2] Schindelhauer and
     * Schomaker, "Weighted distributed hash tables" (2005).
     */
    private static final long MIX = 0xE3A5186D0C9F7B2BL;

    private final Nodes<N> nodes;
    private final double[] weights;

    private Rendezvous(Nodes<N> nodes) {
        this.nodes = nodes;
        this.weights = new double[nodes.count()];
        for (int node = 0; node < weights.length; node++) {
            weights[node] = nodes.weight(node);
        }
    }

    /** Returns a placement on nodes that are named by strings, with their weights. */
    public static Rendezvous<String> of(Map<String, Integer> weights) {
        return of(weights, Key.strings());
    }

    /** Returns a placement on nodes that this key hashes, with their weights. */
    public static <N> Rendezvous<N> of(Map<N, Integer> weights, Key<N> key) {
        return new Rendezvous<>(Nodes.of(weights, key));
    }

    /** Returns a placement with one more node, or with another weight of a node. */
    public Rendezvous<N> with(N node, int weight) {
        return new Rendezvous<>(nodes.with(node, weight));
    }

    /** Returns a placement without this node; at least one node must remain. */
    public Rendezvous<N> without(N node) {
        return new Rendezvous<>(nodes.without(node));
    }

    @Override
    public Map<N, Integer> weights() {
        return nodes.weights;
    }

    @Override
    public N owner(long hash) {
        long x = Mix.with(MIX, hash);
        int first = 0;
        double best = Double.POSITIVE_INFINITY;
        for (int node = 0; node < weights.length; node++) {
            double u = draw(x, node);
            if (1 - u < best * weights[node]) {
                double time = time(u, node);
                if (time < best) {
                    best = time;
                    first = node;
                }
            }
        }
        return nodes.byHash.get(first);
    }

    @Override
    public List<N> owners(long hash, int count, Function<? super N, ?> host) {
        Copies<N> copies = new Copies<>(count, host);
        long x = Mix.with(MIX, hash);
        double[] times = new double[weights.length];
        for (int node = 0; node < times.length; node++) {
            times[node] = time(draw(x, node), node);
        }
        for (int step = 0; step < times.length && !copies.isComplete(); step++) {
            int first = 0;
            for (int node = 1; node < times.length; node++) {
                first = times[node] < times[first] ? node : first;
            }
            copies.offer(nodes.byHash.get(first));
            times[first] = Double.POSITIVE_INFINITY;
        }
        return copies.chosen();
    }

    /** In (0, 1), by the key and the node. */
    private double draw(long x, int node) {
        return ((Mix.finish(x ^ nodes.hashes[node]) >>> 12) + 0.5) * 0x1p-52;
    }

    private double time(double u, int node) {
        return -StrictMath.log(u) / weights[node];
    }

    @Override
    public String toString() {
        return "rendezvous of " + Figures.count(nodes.count()) + " nodes";
    }
}
