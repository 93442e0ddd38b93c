package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.TaskContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks that fail half-way and run again change no result: every second task fails at its first attempt. */
@EnabledForJreRange(max = JRE.JAVA_21)
class FailingTasksTest {
    private static final SparkSession SPARK = TestSession.spark().newSession();

    private final AtomicInteger failed = new AtomicInteger();
    private final SparkListener listener = new SparkListener() {
        @Override
        public void onTaskEnd(SparkListenerTaskEnd end) {
            failed.addAndGet(end.taskInfo().failed() ? 1 : 0);
        }
    };

    @BeforeEach
    void listen() {
        UDF1<Long, Long> failing = id -> {
            TaskContext task = TaskContext.get();
            if (task != null && task.attemptNumber() == 0 && task.partitionId() % 2 == 1 && id % 1000 == 900) {
                throw new IllegalStateException("the first attempt fails");
            }
            return id;
        };
        SPARK.udf().register("failing", failing, DataTypes.LongType);
        SPARK.sparkContext().addSparkListener(listener);
    }

    @AfterEach
    void stopListening() throws TimeoutException {
        SPARK.sparkContext().listenerBus().waitUntilEmpty();
        SPARK.sparkContext().removeSparkListener(listener);
        assertThat(failed).as("tasks that failed").hasPositiveValue();
    }

    private static Dataset<Row> numbers(String id) {
        return SPARK.range(0, 8000, 1, 4).selectExpr(id + " AS k", "id * 2 AS x");
    }

    @ParameterizedTest
    @ValueSource(strings = {"inner", "left_anti", "full_outer"})
    void aJoinWithAFilter(String type) {
        Dataset<Row> few = SPARK.range(0, 8000, 40, 4).selectExpr("failing(id) AS k");
        BloomJoin.Result joined =
                BloomJoin.of(numbers("failing(id)"), few, "k").type(type).run();
        assertThat(joined.report().isFiltered()).as(joined.toString()).isTrue();
        assertThat(joined.rows().count())
                .isEqualTo(type.equals("inner") ? 200 : type.equals("left_anti") ? 7800 : 8000);
        assertThat(joined.report().measured().orElseThrow().lookedUpRows())
                .as("rows of the attempts that counted")
                .isEqualTo(8000);
    }

    @Test
    void aggregatesAndFilesOfFilters(@TempDir Path folder) throws IOException {
        String calls = "SELECT sha2(perhaps_count(k), 256), sha2(perhaps_filter(k), 256),"
                + " sha2(perhaps_filter(k, items => 8000), 256), sha2(perhaps_distinct(k), 256) FROM ";
        numbers("failing(id)").createOrReplaceTempView("failing_numbers");
        numbers("id").createOrReplaceTempView("numbers");
        assertThat(SPARK.sql(calls + "failing_numbers").head())
                .isEqualTo(SPARK.sql(calls + "numbers").head());
        FilterFile.of(numbers("failing(id)"), "k", 8000).slices(3).write(folder.resolve("one"));
        FilterFile.of(numbers("id"), "k", 8000).slices(3).write(folder.resolve("other"));
        assertThat(Files.readAllBytes(folder.resolve("one"))).isEqualTo(Files.readAllBytes(folder.resolve("other")));
    }

    @Test
    void nearDuplicates() {
        assertThat(clusters("failing(id)")).isEqualTo(clusters("id")).hasSize(200);
    }

    private static List<Row> clusters(String id) {
        Dataset<Row> pages = SPARK.range(0, 2000, 10, 4)
                .selectExpr(
                        id + " AS page",
                        "concat_ws(' ', transform(sequence(0, 60), i -> "
                                + "substring(sha2(string(i + 1000 * (" + id
                                + " % 400) + IF(i = id % 61, id, 0L)), 256), 1, 9)))"
                                + " AS text");
        try (NearDuplicateSearch.Result found =
                NearDuplicateSearch.of(pages, "page", "text").threshold(0.7).run()) {
            return found.clusters().orderBy("id").collectAsList();
        }
    }
}
