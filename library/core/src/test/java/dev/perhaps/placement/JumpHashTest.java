package dev.perhaps.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.key.Key;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JumpHashTest {
    @Test
    void growsAndShrinksAtTheEnd() {
        JumpHash<String> two = JumpHash.of(List.of("a", "b"));
        JumpHash<String> three = two.with("c");
        assertThat(three.weights().keySet()).containsExactly("a", "b", "c");
        assertThat(three.withoutLast().weights()).isEqualTo(two.weights());
        assertThatThrownBy(() -> two.with("a")).hasMessage("a node is named twice in [a, b, a]");
    }

    @Test
    void findsAllHostsWhereAlmostAllNodesAreOnOne() {
        List<Integer> nodes = java.util.stream.IntStream.range(0, 500).boxed().toList();
        JumpHash<Integer> jump = JumpHash.of(nodes);
        for (long hash = 0; hash < 50; hash++) {
            assertThat(jump.owners(hash, 2, node -> node == 499)).hasSize(2);
        }
    }

    @Test
    void movesKeysToTheNewNodeOnlyForEveryNumberOfNodes() {
        for (long i = 0; i < 3_000; i++) {
            long hash = Key.longs().hash(i);
            int before = 0;
            for (int buckets = 2; buckets <= 300; buckets++) {
                int after = JumpHash.bucket(hash, buckets, JumpHash.mask(buckets));
                if (after != before) {
                    assertThat(after).isEqualTo(buckets - 1);
                }
                before = after;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 0xFF, 0xFFL << 56, 0xFFL << 24})
    void givesEqualSharesAlsoOfTheHashesOfOneShard(long fixedBits) {
        // 200,000 keys on n nodes. χ² has n - 1 degrees of freedom and a standard deviation of √(2(n - 1)); six of
        // these
        // above, and five below where there are many nodes: α < 10⁻⁵ per number of nodes.
        long[] hashes = LongStream.range(0, 200_000)
                .map(i -> Key.longs().hash(i) & ~fixedBits | 0x5A5A_5A5A_5A5A_5A5AL & fixedBits)
                .toArray();
        for (int buckets : new int[] {2, 3, 5, 7, 8, 9, 100, 600, 1_000, 1_023, 1_024, 1_025}) {
            int[] counts = new int[buckets];
            for (long hash : hashes) {
                counts[JumpHash.bucket(hash, buckets, JumpHash.mask(buckets))]++;
            }
            double mean = (double) hashes.length / buckets;
            double chiSquare = 0;
            for (int count : counts) {
                chiSquare += (count - mean) * (count - mean) / mean;
            }
            double deviation = Math.sqrt(2.0 * (buckets - 1));
            // Few degrees of freedom have a longer tail above: 20 more.
            assertThat(chiSquare)
                    .as("%s nodes", buckets)
                    .isBetween(buckets - 1 - 5 * deviation, buckets - 1 + 6 * deviation + 20);
        }
    }
}
