package dev.perhaps.bench.placement;

import com.dynatrace.hash4j.consistent.ConsistentBucketHasher;
import com.google.common.hash.Hashing;
import dev.perhaps.bench.FreshClass;
import dev.perhaps.key.Key;
import dev.perhaps.placement.HashRing;
import dev.perhaps.placement.JumpHash;
import dev.perhaps.placement.Rendezvous;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The loops of the placements, one for each although they look alike: see {@link FreshClass} for the cost of sharing
 * one.
 */
final class PlaceLoops {
    /** For each node: with 1,000 nodes a ring of 100,000 points. */
    static final int POINTS = 100;

    private PlaceLoops() {}

    private static Map<String, Integer> evenly(List<String> nodes) {
        Map<String, Integer> weights = new LinkedHashMap<>();
        nodes.forEach(node -> weights.put(node, 1));
        return weights;
    }

    static final class OurRing implements PlaceRow.Placer {
        private final HashRing<String> ring;

        OurRing(List<String> nodes) {
            ring = HashRing.points(POINTS).of(evenly(nodes));
        }

        @Override
        public long place(long[] keys, int from, int to) {
            long sum = 0;
            for (int i = from; i < to; i++) {
                sum += ring.owner(Key.longs().hash(keys[i])).hashCode();
            }
            return sum;
        }

        @Override
        public String owner(long key) {
            return ring.owner(Key.longs().hash(key));
        }
    }

    /** As it is written everywhere: points in a tree, the first one at or behind the key, else the first of all. */
    static final class Tree implements PlaceRow.Placer {
        private final TreeMap<Long, String> ring = new TreeMap<>();

        Tree(List<String> nodes) {
            for (String node : nodes) {
                for (int j = 0; j < POINTS; j++) {
                    ring.put(Key.strings().hash(node + "#" + j), node);
                }
            }
        }

        @Override
        public long place(long[] keys, int from, int to) {
            long sum = 0;
            for (int i = from; i < to; i++) {
                sum += owner(keys[i]).hashCode();
            }
            return sum;
        }

        @Override
        public String owner(long key) {
            Map.Entry<Long, String> point = ring.ceilingEntry(Key.longs().hash(key));
            return point == null ? ring.firstEntry().getValue() : point.getValue();
        }
    }

    static final class OurRendezvous implements PlaceRow.Placer {
        private final Rendezvous<String> nodes;

        OurRendezvous(List<String> nodes) {
            this.nodes = Rendezvous.of(evenly(nodes));
        }

        @Override
        public long place(long[] keys, int from, int to) {
            long sum = 0;
            for (int i = from; i < to; i++) {
                sum += nodes.owner(Key.longs().hash(keys[i])).hashCode();
            }
            return sum;
        }

        @Override
        public String owner(long key) {
            return nodes.owner(Key.longs().hash(key));
        }
    }

    static final class OurJump implements PlaceRow.Placer {
        private final JumpHash<String> nodes;

        OurJump(List<String> nodes) {
            this.nodes = JumpHash.of(nodes);
        }

        @Override
        public long place(long[] keys, int from, int to) {
            long sum = 0;
            for (int i = from; i < to; i++) {
                sum += nodes.owner(Key.longs().hash(keys[i])).hashCode();
            }
            return sum;
        }

        @Override
        public String owner(long key) {
            return nodes.owner(Key.longs().hash(key));
        }
    }

    static final class GuavaJump implements PlaceRow.Placer {
        private final List<String> nodes;

        GuavaJump(List<String> nodes) {
            this.nodes = nodes;
        }

        @Override
        public long place(long[] keys, int from, int to) {
            long sum = 0;
            for (int i = from; i < to; i++) {
                sum += owner(keys[i]).hashCode();
            }
            return sum;
        }

        @Override
        public String owner(long key) {
            return nodes.get(Hashing.consistentHash(key, nodes.size()));
        }
    }

    static final class Hash4jJump implements PlaceRow.Placer {
        private final List<String> nodes;
        private final ConsistentBucketHasher hasher;

        Hash4jJump(List<String> nodes, ConsistentBucketHasher hasher) {
            this.nodes = nodes;
            this.hasher = hasher;
        }

        @Override
        public long place(long[] keys, int from, int to) {
            long sum = 0;
            for (int i = from; i < to; i++) {
                sum += owner(keys[i]).hashCode();
            }
            return sum;
        }

        @Override
        public String owner(long key) {
            return nodes.get(hasher.getBucket(key, nodes.size()));
        }
    }
}
