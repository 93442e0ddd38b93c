package dev.perhaps.placement;

import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Says which node a key belongs to, the same on every machine that knows the same nodes, and moves few keys when nodes come or
 * go. A key comes as the hash that a {@link dev.perhaps.key.Key} gives it. Immutable: a change gives a new placement.
 *
 * @param <N> what a node is called by
 */
public interface Placement<N> {
    /** The node that the key belongs to. */
    N owner(long hash);

    /**
     * The nodes for this number of copies of the key, the owner first, no two on one host. Fewer than asked for if
     * there are fewer hosts.
     *
     * @param host what a node runs on: what fails together
     */
    List<N> owners(long hash, int count, Function<? super N, ?> host);

    /** As {@link #owners(long, int, Function)}, where every node is a host of its own. */
    default List<N> owners(long hash, int count) {
        return owners(hash, count, Function.identity());
    }

    /** The nodes and how much of the keys each is to have, relative to the others. */
    Map<N, Integer> weights();

    /** The least share of keys that must move from these weights to those, whatever places them: what nodes gain. */
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
