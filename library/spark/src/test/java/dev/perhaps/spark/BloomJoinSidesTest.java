package dev.perhaps.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which sides a join with a filter takes: they are read more than once, and must have the same rows each time. */
@EnabledForJreRange(max = JRE.JAVA_21)
class BloomJoinSidesTest {
    private static final SparkSession SPARK = TestSession.spark().newSession();
    private static final AtomicInteger READINGS = new AtomicInteger();

    @TempDir
    Path folder;

    @BeforeAll
    static void tables() {
        // Compiling generated code would take most of the time of small queries.
        SPARK.conf().set("spark.sql.codegen.wholeStage", "false");
        SPARK.conf().set("spark.sql.codegen.factoryMode", "NO_CODEGEN");
        SPARK.range(0, 1000, 1, 2).selectExpr("id AS k").createOrReplaceTempView("t");
    }

    private static Dataset<Row> large() {
        return SPARK.range(0, 10_000, 1, 4).selectExpr("id AS k");
    }

    /** An RDD whose keys are 0 to 9 in one reading, and 10 to 19 in the next. */
    private static Dataset<Row> alternating() {
        JavaSparkContext context = JavaSparkContext.fromSparkContext(SPARK.sparkContext());
        return SPARK.createDataset(
                        context.parallelize(List.of(0), 1)
                                .mapPartitions(unused -> {
                                    long first = READINGS.getAndIncrement() % 2 * 10L;
                                    return LongStream.range(first, first + 10).iterator();
                                })
                                .rdd(),
                        Encoders.LONG())
                .toDF("k");
    }

    /** The filter of one reading would drop the partners of the other. */
    @ParameterizedTest
    @CsvSource({"inner,10", "left_semi,10", "left_anti,9990", "left_outer,10000", "full_outer,10000"})
    void noRowIsLostIfASideChangesBetweenReadings(String type, long rows) {
        BloomJoin.Result joined =
                BloomJoin.of(large(), alternating(), "k").type(type).run();
        assertThat(joined.rows().count()).isEqualTo(rows);
        assertThat(joined)
                .hasToString("plain join: the right side may have other rows when it is read again (an RDD):"
                        + " use checkpoint() to keep its rows");
    }

