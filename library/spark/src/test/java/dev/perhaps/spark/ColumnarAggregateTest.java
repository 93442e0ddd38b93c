package dev.perhaps.spark;

import static org.apache.spark.sql.functions.array;
import static org.apache.spark.sql.functions.call_function;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.raise_error;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.perhaps.frequency.CountMin;
import dev.perhaps.frequency.TopK;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BlockedBloom;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames from column batches are those of SQL, byte for byte. */
@EnabledForJreRange(max = JRE.JAVA_21)
class ColumnarAggregateTest {
    private static final SparkSession SPARK = TestSession.spark();
    private static final int ROWS = 30_000;

    @TempDir
    private static Path folder;

    /** Columns of every type; those with a 0 have no null, those with a d have few values, so that pages have dictionaries. */
    @BeforeAll
    static void writeTables() {
        Dataset<Row> rows = SPARK.range(0, ROWS, 1, 5)
                .selectExpr(
                        "hash(id) * 1234567L AS l0",
                        "if(id % 7 = 0, NULL, hash(id) * 1234567L) AS l",
                        "if(id % 11 = 0, NULL, id % 13) AS ld",
                        "hash(id) AS i0",
                        "if(id % 7 = 0, NULL, hash(id)) AS i",
                        "if(id % 5 = 0, NULL, CAST(id AS SMALLINT)) AS sh",
                        "CAST(id % 200 - 100 AS TINYINT) AS b",
                        "concat('user-', hash(id)) AS s0",
                        "if(id % 7 = 0, NULL, concat('Zürich ', hash(id))) AS s",
                        "if(id % 11 = 0, NULL, concat('page ', id % 13)) AS sd",
                        "CAST(concat('b', id % 999) AS BINARY) AS bin",
                        "if(id % 9 = 0, NULL, id % 2 = 0) AS bool",
                        "date_add(DATE'2024-01-01', CAST(id % 700 AS INT)) AS day",
                        "timestamp_seconds(id * 61) AS time",
                        "CAST(id AS DOUBLE) / 8 AS d",
                        "CAST(id AS DECIMAL(12,2)) AS dec",
                        "CAST(id AS DECIMAL(30,2)) AS wide",
                        "if(id % 6 = 0, NULL, struct(id % 50 AS x, if(id % 4 = 0, NULL, concat('y', id)) AS y)) AS st",
                        "CAST(NULL AS BIGINT) AS none",
                        "uuid(1) AS id36",
                        "id % 40000 AS small");
        rows.write().parquet(path("parquet"));
        rows.write().orc(path("orc"));
        rows.where("id36 IS NULL").write().parquet(path("empty"));
    }

    private static String path(String name) {
        return folder.resolve(name).toString();
    }

    /** Several partitions, and batches that are not full at the ends of files. */
    private static Dataset<Row> table(String format) {
        return SPARK.read().format(format).load(path(format));
    }

    /** Compares each aggregate with the one of SQL, which computes them in one query. */
    private static void areThoseOfSql(Dataset<Row> rows, List<Column> aggregates, boolean isColumnar) {
        Row bySql = rows.agg(
                        aggregates.get(0),
                        aggregates.subList(1, aggregates.size()).toArray(new Column[0]))
                .head();
        for (int i = 0; i < aggregates.size(); i++) {
            ColumnarAggregate call = ColumnarAggregate.of(rows, aggregates.get(i));
            assertThat(call.isColumnar()).as("%s by columns", aggregates.get(i)).isEqualTo(isColumnar);
            assertThat(call.frame()).as("%s", aggregates.get(i)).isEqualTo((byte[]) bySql.get(i));
        }
    }

    private static void isThatOfSql(Dataset<Row> rows, Column aggregate, boolean isColumnar) {
        areThoseOfSql(rows, List.of(aggregate), isColumnar);
    }

    @ParameterizedTest
    @ValueSource(strings = {"parquet", "orc"})
    void filtersOfEveryTypeAreThoseOfSql(String format) {
        Dataset<Row> rows = table(format);
        assertThat(rows.toJavaRDD().getNumPartitions()).isGreaterThan(1);
        areThoseOfSql(
                rows,
                Stream.of(rows.columns())
                        .map(name -> PerhapsFunctions.filter(col(name), "blocked", 0.01, ROWS))
                        .toList(),
                true);
    }

