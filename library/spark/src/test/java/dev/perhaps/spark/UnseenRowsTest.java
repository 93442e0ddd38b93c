package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Of a batch, too: rows whose key did not come within the window before. StreamIT runs it on streams. */
@EnabledForJreRange(max = JRE.JAVA_21)
class UnseenRowsTest {
    private static final SparkSession SPARK = TestSession.spark();

    private static List<String> unseen(Dataset<Row> rows, String key) {
        return UnseenRows.of(rows, key, "time")
                .within(Duration.ofMinutes(12))
                .expecting(100)
                .rows()
                .collectAsList()
                .stream()
                .map(row -> String.valueOf(row.<Object>getAs("n")))
                .sorted()
                .toList();
    }

    @Test
    void aKeyIsNewAgainAfterTheWindow() {
        Dataset<Row> rows = SPARK.sql("""
                SELECT n, k, decimal(k) AS d, named_struct('a', k, 'b', 'x') AS s, date_add(date'2026-01-01', k) AS day,
                    timestamp_seconds(60 * minute) AS time
                FROM VALUES (1, 5, 40), (2, 5, 0), (3, 5, 11), (4, 6, 1), (5, null, 1), (6, null, 1), (7, 6, null)
                    AS t(n, k, minute)""").repartition(3);
        for (String key : List.of("k", "d", "day")) {
            assertThat(unseen(rows, key)).as(key).containsExactly("1", "2", "4", "5", "6", "7");
        }
        assertThat(unseen(rows.where("k IS NOT NULL"), "s")).containsExactly("1", "2", "4", "7");
    }

    @Test
    void refusesWhatItCannotLookUp() {
        Dataset<Row> rows = SPARK.range(3).selectExpr("id", "array(id) AS ids", "timestamp_seconds(id) AS time");
        assertThatThrownBy(() -> UnseenRows.of(rows, "id", "id"))
                .hasMessage("the time 'id' must be a timestamp, got BIGINT: cast it");
        assertThatThrownBy(() -> UnseenRows.of(rows, "ids", "time")).hasMessageContaining("is not a key");
        assertThatThrownBy(() -> UnseenRows.of(rows, "nothing", "time"))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContaining("nothing");
        UnseenRows plan = UnseenRows.of(rows, "id", "time");
        assertThatThrownBy(() -> plan.within(Duration.ZERO)).hasMessageContaining("got PT0S");
        assertThatThrownBy(() -> plan.expecting(0)).hasMessage("keys per window must be at least 1, got 0");
        assertThatThrownBy(() -> plan.falsePositives(1)).hasMessageContaining("1.0");
        assertThatThrownBy(() -> plan.shards(0)).hasMessage("shards must be in 1 … 65536, got 0");
        assertThatThrownBy(() -> plan.expecting(10_000_000_000L))
                .hasMessageContaining("a shard would have a filter of")
                .hasMessageEndingWith("take more than 16 shards");
    }

    /** A field of a struct may have the name of another column. */
    @Test
    void takesTheColumnThatSparkFinds() {
        Dataset<Row> rows = SPARK.range(0, 6, 1, 1)
                .selectExpr("timestamp_seconds(id) AS time", "named_struct('k', id) AS s", "1 AS k", "id AS `a.b`");
        assertThatThrownBy(() -> UnseenRows.of(rows, "s.k", "time"))
                .hasMessage("'s.k' must be a column, got a part of one: select it as a column");
        assertThat(UnseenRows.of(rows, "`a.b`", "TIME").rows().count()).isEqualTo(6);
        assertThat(UnseenRows.of(rows, "K", "time").rows().count()).isEqualTo(1);
    }
}
