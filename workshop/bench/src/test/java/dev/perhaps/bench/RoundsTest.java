package dev.perhaps.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoundsTest {
    private static final int ROUNDS = 9;

    private final BenchProgress silent =
            new BenchProgress(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
    private final List<String> played = new ArrayList<>();

    private Rounds.Turn turn(String row) {
        return new Rounds.Turn(row, Measure.HIT, 1, () -> played.add("before " + row), () -> played.add(row));
    }

    private Results play(long seed) {
        Results results = new Results();
        played.clear();
        new Rounds(ROUNDS, seed, Clock.WALL, silent).play("test", List.of(turn("a"), turn("b"), turn("c")), results);
        return results;
    }

    @Test
    void everyTurnComesOnceARoundAndOnceToWarmUp() {
        play(1);
        for (int round = 0; round <= ROUNDS; round++) {
            assertThat(played.subList(round * 6, round * 6 + 6)).contains("a", "b", "c");
        }
        assertThat(played).hasSize((ROUNDS + 1) * 6);
    }

    @Test
    void preparesEachTurnJustBeforeIt() {
        play(1);
        for (int i = 0; i < played.size(); i += 2) {
            assertThat(played.get(i)).isEqualTo("before " + played.get(i + 1));
        }
    }

    @Test
    void shufflesTheOrderAndRepeatsItForTheSameSeed() {
        play(1);
        List<String> first = List.copyOf(played);
        play(1);
        assertThat(played).isEqualTo(first);
        play(2);
        assertThat(played).isNotEqualTo(first);
        assertThat(first.subList(0, 6)).isNotEqualTo(first.subList(6, 12));
    }

    @Test
    void recordsEveryTurn() {
        Results results = play(1);
        assertThat(results.rows()).containsExactly("a", "b", "c");
        assertThat(results.time("b", Measure.HIT)).isPresent();
        assertThat(results.time("b", Measure.MISS)).isEmpty();
    }

    @Test
    void aRowThatIsFullHasNoTimesAndTheOthersGoOn() {
        Results results = new Results();
        Rounds.Turn full = new Rounds.Turn("full", Measure.ADD, 1, () -> {}, () -> {
            played.add("full");
            if (played.stream().filter("full"::equals).count() == 3) {
                throw new FullException(7);
            }
        });
        new Rounds(ROUNDS, 1, Clock.WALL, silent).play("test", List.of(turn("a"), full), results);
        assertThat(played.stream().filter("full"::equals)).hasSize(3);
        assertThat(played.stream().filter("a"::equals)).hasSize(ROUNDS + 1);
        assertThat(results.rows()).containsExactly("a");
        assertThat(results.failure("full")).contains("full after 7 items");
        assertThat(results.failure("a")).isEmpty();
    }
}
