package dev.perhaps.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.spark.catalyst.BloomJoinRule;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.api.python.PythonEvalType;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.PythonUDF;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.ExpressionUtils;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.jdk.javaapi.CollectionConverters;

/** The rule {@code spark.perhaps.bloomJoin} changes plans where it should, and never a result. */
@EnabledForJreRange(max = JRE.JAVA_21)
class BloomJoinRuleTest {
    private static final SparkSession SPARK = TestSession.spark();
    private static final String RULE = "spark.perhaps.bloomJoin";
    private static final String BROADCAST = "spark.sql.autoBroadcastJoinThreshold";
    private static final String ADAPTIVE = "spark.sql.adaptive.enabled";
    private static final String WHOLE_STAGE = "spark.sql.codegen.wholeStage";
    private static final String CODE = "spark.sql.codegen.factoryMode";
    private static final String V1_SOURCES = "spark.sql.sources.useV1SourceList";
    private static final String OWN_FILTER = "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold";
    private static final List<String> KEY_TYPES =
            List.of("BIGINT", "INT", "STRING", "DOUBLE", "DECIMAL(12,2)", "DATE", "TIMESTAMP", "BINARY", "BOOLEAN");

    @BeforeEach
    void sortMergeJoins() {
        SPARK.conf().set(RULE, "auto");
        SPARK.conf().set(BROADCAST, "-1");
    }

