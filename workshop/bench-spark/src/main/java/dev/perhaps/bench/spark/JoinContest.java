package dev.perhaps.bench.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.length;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.lpad;
import static org.apache.spark.sql.functions.pmod;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.when;
import static org.apache.spark.sql.functions.xxhash64;

import dev.perhaps.bench.BenchTable;
import dev.perhaps.spark.BloomJoin;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Inner joins of a large table and one with a fiftieth of its rows, both in Parquet and both too large to broadcast.
 * The large one has a key column per match rate, and four columns of values. Keys that are strings, and two small
 * tables in one query, are measured with a fifth of the rows.
 */
final class JoinContest {
    private static final String PLAIN = "plain sort-merge";
    private static final String DEFAULTS = "Spark's defaults";
    private static final String SPARK = "Spark's runtime filter";
    private static final String ANALYZED = "Spark's runtime filter, ANALYZE";
    private static final String RULE = "ours, by rule";
    private static final String CALL = "ours, by call";
    private static final int PARTITIONS = 16;
    private static final int FEWER = 5;

    private final BenchSession session;
    private final SparkBenchOptions options;
    private final StringBuilder out;
    private final GoalTable goals = new GoalTable();

    /** Warms up once: the code is the same for all rates. */
    private int warmUps = 1;

    JoinContest(BenchSession session, SparkBenchOptions options, StringBuilder out) {
        this.session = session;
        this.options = options;
        this.out = out;
    }

    static Dataset<Row> large(BenchSession session, String name, long rows, List<Integer> percents) {
        long smallRows = rows / SparkBenchOptions.SMALLER;
        List<Column> columns = new ArrayList<>();
        for (int percent : percents) {
            columns.add(key(percent, smallRows).as("k" + percent));
        }
        return stored(session, name, rows, columns);
    }

    /** A number below {@code smallRows} in this percentage of the rows, otherwise another one. */
    private static Column key(int percent, long smallRows) {
        Column partner = pmod(xxhash64(col("id"), lit(percent)), lit(smallRows));
        return when(pmod(xxhash64(col("id"), lit(1000 + percent)), lit(100)).lt(percent), partner)
                .otherwise(col("id").plus(smallRows));
    }

    private static Dataset<Row> stored(BenchSession session, String name, long rows, List<Column> keys) {
        List<Column> columns = new ArrayList<>(keys);
        columns.add(xxhash64(col("id"), lit(7)).as("a"));
        columns.add(col("id").as("b"));
        columns.add(pmod(col("id"), lit(1000)).cast("int").as("c"));
        columns.add(col("id").cast("double").as("d"));
        return session.stored(
                name, session.spark().range(0, rows, 1, PARTITIONS).select(columns.toArray(new Column[0])));
    }

    static Dataset<Row> small(BenchSession session, String name, long rows) {
        return selective(session.stored(name, partners(session, rows, col("id"))));
    }

    private static Dataset<Row> partners(BenchSession session, long rows, Column key) {
        return session.spark()
                .range(0, rows, 1, PARTITIONS / 4)
                .select(key.as("k"), padded("customer-", col("id"), 31).as("name"), lit(1).as("flag"));
    }

    /** Spark puts its own filter only where a predicate looks as if it were selective. */
    private static Dataset<Row> selective(Dataset<Row> small) {
        return small.where("flag = 1");
    }

    private static Column padded(String prefix, Column number, int digits) {
        return concat(lit(prefix), lpad(number.cast("string"), digits, "0"));
    }

    static Dataset<Row> keyed(Dataset<Row> large, int percent) {
        return large.select(col("k" + percent).as("k"), col("a"), col("b"), col("c"), col("d"));
    }

    private static Object summed(Dataset<Row> joined) {
        return Contest.values(joined.agg(
                        count(lit(1)),
                        sum(col("a").bitwiseAND(lit(0xFFFF))),
                        sum("b"),
                        sum("c"),
                        sum(col("d").cast("long")),
                        sum(length(col("name"))))
                .head());
    }

    static Object byRule(BenchSession session, Dataset<Row> large, Dataset<Row> small) {
        session.withOurRule();
        return summed(large.join(small, "k"));
    }

    static Object plainly(BenchSession session, Dataset<Row> large, Dataset<Row> small) {
        session.withoutFilter();
        return summed(large.join(small, "k"));
    }

    void play() {
        long rows = options.joinRows();
        long smallRows = rows / SparkBenchOptions.SMALLER;
        Dataset<Row> large = large(session, "large", rows, options.matchPercents());
        Dataset<Row> small = small(session, "small", smallRows);
        Dataset<Row> analyzed = selective(session.analyzed("small"));
        BenchTable table = table("match, join", rows, "");
        for (int percent : options.matchPercents()) {
            Dataset<Row> left = keyed(large, percent);
            Contest contest = contest(left, small, smallRows);
            contest.enter(DEFAULTS, () -> {
                session.withDefaults();
                return summed(left.join(small, "k"));
            });
            contest.enter(ANALYZED, () -> {
                session.withForcedFilterAndStatistics();
                return summed(left.join(analyzed, "k"));
            });
            play(contest, percent + " % match");
            rows(table, contest, percent + " %", List.of(PLAIN, DEFAULTS, SPARK, ANALYZED, RULE, CALL));
            goals(contest, percent);
        }
        out.append(table.markdown()).append('\n');
        session.drop("large");
        others(rows / FEWER);
        out.append(goals.markdown());
    }

