package dev.perhaps.placement;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.io.Figures;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Assigns requests, connections or jobs to nodes of a ring such that no node gets more than a given multiple of its
 * share, rounded up, of all that are assigned at that moment. A key goes to its owner, or to the next node around the
 * circle that has capacity left. An assignment takes about 1/(c − 1)² steps for a multiple of c. Thread-safe; threads
 * take turns under a lock.
 *
 * <pre>{@code
 * BoundedLoads<String> requests = BoundedLoads.of(1.25, HashRing.of(Map.of("alpha", 1, "beta", 1)));
 * String node = requests.place(Key.strings().hash("user:42"));
 * requests.release(node);
 * }</pre>
 *
 * The node of a key depends on the load when it was assigned: remember it, or use {@link HashRing} alone.
 */
public final class BoundedLoads<N> {
    /*
     * With m things placed, a node of weight w of W has room for ⌈c · m · w/W⌉ [1]. Since c > 1, the sum is above m, so
     * some node always has room and the walk around the circle ends. The room is that of the moment: it grows as more
     * come, and what is placed never moves, so a node can stand above its room after many were released elsewhere; then
     * it gets no more until it has room again.
     *
     * [1] Mirrokni, Thorup and Zadimoghaddam, "Consistent hashing with bounded loads" (2018). There, releasing moves
     * others back so that places depend on the keys alone; requests cannot be moved, and this does not.
     */
    private final HashRing<N> ring;
    private final double multiple;
    private final Map<N, Integer> numbers = new HashMap<>();
    private final double totalWeight;
    private final long[] loads;
    private long placed;

    private BoundedLoads(double multiple, HashRing<N> ring) {
        this.ring = ring;
        this.multiple = multiple;
        this.totalWeight = ring.nodes.totalWeight();
        this.loads = new long[ring.nodes.count()];
        ring.nodes.byHash.forEach(node -> numbers.put(node, numbers.size()));
    }

    /** Returns an empty assignment; {@code multiple} is above 1, usually 1.25. */
    public static <N> BoundedLoads<N> of(double multiple, HashRing<N> ring) {
        if (!(multiple > 1 && multiple <= 1e6)) {
            throw new IllegalArgumentException("multiple must be in (1, 1000000], got " + multiple);
        }
        return new BoundedLoads<>(multiple, ring);
    }

    /** Assigns one more request to the node for this hash, and returns the node. */
    @CanIgnoreReturnValue
    public synchronized N place(long hash) {
        double each = multiple * (placed + 1) / totalWeight;
        int point = ring.find(hash);
        int node = ring.nodeAt(point);
        while (loads[node] >= Math.ceil(each * ring.nodes.weight(node))) {
            point++;
            node = ring.nodeAt(point);
        }
        loads[node]++;
        placed++;
        return ring.nodes.byHash.get(node);
    }

    /** Ends one request of this node. */
    public synchronized void release(N node) {
        Integer number = numbers.get(node);
        if (number == null) {
            throw new IllegalArgumentException("there is no node " + node);
        }
        if (loads[number] == 0) {
            throw new IllegalStateException("nothing is placed on " + node);
        }
        loads[number]--;
        placed--;
    }

    /** Returns the current number of requests per node. */
    public synchronized Map<N, Long> loads() {
        Map<N, Long> now = new LinkedHashMap<>();
        ring.weights().keySet().forEach(node -> now.put(node, loads[numbers.getOrDefault(node, 0)]));
        return Collections.unmodifiableMap(now);
    }

    @Override
    public synchronized String toString() {
        return Figures.count(placed) + " placed on a " + ring + ", up to " + multiple + " times its share on each node";
    }
}
