package dev.perhaps.bench.spark;

import static org.apache.spark.sql.functions.call_function;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.lpad;
import static org.apache.spark.sql.functions.pmod;
import static org.apache.spark.sql.functions.xxhash64;

import dev.perhaps.Perhaps;
import dev.perhaps.bench.BenchTable;
import dev.perhaps.key.Key;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.spark.ColumnarAggregate;
import dev.perhaps.spark.PerhapsFunctions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.util.sketch.BloomFilter;

/** Aggregates and lookups over a column of numbers and one of strings of 20 characters, in Parquet. */
final class SketchContests {
    /** Spark's own filters hold no more at their planned rate. */
    private static final long MOST_ITEMS = 4_000_000;

    private static final double FALSE_POSITIVES = 0.01;
    private static final int PARTITIONS = 8;
    private static final int ABSENT = 1_000_000;
    private static final double STANDARD_ERROR = 0.016;
    private static final int TOP = 100;

    private final BenchSession session;
    private final SparkBenchOptions options;
    private final long items;
    private final StringBuilder out;

    SketchContests(BenchSession session, SparkBenchOptions options, StringBuilder out) {
        this.session = session;
        this.options = options;
        this.items = Math.min(MOST_ITEMS, options.rows());
        this.out = out;
    }

    private Dataset<Row> rows() {
        Column item = pmod(xxhash64(col("id")), lit(items));
        return session.stored(
                "rows",
                session.spark()
                        .range(0, options.rows(), 1, PARTITIONS)
                        .select(
                                item.multiply(lit(0x9E3779B1L)).as("k"),
                                concat(lit("user-"), lpad(item.cast("string"), 15, "0"))
                                        .as("s")));
    }

    private static Column filter(String column, String kind, long items) {
        return PerhapsFunctions.filter(col(column), kind, FALSE_POSITIVES, items);
    }

    private static Object head(Dataset<Row> rows, Column aggregate) {
        Row row = rows.agg(aggregate).head();
        return row.isNullAt(0) ? "null" : Contest.NO_RESULT;
    }

    /** The same from column batches. */
    private static Object byColumns(Dataset<Row> rows, Column aggregate) {
        return ColumnarAggregate.of(rows, aggregate).frame().length > 0 ? Contest.NO_RESULT : "empty";
    }

    void filters() {
        Dataset<Row> rows = rows();
        Contest contest = session.contest();
        contest.enter("Spark's stat.bloomFilter", () -> {
            return rows.stat().bloomFilter("k", items, FALSE_POSITIVES).bitSize() > 0 ? Contest.NO_RESULT : "empty";
        });
        contest.enter("perhaps_filter, blocked", () -> head(rows, filter("k", "blocked", items)));
        contest.enter("perhaps_filter, bloom", () -> head(rows, filter("k", "bloom", items)));
        contest.enter("blocked, by columns", () -> byColumns(rows, filter("k", "blocked", items)));
        contest.enter("perhaps_filter without items", () -> head(rows, PerhapsFunctions.filter(col("k"))));
        contest.enter("strings: Spark's stat.bloomFilter", () -> {
            return rows.stat().bloomFilter("s", items, FALSE_POSITIVES).bitSize() > 0 ? Contest.NO_RESULT : "empty";
        });
        contest.enter("strings: perhaps_filter, blocked", () -> head(rows, filter("s", "blocked", items)));
        contest.enter("strings: blocked, by columns", () -> byColumns(rows, filter("s", "blocked", items)));
        contest.play("filter aggregates", options.rounds(), 1);
        heading("Filters: " + Contest.cell(items, 0) + " items at 1 %, built from " + counted() + " rows");
        BenchTable table = new BenchTable("", "wall s", "CPU ns/row", "shuffled MB", "CPU, times less than Spark");
        String spark = "Spark's stat.bloomFilter";
        String strings = "strings: Spark's stat.bloomFilter";
        row(table, contest, spark, spark);
        row(table, contest, "perhaps_filter, blocked", spark);
        row(table, contest, "blocked, by columns", spark);
        row(table, contest, "perhaps_filter, bloom", spark);
        row(table, contest, "perhaps_filter without items", spark);
        row(table, contest, strings, strings);
        row(table, contest, "strings: perhaps_filter, blocked", strings);
        row(table, contest, "strings: blocked, by columns", strings);
        out.append(table.markdown()).append('\n');
        GoalTable goals = new GoalTable();
        goals.atLeast("filter by SQL", contest.timesLess("perhaps_filter, blocked", spark, JobCost.By.TASKS), 1.8);
        goals.atLeast("filter by columns", contest.timesLess("blocked, by columns", spark, JobCost.By.TASKS), 3);
        goals.atLeast(
                "filter of strings by SQL",
                contest.timesLess("strings: perhaps_filter, blocked", strings, JobCost.By.TASKS),
                1.5);
        out.append(goals.markdown());
        errors();
    }

