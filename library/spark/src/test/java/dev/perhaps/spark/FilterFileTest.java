package dev.perhaps.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.raise_error;
import static org.apache.spark.sql.functions.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BlockedBloom;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@EnabledForJreRange(max = JRE.JAVA_21)
class FilterFileTest {
    private static final int ITEMS = 30_000;
    private static final List<Long> NUMBERS =
            LongStream.range(0, ITEMS).map(i -> i * i - 77).boxed().toList();

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"1, 0", "3, 1", "1, 2", "4, 7", "5, 64", "2, 300"})
    void theFileIsThatOfOneMachine(int partitions, int slices) throws IOException {
        Path file = folder.resolve("numbers");
        FilterFile.of(TestSession.longs(NUMBERS, partitions), "v", ITEMS)
                .falsePositives(0.004)
                .slices(slices)
                .write(file);
        assertThat(Files.readAllBytes(file))
                .isEqualTo(BlockedBloom.expecting(ITEMS)
                        .falsePositives(0.004)
                        .of(Key.longs())
                        .buildFrom(Hashes.of(Key.longs(), NUMBERS))
                        .toBytes());
        assertThat(TestSession.spark().sparkContext().getPersistentRDDs().size())
                .isZero();
    }

    @Test
    void stringsNullsCopiesAndTheSeedToo() throws IOException {
        List<String> words = new ArrayList<>(
                NUMBERS.stream().map(number -> Long.toString(number)).toList());
        List<String> withMore = new ArrayList<>(words);
        withMore.add(null);
        withMore.addAll(words.subList(0, 100));
        Path file = folder.resolve("words");
        FilterFile.of(TestSession.strings(withMore, 3), "v", ITEMS)
                .seed(9)
                .slices(5)
                .write(file);
        Key<String> key = Key.strings().seeded(9);
        assertThat(Files.readAllBytes(file))
                .isEqualTo(BlockedBloom.expecting(ITEMS)
                        .of(key)
                        .buildFrom(Hashes.of(key, words))
                        .toBytes());
    }

    @Test
    void aFailedJobLeavesNothingBehind() throws IOException {
        Path file = folder.resolve("file");
        Dataset<Row> failing = TestSession.longs(NUMBERS, 3)
                .select(when(
                                col("v").equalTo(-76),
                                raise_error(lit("broken row")).cast("bigint"))
                        .otherwise(col("v"))
                        .as("v"));
        assertThatThrownBy(() -> FilterFile.of(failing, "v", ITEMS).write(file)).hasMessageContaining("broken row");
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).isEmpty();
        }
        assertThat(TestSession.spark().sparkContext().getPersistentRDDs().size())
                .isZero();
    }

    @Test
    void refusesBeforeItComputes() {
        Dataset<Row> rows = TestSession.longs(NUMBERS, 1);
        assertThatThrownBy(() -> FilterFile.of(rows, "v", ITEMS).write(folder.resolve("no/such/folder")))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> FilterFile.of(rows, "v", 0).write(folder.resolve("none")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("got 0");
        Dataset<Row> arrays = TestSession.spark().sql("SELECT array(1) AS v");
        assertThatThrownBy(() -> FilterFile.of(arrays, "v", 10).write(folder.resolve("none")))
                .hasMessageContaining("is not a key");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFullDiskLeavesNothingBehind() {
        Dataset<Row> rows = TestSession.longs(NUMBERS, 2);
        assertThatThrownBy(() -> FilterFile.of(rows, "v", 1_000_000).slices(4).write(Path.of("/dev/full")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("/dev/full");
        assertThat(TestSession.spark().sparkContext().getPersistentRDDs().size())
                .isZero();
    }
}
