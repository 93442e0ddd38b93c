package dev.perhaps.placement;

import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Assigns each key to a node, the same on every machine that knows the same nodes; few keys move when nodes join or
 * leave. A key is given by the hash of a {@link dev.perhaps.key.Key}. Immutable: a change gives a new placement.
 *
 * @param <N> the type that names a node
 */
public interface Placement<N> {
    /** Returns the node of a key. */
    N owner(long hash);

    /**
     * Returns the nodes for this number of copies of a key, the owner first, no two on the same host; fewer nodes if
     * there are fewer hosts.
     *
     * @param host returns the host of a node; nodes of one host fail together
     */
    List<N> owners(long hash, int count, Function<? super N, ?> host);

    /** Returns the nodes for this number of copies of a key, where every node is its own host. */
    default List<N> owners(long hash, int count) {
        return owners(hash, count, Function.identity());
    }

    /** Returns the nodes with their weights, which are their relative shares of the keys. */
    Map<N, Integer> weights();

    /**
     * Returns the smallest share of keys that any placement must move between these weights: the sum of what nodes
     * gain.
     */
    static <N> double leastMoved(Map<N, Integer> before, Map<N, Integer> after) {
        double totalBefore = total(before);
        double totalAfter = total(after);
        double gained = 0;
        for (Map.Entry<N, Integer> node : after.entrySet()) {
            double had = before.getOrDefault(node.getKey(), 0) / totalBefore;
            gained += Math.max(0, node.getValue() / totalAfter - had);
        }
        return gained;
    }

    private static double total(Map<?, Integer> weights) {
        return weights.values().stream().mapToLong(Integer::longValue).sum();
    }
}
