package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.key.Key;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What {@code perhaps dedup} wrote about large inputs is what Spark finds; bin/check-spark runs it. A case is a line of the
 * file {@code check.cases}: lines or files, the input, the threshold, partitions, the clusters and pairs that were written.
 */
@EnabledIfSystemProperty(named = "check.cases", matches = ".+")
class NearDuplicateCheck {
    private static final SparkSession SPARK = TestSession.spark();

    static Stream<String> cases() throws IOException {
        return Files.readAllLines(Path.of(System.getProperty("check.cases", ""))).stream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void isWhatOneMachineFound(String line) throws Exception {
        String[] words = line.split(" ", -1);
        Path input = Path.of(words[1]);
        int partitions = Integer.parseInt(words[3]);
        boolean isLines = words[0].equals("lines");
        Dataset<Row> documents = isLines ? lines(input, partitions) : files(input, partitions);
        String prefix = isLines ? input + ":" : "";
        AtomicLong cpuNanos = new AtomicLong();
        AtomicLong shuffledBytes = new AtomicLong();
        SparkListener listener = new SparkListener() {
            @Override
            public void onTaskEnd(SparkListenerTaskEnd end) {
                cpuNanos.addAndGet(end.taskMetrics().executorCpuTime());
                shuffledBytes.addAndGet(end.taskMetrics().shuffleWriteMetrics().bytesWritten());
            }
        };
        SPARK.sparkContext().addSparkListener(listener);
        long start = System.nanoTime();
        try (NearDuplicateSearch.Result found = NearDuplicateSearch.of(documents, "id", "text")
                .threshold(Double.parseDouble(words[2]))
                .run()) {
            double seconds = (System.nanoTime() - start) / 1e9;
            SPARK.sparkContext().listenerBus().waitUntilEmpty();
            SPARK.sparkContext().removeSparkListener(listener);
            long count = found.clusters().count();
            System.out.printf(
                    Locale.ROOT,
                    "%s: %,d documents, %d partitions: %.1f s, %.1f µs of processor time and %,d bytes shuffled per document%n",
                    input.getFileName(),
                    count,
                    partitions,
                    seconds,
                    cpuNanos.get() / 1e3 / count,
                    shuffledBytes.get() / count);
            assertThat(digest(found.clusters(), prefix, List.of("cluster", "id", "kept", "match", "jaccard")))
                    .as("clusters")
                    .isEqualTo(digest(Path.of(words[4])));
            assertThat(digest(found.edges(), prefix, List.of("a", "b", "jaccard")))
                    .as("edges")
                    .isEqualTo(digest(Path.of(words[5])));
        }
    }

    /** Numbered as the command line numbers them. */
    private static Dataset<Row> lines(Path input, int partitions) {
        JavaRDD<Row> rows = JavaSparkContext.fromSparkContext(SPARK.sparkContext())
                .textFile(input.toString(), partitions)
                .zipWithIndex()
                .map(line -> RowFactory.create(line._2() + 1, line._1()));
        return SPARK.createDataFrame(rows, new StructType().add("id", "long").add("text", "string"));
    }

    private static Dataset<Row> files(Path folder, int partitions) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            List<Row> rows = paths.filter(Files::isRegularFile)
                    .map(path -> {
                        try {
                            return RowFactory.create(path.toString(), Files.readAllBytes(path));
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    })
                    .toList();
            JavaRDD<Row> parts =
                    JavaSparkContext.fromSparkContext(SPARK.sparkContext()).parallelize(rows, partitions);
            return SPARK.createDataFrame(
                    parts, new StructType().add("id", "string").add("text", "binary"));
        }
    }

    /** How many lines there are, and the sum of their hashes: equal for the same lines in any order. */
    private static List<Long> digest(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            long[] digest = lines.mapToLong(Key.strings()::hash)
                    .collect(
                            () -> new long[2],
                            (sums, hash) -> {
                                sums[0]++;
                                sums[1] += hash;
                            },
                            (a, b) -> Arrays.setAll(a, i -> a[i] + b[i]));
            return List.of(digest[0], digest[1]);
        }
    }

    /** The same of rows, written as the command line writes them. */
    private static List<Long> digest(Dataset<Row> rows, String prefix, List<String> columns) {
        return rows.toJavaRDD()
                .map(row -> {
                    StringBuilder line = new StringBuilder();
                    for (String column : columns) {
                        Object value = row.getAs(column);
                        line.append(line.length() == 0 ? "" : "\t");
                        if (value instanceof Boolean kept) {
                            line.append(kept ? "kept" : "removed");
                        } else if (value != null) {
                            line.append(value instanceof Double ? "" : prefix).append(value);
                        }
                    }
                    return List.of(1L, Key.strings().hash(line.toString()));
                })
                .fold(List.of(0L, 0L), (a, b) -> List.of(a.get(0) + b.get(0), a.get(1) + b.get(1)));
    }
}
