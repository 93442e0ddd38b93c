package dev.perhaps.bench.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

@EnabledForJreRange(max = JRE.JAVA_21)
class SparkBenchTest {
    /** Every part runs, its contenders agree, and nothing is left in the folder. */
    @Test
    void everyPartRunsAtASmallSize(@TempDir Path folder) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int status = SparkBench.run(
                List.of(
                        "filter",
                        "contain",
                        "count",
                        "join",
                        "duplicates",
                        "scale",
                        "--rows",
                        "5000",
                        "--join-rows",
                        "10000",
                        "--documents",
                        "200",
                        "--lsh-documents",
                        "20",
                        "--rounds",
                        "1",
                        "--join-rounds",
                        "1",
                        "--folder",
                        folder.toString()),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8));
        assertThat(status).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("perhaps_filter, blocked")
                .contains("strings: blocked, by columns")
                .contains("count, by columns")
                .contains("strings: perhaps_might_contain, blocked")
                .contains("perhaps_count")
                .contains("| distinct: error of the estimate of ")
                .contains("| top: bounds that do not hold | 0.00 [0.00, 0.00] | ≤ 0 | met |")
                .contains("| 100 %, ours, by call |")
                .contains("| 1 %, Spark's runtime filter, ANALYZE |")
                .contains("| strings, ours, by rule |")
                .contains("| two small tables, ours, by call |")
                .contains("MLlib's MinHashLSH")
                .contains("| 10,000 | join by rule |")
                .contains("| 200 |");
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).isEmpty();
        }
    }
}
