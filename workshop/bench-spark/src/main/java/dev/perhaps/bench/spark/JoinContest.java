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
 * An inner join of a large table and one with a fiftieth of its rows, both in Parquet and both too large to broadcast. The
 * large one has a key column per match rate, and four columns of values.
 */
final class JoinContest {
    static final List<Integer> MATCH_PERCENTS = List.of(1, 10, 50, 100);

    private static final String PLAIN = "plain sort-merge";
    private static final String SPARK = "Spark's runtime filter";
    private static final String RULE = "ours, by rule";
    private static final String CALL = "ours, by call";
    private static final int PARTITIONS = 16;

    private final BenchSession session;
    private final SparkBenchOptions options;
    private final StringBuilder out;

    JoinContest(BenchSession session, SparkBenchOptions options, StringBuilder out) {
        this.session = session;
        this.options = options;
        this.out = out;
    }

    static Dataset<Row> large(BenchSession session, String name, long rows, List<Integer> percents) {
        long smallRows = rows / SparkBenchOptions.SMALLER;
        List<Column> columns = new ArrayList<>();
        for (int percent : percents) {
            Column partner = pmod(xxhash64(col("id"), lit(percent)), lit(smallRows));
            columns.add(when(
                            pmod(xxhash64(col("id"), lit(1000 + percent)), lit(100))
                                    .lt(percent),
                            partner)
                    .otherwise(col("id").plus(smallRows))
                    .as("k" + percent));
        }
        columns.add(xxhash64(col("id"), lit(7)).as("a"));
        columns.add(col("id").as("b"));
        columns.add(pmod(col("id"), lit(1000)).cast("int").as("c"));
        columns.add(col("id").cast("double").as("d"));
        return session.stored(
                name, session.spark().range(0, rows, 1, PARTITIONS).select(columns.toArray(new Column[0])));
    }

    static Dataset<Row> small(BenchSession session, String name, long rows) {
        return session.stored(
                        name,
                        session.spark()
                                .range(0, rows, 1, PARTITIONS / 4)
                                .select(
                                        col("id").as("k"),
                                        concat(lit("customer-"), lpad(col("id").cast("string"), 31, "x"))
                                                .as("name"),
                                        lit(1).as("flag")))
                // Spark puts its own filter only where a predicate looks as if it were selective.
                .where("flag = 1");
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
        Dataset<Row> large = large(session, "large", rows, MATCH_PERCENTS);
        Dataset<Row> small = small(session, "small", smallRows);
        GoalTable goals = new GoalTable();
        out.append("**Join of ")
                .append(Contest.cell(rows, 0))
                .append(" × ")
                .append(Contest.cell(smallRows, 0))
                .append(" rows**\n\n");
        BenchTable table = new BenchTable(
                "match, join", "wall s", "CPU s", "shuffled MB", "of the large side MB", "CPU, times less than plain");
        int warmUps = 1;
        for (int percent : MATCH_PERCENTS) {
            Dataset<Row> left = keyed(large, percent);
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
            contest.play("join, " + percent + " % match", options.joinRounds(), warmUps);
            warmUps = 0; // the code is the same for all rates
            for (String name : List.of(PLAIN, SPARK, RULE, CALL)) {
                table.row(
                        percent + " %, " + name,
                        Contest.cell(contest.median(name, JobCost.By.WALL), 2),
                        Contest.cell(contest.median(name, JobCost.By.TASKS), 2),
                        Contest.cell(contest.median(name, JobCost.By.SHUFFLED) / 1e6, 1),
                        Contest.cell(contest.median(name, JobCost.By.LARGE_SIDE) / 1e6, 1),
                        name.equals(PLAIN) ? "" : Contest.cell(contest.timesLess(name, PLAIN, JobCost.By.TASKS)));
            }
            if (percent == 1) {
                for (String ours : List.of(RULE, CALL)) {
                    String what = "1 % match, " + ours.substring("ours, ".length()) + ": ";
                    goals.atLeast(what + "CPU of plain", contest.timesLess(ours, PLAIN, JobCost.By.TASKS), 2.5);
                    goals.atLeast(
                            what + "CPU of Spark's filter", contest.timesLess(ours, SPARK, JobCost.By.TASKS), 1.3);
                    goals.atLeast(
                            what + "bytes of the large side",
                            contest.timesLess(ours, PLAIN, JobCost.By.LARGE_SIDE),
                            40);
                    goals.atLeast(what + "all bytes", contest.timesLess(ours, PLAIN, JobCost.By.SHUFFLED), 8);
                }
            }
            if (percent == 100) {
                goals.atMost("100 % match, by call: CPU of plain", contest.share(CALL, PLAIN, JobCost.By.TASKS), 1.03);
                goals.atMost("100 % match, by rule: CPU of plain", contest.share(RULE, PLAIN, JobCost.By.TASKS), 1.08);
            }
        }
        out.append(table.markdown()).append('\n').append(goals.markdown());
    }
}
