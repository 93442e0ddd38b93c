package dev.perhaps.bench.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.bench.Keys;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PlaceRowsTest {
    private static final Keys<long[]> KEYS = Keys.longs(100_000, 0);

    static List<PlaceRow> rows() {
        return PlaceRows.all();
    }

    /**
     * 100,000 keys on 1,000 nodes, 100 each. Chance alone gives the fullest about 1.33 times the mean (standard deviation 10),
     * and a ring of 100 points per node about 1.4; none can be as even as 1.05, which would mean that keys were dealt out.
     */
    @ParameterizedTest
    @MethodSource("rows")
    void placesKeysOnAllNodesAboutEvenly(PlaceRow row) {
        PlaceRow.Placer placer = row.maker().apply(PlacementBench.nodes());
        assertThat(PlacementBench.fullest(placer, KEYS.asked(), KEYS.asks())).isBetween(1.05, 2.0);
        Set<String> used = new HashSet<>();
        long sum = 0;
        for (int i = 0; i < KEYS.asks(); i++) {
            String owner = placer.owner(KEYS.asked()[i]);
            used.add(owner);
            sum += owner.hashCode();
        }
        assertThat(used).hasSize(PlacementBench.NODES);
        assertThat(placer.place(KEYS.asked(), 0, KEYS.asks()))
                .as("the loop that is timed does the same")
                .isEqualTo(sum);
    }

    @Test
    void everyGoalSpeaksOfRowsThatThereAre() {
        Set<String> rows = new HashSet<>();
        PlaceRows.all().forEach(row -> assertThat(rows.add(row.name())).isTrue());
        assertThat(PlaceRows.goals())
                .isNotEmpty()
                .allSatisfy(goal -> assertThat(rows).containsAll(goal.rows()));
    }
}
