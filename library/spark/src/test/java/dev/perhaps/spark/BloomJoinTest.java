package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.jdk.javaapi.CollectionConverters;

/** The join with a filter has exactly the rows of the plain join. */
@EnabledForJreRange(max = JRE.JAVA_21)
class BloomJoinTest {
    private static final SparkSession SPARK = TestSession.spark();
    private static final Map<String, String> SETTINGS = Map.of(
            "spark.sql.codegen.wholeStage", "false",
            "spark.sql.codegen.factoryMode", "NO_CODEGEN",
            "spark.sql.adaptive.enabled", "false");
    /** Per type of join; bin/check-spark runs 30, which are 210 in all. */
    private static final int QUERIES = Integer.getInteger("check.queries", 10);

    private static final List<String> KEY_TYPES =
            List.of("BIGINT", "INT", "STRING", "DOUBLE", "DECIMAL(12,2)", "DATE", "TIMESTAMP", "BINARY", "BOOLEAN");

    /** Random queries: key types, nulls, skew, one to three keys, equal column names. */
    @ParameterizedTest
    @ValueSource(strings = {"inner", "left_semi", "left_anti", "left_outer", "right_outer", "full_outer", "full"})
    void hasTheRowsOfThePlainJoin(String type) {
        Random random = new Random(type.hashCode());
        int filtered = 0;
        for (int query = 0; query < QUERIES; query++) {
            List<String> keys = new ArrayList<>();
            List<String> expressions = new ArrayList<>();
            int count = 1 + random.nextInt(3);
            for (int i = 0; i < count; i++) {
                keys.add("k" + i);
                expressions.add(
                        value(KEY_TYPES.get(random.nextInt(i == 0 ? 4 : KEY_TYPES.size())), i, random) + " AS k" + i);
            }
            int space = 1 << 4 + random.nextInt(8);
            Dataset<Row> left = side(expressions, 100 + random.nextInt(400), space, random.nextInt(1000), "x", "a");
            Dataset<Row> right = side(expressions, random.nextInt(60), space, random.nextInt(1000), "x", "b");
            BloomJoin.Result joined = BloomJoin.of(left, right, keys.toArray(new String[0]))
                    .type(type)
                    .run();
            filtered += joined.report().isFiltered() ? 1 : 0;
            if (joined.report().isFiltered()) {
                assertThat(joined.report()).asString().endsWith("; not run yet");
            }
            Dataset<Row> plain =
                    left.join(right, CollectionConverters.asScala(keys).toSeq(), type);
            assertThat(joined.rows().schema().fieldNames())
                    .isEqualTo(plain.schema().fieldNames());
            assertThat(shown(joined.rows()))
                    .as("query %s: %s by %s, %s", query, type, expressions, joined.report())
                    .isEqualTo(shown(plain));
        }
        assertThat(filtered).as("queries with a filter").isGreaterThan(QUERIES / 4);
    }

    /** Compiling generated code would take most of the time of hundreds of small queries. */
    @BeforeAll
    static void interpret() {
        SETTINGS.forEach((name, value) -> SPARK.conf().set(name, value));
    }

    @AfterAll
    static void asBefore() {
        SETTINGS.keySet().forEach(SPARK.conf()::unset);
    }

    private static String value(String type, int at, Random random) {
        String number = at == 0 ? "h" : "h % " + (2 + random.nextInt(9));
        String nulls = "if(pmod(hash(h, " + at + "), 9) = 0, NULL, %s)";
        return switch (type) {
            case "STRING", "BINARY" -> nulls.formatted("CAST(concat('k', " + number + ") AS " + type + ")");
            case "DOUBLE" ->
                nulls.formatted("CASE WHEN h = 3 THEN CAST('NaN' AS DOUBLE) WHEN h = 4 THEN -0.0D"
                        + " WHEN h = 5 THEN 0.0D ELSE CAST(" + number + " AS DOUBLE) END");
            case "DATE" -> nulls.formatted("date_add(DATE'2024-01-01', CAST(" + number + " AS INT))");
            case "TIMESTAMP" -> nulls.formatted("timestamp_seconds(" + number + ")");
            case "BOOLEAN" -> nulls.formatted(number + " % 2 = 0");
            default -> nulls.formatted("CAST(" + number + " AS " + type + ")");
        };
    }

    /** Rows whose keys come from a hash {@code h} below {@code space}; every fifth row has the same one. */
    private static Dataset<Row> side(List<String> keys, int rows, int space, int seed, String shared, String own) {
        List<String> columns = new ArrayList<>(List.of("id AS " + shared));
        columns.addAll(keys);
        columns.add("id * 2 AS " + own);
        return SPARK.range(0, rows, 1, 2)
                .selectExpr("id", "if(id % 5 = 0, 7, pmod(hash(id, " + seed + "), " + space + ")) AS h")
                .selectExpr(columns.toArray(new String[0]));
    }

