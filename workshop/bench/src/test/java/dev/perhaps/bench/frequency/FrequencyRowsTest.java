package dev.perhaps.bench.frequency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.bench.Entrant;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FrequencyRowsTest {
    private static final Events FEW = Events.zipf(20_000, 5_000, Events.EXPONENT, 1);

    static Stream<Entrant<long[]>> counting() {
        return CountRows.of(CountRows.shapes().get(0)).stream();
    }

    @ParameterizedTest
    @MethodSource("counting")
    void countsWhatItWasGiven(Entrant<long[]> entrant) {
        EventCounts tally = (EventCounts) entrant.maker().make(7);
        entrant.addAll(tally, FEW.keys, FEW.keys.length);
        assertThat(entrant.foundAll(tally, FEW.asked, FEW.asked.length)).isEqualTo(FEW.asked.length);
        for (int rank = 0; rank < 100; rank++) {
            assertThat(tally.estimate(FEW.distinct[rank])).isBetween((long) FEW.counts[rank], FEW.counts[rank] + 2L);
        }
        assertThat(tally.sizeBytes()).isBetween(1L << 20, 1L << 21);
    }

    static Stream<Entrant<long[]>> ranking() {
        return TopRows.of(TopRows.sizes().get(1)).stream();
    }

    @ParameterizedTest
    @MethodSource("ranking")
    void ranksTheMostFrequentFirst(Entrant<long[]> entrant) {
        TopList list = (TopList) entrant.maker().make(7);
        entrant.addAll(list, FEW.keys, FEW.keys.length);
        assertThat(list.top(3)).containsExactly(FEW.distinct[0], FEW.distinct[1], FEW.distinct[2]);
        assertThat(entrant.foundAll(list, FEW.distinct, 20)).isEqualTo(20);
        assertThat(list.sizeBytes()).isBetween(18_000L, TopRows.sizes().get(1));
    }

    @Test
    void drawsTheSameStreamEveryTime() {
        assertThat(Events.zipf(20_000, 5_000, Events.EXPONENT, 1).keys).isEqualTo(FEW.keys);
        assertThat(FEW.counts[0]).isBetween(FEW.counts[1], 20_000 / 4);
    }

    /** A goal that names a row which is not there would never be judged, and nobody would notice. */
    @Test
    void everyGoalSpeaksOfRowsThatThereAre() {
        Set<String> rows = new HashSet<>();
        for (CountRows.Shape shape : CountRows.shapes()) {
            CountRows.of(shape).forEach(row -> assertThat(rows.add(row.name())).isTrue());
        }
        for (long bytes : TopRows.sizes()) {
            TopRows.of(bytes).forEach(row -> assertThat(rows.add(row.name())).isTrue());
        }
        assertThat(FrequencyGoals.all())
                .isNotEmpty()
                .allSatisfy(goal -> assertThat(rows).containsAll(goal.rows()));
    }
}