    /** Spark's filter has at most 8 MiB, whatever it was planned for. */
    private void errors() {
        heading("False positives of filters planned for 1 %");
        BenchTable table = new BenchTable("items", "Spark's stat.bloomFilter", "perhaps_filter, bloom");
        for (long many : List.of(items, options.rows(), 2 * options.rows())) {
            session.progress().say(Contest.cell(many, 0) + " items");
            Dataset<Row> ids = session.spark().range(0, many, 1, PARTITIONS).toDF("k");
            BloomFilter theirs = ids.stat().bloomFilter("k", many, FALSE_POSITIVES);
            HashFilter<Long> ours = opened(frame(ids, filter("k", "bloom", many)));
            table.row(Contest.cell(many, 0), share(many, theirs::mightContainLong), share(many, ours::mightContain));
        }
        out.append(table.markdown()).append('\n');
    }

    private static HashFilter<Long> opened(byte[] frame) {
        try {
            return Perhaps.filterFromBytes(frame, Key.longs());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The share of absent numbers that are found. */
    private static String share(long items, LongPredicate filter) {
        long found = LongStream.range(items, items + ABSENT).filter(filter).count();
        return Contest.cell(100.0 * found / ABSENT, 2) + " %";
    }

    void counts() {
        Dataset<Row> rows = rows();
        Contest contest = session.contest();
        contest.enter(
                "Spark's count_min_sketch",
                () -> head(rows, call_function("count_min_sketch", col("k"), lit(1e-4), lit(0.99), lit(42))));
        contest.enter("perhaps_count", () -> head(rows, PerhapsFunctions.count(col("k"), 1e-4, 0.99)));
        contest.enter("count, by columns", () -> byColumns(rows, PerhapsFunctions.count(col("k"), 1e-4, 0.99)));
        contest.enter("Spark's hll_sketch_agg", () -> head(rows, call_function("hll_sketch_agg", col("k"), lit(12))));
        contest.enter("perhaps_distinct", () -> head(rows, PerhapsFunctions.distinct(col("k"), STANDARD_ERROR)));
        boolean hasTop = hasApproxTopK();
        if (hasTop) {
            contest.enter(
                    "Spark's approx_top_k",
                    () -> head(rows, call_function("approx_top_k", col("k"), lit(100), lit(10_000))));
        }
        contest.enter("perhaps_top", () -> head(rows, PerhapsFunctions.top(col("k"), TOP)));
        contest.play("counts", options.rounds(), 1);
        heading("Counts of " + counted() + " rows: error 0.0001 with 99 %; distinct 1.6 %; the top 100");
        BenchTable table = new BenchTable("", "wall s", "CPU ns/row", "shuffled MB", "CPU, times less than Spark");
        row(table, contest, "Spark's count_min_sketch", "Spark's count_min_sketch");
        row(table, contest, "perhaps_count", "Spark's count_min_sketch");
        row(table, contest, "count, by columns", "Spark's count_min_sketch");
        row(table, contest, "Spark's hll_sketch_agg", "Spark's hll_sketch_agg");
        row(table, contest, "perhaps_distinct", "Spark's hll_sketch_agg");
        if (hasTop) {
            row(table, contest, "Spark's approx_top_k", "Spark's approx_top_k");
            row(table, contest, "perhaps_top", "Spark's approx_top_k");
        } else {
            row(table, contest, "perhaps_top", "perhaps_top");
        }
        out.append(table.markdown()).append('\n');
        if (!hasTop) {
            out.append("approx_top_k comes with Spark 4.1; this is ")
                    .append(session.spark().version())
                    .append(", so perhaps_top has no contender.\n\n");
        }
        GoalTable goals = new GoalTable();
        goals.atLeast(
                "Count-Min by SQL",
                contest.timesLess("perhaps_count", "Spark's count_min_sketch", JobCost.By.TASKS),
                1.15);
        goals.atLeast(
                "Count-Min by columns",
                contest.timesLess("count, by columns", "Spark's count_min_sketch", JobCost.By.TASKS),
                2);
        goals.atMost("distinct", contest.share("perhaps_distinct", "Spark's hll_sketch_agg", JobCost.By.TASKS), 1);
        if (hasTop) {
            goals.atMost("top", contest.share("perhaps_top", "Spark's approx_top_k", JobCost.By.TASKS), 1);
        }
        accuracy(rows, goals);
        out.append(goals.markdown());
    }

    /** How far the estimates are off: distinct numbers, and the most frequent of skewed ones. */
    private void accuracy(Dataset<Row> rows, GoalTable goals) {
        session.progress().say("exact counts to compare with");
        long exact = rows.select("k").distinct().count();
        Row distinct = rows.agg(
                        call_function("hll_sketch_estimate", call_function("hll_sketch_agg", col("k"), lit(12))),
                        PerhapsFunctions.distinctEstimate(PerhapsFunctions.distinct(col("k"), STANDARD_ERROR))
                                .getField("estimate"))
                .head();
        double theirs = 100 * Math.abs((double) distinct.getLong(0) / exact - 1);
        double ours = 100 * Math.abs(((Number) distinct.get(1)).doubleValue() / exact - 1);

        // The number v in about 1/v of the rows.
        Column share = pmod(xxhash64(col("k")), lit(1_000_003)).divide(lit(1_000_003));
        Dataset<Row> numbers = rows.select(
                functions.pow(lit((double) items), share).cast("bigint").as("k"));
        Map<String, Long> counts = new HashMap<>();
        List<Row> most = numbers.groupBy("k")
                .count()
                .orderBy(col("count").desc(), col("k"))
                .limit(2 * TOP)
                .collectAsList();
        most.forEach(row -> counts.put(String.valueOf(row.get(0)), row.getLong(1)));
        long last = most.get(Math.min(TOP, most.size()) - 1).getLong(1);
        long found = 0;
        long wrong = 0;
        for (Row top : topRows(numbers)) {
            Long count = counts.get(top.getString(0));
            found += count != null && count >= last ? 1 : 0;
            wrong += count != null && (top.getLong(1) > count || top.getLong(2) < count) ? 1 : 0;
        }
        heading("Accuracy over " + counted() + " rows");
        BenchTable table = new BenchTable("", "Spark", "Perhaps");
        table.row(
                "distinct: error of the estimate of " + Contest.cell(exact, 0),
                Contest.cell(theirs, 2) + " %",
                Contest.cell(ours, 2) + " %");
        table.row("top 100 of skewed numbers: found", "", Contest.cell(found, 0));
        table.row("top 100 of skewed numbers: bounds that do not hold", "", Contest.cell(wrong, 0));
        out.append(table.markdown()).append('\n');
        goals.atMost("distinct: error, in standard errors", ours / 100 / STANDARD_ERROR, 3);
        goals.atMost("top: bounds that do not hold", wrong, 0);
    }

    private static List<Row> topRows(Dataset<Row> numbers) {
        return numbers.agg(PerhapsFunctions.top(col("k"), TOP).as("top"))
                .select(functions
                        .explode(PerhapsFunctions.topValues(col("top")))
                        .as("top"))
                .select("top.value", "top.at_least", "top.at_most")
                .collectAsList();
    }

    private boolean hasApproxTopK() {
        return session.spark().catalog().functionExists("approx_top_k");
    }

    /** One row in a hundred is in the filter, which is planned and filled for as many items as Spark's can hold. */
    void lookups() {
        long known = items;
        Column present = pmod(xxhash64(col("id")), lit(100)).equalTo(0);
        Column item = org.apache
                .spark
                .sql
                .functions
                .when(present, pmod(xxhash64(col("id"), lit(1)), lit(known)))
                .otherwise(col("id").plus(known));
        Dataset<Row> rows = session.stored(
                "lookups",
                session.spark()
                        .range(0, options.rows(), 1, PARTITIONS)
                        .select(
                                item.as("k"),
                                concat(lit("user-"), lpad(item.cast("string"), 15, "0"))
                                        .as("s")));
        Dataset<Row> all = session.spark()
                .range(0, known, 1, PARTITIONS)
                .select(
                        col("id").as("k"),
                        concat(lit("user-"), lpad(col("id").cast("string"), 15, "0"))
                                .as("s"));
        session.progress().say("building the filters to look up in");
        byte[] sparkLongs = sparkFilter(all.select(xxhash64(col("k")).as("k")));
        byte[] sparkStrings = sparkFilter(all.select(xxhash64(col("s")).as("k")));
        byte[] blockedLongs = frame(all, filter("k", "blocked", known));
        byte[] bloomLongs = frame(all, filter("k", "bloom", known));
        byte[] blockedStrings = frame(all, filter("s", "blocked", known));
        Contest contest = session.contest();
        contest.enter(
                "Spark's might_contain",
                () -> matches(rows, call_function("might_contain", lit(sparkLongs), xxhash64(col("k")))));
        contest.enter(
                "perhaps_might_contain, blocked",
                () -> matches(rows, PerhapsFunctions.mightContain(lit(blockedLongs), col("k"))));
        contest.enter(
                "perhaps_might_contain, bloom",
                () -> matches(rows, PerhapsFunctions.mightContain(lit(bloomLongs), col("k"))));
        contest.enter(
                "strings: Spark's might_contain",
                () -> matches(rows, call_function("might_contain", lit(sparkStrings), xxhash64(col("s")))));
        contest.enter(
                "strings: perhaps_might_contain, blocked",
                () -> matches(rows, PerhapsFunctions.mightContain(lit(blockedStrings), col("s"))));
        contest.play("lookups", options.rounds(), 1);
        heading("Lookups of " + counted() + " rows, 1 % of them in a filter of " + Contest.cell(known, 0)
                + " items at 1 %");
        BenchTable table = new BenchTable("", "wall s", "CPU ns/row", "shuffled MB", "CPU, times less than Spark");
        String spark = "Spark's might_contain";
        String strings = "strings: Spark's might_contain";
        row(table, contest, spark, spark);
        row(table, contest, "perhaps_might_contain, blocked", spark);
        row(table, contest, "perhaps_might_contain, bloom", spark);
        row(table, contest, strings, strings);
        row(table, contest, "strings: perhaps_might_contain, blocked", strings);
        out.append(table.markdown()).append('\n');
        GoalTable goals = new GoalTable();
        goals.atMost("lookup", contest.share("perhaps_might_contain, blocked", spark, JobCost.By.TASKS), 0.6);
        goals.atMost(
                "lookup of strings",
                contest.share("strings: perhaps_might_contain, blocked", strings, JobCost.By.TASKS),
                0.7);
        out.append(goals.markdown());
    }

    private byte[] sparkFilter(Dataset<Row> hashes) {
        BloomFilter filter = hashes.stat().bloomFilter("k", items, FALSE_POSITIVES);
        try (ByteArrayOutputStream bytes = new ByteArrayOutputStream()) {
            filter.writeTo(bytes);
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] frame(Dataset<Row> rows, Column aggregate) {
        return (byte[]) rows.agg(aggregate).head().get(0);
    }

    private static Object matches(Dataset<Row> rows, Column condition) {
        rows.filter(condition).count();
        return Contest.NO_RESULT; // each filter has false positives of its own
    }

    private void row(BenchTable table, Contest contest, String name, String peer) {
        table.row(
                name,
                Contest.cell(contest.quartiles(name, JobCost.By.WALL)),
                Contest.cell(contest.median(name, JobCost.By.TASKS) * 1e9 / options.rows(), 1),
                Contest.cell(contest.median(name, JobCost.By.SHUFFLED) / 1e6, 1),
                name.equals(peer) ? "" : Contest.cell(contest.timesLess(name, peer, JobCost.By.TASKS)));
    }

    private String counted() {
        return Contest.cell(options.rows(), 0);
    }

    private void heading(String words) {
        out.append("**").append(words).append("**\n\n");
    }
}
