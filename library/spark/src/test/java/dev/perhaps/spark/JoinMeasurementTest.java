package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a join with a filter says of itself after an action. */
@EnabledForJreRange(max = JRE.JAVA_21)
class JoinMeasurementTest {
    private static final int ROWS = 40_000;

    private final SparkSession spark = TestSession.spark().newSession();

    /** Of 40,000 rows a twentieth has a partner, and a tenth a null. */
    private Dataset<Row> large() {
        return spark.range(0, ROWS, 1, 4).selectExpr("if(id % 10 = 9, NULL, id) AS k", "id * 2 AS x");
    }

    private Dataset<Row> small() {
        return spark.range(0, ROWS, 20, 2).selectExpr("id AS k", "concat('name ', id) AS name");
    }

    private static JoinMeasurement measured(BloomJoin.Result joined) {
        return joined.report().measured().orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"inner", "left_semi", "left_anti", "left_outer", "right_outer", "full_outer"})
    void everyRowOfTheLargeSideCountsOnce(String type) {
        spark.conf().set("spark.sql.codegen.factoryMode", "NO_CODEGEN");
        everyRowCountsOnce(type);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spark.sql.autoBroadcastJoinThreshold=-1",
                "spark.sql.adaptive.enabled=false",
                "spark.sql.codegen.wholeStage=false"
            })
    void whateverThePlanIs(String setting) {
        String[] sides = setting.split("=", 2);
        spark.conf().set(sides[0], sides[1]);
        everyRowCountsOnce("left_outer");
        everyRowCountsOnce("inner");
    }

    private void everyRowCountsOnce(String type) {
        BloomJoin.Result joined = BloomJoin.of(large(), small(), "k").type(type).run();
        assertThat(joined.report().measured()).isEmpty();
        assertThat(joined).asString().endsWith("; not run yet");
        long rows = joined.rows().count();
        JoinMeasurement first = measured(joined);
        assertThat(first.lookedUpRows()).as(type).isEqualTo(ROWS);
        // 2,000 have a partner; of 34,000 without, 1 % passes: 340, and 460 is more than six standard deviations
        // above.
        assertThat(first.passedRows()).isBetween(2_000L, 2_460L);
        assertThat(first.droppedRows()).isEqualTo(ROWS - first.passedRows());
        assertThat(joined.rows().count()).isEqualTo(rows);
        assertThat(measured(joined)).as("after a second action").isEqualTo(first);
    }

    @Test
    void theReportComparesWithWhatWasExpected() {
        spark.conf().set("spark.sql.autoBroadcastJoinThreshold", "-1");
        BloomJoin.Result joined = BloomJoin.of(large(), small(), "k").run();
        assertThat(joined.rows().collectAsList()).hasSize(2_000);
        JoinReport report = joined.report();
        JoinMeasurement measured = measured(joined);
        assertThat(measured.matching()).isCloseTo(0.05, within(0.004));
        assertThat(report.expectedPassing()).isCloseTo(measured.passing(), within(0.02));
        assertThat(report)
                .asString()
                .endsWith("; of 40000 rows " + measured.passedRows() + " passed ("
                        + JoinReport.percent(measured.passing()) + "), about "
                        + JoinReport.percent(measured.matching()) + " have a partner; their tasks shuffled "
                        + measured.shuffledBytes() + " bytes, about " + measured.savedBytes()
                        + " less than without a filter; " + JoinReport.percent(report.expectedPassing())
                        + " were expected to pass");
    }

    /** The bytes are those that Spark reports, and what is saved is what the plain join shuffles more. */
    @Test
    void theBytesAreThoseOfTheLargeSide() throws Exception {
        spark.conf().set("spark.sql.autoBroadcastJoinThreshold", "-1");
        AtomicLong shuffled = new AtomicLong();
        SparkListener listener = new SparkListener() {
            @Override
            public void onTaskEnd(SparkListenerTaskEnd end) {
                shuffled.addAndGet(end.taskMetrics().shuffleWriteMetrics().bytesWritten());
            }
        };
        BloomJoin.Result joined = BloomJoin.of(large(), small(), "k").run();
        spark.sparkContext().listenerBus().waitUntilEmpty();
        spark.sparkContext().addSparkListener(listener);
        try {
            assertThat(joined.rows().collectAsList()).hasSize(2_000);
            spark.sparkContext().listenerBus().waitUntilEmpty();
            long filtered = shuffled.getAndSet(0);
            assertThat(large().join(small(), "k").collectAsList()).hasSize(2_000);
            spark.sparkContext().listenerBus().waitUntilEmpty();
            long plain = shuffled.get();
            JoinMeasurement measured = measured(joined);
            assertThat(measured.shuffledBytes()).isBetween(1L, filtered);
            // Spark drops nulls before a plain join, a tenth of the rows, and blocks of few rows are packed less well.
            assertThat((double) measured.savedBytes() / (plain - filtered)).isBetween(0.9, 1.6);
        } finally {
            spark.sparkContext().removeSparkListener(listener);
        }
    }

    /** An action that needs some rows only reads some partitions only, in several jobs. */
    @Test
    void anActionThatNeedsSomeRowsCountsWhatItLookedUp() {
        BloomJoin.Result joined = BloomJoin.of(large(), small(), "k").run();
        assertThat(joined.rows().takeAsList(1)).hasSize(1);
        assertThat(measured(joined).lookedUpRows()).isBetween(1L, (long) ROWS);
        assertThat(joined.rows().count()).isEqualTo(2_000);
        assertThat(measured(joined).lookedUpRows()).isEqualTo(ROWS);
    }

    @Test
    void aJoinThatIsUsedTwiceInAQueryIsRight() {
        Dataset<Row> unknown =
                BloomJoin.of(large(), small(), "k").type("left_anti").run().rows();
        large().createOrReplaceTempView("large");
        small().createOrReplaceTempView("small");
        Dataset<Row> plain = spark.sql("SELECT * FROM large LEFT ANTI JOIN small USING (k)");
        assertThat(unknown.as("a").join(unknown.as("b"), "k").count())
                .isEqualTo(plain.as("a").join(plain.as("b"), "k").count());
    }

    /** A filter after the join, and keys that are folders: Spark looks up before it reads anything. */
    @Test
    void aKeyThatIsAFolderPrunesFolders(@TempDir Path folder) {
        String path = folder.resolve("days").toString();
        large().selectExpr("x % 8 AS k", "x").write().partitionBy("k").parquet(path);
        Dataset<Row> days = spark.read().parquet(path);
        Dataset<Row> one = spark.range(1).selectExpr("CAST(4 AS INT) AS k", "'four' AS name");
        BloomJoin.Result joined = BloomJoin.of(days, one, "k").run();
        assertThat(joined.rows().where("x > 100").count())
                .isEqualTo(days.join(one, "k").where("x > 100").count());
        assertThat(joined).asString().contains("; Spark looked up while it planned the query, which is not measured; ");
    }

    @Test
    void aPlainJoinIsNotMeasured() {
        BloomJoin.Result joined = BloomJoin.of(small(), large(), "k").run();
        assertThat(joined.rows().count()).isEqualTo(2_000);
        assertThat(joined.report().measured()).isEmpty();
        assertThat(joined).asString().startsWith("plain join: ").doesNotContain("run");
    }
}
