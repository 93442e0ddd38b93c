package dev.perhaps.bench.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class SparkBenchOptionsTest {
    @Test
    void measuresAllButScaleByDefault() {
        assertThat(SparkBenchOptions.parse(List.of()).parts()).isEqualTo(SparkBenchOptions.USUAL);
    }

    @Test
    void takesPartsAndSizes() {
        SparkBenchOptions options =
                SparkBenchOptions.parse(List.of("join", "--join-rows", "20000", "--matches", "1,100", "scale"));
        assertThat(options.parts()).containsExactly("join", "scale");
        assertThat(options.joinRows()).isEqualTo(20_000);
        assertThat(options.matchPercents()).containsExactly(1, 100);
    }

    @Test
    void theSizesOfTheGoalsHaveAName() {
        SparkBenchOptions options = SparkBenchOptions.parse(List.of("join", "--goal", "--matches", "100"));
        assertThat(options.joinRows()).isEqualTo(100_000_000);
        assertThat(options.joinRows() / SparkBenchOptions.SMALLER).isEqualTo(2_000_000);
        assertThat(options.documents()).isEqualTo(1_000_000);
        assertThat(options.joinRounds()).isEqualTo(7);
        assertThat(options.matchPercents()).containsExactly(100);
    }

    @Test
    void refusesWhatIsNeitherPartNorOption() {
        assertThatThrownBy(() -> SparkBenchOptions.parse(List.of("joins")))
                .hasMessage(
                        "there is no part or option joins: there are filter, contain, count, join, duplicates, scale;"
                                + " see bin/bench spark --help");
        assertThatThrownBy(() -> SparkBenchOptions.parse(List.of("--rows", "ten")))
                .hasMessage("--rows must be a whole number in [1000, 1000000000], got ten");
        assertThatThrownBy(() -> SparkBenchOptions.parse(List.of("--matches", "1,,2")))
                .hasMessage("--matches must be a whole number in [1, 100], got ");
        assertThatThrownBy(() -> SparkBenchOptions.parse(List.of("--rows")))
                .hasMessage("--rows needs a value after it");
    }
}