    private static List<String> shown(Dataset<Row> rows) {
        return rows.collectAsList().stream()
                .map(row -> CollectionConverters.asJava(row.toSeq()).stream()
                        .map(value -> value instanceof byte[] bytes
                                ? new String(bytes, java.nio.charset.StandardCharsets.UTF_8)
                                : String.valueOf(value))
                        .toList()
                        .toString())
                .sorted()
                .toList();
    }

    @Test
    void saysWhatItMeasuredAndWhy() {
        Dataset<Row> large = SPARK.range(0, 100_000, 1, 4).selectExpr("id AS k");
        Dataset<Row> few = SPARK.range(0, 100_000, 100, 2).selectExpr("id AS k");
        JoinReport report = BloomJoin.of(large, few, "k").run().report();
        assertThat(report.isFiltered()).isTrue();
        assertThat(report.sampledRows()).isEqualTo(4096);
        // 4,096 of the rows: 0.008 is more than five standard deviations.
        assertThat(report.matching()).isBetween(0.002, 0.018);
        assertThat(report.filterBytes()).isPositive();
        assertThat(report)
                .hasToString("filtered join: a filter passes " + JoinReport.percent(report.expectedPassing())
                        + " of the rows; of 4096 sampled rows " + JoinReport.percent(report.matching())
                        + " have a partner; the filter of 1000 rows has " + report.filterBytes()
                        + " bytes; of 800000 bytes, by Spark's statistics, about " + report.expectedSavedBytes()
                        + " need not be shuffled; not run yet");
        assertThat(BloomJoin.of(large, few, "k").run().rows().count()).isEqualTo(1000);

        assertThat(BloomJoin.of(few, large, "k").run().report())
                .hasToString(
                        "plain join: a filter would pass 100.0 % of the rows; of 1000 sampled rows 100.0 % have a partner");
        assertThat(BloomJoin.of(large.where("k < 0"), few, "k").run().report().reason())
                .isEqualTo("the sample of the left side has no rows");
        assertThat(BloomJoin.of(large.selectExpr("CAST(k AS DECIMAL(9,2)) AS k"), few, "k")
                        .run()
                        .report()
                        .reason())
                .startsWith("the column k has the key 'utf8 of decimal' on the left and 'int64' on the right");
        assertThat(BloomJoin.of(large.selectExpr("array(k) AS k"), few.selectExpr("array(k) AS k"), "k")
                        .run()
                        .report()
                        .reason())
                .startsWith("the column k: a ARRAY<BIGINT> is not a key");
    }

    @Test
    void refusesJoinsWithoutKeysAndUnknownTypes() {
        Dataset<Row> side = SPARK.range(3).toDF("k");
        assertThatThrownBy(() -> BloomJoin.of(side, side)).hasMessage("a join needs at least one key, got none");
        assertThatThrownBy(() -> BloomJoin.of(side, side, "k").type("cross"))
                .hasMessage(
                        "there is no join of type 'cross' with keys: use inner, left_semi, left_anti, left, right or full");
        assertThatThrownBy(() -> BloomJoin.of(side, side, "nokey").run()).hasMessageContaining("nokey");
    }

    /** Names with dots and backticks, in another case, and two columns with one name: as in a join by names. */
    @ParameterizedTest
    @ValueSource(strings = {"inner", "left_semi", "left_anti", "left_outer", "right_outer", "full_outer"})
    void columnsMayHaveAnyNames(String type) {
        Dataset<Row> left = SPARK.range(0, 300, 1, 2).selectExpr("id AS x", "id % 90 AS k", "id AS y");
        Dataset<Row> right = SPARK.range(0, 12, 1, 2).selectExpr("id * 3 AS k", "id AS z");
        for (String name : List.of("a.b", "a`b", "K")) {
            BloomJoin.Result joined = BloomJoin.of(left.toDF("x.y", name, "x.y"), right.toDF(name, "x.y"), name)
                    .type(type)
                    .run();
            assertThat(joined.report().isFiltered()).as(joined.toString()).isTrue();
            Dataset<Row> plain = left.toDF("x.y", name, "x.y")
                    .join(
                            right.toDF(name, "x.y"),
                            CollectionConverters.asScala(List.of(name)).toSeq(),
                            type);
            assertThat(joined.rows().columns()).isEqualTo(plain.columns());
            assertThat(shown(joined.rows())).as(name).isEqualTo(shown(plain));
        }
        BloomJoin.Result joined = BloomJoin.of(left, right, "K").type(type).run();
        assertThat(joined.report().isFiltered()).as(joined.toString()).isTrue();
        assertThat(shown(joined.rows()))
                .isEqualTo(shown(left.join(
                        right, CollectionConverters.asScala(List.of("K")).toSeq(), type)));
    }

    /** Two rows of Java with the same bytes are not equal. */
    @Test
    void measuresBinaryKeysToo() {
        Dataset<Row> side = SPARK.range(0, 500, 1, 2).selectExpr("CAST(CAST(id AS STRING) AS BINARY) AS k");
        assertThat(BloomJoin.of(side, side.distinct(), "k").run().report())
                .hasToString(
                        "plain join: a filter would pass 100.0 % of the rows; of 500 sampled rows 100.0 % have a partner");
    }
}
