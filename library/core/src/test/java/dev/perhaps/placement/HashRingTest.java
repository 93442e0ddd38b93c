package dev.perhaps.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.perhaps.hash.Mix;
import dev.perhaps.key.Key;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class HashRingTest {
    private static Map<String, Integer> nodes(int count, int weight) {
        Map<String, Integer> nodes = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            nodes.put("node-" + i, weight);
        }
        return nodes;
    }

    /** The ring as a tree, straight from its definition. */
    private static NavigableMap<Long, String> tree(Map<String, Integer> weights, int points) {
        TreeMap<Long, String> tree = new TreeMap<>(Long::compareUnsigned);
        weights.forEach((node, weight) -> {
            for (int j = 0; j < weight * points; j++) {
                tree.put(Mix.finish(Key.strings().hash(node) + (j + 1) * 0x9E3779B97F4A7C15L), node);
            }
        });
        return tree;
    }

    private static final long MIX = 0xB9C2D8E14F6A7305L;

    private static String ownerIn(NavigableMap<Long, String> tree, long hash) {
        Map.Entry<Long, String> at = tree.ceilingEntry(Mix.with(MIX, hash));
        return at == null ? tree.firstEntry().getValue() : at.getValue();
    }

    /** The hash of the key that stands at this place. */
    private static long hashAt(long place) {
        long inverse = MIX;
        for (int rightBits = 3; rightBits < Long.SIZE; rightBits *= 2) {
            inverse *= 2 - MIX * inverse;
        }
        return (place ^ place >>> 32) * inverse;
    }

    @Test
    void givesAPointTheKeysUpToItAndNotThoseAfterIt() {
        for (int count : new int[] {1, 3, 1_000}) {
            HashRing<String> ring = HashRing.points(4).of(nodes(count, 1));
            NavigableMap<Long, String> tree = tree(nodes(count, 1), 4);
            for (long point : tree.keySet()) {
                for (int bits = 0; bits <= 53; bits++) {
                    assertOwner(ring, tree, point + (1L << bits));
                    assertOwner(ring, tree, point - (1L << bits));
                }
                assertOwner(ring, tree, point);
            }
        }
    }

    private static void assertOwner(HashRing<String> ring, NavigableMap<Long, String> tree, long place) {
        long hash = hashAt(place);
        assertThat(Mix.with(MIX, hash)).isEqualTo(place);
        assertThat(ring.owner(hash)).isEqualTo(ownerIn(tree, hash));
    }

    @Test
    void findsOwnersAmongMoreNodesThan16BitsNumber() {
        Map<String, Integer> weights = nodes(70_000, 1);
        HashRing<String> ring = HashRing.points(1).of(weights);
        NavigableMap<Long, String> tree = tree(weights, 1);
        SplittableRandom random = new SplittableRandom(4);
        for (int i = 0; i < 20_000; i++) {
            long hash = random.nextLong();
            assertThat(ring.owner(hash)).isEqualTo(ownerIn(tree, hash));
        }
    }

    @Test
    void findsTheFirstPointAtOrAfterTheKeyAsATreeDoes() {
        SplittableRandom random = new SplittableRandom(3);
        for (int count : new int[] {1, 2, 3, 7, 50, 1_000}) {
            for (int points : new int[] {1, 2, 16}) {
                Map<String, Integer> weights = nodes(count, 1);
                weights.put("heavy", 5);
                HashRing<String> ring = HashRing.points(points).of(weights);
                NavigableMap<Long, String> tree = tree(weights, points);
                for (int i = 0; i < 2_000; i++) {
                    long hash = random.nextLong();
                    assertThat(ring.owner(hash)).isEqualTo(ownerIn(tree, hash));
                    assertThat(ring.owners(hash, 1, node -> node)).containsExactly(ownerIn(tree, hash));
                }
            }
        }
    }

    @Test
    void doesNotDependOnTheOrderOfNodes() {
        Map<String, Integer> backwards = new LinkedHashMap<>();
        for (int i = 49; i >= 0; i--) {
            backwards.put("node-" + i, 1);
        }
        HashRing<String> ring = HashRing.of(nodes(50, 1));
        HashRing<String> grown =
                HashRing.of(backwards).without("node-7").with("node-7", 3).with("node-7", 1);
        assertThat(ring.moved(grown)).isZero();
        assertThat(grown.weights()).isEqualTo(ring.weights());
    }

    @Test
    void tellsExactlyWhatMovesAndWhatEachNodeHas() {
        Map<String, Integer> weights = nodes(30, 1);
        weights.put("heavy", 10);
        HashRing<String> before = HashRing.of(weights);
        HashRing<String> after = before.without("node-3").with("new", 4);
        int keys = 200_000;
        Map<String, Integer> counts = new HashMap<>();
        int moved = 0;
        for (long i = 0; i < keys; i++) {
            long hash = Key.longs().hash(i);
            counts.merge(before.owner(hash), 1, Integer::sum);
            moved += before.owner(hash).equals(after.owner(hash)) ? 0 : 1;
        }
        // Counts of 200,000 keys against exact shares: five standard deviations of a binomial, 31 nodes, α < 10⁻⁴.
        before.shares()
                .forEach((node, share) -> assertThat(counts.getOrDefault(node, 0) / (double) keys)
                        .as(node)
                        .isCloseTo(share, within(5 * Math.sqrt(share / keys))));
        assertThat(before.shares().values().stream()
                        .mapToDouble(Double::doubleValue)
                        .sum())
                .isCloseTo(1, within(1e-9));
        assertThat(moved / (double) keys).isCloseTo(before.moved(after), within(0.005));
        assertThat(before.moved(after)).isCloseTo(after.moved(before), within(1e-9));
        double least = Placement.leastMoved(before.weights(), after.weights());
        assertThat(before.moved(after)).isBetween(least, least * 1.3);
    }

    @Test
    void spreadsSharesByOneOverTheRootOfThePoints() {
        for (int points : new int[] {16, 128, 1_024}) {
            Map<String, Double> shares =
                    HashRing.points(points).of(nodes(500, 1)).shares();
            double variance = shares.values().stream()
                    .mapToDouble(share -> Math.pow(share * 500 - 1, 2))
                    .average()
                    .orElseThrow();
            // The standard deviation of 500 nodes is known to 3.2 % of itself: five times that, α < 10⁻⁶.
            assertThat(Math.sqrt(variance * points)).isBetween(0.84, 1.16);
        }
    }

    @Test
    void refusesWhatMakesNoRing() {
        assertThatThrownBy(() -> HashRing.of(Map.of("a", 0)))
                .hasMessage("a weight must be in [1, 1048576], got 0 for a");
        assertThatThrownBy(() -> HashRing.points(0).of(Map.of("a", 1)))
                .hasMessageContaining("points must be at least 1");
        assertThatThrownBy(() -> HashRing.of(Map.of("a", 1 << 20)))
                .hasMessageContaining("all nodes may have 67108864 points, got 134217728, 128 for each unit of weight");
        assertThatThrownBy(() -> HashRing.of(Map.of("a", 1)).without("b")).hasMessage("there is no node b");
        assertThatThrownBy(() -> HashRing.of(Map.of("a", 1)).without("a")).hasMessageContaining("got 0");
        assertThatThrownBy(() -> HashRing.of(Map.of("a", 1))
                        .moved(HashRing.of(Map.of("a", 1), Key.strings().seeded(7))))
                .hasMessageContaining("key utf8 with seed 0 against utf8 with seed 7");
    }

    @Test
    void placesTheSameInEveryRelease() {
        HashRing<String> ring = HashRing.of(nodes(5, 1));
        Rendezvous<String> rendezvous = Rendezvous.of(nodes(5, 1));
        JumpHash<String> jump = JumpHash.of(java.util.List.copyOf(nodes(5, 1).keySet()));
        StringBuilder owners = new StringBuilder();
        for (int i = 0; i < 12; i++) {
            long hash = Key.strings().hash("key-" + i);
            owners.append(ring.owner(hash).charAt(5))
                    .append(rendezvous.owner(hash).charAt(5))
                    .append(jump.owner(hash).charAt(5))
                    .append(' ');
        }
        assertThat(owners.toString()).isEqualTo("111 420 131 123 433 144 222 211 011 022 142 310 ");
    }
}