    @Test
    void everyAggregateIsThatOfSql() {
        List<Column> aggregates = Stream.of(
                        "perhaps_filter(l)",
                        "perhaps_filter(s, 'fuse')",
                        "perhaps_filter(ld, 'counting')",
                        "perhaps_filter(s, kind => 'bloom', items => 30000)",
                        "perhaps_filter(l, 'quotient', 30000)",
                        "perhaps_filter(i, 'cuckoo', 30000)",
                        "perhaps_filter(id36, 'blocked', 30000, key => 'uuid', seed => 5)",
                        "perhaps_count(l)",
                        "perhaps_count(i0)",
                        "perhaps_count(sd, 0.0001)",
                        "perhaps_ranges(small, bits => 16)",
                        "perhaps_ranges(day, bits => 16)",
                        "perhaps_ranges(sh, bits => 32)",
                        "perhaps_distinct(s)",
                        "perhaps_distinct(none)",
                        "perhaps_minhash_agg(l)",
                        "perhaps_minhash_agg(none)")
                .map(functions::expr)
                .toList();
        areThoseOfSql(table("parquet"), aggregates, true);
        areThoseOfSql(table("parquet").where("i0 > 0 AND s0 > 'user-2'"), aggregates.subList(5, 10), false);
        areThoseOfSql(SPARK.read().parquet(path("empty")), aggregates, true);
    }

    /** A table that is written elsewhere, and read with more and smaller batches, whose pages have no dictionaries. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void pagesWithAndWithoutDictionariesAreTheSame(boolean dictionaries) throws IOException {
        String name = path("pages-" + dictionaries);
        table("parquet")
                .select("ld", "sd")
                .coalesce(1)
                .write()
                .option("parquet.enable.dictionary", dictionaries)
                .parquet(name);
        SparkSession session = SPARK.newSession();
        session.conf().set("spark.sql.parquet.columnarReaderBatchSize", 100);
        session.conf().set("spark.sql.files.maxPartitionBytes", 20_000);
        Dataset<Row> rows = session.read().parquet(name);
        for (String column : List.of("ld", "sd")) {
            isThatOfSql(rows, PerhapsFunctions.count(col(column), 0.001, 0.99), true);
            isThatOfSql(rows, PerhapsFunctions.filter(col(column), "blocked", 0.01, 10), true);
        }
        CountMin<Long> counts =
                CountMin.within(0.001).confidence(0.99).of(Key.longs()).build();
        LongStream.range(0, ROWS).filter(id -> id % 11 != 0).forEach(id -> counts.add(id % 13));
        assertThat(ColumnarAggregate.of(rows, PerhapsFunctions.count(col("ld"), 0.001, 0.99))
                        .frame())
                .isEqualTo(counts.toBytes());
    }

    @Test
    void theFrameIsThatOfTheLibrary() {
        List<Long> numbers = LongStream.range(0, 7_000).map(i -> i * i).boxed().toList();
        String name = path("squares");
        TestSession.longs(numbers, 20).write().parquet(name); // merged in two steps
        SparkSession session = SPARK.newSession();
        session.conf().set("spark.sql.files.openCostInBytes", 0);
        session.conf().set("spark.sql.files.maxPartitionBytes", 1000);
        Dataset<Row> rows = session.read().parquet(name);
        assertThat(rows.toJavaRDD().getNumPartitions()).isGreaterThan(16);
        assertThat(ColumnarAggregate.of(rows, PerhapsFunctions.filter(col("v"), "blocked", 0.01, 7_000))
                        .frame())
                .isEqualTo(BlockedBloom.expecting(7_000)
                        .falsePositives(0.01)
                        .of(Key.longs())
                        .buildFrom(Hashes.of(Key.longs(), numbers))
                        .toBytes());
    }

    @Test
    void topListsHoldTheirBounds() throws IOException {
        byte[] frame = ColumnarAggregate.of(table("parquet"), PerhapsFunctions.top(col("sd"), 13))
                .frame();
        TopK<String> top = TopK.fromBytes(frame, Key.strings());
        assertThat(top.top()).hasSize(13).allSatisfy(ranked -> {
            long page = Long.parseLong(ranked.value().substring("page ".length()));
            long count = LongStream.range(0, ROWS)
                    .filter(id -> id % 11 != 0 && id % 13 == page)
                    .count();
            assertThat(count).isBetween(ranked.atLeast(), ranked.atMost());
        });
    }

    /** Names, casts, joins, views, cached tables: batches where they are, rows where they are not. */
    @Test
    void otherPlansAreThoseOfSqlToo() {
        Dataset<Row> rows = table("parquet");
        Column filter = PerhapsFunctions.filter(col("k"), "blocked", 0.01, ROWS);
        isThatOfSql(rows.select(col("l").as("k"), col("s")), filter, true);
        isThatOfSql(rows.select(col("i").cast("bigint").as("k")), filter, false);
        isThatOfSql(rows.select(col("st.y").as("k")), filter, false);
        isThatOfSql(rows, PerhapsFunctions.filter(col("l").plus(1), "blocked", 0.01, ROWS), false);
        isThatOfSql(rows.groupBy("ld").agg(sum("i").as("k")), filter, false);
        isThatOfSql(SPARK.range(100).toDF("k"), filter, false);
        isThatOfSql(SPARK.range(0).toDF("k"), filter, false);
        isThatOfSql(TestSession.strings(List.of(), 3).toDF("k"), filter, false);
        isThatOfSql(rows.limit(1000).select(col("l").as("k")), filter, false);
        isThatOfSql(rows.repartition(5).select(col("l").as("k")), filter, false);
        Dataset<Row> cached = rows.select(col("l").as("k")).cache();
        isThatOfSql(cached, filter, true);
        cached.unpersist();
        rows.write().partitionBy("ld").parquet(path("parts"));
        isThatOfSql(SPARK.read().parquet(path("parts")).select(col("ld").as("k")), filter, true);
    }

