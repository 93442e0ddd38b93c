package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.spark.catalyst.SqlFunction;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The functions in SQL: help, named arguments, all places where an aggregate may stand, nulls, refusals. */
@EnabledForJreRange(max = JRE.JAVA_21)
class FunctionsTest {
    private static final SparkSession SPARK = TestSession.spark();

    @BeforeAll
    static void view() {
        SPARK.range(0, 1000, 1, 4)
                .selectExpr("id", "id % 5 AS g", "if(id % 2 = 0, id, null) AS even", "concat('s', id) AS s")
                .createOrReplaceTempView("t");
    }

    @Test
    void everyFunctionIsThere() {
        List<String> shown = SPARK.sql("SHOW FUNCTIONS LIKE 'perhaps*'").collectAsList().stream()
                .map(row -> row.getString(0))
                .toList();
        assertThat(shown)
                .containsExactlyInAnyOrderElementsOf(
                        SqlFunction.all().stream().map(SqlFunction::name).toList());
    }

    static List<String> names() {
        return SqlFunction.all().stream().map(SqlFunction::name).toList();
    }

    @ParameterizedTest
    @MethodSource("names")
    void examplesInTheHelpAreTrue(String name) {
        String help = "";
        for (Row row : SPARK.sql("DESCRIBE FUNCTION EXTENDED " + name).collectAsList()) {
            help += row.getString(0) + "\n";
        }
        assertThat(help).contains("Usage: " + name + "(", "Since: ");
        String[] examples = help.substring(help.indexOf("Examples:")).split("> ", -1);
        assertThat(examples).hasSizeGreaterThan(1);
        for (int i = 1; i < examples.length; i++) {
            // 'length(…) > 0' is split too.
            String text = examples[i];
            while (!text.contains(";\n")) {
                text += "> " + examples[++i];
            }
            String[] parts = text.split(";\n", -1);
            assertThat(String.valueOf(TestSession.one(parts[0])))
                    .as(parts[0])
                    .isEqualTo(parts[1].strip().lines().findFirst().orElseThrow());
        }
    }

    @Test
    void aggregatesStandWhereverSqlAllowsThem() {
        List<Row> groups = SPARK.sql("SELECT g, perhaps_might_contain(perhaps_filter(id), 7L),"
                        + " perhaps_estimate(perhaps_count(g), g).estimate FROM t GROUP BY g ORDER BY g")
                .collectAsList();
        assertThat(groups)
                .hasSize(5)
                .allSatisfy(row -> assertThat(row.getLong(2)).isEqualTo(200));
        assertThat(groups.stream().filter(row -> row.getBoolean(1)).map(row -> row.getLong(0)))
                .contains(2L);
        assertThat(TestSession.one("SELECT perhaps_estimate(perhaps_count(DISTINCT g), 3L).estimate FROM t"))
                .isEqualTo(1L);
        assertThat(TestSession.one(
                        "SELECT perhaps_estimate(perhaps_count(g) FILTER (WHERE id < 50), 3L).estimate FROM t"))
                .isEqualTo(10L);
        assertThat(TestSession.one(
                        "SELECT perhaps_estimate(perhaps_count(DISTINCT g) FILTER (WHERE id < 50), 3L).estimate"
                                + " + count(DISTINCT s) FROM t"))
                .isEqualTo(1001L);
        // A window that grows row by row: the state is read, and goes on.
        List<Row> running = SPARK.sql("SELECT id, perhaps_estimate(perhaps_count(g) OVER (ORDER BY id"
                        + " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), g).estimate FROM t WHERE id < 20")
                .collectAsList();
        assertThat(running)
                .hasSize(20)
                .allSatisfy(row -> assertThat(row.getLong(1)).isEqualTo(row.getLong(0) / 5 + 1));
        List<Row> moving = SPARK.sql(
                        "SELECT id, perhaps_might_contain(perhaps_filter(id, items => 10, fpp => 1e-9) OVER"
                                + " (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW), id - 3) FROM t WHERE id < 20")
                .collectAsList();
        assertThat(moving)
                .hasSize(20)
                .allSatisfy(row -> assertThat(row.getBoolean(1)).isFalse());
        assertThat(TestSession.one(
                        "SELECT count(*) FROM t JOIN (SELECT g AS h, perhaps_filter(id, fpp => 1e-9) AS f FROM t"
                                + " GROUP BY g) ON g = h WHERE perhaps_might_contain(f, id)"))
                .as("a filter that is a column")
                .isEqualTo(1000L);
        assertThat(TestSession.one(
                        "SELECT count(*) FROM t WHERE perhaps_might_contain((SELECT perhaps_filter(id, fpp => 1e-9)"
                                + " FROM t WHERE g = 1), id)"))
                .isEqualTo(200L);
    }

