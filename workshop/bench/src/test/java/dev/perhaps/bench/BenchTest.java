package dev.perhaps.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    Path folder;

    private int bench(String... words) throws IOException {
        return Bench.run(
                List.of(words),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @Test
    void listsTheBenchmarksIfNoneIsNamed() throws IOException {
        assertThat(bench()).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("bin/bench NAME", "membership ", "frequency ", "similarity ");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    speed                          | bench: there is no benchmark speed: there are bulk, frequency, membership, placement, ring, server, similarity, threads
                    membership --fast              | bench: there is no option --fast: see bin/bench --help
                    membership --keys              | bench: --keys needs a value after it
                    membership --keys many         | bench: --keys must be a whole number in [1000, 200000000], got many
                    membership --rounds 0          | bench: --rounds must be a whole number in [1, 1000], got 0
                    ring --peers 3                 | bench: --peers must be a whole number in [12, 200], got 3
                    membership --only (            | bench: --only is not a regular expression: Unclosed group, got (
                    """)
    void refusesWhatItDoesNotKnowInOneLine(String words, String message) throws IOException {
        assertThat(bench(words.split(" "))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo(message + System.lineSeparator());
        assertThat(out.size()).isZero();
    }

    @Test
    void comparesBulkBuildsWithOneByOneAndStatesTheirMemory() throws IOException {
        assertThat(bench("bulk", "--keys", "2000", "--rounds", "3", "--only", "^(bloom|bloom, bulk|guava)$"))
                .isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("Building filters of 2,000 longs", "memory", "bloom, bulk", "Guava ")
                .doesNotContain("blocked 12");
    }

    @Test
    void writesTheSameTablesAsTextAndMarkdown() throws IOException {
        Path file = folder.resolve("tables.md");
        assertThat(bench(
                        "membership",
                        "--keys",
                        "2000",
                        "--rounds",
                        "3",
                        "--only",
                        "^(reference|guava)$",
                        "--markdown",
                        file.toString()))
                .isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("2,000 longs", "reference ", "times as fast as Guava");
        assertThat(Files.readString(file)).contains("**2,000 longs**", "| reference | ", "|---|---:|");
    }
}