    /** The settings of a session reach its tasks. */
    @Test
    void otherReadersAreThoseOfSqlToo() {
        Column filter = PerhapsFunctions.filter(col("s"), "blocked", 0.01, ROWS);
        for (Map.Entry<String, Boolean> setting : Map.of(
                        "spark.sql.parquet.enableVectorizedReader=false", false,
                        "spark.sql.codegen.wholeStage=false", false,
                        "spark.sql.adaptive.enabled=false", true,
                        "spark.sql.columnVector.offheap.enabled=true", true,
                        "spark.sql.sources.useV1SourceList=", true)
                .entrySet()) {
            SparkSession session = SPARK.newSession();
            String[] sides = setting.getKey().split("=", -1);
            session.conf().set(sides[0], sides[1]);
            isThatOfSql(session.read().parquet(path("parquet")), filter, setting.getValue());
        }
    }

    @Test
    void refusesWhatSqlRefuses() {
        Dataset<Row> rows = table("parquet").withColumn("list", array(col("l")));
        for (Column call : List.of(
                PerhapsFunctions.filter(col("list")),
                PerhapsFunctions.filter(col("l"), "blocked", 1.5, 10),
                PerhapsFunctions.filter(col("l"), "bloomy", 0.1, 10),
                PerhapsFunctions.filter(col("l"), "blocked", 1e-9, 1L << 40), // a frame of more than 2 GiB
                PerhapsFunctions.filter(col("nothing")),
                call_function("perhaps_ranges", col("s")),
                call_function("perhaps_top", col("st")))) {
            Throwable inSql = catchThrowable(() -> rows.agg(call));
            assertThat(inSql).isNotNull();
            assertThatThrownBy(() -> ColumnarAggregate.of(rows, call))
                    .hasSameClassAs(inSql)
                    .hasMessage(inSql.getMessage());
        }
    }

    @Test
    void refusesWhatIsNotOneAggregateOfPerhaps() {
        Dataset<Row> rows = table("parquet");
        for (Column call : List.of(
                sum("l"),
                PerhapsFunctions.info(PerhapsFunctions.filter(col("l"))),
                expr("perhaps_filter(DISTINCT l)"),
                expr("perhaps_filter(l) FILTER (WHERE l > 0)"))) {
            assertThatThrownBy(() -> ColumnarAggregate.of(rows, call))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("one aggregate of Perhaps is needed, as perhaps_filter(customer),")
                    .hasMessageEndingWith(": use agg for others");
        }
        Dataset<Row> stream = SPARK.readStream().format("rate").load();
        assertThatThrownBy(() -> ColumnarAggregate.of(stream, PerhapsFunctions.filter(col("value"))))
                .hasMessageStartingWith("a stream has no end");
    }

    @Test
    void aFilterThatIsFullAndABrokenRowAreToldAsInSql() {
        Dataset<Row> rows = table("parquet");
        Column full = PerhapsFunctions.filter(col("l0"), "quotient", 0.01, 100);
        assertThatThrownBy(() -> ColumnarAggregate.of(rows, full).frame())
                .hasStackTraceContaining("the quotient filter is full: it was planned for 100 items");
        Dataset<Row> broken = rows.select(when(col("small").equalTo(77), raise_error(lit("broken row")))
                .otherwise(col("l"))
                .cast("bigint")
                .as("k"));
        assertThatThrownBy(() -> ColumnarAggregate.of(broken, PerhapsFunctions.filter(col("k")))
                        .frame())
                .hasStackTraceContaining("broken row");
    }

    @Test
    void storedFramesAreMerged() {
        Dataset<Row> frames = table("parquet")
                .groupBy("ld")
                .agg(PerhapsFunctions.filter(col("l"), "bloom", 0.01, ROWS).as("f"));
        frames.write().parquet(path("frames"));
        Column merge = PerhapsFunctions.merge(col("f"));
        isThatOfSql(SPARK.read().parquet(path("frames")), merge, true);
        assertThatThrownBy(() -> ColumnarAggregate.of(frames.limit(0), merge).frame())
                .hasMessage("there is no frame to merge: every value is null, or there are no rows");
    }
}