    @AfterEach
    void asBefore() {
        List.of(RULE, BROADCAST, ADAPTIVE, WHOLE_STAGE, CODE, V1_SOURCES, OWN_FILTER)
                .forEach(SPARK.conf()::unset);
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

    private static int probes(Dataset<Row> rows) {
        return rows.queryExecution().optimizedPlan().toString().split("perhaps_join_probe", -1).length - 1;
    }

    private static List<String> without(String sql) {
        SPARK.conf().set(RULE, "off");
        try {
            Dataset<Row> plain = SPARK.sql(sql);
            assertThat(probes(plain)).isZero();
            return shown(plain);
        } finally {
            SPARK.conf().set(RULE, "auto");
        }
    }

    private static void view(String name, int rows, int space, int seed, List<String> keys) {
        List<String> columns = new ArrayList<>(keys);
        columns.add("id AS " + name + "_id");
        SPARK.range(0, rows, 1, 2)
                .selectExpr("id", "if(id % 5 = 0, 7, pmod(hash(id, " + seed + "), " + space + ")) AS h")
                .selectExpr(columns.toArray(new String[0]))
                .createOrReplaceTempView(name);
    }

    private static String key(String type, int at) {
        String number = at == 0 ? "h" : "h % " + (3 + at);
        String value = switch (type) {
            case "STRING", "BINARY" -> "CAST(concat('k', " + number + ") AS " + type + ")";
            case "DOUBLE" ->
                "CASE WHEN h = 3 THEN CAST('NaN' AS DOUBLE) WHEN h = 4 THEN -0.0D WHEN h = 5 THEN 0.0D" + " ELSE CAST("
                        + number + " AS DOUBLE) END";
            case "DATE" -> "date_add(DATE'2024-01-01', CAST(" + number + " AS INT))";
            case "TIMESTAMP" -> "timestamp_seconds(" + number + ")";
            case "BOOLEAN" -> number + " % 2 = 0";
            default -> "CAST(" + number + " AS " + type + ")";
        };
        return "if(pmod(hash(h, " + at + "), 9) = 0, NULL, " + value + ") AS k" + at;
    }

    /** 35 random queries per type, 210 in all; half of them adaptive, every twelfth with generated code. */
    @ParameterizedTest
    @ValueSource(strings = {"INNER", "LEFT SEMI", "LEFT ANTI", "LEFT OUTER", "RIGHT OUTER", "FULL OUTER"})
    void neverChangesAResult(String type) {
        Random random = new Random(type.hashCode());
        int filtered = 0;
        for (int query = 0; query < 35; query++) {
            boolean isGenerated = query % 12 == 0;
            SPARK.conf().set(ADAPTIVE, query % 2 == 0 ? "true" : "false");
            SPARK.conf().set(WHOLE_STAGE, isGenerated ? "true" : "false");
            SPARK.conf().set(CODE, isGenerated ? "CODEGEN_ONLY" : "NO_CODEGEN");
            List<String> keys = new ArrayList<>();
            List<String> equal = new ArrayList<>();
            for (int i = 0; i <= random.nextInt(3); i++) {
                keys.add(key(KEY_TYPES.get(random.nextInt(KEY_TYPES.size())), i));
                equal.add("l.k" + i + (random.nextInt(5) == 0 ? " <=> " : " = ") + "r.k" + i);
            }
            if (random.nextInt(4) == 0) {
                equal.add("l.l_id % 3 <> r.r_id % 3");
            }
            int space = 1 << 4 + random.nextInt(6);
            boolean isLeftLarge = random.nextBoolean();
            int large = 200 + random.nextInt(300);
            int small = random.nextInt(40);
            view("l", isLeftLarge ? large : small, space, random.nextInt(1000), keys);
            view("r", isLeftLarge ? small : large, space, random.nextInt(1000), keys);
            String sql = "SELECT * FROM l " + type + " JOIN r ON " + String.join(" AND ", equal);
            Dataset<Row> rows = SPARK.sql(sql);
            filtered += probes(rows);
            assertThat(shown(rows)).as("query %s: %s with %s", query, sql, keys).isEqualTo(without(sql));
        }
        assertThat(filtered).as("queries with a filter").isBetween(type.startsWith("FULL") ? 0 : 8, 35);
        if (type.startsWith("FULL")) {
            assertThat(filtered).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"parquet", ""})
    void dropsRowsBeforeTheShuffleOfFiles(String v1, @TempDir Path folder) {
        SPARK.conf().set(V1_SOURCES, v1);
        String big = folder.resolve("big").toString();
        String small = folder.resolve("small").toString();
        SPARK.range(0, 50_000, 1, 2)
                .selectExpr("id AS k", "id % 50 AS g", "id AS v")
                .write()
                .parquet(big);
        SPARK.range(0, 500, 1, 1)
                .selectExpr("id * 100 AS k", "id % 50 AS g", "id AS w")
                .write()
                .parquet(small);
        SPARK.read().parquet(big).createOrReplaceTempView("big");
        SPARK.read().parquet(small).createOrReplaceTempView("small");
        for (String adaptive : List.of("true", "false")) {
            SPARK.conf().set(ADAPTIVE, adaptive);
            String one = "SELECT v, w FROM big JOIN small ON big.k = small.k WHERE w <> 7";
            assertThat(probes(SPARK.sql(one))).isEqualTo(1);
            assertThat(shown(SPARK.sql(one))).hasSize(499).isEqualTo(without(one));
            String two = "SELECT v, a.w, b.w FROM big JOIN small a ON big.k = a.k JOIN small b ON big.v = b.k"
                    + " AND big.g = b.g WHERE a.w > 2 AND b.w < 400";
            assertThat(probes(SPARK.sql(two))).isEqualTo(2);
            assertThat(shown(SPARK.sql(two))).isEqualTo(without(two));
        }
    }

    @Test
    void leavesOtherPlansAlone() {
        view("big", 1000, 64, 1, List.of("h AS k"));
        view("small", 20, 64, 2, List.of("h AS k"));
        Map<String, Integer> probes = new HashMap<>();
        String join = "SELECT * FROM big JOIN ";
        probes.put(join + "small USING (k)", 1);
        probes.put(join + "(SELECT DISTINCT k FROM small) USING (k)", 1);
        probes.put(join + "(SELECT * FROM small LIMIT 5) USING (k)", 0);
        probes.put(join + "(SELECT * FROM small WHERE rand() < 0.5) USING (k)", 0);
        probes.put(join + "(SELECT k, max(small_id) FROM small GROUP BY k) USING (k)", 0);
        probes.put(join + "(SELECT * FROM small TABLESAMPLE (50 PERCENT)) USING (k)", 0);
        probes.put(join + "(SELECT * FROM big) b USING (k)", 0);
        probes.put(join + "small ON big.k < small.k", 0);
        probes.put(join + "small ON array(big.k) = array(small.k)", 0);
        probes.put("SELECT /*+ BROADCAST(small) */ * FROM big JOIN small USING (k)", 0);
        probes.put("SELECT * FROM big LEFT JOIN small USING (k)", 0);
        probes.put("SELECT * FROM big LEFT ANTI JOIN small USING (k)", 0);
        probes.put("SELECT * FROM small LEFT ANTI JOIN big USING (k)", 1);
        probes.forEach(
                (sql, expected) -> assertThat(probes(SPARK.sql(sql))).as(sql).isEqualTo(expected));
        SPARK.conf().set(BROADCAST, "10MB");
        assertThat(probes(SPARK.sql(join + "small USING (k)"))).isZero();
    }

    /** Its folders are listed by every reading: a file that comes between two of them would be in the join and not in the filter. */
    @Test
    void leavesASmallerSideAloneThatIsListedTwice(@TempDir Path folder) {
        view("big", 1000, 64, 1, List.of("h AS k"));
        SPARK.sql("CREATE TABLE parted (k BIGINT, d INT) USING parquet PARTITIONED BY (d) LOCATION '"
                + folder.resolve("parted") + "'");
        try {
            SPARK.sql("INSERT INTO parted VALUES (1, 1), (2, 1), (3, 2)");
            String join = "SELECT * FROM big JOIN parted USING (k)";
            assertThat(probes(SPARK.sql(join)))
                    .as("without statistics it is taken for the larger side, and a filter of the other one is right")
                    .isEqualTo(1);
            SPARK.sql("ANALYZE TABLE parted COMPUTE STATISTICS");
            assertThat(probes(SPARK.sql(join))).isZero();
            assertThat(probes(SPARK.sql(join + " WHERE d = 1")))
                    .as("folders are chosen after the rule")
                    .isZero();
        } finally {
            SPARK.sql("DROP TABLE parted");
        }
    }

    @Test
    void aSecondPassAddsNothing() {
        view("big", 1000, 64, 1, List.of("h AS k"));
        view("small", 20, 64, 2, List.of("h AS k"));
        SPARK.conf().set(RULE, "off");
        LogicalPlan plain = SPARK.sql("SELECT * FROM big JOIN small USING (k)")
                .queryExecution()
                .optimizedPlan();
        SPARK.conf().set(RULE, "auto");
        LogicalPlan once = new BloomJoinRule().apply(plain);
        assertThat(once.toString()).contains("perhaps_join_probe");
        assertThat(new BloomJoinRule().apply(once)).isSameAs(once);
    }

    /** Later rules of Spark replace such expressions, and do not look into a subquery that was added meanwhile. */
    @Test
    void leavesKeysAloneThatSparkReplacesLater() {
        view("big", 1000, 64, 1, List.of("h AS k", "named_struct('a', h, 'b', 1) AS s"));
        view("small", 20, 64, 2, List.of("h AS k", "named_struct('a', h, 'b', 2) AS s"));
        Dataset<Row> big = SPARK.table("big");
        Dataset<Row> small = SPARK.table("small");
        Dataset<Row> changed = small.withColumn("s", col("s").withField("b", lit(1)));
        Dataset<Row> joined = big.join(changed, big.col("s").equalTo(changed.col("s")));
        assertThat(probes(joined)).isZero();
        SPARK.conf().set(RULE, "off");
        List<String> plain = shown(big.join(changed, big.col("s").equalTo(changed.col("s"))));
        SPARK.conf().set(RULE, "auto");
        assertThat(shown(joined)).isNotEmpty().isEqualTo(plain);

        Expression python = new PythonUDF(
                "f",
                null,
                DataTypes.LongType,
                CollectionConverters.asScala(List.of(ExpressionUtils.expression(col("k"))))
                        .toSeq(),
                PythonEvalType.SQL_BATCHED_UDF(),
                true,
                NamedExpression.newExprId());
        Dataset<Row> computed = small.withColumn("p", ExpressionUtils.column(python));
        assertThat(probes(big.join(computed, big.col("k").equalTo(computed.col("p")))))
                .isZero();
        assertThat(probes(big.join(computed.where("p > 3"), "k"))).isZero();
    }

    /** A cached table, and Spark's own filter besides. */
    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void filtersACachedLargerSide(String adaptive) {
        SPARK.conf().set(ADAPTIVE, adaptive);
        SPARK.conf().set(OWN_FILTER, "0");
        view("big", 2000, 64, 1, List.of("h AS k"));
        view("small", 20, 64, 2, List.of("h AS k"));
        SPARK.sql("CACHE TABLE cachedBig AS SELECT * FROM big");
        try {
            String sql = "SELECT * FROM cachedBig b JOIN small s ON b.k = s.k WHERE s.small_id < 15 AND b.big_id > 3";
            assertThat(probes(SPARK.sql(sql))).isEqualTo(1);
            assertThat(shown(SPARK.sql(sql))).isNotEmpty().isEqualTo(without(sql));
        } finally {
            SPARK.sql("UNCACHE TABLE cachedBig");
            SPARK.sql("DROP VIEW cachedBig");
        }
    }
}