    private void others(long rows) {
        long smallRows = rows / SparkBenchOptions.SMALLER;
        Dataset<Row> large = stored(
                session,
                "large-others",
                rows,
                List.of(
                        key(1, smallRows).as("k1"),
                        key(10, smallRows).as("k10"),
                        padded("user-", key(1, smallRows), 15).as("ks")));
        Dataset<Row> small = small(session, "small-others", smallRows);
        Dataset<Row> strings = selective(
                session.stored("small-strings", partners(session, smallRows, padded("user-", col("id"), 15))));
        BenchTable table = table("1 % match, join", rows, ", keys of 20 characters, and two small tables in one query");
        Dataset<Row> left = large.select(col("ks").as("k"), col("a"), col("b"), col("c"), col("d"));
        Contest byStrings = contest(left, strings, smallRows);
        play(byStrings, "strings");
        rows(table, byStrings, "strings", List.of(PLAIN, SPARK, RULE, CALL));

        Dataset<Row> twice = large.select(col("k1").as("k"), col("k10"), col("a"), col("b"), col("c"), col("d"));
        Dataset<Row> second = small.select(col("k").as("k10"), col("name").as("name10"));
        Contest star = session.contest();
        star.largeRows(2 * smallRows);
        star.enter(PLAIN, () -> {
            session.withoutFilter();
            return summed(twice.join(small, "k").join(second, "k10"));
        });
        star.enter(SPARK, () -> {
            session.withForcedFilter();
            return summed(twice.join(small, "k").join(second, "k10"));
        });
        star.enter(RULE, () -> {
            session.withOurRule();
            return summed(twice.join(small, "k").join(second, "k10"));
        });
        star.enter(CALL, () -> {
            session.withoutFilter();
            Dataset<Row> once = BloomJoin.of(twice, small, "k").run().rows();
            return summed(BloomJoin.of(once, second, "k10").run().rows());
        });
        play(star, "two small tables, 1 and 10 % match");
        rows(table, star, "two small tables", List.of(PLAIN, SPARK, RULE, CALL));
        out.append(table.markdown()).append('\n');
    }

    private Contest contest(Dataset<Row> left, Dataset<Row> small, long smallRows) {
        Contest contest = session.contest();
        contest.largeRows(2 * smallRows);
        contest.enter(PLAIN, () -> plainly(session, left, small));
        contest.enter(SPARK, () -> {
            session.withForcedFilter();
            return summed(left.join(small, "k"));
        });
        contest.enter(RULE, () -> byRule(session, left, small));
        contest.enter(CALL, () -> {
            session.withoutFilter();
            return summed(BloomJoin.of(left, small, "k").run().rows());
        });
        return contest;
    }

    private void play(Contest contest, String what) {
        contest.play("join, " + what, options.joinRounds(), warmUps);
        warmUps = 0;
    }

    private BenchTable table(String first, long rows, String what) {
        long smallRows = rows / SparkBenchOptions.SMALLER;
        out.append("**Join of ")
                .append(Contest.cell(rows, 0))
                .append(" × ")
                .append(Contest.cell(smallRows, 0))
                .append(" rows")
                .append(what)
                .append("**\n\n");
        return new BenchTable(
                first, "wall s", "CPU s", "shuffled MB", "of the large side MB", "CPU, times less than plain");
    }

    private static void rows(BenchTable table, Contest contest, String what, List<String> names) {
        for (String name : names) {
            table.row(
                    what + ", " + name,
                    Contest.cell(contest.quartiles(name, JobCost.By.WALL)),
                    Contest.cell(contest.median(name, JobCost.By.TASKS), 2),
                    Contest.cell(contest.median(name, JobCost.By.SHUFFLED) / 1e6, 1),
                    Contest.cell(contest.median(name, JobCost.By.LARGE_SIDE) / 1e6, 1),
                    name.equals(PLAIN) ? "" : Contest.cell(contest.timesLess(name, PLAIN, JobCost.By.TASKS)));
        }
    }

    private void goals(Contest contest, int percent) {
        if (percent == 1) {
            for (String ours : List.of(RULE, CALL)) {
                String what = "1 % match, " + ours.substring("ours, ".length()) + ": ";
                goals.atLeast(what + "CPU of plain", contest.timesLess(ours, PLAIN, JobCost.By.TASKS), 2.5);
                goals.atLeast(what + "CPU of Spark's filter", contest.timesLess(ours, SPARK, JobCost.By.TASKS), 1.3);
                goals.atLeast(
                        what + "CPU of Spark's filter with statistics",
                        contest.timesLess(ours, ANALYZED, JobCost.By.TASKS),
                        1);
                goals.atLeast(
                        what + "bytes of the large side", contest.timesLess(ours, PLAIN, JobCost.By.LARGE_SIDE), 40);
                goals.atLeast(what + "all bytes", contest.timesLess(ours, PLAIN, JobCost.By.SHUFFLED), 8);
            }
        }
        if (percent == 100) {
            goals.atMost("100 % match, by call: CPU of plain", contest.share(CALL, PLAIN, JobCost.By.TASKS), 1.03);
            goals.atMost("100 % match, by rule: CPU of plain", contest.share(RULE, PLAIN, JobCost.By.TASKS), 1.08);
        }
    }
}