    /** A left side that changes is read once by a join that drops rows, and by two branches otherwise. */
    @Test
    void aLeftSideThatChangesIsOnlyReadOnce() {
        Dataset<Row> few = SPARK.range(0, 20, 1, 2).selectExpr("id AS k");
        for (String type : List.of("left_anti", "left_outer", "full_outer")) {
            Dataset<Row> left = alternating().union(large().where("k >= 20"));
            BloomJoin.Result joined = BloomJoin.of(left, few, "k").type(type).run();
            assertThat(joined.report().reason())
                    .startsWith("the left side may have other rows when it is read again (an RDD)");
        }
        Dataset<Row> left = alternating().union(large().where("k >= 20"));
        BloomJoin.Result joined = BloomJoin.of(left, few, "k").run();
        assertThat(joined.report().isFiltered()).as(joined.toString()).isTrue();
        assertThat(joined.rows().count()).isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT k FROM t LIMIT 100 | LIMIT",
                "SELECT k FROM t ORDER BY k DESC LIMIT 100 | LIMIT",
                "SELECT k FROM t OFFSET 10 | LIMIT",
                "SELECT k FROM t TABLESAMPLE (50 PERCENT) | a sample",
                "SELECT CAST(rand() * 1000 AS BIGINT) AS k FROM t | rand()",
                "SELECT k, uuid() AS u FROM t | uuid()",
                "SELECT k FROM t WHERE k < unix_timestamp(now()) | now()",
                "SELECT k FROM t WHERE current_date() > DATE'2020-01-01' | current_date()",
                "SELECT k FROM t WHERE CAST('Today' AS DATE) > DATE'2020-01-01' | cast()",
                "SELECT k FROM t WHERE CAST(' now UTC' AS TIMESTAMP) > TIMESTAMP'2020-01-01' | cast()",
                "SELECT k FROM t WHERE k IN (SELECT k FROM t LIMIT 3) | LIMIT",
                "SELECT first(k) AS k FROM t GROUP BY k % 7 | the aggregate first",
                "SELECT CAST(sum(CAST(k AS DOUBLE)) AS BIGINT) AS k FROM t | the aggregate sum",
                "SELECT row_number() OVER (ORDER BY k % 3) AS k FROM t | Window",
                "SELECT explode(array(k, monotonically_increasing_id())) AS k FROM t | monotonically_increasing_id()",
            })
    void sidesThatMayDifferAreJoinedPlainly(String right, String cause) {
        assertThat(BloomJoin.of(large(), SPARK.sql(right), "k").run())
                .hasToString("plain join: the right side may have other rows when it is read again (" + cause
                        + "): use checkpoint() to keep its rows");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT DISTINCT k FROM t WHERE k % 2 = 0 ORDER BY k",
                "WITH c AS (SELECT k FROM t) SELECT k FROM c UNION ALL SELECT k + 1 FROM c",
                "SELECT /*+ REPARTITION(3) */ k, count(*), max(k), sum(k) FROM t GROUP BY k",
                "SELECT k FROM t JOIN (SELECT k * 2 AS k FROM t) USING (k) WHERE k < (SELECT max(k) FROM t)",
                "SELECT explode(array(k, k + 1)) AS k FROM t",
                "SELECT /*+ REBALANCE */ k FROM t WHERE CAST('2021-01-01' AS DATE) > DATE'2020-01-01'",
                "SELECT k FROM t EXCEPT SELECT k + 500 FROM t INTERSECT SELECT k FROM t",
                "SELECT col1 AS k FROM VALUES (1L), (2L)",
            })
    void sidesThatAreTheSameEachTimeAreFiltered(String right) {
        Dataset<Row> few = SPARK.sql(right);
        BloomJoin.Result joined = BloomJoin.of(large(), few, "k").run();
        assertThat(joined.report().isFiltered()).as(joined.toString()).isTrue();
        assertThat(joined.rows().count()).isEqualTo(large().join(few, "k").count());
    }

    @Test
    void filesCachedAndCheckpointedSidesAreFiltered() {
        String path = folder.resolve("t").toString();
        SPARK.table("t").write().parquet(path);
        Dataset<Row> files = SPARK.read().parquet(path);
        Dataset<Row> cached = files.dropDuplicates("k").cache();
        Dataset<Row> checkpointed =
                SPARK.sql("SELECT k FROM t ORDER BY rand() LIMIT 100").localCheckpoint();
        for (Dataset<Row> right : List.of(files, cached, checkpointed)) {
            BloomJoin.Result joined =
                    BloomJoin.of(large(), right, "k").type("left_anti").run();
            assertThat(joined.report().isFiltered()).as(joined.toString()).isTrue();
            assertThat(joined.rows().count()).isEqualTo(10_000 - right.count());
        }
        cached.unpersist();
    }

    /** The beginning of a sorted table is not like the rest of it. */
    @Test
    void theSampleOfASortedTableIsFromAllOverIt() {
        Dataset<Row> sorted = SPARK.range(0, 40_000, 1, 8).selectExpr("id AS k");
        Dataset<Row> first = SPARK.range(0, 5_000, 1, 2).selectExpr("id AS k");
        JoinReport report = BloomJoin.of(sorted, first, "k").run().report();
        assertThat(report.isFiltered()).as(report.toString()).isTrue();
        assertThat(report.sampledRows()).isEqualTo(JoinSample.MAX_ROWS);
        assertThat(report.matching()).isEqualTo(0.125);
        assertThat(BloomJoin.of(sorted, first, "k").run().report())
                .as("the same sample again")
                .isEqualTo(report);
        // Within a partition too: of the rows that are read, here all, a tenth has a partner.
        Dataset<Row> one = SPARK.range(0, 50_000, 1, 1).selectExpr("id AS k");
        // 4,096 rows: 0.03 is more than six standard deviations.
        assertThat(BloomJoin.of(one, first, "k").run().report().matching()).isBetween(0.07, 0.13);
    }

    @Test
    void theSampleReadsAFewPartitionsOnly() throws TimeoutException {
        assertThat(JoinSample.chosen(0)).isEmpty();
        assertThat(JoinSample.chosen(3)).containsExactly(0, 1, 2);
        assertThat(JoinSample.chosen(17)).hasSize(16).doesNotHaveDuplicates().startsWith(0, 1, 2);
        assertThat(JoinSample.chosen(100_000))
                .hasSize(16)
                .startsWith(0, 6250, 12500)
                .endsWith(93750);
        AtomicInteger tasks = new AtomicInteger();
        SparkListener listener = new SparkListener() {
            @Override
            public void onTaskEnd(SparkListenerTaskEnd end) {
                tasks.incrementAndGet();
            }
        };
        SPARK.sparkContext().addSparkListener(listener);
        try {
            assertThat(JoinSample.of(SPARK.range(0, 1_000_000, 1, 200).toDF("k")))
                    .hasSize(JoinSample.MAX_ROWS);
            SPARK.sparkContext().listenerBus().waitUntilEmpty();
        } finally {
            SPARK.sparkContext().removeSparkListener(listener);
        }
        assertThat(tasks).hasValue(16);
    }

    @Test
    void aFilterThatIsTooLargeIsNotBuilt() {
        // The session of the tests lets 48 MiB pass.
        SparkSession compiled = TestSession.spark().newSession();
        Dataset<Row> right = compiled.range(0, 45_000_000, 1, 2).selectExpr("id * 1000 AS k");
        JoinReport report =
                BloomJoin.of(compiled.range(1000).toDF("k"), right, "k").run().report();
        assertThat(report.isFiltered()).isFalse();
        assertThat(report.reason())
                .matches("the filter of 45000000 rows would have 5\\d{7} bytes,"
                        + " more than spark.driver.maxResultSize allows \\(50331648\\)");
        assertThat(BloomJoin.excess(45_000_000, 0)).isEmpty();
        assertThat(BloomJoin.excess(45_000_000, 1L << 30)).isEmpty();
        assertThat(BloomJoin.excess(1_000_000_000, 0))
                .matches("the filter of 1000000000 rows would have 1\\d{9} bytes,"
                        + " more than the 1073741824 that a filter of a join may have");
        assertThat(BloomJoin.excess(1_000_000_000_000L, 0)).isNotEmpty();
    }

    @Test
    void theReportSaysWhatShouldBeSaved() {
        String path = folder.resolve("large").toString();
        large().withColumn("text", col("k").cast("string")).write().parquet(path);
        Dataset<Row> files = SPARK.read().parquet(path);
        JoinReport report = BloomJoin.of(files, SPARK.table("t"), "k").run().report();
        assertThat(report.rightRows()).isEqualTo(1000);
        assertThat(report.leftBytes())
                .isEqualTo(files.queryExecution()
                        .optimizedPlan()
                        .stats()
                        .sizeInBytes()
                        .toLong());
        assertThat(report.expectedSavedBytes())
                .isEqualTo(Math.round((1 - report.expectedPassing()) * report.leftBytes()));
        assertThat(report)
                .asString()
                .endsWith("; the filter of 1000 rows has " + report.filterBytes() + " bytes; of " + report.leftBytes()
                        + " bytes, by Spark's statistics, about " + report.expectedSavedBytes()
                        + " need not be shuffled; not run yet");
        assertThat(BloomJoin.of(SPARK.table("t"), large(), "k").run().report().expectedSavedBytes())
                .isZero();
    }
}
