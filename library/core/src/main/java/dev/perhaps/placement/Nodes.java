package dev.perhaps.placement;

import dev.perhaps.key.Key;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Nodes with their weights and hashes, numbered in the order of their hashes: the same whatever order they came in. */
final class Nodes<N> {
    static final int MAX_NODES = 1 << 20;
    static final int MAX_WEIGHT = 1 << 20;

    final Key<N> key;
    final Map<N, Integer> weights;
    final List<N> byHash;
    final long[] hashes;
    private final int[] weightsByHash;

    private Nodes(Key<N> key, Map<N, Integer> weights, List<N> byHash, long[] hashes) {
        this.key = key;
        this.weights = weights;
        this.byHash = byHash;
        this.hashes = hashes;
        this.weightsByHash =
                byHash.stream().mapToInt(node -> weights.getOrDefault(node, 0)).toArray();
    }

    static <N> Nodes<N> of(Map<N, Integer> given, Key<N> key) {
        Objects.requireNonNull(key, "key must not be null");
        if (given.isEmpty() || given.size() > MAX_NODES) {
            throw new IllegalArgumentException("nodes must be 1 to " + MAX_NODES + ", got " + given.size());
        }
        Map<N, Integer> weights = Collections.unmodifiableMap(new LinkedHashMap<>(given));
        Map<Long, N> named = new HashMap<>();
        long[] hashes = new long[weights.size()];
        weights.forEach((node, weight) -> {
            if (weight < 1 || weight > MAX_WEIGHT) {
                throw new IllegalArgumentException(
                        "a weight must be in [1, " + MAX_WEIGHT + "], got " + weight + " for " + node);
            }
            long hash = key.hash(node);
            hashes[named.size()] = hash;
            N other = named.put(hash, node);
            if (other != null) {
                throw new IllegalArgumentException(
                        "nodes " + other + " and " + node + " have the same hash: give the key another seed");
            }
        });
        Arrays.sort(hashes);
        List<N> byHash = new ArrayList<>();
        for (long hash : hashes) {
            byHash.add(named.get(hash));
        }
        return new Nodes<>(key, weights, byHash, hashes);
    }

    int count() {
        return hashes.length;
    }

    int weight(int node) {
        return weightsByHash[node];
    }

    double totalWeight() {
        return Arrays.stream(weightsByHash).asLongStream().sum();
    }

    Nodes<N> with(N node, int weight) {
        Map<N, Integer> more = new LinkedHashMap<>(weights);
        more.put(node, weight);
        return of(more, key);
    }

    Nodes<N> without(N node) {
        Map<N, Integer> fewer = new LinkedHashMap<>(weights);
        if (fewer.remove(node) == null) {
            throw new IllegalArgumentException("there is no node " + node);
        }
        return of(fewer, key);
    }

    static int checkedCount(int copies) {
        if (copies < 1) {
            throw new IllegalArgumentException("count must be at least 1, got " + copies);
        }
        return copies;
    }
}
