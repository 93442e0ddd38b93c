package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.key.Key;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.ExpiringBloom;
import dev.perhaps.sketch.Added;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** Streams whose process is killed go on from their checkpoints: what they wrote is what the library computes. */
@EnabledForJreRange(max = JRE.JAVA_21)
class StreamIT {
    private static final SparkSession SPARK = TestSession.spark();
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    private Path folder;

    private record Visit(long customer, Instant time) {
        String text() {
            return customer + " " + time;
        }
    }

    private static List<List<Visit>> visits() {
        SplittableRandom random = new SplittableRandom(11);
        List<List<Visit>> files = new ArrayList<>();
        for (int file = 0; file < 5; file++) {
            List<Visit> visits = new ArrayList<>();
            for (int i = 0; i < 120; i++) {
                long second = file * 600L + random.nextInt(600);
                visits.add(new Visit(random.nextInt(150), START.plusSeconds(second)));
            }
            if (file == 2) {
                visits.add(60, new Visit(StreamQueries.MARK, START.plusSeconds(file * 600L + 300)));
            }
            files.add(visits);
        }
        // So late that all windows before it are complete.
        files.add(List.of(new Visit(1, START.plusSeconds(36_000))));
        return files;
    }

    private void write(List<List<Visit>> files) throws IOException {
        Path in = Files.createDirectories(folder.resolve("in"));
        for (int i = 0; i < files.size(); i++) {
            Path file = Files.write(
                    in.resolve("visits-" + i + ".json"),
                    files.get(i).stream()
                            .map(visit -> "{\"customer\":" + visit.customer + ",\"time\":\"" + visit.time + "\"}")
                            .toList());
            Files.setLastModifiedTime(file, FileTime.from(START.plusSeconds(i)));
        }
    }

    @Test
    void whatAKilledProcessLeftIsCompletedByTheNext() throws Exception {
        List<List<Visit>> files = visits();
        write(files);
        try (TestProcesses processes = new TestProcesses(folder)) {
            TestProcesses.Started first = start(processes);
            String one = first.awaitLine(StreamQueries.WAITING);
            String other = first.awaitLine(StreamQueries.WAITING);
            assertThat(List.of(one, other))
                    .containsExactlyInAnyOrder(StreamQueries.WAITING + "frames", StreamQueries.WAITING + "unseen");
            first.kill();
            first.awaitKilled();
            assertThat(folder.resolve("unseen/_spark_metadata/1"))
                    .as("a batch was written")
                    .exists();
            assertThat(folder.resolve("unseen/_spark_metadata/2"))
                    .as("the next was not")
                    .doesNotExist();
            Files.createFile(folder.resolve("proceed"));
            assertThat(start(processes).awaitEnd(StreamQueries.WAITING)).isEmpty();
        }
        assertFrames(files);
        assertThat(written("unseen")
                        .map(
                                (org.apache.spark.api.java.function.MapFunction<Row, String>) row -> row.getLong(0)
                                        + " " + row.getTimestamp(1).toInstant(),
                                org.apache.spark.sql.Encoders.STRING())
                        .collectAsList())
                .containsExactlyInAnyOrderElementsOf(expectedUnseen(files));
    }

    private TestProcesses.Started start(TestProcesses processes) throws IOException {
        return processes.start(
                "-Xmx1g",
                List.of(
                        "-Dspark.master=local[2]",
                        "-Dspark.ui.enabled=false",
                        "-Dspark.driver.host=127.0.0.1",
                        "-Dspark.driver.bindAddress=127.0.0.1",
                        "-Dspark.sql.shuffle.partitions=2",
                        "-Dspark.sql.warehouse.dir=" + folder.resolve("warehouse"),
                        StreamQueries.class.getName(),
                        folder.toString()));
    }

    private Dataset<Row> written(String name) {
        return SPARK.read().parquet(folder.resolve(name).toString());
    }

    private void assertFrames(List<List<Visit>> files) {
        Map<Instant, List<Long>> windows = files.subList(0, 5).stream()
                .flatMap(List::stream)
                .collect(Collectors.groupingBy(
                        visit -> START.plusSeconds(
                                Duration.between(START, visit.time).toSeconds() / 600 * 600),
                        TreeMap::new,
                        Collectors.mapping(Visit::customer, Collectors.toList())));
        List<Row> rows = written("frames").orderBy("start").collectAsList();
        assertThat(rows.stream().map(row -> row.getTimestamp(0).toInstant()))
                .containsExactlyElementsOf(windows.keySet());
        for (Row row : rows) {
            List<Long> customers = windows.getOrDefault(row.getTimestamp(0).toInstant(), List.of());
            BloomFilter<Long> seen = BloomFilter.expecting(1_000)
                    .of(Key.longs())
                    .falsePositives(0.01)
                    .build();
            customers.forEach(seen::add);
            assertThat(row.<byte[]>getAs("seen")).isEqualTo(seen.toBytes());
            Row whole = TestSession.longs(customers, 1)
                    .selectExpr("perhaps_count(v)", "perhaps_distinct(v)")
                    .head();
            assertThat(row.<byte[]>getAs("counts")).isEqualTo(whole.<byte[]>getAs(0));
            assertThat(row.<byte[]>getAs("different")).isEqualTo(whole.<byte[]>getAs(1));
        }
    }

    private static List<String> expectedUnseen(List<List<Visit>> files) {
        ExpiringBloom<Long> seen = ExpiringBloom.expecting(1_000)
                .within(StreamQueries.WINDOW)
                .falsePositives(1e-6)
                .of(Key.longs())
                .build();
        List<String> unseen = new ArrayList<>();
        for (List<Visit> file : files) {
            for (Visit visit :
                    file.stream().sorted(Comparator.comparing(Visit::time)).toList()) {
                if (seen.add(visit.customer, visit.time.toEpochMilli()) == Added.ADDED) {
                    unseen.add(visit.text());
                }
            }
        }
        assertThat(unseen).hasSizeBetween(200, 500);
        return unseen;
    }

    @Test
    void aCheckpointOfAnotherPlanIsRefused() throws Exception {
        List<List<Visit>> files = visits();
        write(files.subList(0, 1));
        Dataset<Row> stream = SPARK.readStream()
                .schema(StreamQueries.TYPE)
                .json(folder.resolve("in").toString());
        StreamQueries.start(
                        folder, "unseen", StreamQueries.unseen(stream, 1_000).rows())
                .awaitTermination();
        write(files.subList(0, 2));
        var other = StreamQueries.start(
                folder, "unseen", StreamQueries.unseen(stream, 9_000).rows());
        assertThatThrownBy(other::awaitTermination)
                .rootCause()
                .hasMessageStartingWith("the checkpoint has a filter of ")
                .hasMessageEndingWith(
                        "keep within, expecting, falsePositives and shards, or start with a new checkpoint");
        // Each shard has the filter that it had, but other keys belong to it.
        var more = StreamQueries.start(
                folder, "unseen", StreamQueries.unseen(stream, 2_000).shards(4).rows());
        assertThatThrownBy(more::awaitTermination)
                .rootCause()
                .hasMessage("the checkpoint is not of 4 shards: keep shards, or start with a new checkpoint");
    }
}