    /** With generated code for whole stages, for single expressions, and without. */
    @ParameterizedTest
    @CsvSource({"true,CODEGEN_ONLY", "false,CODEGEN_ONLY", "false,NO_CODEGEN", "true,FALLBACK"})
    void generatedCodeAndNoneGiveTheSame(String wholeStage, String mode) {
        Map<String, String> settings =
                Map.of("spark.sql.codegen.wholeStage", wholeStage, "spark.sql.codegen.factoryMode", mode);
        settings.forEach((name, value) -> SPARK.conf().set(name, value));
        try {
            String filters = "(SELECT perhaps_filter(%s, fpp => 1e-9) FROM t WHERE g = 1)";
            for (String value : List.of(
                    "id",
                    "s",
                    "CAST(id AS INT)",
                    "CAST(id AS DOUBLE)",
                    "CAST(id AS DECIMAL(9,2))",
                    "struct(id, s)",
                    "CAST(s AS BINARY)",
                    "even")) {
                assertThat(TestSession.one("SELECT count(*) FROM t WHERE perhaps_might_contain("
                                + filters.formatted(value) + ", " + value + ")"))
                        .as(value)
                        .isEqualTo(value.equals("even") ? 100L : 200L);
            }
            assertThat(TestSession.one(
                            "SELECT sum(perhaps_estimate((SELECT perhaps_count(g) FROM t), g).estimate) FROM t"))
                    .isEqualTo(200_000L);
            assertThat(
                            TestSession.one(
                                    "SELECT sum(perhaps_jaccard(perhaps_minhash(s), perhaps_minhash(s)) +"
                                            + " size(perhaps_bands(perhaps_minhash(s))) * 0 + length(perhaps_info(perhaps_minhash(s))) * 0) FROM t"))
                    .isEqualTo(1000.0);
            assertThat(
                            TestSession.one(
                                    "SELECT count(*) FROM t WHERE perhaps_might_contain(NULL, id) IS NULL"
                                            + " AND perhaps_might_contain((SELECT perhaps_filter(id) FROM t), cast(null as bigint)) IS NULL"))
                    .isEqualTo(1000L);
        } finally {
            settings.keySet().forEach(SPARK.conf()::unset);
        }
    }

    @Test
    void nullIsNotAKeyAndEmptyInputHasAnEmptyFrame() {
        assertThat(TestSession.one("SELECT perhaps_estimate(perhaps_count(even), 2L).at_most FROM t"))
                .isEqualTo(1L);
        assertThat(TestSession.one("SELECT get_json_object(perhaps_info(perhaps_count(even)), '$.total') FROM t"))
                .isEqualTo("500");
        for (String kind :
                List.of("bloom", "blocked", "scalable", "counting", "counting2", "quotient", "cuckoo", "fuse")) {
            assertThat(TestSession.one(
                            "SELECT perhaps_might_contain(perhaps_filter(id, '" + kind + "'), 7L) FROM t WHERE id < 0"))
                    .as(kind)
                    .isEqualTo(false);
        }
        assertThat(TestSession.one("SELECT perhaps_merge(f) FROM (SELECT CAST(NULL AS BINARY) AS f)"))
                .isNull();
        assertThat(TestSession.one("SELECT perhaps_quantile(perhaps_ranges(id, bits => 8), 0.5) FROM t WHERE id < 0"))
                .isNull();
    }

