package dev.perhaps.placement;

import com.dynatrace.hash4j.consistent.ConsistentBucketHasher;
import com.dynatrace.hash4j.consistent.ConsistentHashing;
import dev.perhaps.hash.Mix;
import dev.perhaps.io.Figures;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Jump hashing: nodes are numbered, a key belongs to a number, and only the last node can be removed. All nodes have
 * exactly equal shares, and the smallest possible number of keys moves. Finding an owner takes a constant expected
 * number of steps and no memory besides the list. Immutable and thread-safe.
 *
 * <p>{@code String owner = JumpHash.of(List.of("shard-0", "shard-1")).owner(Key.strings().hash("user:42"));}
 *
 * <p>For shards, which are added but never lost. If any node can leave, or weights differ: {@link HashRing}.
 */
public final class JumpHash<N> implements Placement<N> {
    /*
     * JumpBackHash [2] as hash4j has it: the owner of Lamping's and Veach's jumps [1], walked from the far end, in constant
     * expected time instead of ln n. The order of the nodes is all that counts; their names do not.
     *
     * Copies: the key is hashed again for the second, third, … copy until hosts differ; after a few times as many tries as
     * nodes, the rest of the list in order, so that few hosts do not make it endless.
     *
     * [1] Lamping and Veach, "A fast, minimal memory, consistent hash algorithm" (2014). [2] Ertl, "JumpBackHash: say goodbye
     * to the modulo operation to distribute keys uniformly to buckets" (2024).
     */
    private static final long MIX = 0xC4CEB9FE1A85EC53L;
    private static final long GAMMA = 0x9E3779B97F4A7C15L;
    private static final ConsistentBucketHasher BUCKETS = ConsistentHashing.jumpBackHashSplitMix64();
    private static final int TRIES = 4;

    private final List<N> nodes;

    private JumpHash(List<N> nodes) {
        this.nodes = nodes;
    }

    /** Returns a placement on these nodes; another order is another placement. */
    public static <N> JumpHash<N> of(List<N> nodes) {
        if (nodes.isEmpty() || nodes.size() > Nodes.MAX_NODES) {
            throw new IllegalArgumentException("nodes must be 1 to " + Nodes.MAX_NODES + ", got " + nodes.size());
        }
        if (new HashSet<>(nodes).size() < nodes.size()) {
            throw new IllegalArgumentException("a node is named twice in " + nodes);
        }
        return new JumpHash<>(List.copyOf(nodes));
    }

    /** Returns a placement with one more node, after all others. */
    public JumpHash<N> with(N node) {
        List<N> more = new ArrayList<>(nodes);
        more.add(node);
        return of(more);
    }

    /** Returns a placement without the last node; at least one node must remain. */
    public JumpHash<N> withoutLast() {
        return of(nodes.subList(0, nodes.size() - 1));
    }

    @Override
    public Map<N, Integer> weights() {
        Map<N, Integer> weights = new LinkedHashMap<>();
        nodes.forEach(node -> weights.put(node, 1));
        return weights;
    }

    @Override
    public N owner(long hash) {
        return nodes.get(BUCKETS.getBucket(Mix.with(MIX, hash), nodes.size()));
    }

    @Override
    public List<N> owners(long hash, int count, Function<? super N, ?> host) {
        Copies<N> copies = new Copies<>(count, host);
        copies.offer(owner(hash));
        for (int attempt = 1; attempt <= TRIES * nodes.size() && !copies.isComplete(); attempt++) {
            copies.offer(owner(Mix.finish(hash + attempt * GAMMA)));
        }
        for (int node = 0; node < nodes.size() && !copies.isComplete(); node++) {
            copies.offer(nodes.get(node));
        }
        return copies.chosen();
    }

    @Override
    public String toString() {
        return "jump hashing over " + Figures.count(nodes.size()) + " nodes";
    }
}
