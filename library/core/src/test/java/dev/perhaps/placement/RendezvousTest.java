package dev.perhaps.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.key.Key;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RendezvousTest {
    private static final int KEYS = 200_000;

    @Test
    void givesSharesByWeight() {
        Rendezvous<String> placement = Rendezvous.of(Map.of("a", 1, "b", 2, "c", 5, "d", 12));
        Map<String, Integer> counts = new HashMap<>();
        for (long i = 0; i < KEYS; i++) {
            counts.merge(placement.owner(Key.longs().hash(i)), 1, Integer::sum);
        }
        placement.weights().forEach((node, weight) -> {
            double share = weight / 20.0;
            double sigma = Math.sqrt(KEYS * share * (1 - share));
            // Five standard deviations for each of four nodes: α < 10⁻⁵.
            assertThat((double) counts.getOrDefault(node, 0))
                    .isBetween(KEYS * share - 5 * sigma, KEYS * share + 5 * sigma);
        });
    }

    @Test
    void movesKeysOnlyToANodeThatWeighsMore() {
        Rendezvous<String> before = Rendezvous.of(Map.of("a", 2, "b", 2, "c", 2));
        Rendezvous<String> after = before.with("b", 4);
        int moved = 0;
        for (long i = 0; i < KEYS; i++) {
            long hash = Key.longs().hash(i);
            if (!before.owner(hash).equals(after.owner(hash))) {
                assertThat(after.owner(hash)).isEqualTo("b");
                moved++;
            }
        }
        // From 1/3 to 1/2: a sixth, σ = 167.
        assertThat(moved).isBetween(KEYS / 6 - 1_000, KEYS / 6 + 1_000);
        assertThat(Placement.leastMoved(before.weights(), after.weights())).isBetween(0.16666, 0.16667);
    }

    @Test
    void namesTheOwnerFirstAmongCopiesThoughItTakesFewerLogarithms() {
        Map<String, Integer> weights = new HashMap<>();
        for (int i = 0; i < 40; i++) {
            weights.put("node-" + i, 1 + i % 7);
        }
        Rendezvous<String> placement = Rendezvous.of(weights);
        for (long i = 0; i < 20_000; i++) {
            long hash = Key.longs().hash(i);
            assertThat(placement.owners(hash, 1).get(0)).isEqualTo(placement.owner(hash));
        }
        assertThat(placement.without("node-1").weights()).hasSize(39);
    }
}