    @Test
    void anOverfilledFilterSaysSo() {
        assertThat(TestSession.one(
                        "SELECT get_json_object(perhaps_info(perhaps_filter(id, items => 10)), '$.overfilled') FROM t"))
                .isEqualTo("true");
        assertThat(TestSession.one("SELECT get_json_object(perhaps_info(perhaps_filter(id)), '$.overfilled') FROM t"))
                .isEqualTo("false");
        assertThatThrownBy(() -> TestSession.one("SELECT perhaps_filter(id, 'quotient', 10) FROM t"))
                .hasStackTraceContaining("full");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "perhaps_filter(id, 'blocked', 10, 1.5) | falsePositives must be in (0, 1), got 1.5",
                "perhaps_filter(id, 'blom') | there is no filter of kind 'blom' in SQL: use bloom, blocked",
                "perhaps_filter(id, 'expiring') | there is no filter of kind 'expiring' in SQL",
                "perhaps_filter(id, items => -1) | got -1",
                "perhaps_filter(id, items => 1.5) | the parameter 'items' must be a whole number, got 1.5",
                "perhaps_filter(id, items => g) | the parameter 'items' must be a constant, got t.g",
                "perhaps_filter(id, items => 4000000000) | does not fit into a column",
                "perhaps_filter(id, key => 'uuid') | a BIGINT has no key 'uuid': use int64",
                "perhaps_filter(id, rate => 1) | there is no parameter 'rate': the parameters are value, kind, items, fpp",
                "perhaps_filter(id, 'bloom', kind => 'bloom') | the parameter 'kind' is given twice",
                "perhaps_filter() | the parameter 'value' is missing",
                "perhaps_filter(id, 'bloom', 1, 0.1, '', 1, 2) | at most 6 arguments are taken, got 7",
                "perhaps_count(id, 2) | got 2.0",
                "perhaps_top(id, 0) | got 0",
                "perhaps_top(struct(id, s)) | a top list cannot keep a STRUCT",
                "perhaps_ranges(s) | ranges are of whole numbers, dates and timestamps, got a STRING",
                "perhaps_merge(id) | frames are BINARY, got a BIGINT",
                "perhaps_might_contain(id, id) | a frame of Perhaps is BINARY, got a BIGINT",
                "perhaps_might_contain(X'00112233', id) | not a Perhaps file: wrong magic bytes",
                "perhaps_minhash(id) | a text is a STRING, got a BIGINT",
                "perhaps_minhash(s, 0) | got 0",
            })
    void badArgumentsAreRefusedWhilePlanning(String call, String message) {
        assertThatThrownBy(() -> SPARK.sql("SELECT " + call + " FROM t"))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "perhaps_might_contain(perhaps_count(id), 1L) | the frame holds a count, which is not a filter",
                "perhaps_estimate(perhaps_filter(id), 1L) | the frame holds a bloom, which does not count single values",
                "perhaps_top_values(perhaps_filter(id)) | the frame holds a bloom, which is not a top list",
                "perhaps_distinct_estimate(perhaps_filter(id)) | which does not count different values",
                "perhaps_quantile(perhaps_filter(id), 0.5) | which does not count ranges",
                "perhaps_quantile(perhaps_ranges(id, bits => 8), 1.5) | 1.5",
                "perhaps_jaccard(perhaps_minhash_agg(id), perhaps_minhash_agg(s)) | key int64",
                "perhaps_ranges(id - 5, bits => 8) | value must be in [0, 255] of a universe of 8 bits",
            })
    void framesOfAnotherKindAreRefused(String call, String message) {
        assertThatThrownBy(() -> TestSession.one("SELECT " + call + " FROM t WHERE id < 100"))
                .hasStackTraceContaining(message);
    }

    @Test
    void framesThatDoNotFitAreNotMerged() {
        assertThatThrownBy(() ->
                        TestSession.one("SELECT perhaps_merge(f) FROM (SELECT perhaps_filter(id, items => 10) AS f"
                                + " FROM t UNION ALL SELECT perhaps_filter(id, items => 99) FROM t)"))
                .hasStackTraceContaining("against");
        assertThatThrownBy(() -> TestSession.one("SELECT perhaps_merge(f) FROM (SELECT perhaps_filter(id) AS f"
                        + " FROM t UNION ALL SELECT perhaps_count(id) FROM t)"))
                .hasStackTraceContaining("frames of one kind can be merged");
        assertThatThrownBy(() -> TestSession.one(
                        "SELECT perhaps_merge(f) FROM (SELECT perhaps_filter(id, 'cuckoo') AS f FROM t GROUP BY g)"))
                .hasStackTraceContaining("two cuckoo frames cannot be merged");
    }

    @Test
    void columnsOfJavaCallTheSameFunctions() {
        var t = SPARK.table("t");
        var v = functions.col("id");
        Row row = t.agg(
                        PerhapsFunctions.filter(v).as("f"),
                        PerhapsFunctions.count(functions.col("g"), 0.01, 0.9).as("c"),
                        PerhapsFunctions.top(functions.col("g"), 2).as("t"),
                        PerhapsFunctions.ranges(v, 0.5, 0.5).as("r"),
                        PerhapsFunctions.distinct(v, 0.05).as("d"),
                        PerhapsFunctions.minHashOfItems(v, 32).as("m"))
                .select(
                        PerhapsFunctions.mightContain(functions.col("f"), functions.lit(7L)),
                        PerhapsFunctions.estimate(functions.col("c"), functions.lit(1L))
                                .getField("estimate"),
                        functions.size(PerhapsFunctions.topValues(functions.col("t"))),
                        PerhapsFunctions.range(functions.col("r"), functions.lit(0L), functions.lit(999L))
                                .getField("at_most"),
                        PerhapsFunctions.quantile(functions.col("r"), 0.999).isNotNull(),
                        PerhapsFunctions.distinctEstimate(functions.col("d")).getField("estimate"),
                        PerhapsFunctions.jaccard(functions.col("m"), functions.col("m")),
                        functions.size(PerhapsFunctions.bands(functions.col("m"), 0.5)),
                        PerhapsFunctions.info(functions.col("m")),
                        PerhapsFunctions.jaccard(
                                PerhapsFunctions.minHashOfText(functions.lit("a text"), 16),
                                PerhapsFunctions.minHashOfText(functions.lit("a text"), 16)))
                .head();
        assertThat(row.getBoolean(0)).isTrue();
        assertThat(row.getLong(1)).isEqualTo(200);
        assertThat(row.getInt(2)).isEqualTo(2);
        assertThat(row.getLong(3)).isGreaterThanOrEqualTo(1000);
        assertThat(row.getBoolean(4)).isTrue();
        assertThat(row.getDouble(5)).isBetween(800.0, 1200.0);
        assertThat(row.getDouble(6)).isEqualTo(1.0);
        assertThat(row.getInt(7)).isPositive();
        assertThat(row.getString(8)).startsWith("{\"kind\":\"minhash\"");
        assertThat(row.getDouble(9)).isEqualTo(1.0);
    }

    @Test
    void aRangeIsBetweenValuesOfOneType() {
        assertThatThrownBy(() -> SPARK.sql(
                        "SELECT perhaps_range(perhaps_ranges(id), DATE'2026-01-01', TIMESTAMP'2026-02-01') FROM t"))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContaining(
                        "a range is from and to values of one type, got a DATE and a TIMESTAMP: cast one");
        assertThat(TestSession.one("SELECT perhaps_range(perhaps_ranges(id), 1, 3L).estimate FROM t"))
                .isEqualTo(3L);
    }

    /** The optimizer puts the constant in the place of the column, when it is too late to refuse it. */
    @Test
    void aFrameThatBecomesAConstantIsRefusedWithTheSameMessage() {
        byte[] frame = TestSession.frame("SELECT perhaps_distinct(id) FROM t");
        SPARK.sql("SELECT 1").select(functions.lit(frame).as("f")).createOrReplaceTempView("frames");
        assertThatThrownBy(() -> TestSession.one("SELECT perhaps_might_contain(f, 7L) FROM frames"))
                .hasMessageContaining("the frame holds a distinct, which is not a filter");
        assertThat(TestSession.one("SELECT if(get_json_object(perhaps_info(f), '$.kind') = 'bloom',"
                        + " perhaps_might_contain(f, 7L), false) FROM frames"))
                .isEqualTo(false);
    }

    @Test
    void aggregatesArePivoted() {
        List<Row> rows = SPARK.sql("SELECT * FROM (SELECT id, g, even IS NULL AS odd FROM t)"
                        + " PIVOT (perhaps_count(id, 0.01) FOR g IN (1, 4))")
                .selectExpr("odd", "perhaps_estimate(`1`, 6L).estimate", "perhaps_estimate(`4`, 9L).estimate")
                .orderBy("odd")
                .collectAsList();
        assertThat(rows).hasToString("[[false,1,0], [true,0,1]]");
    }
}
