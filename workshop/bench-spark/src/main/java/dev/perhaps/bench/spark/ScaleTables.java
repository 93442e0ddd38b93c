package dev.perhaps.bench.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;

import dev.perhaps.bench.BenchTable;
import dev.perhaps.spark.PerhapsFunctions;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Processor time and shuffled bytes per row and per document, at a hundredth, a tenth and all of the size that is asked
 * for.
 */
final class ScaleTables {
    private static final int MATCH_PERCENT = 1;

    private final BenchSession session;
    private final SparkBenchOptions options;
    private final StringBuilder out;
    private final BenchTable rowTable =
            new BenchTable("rows", "what", "wall s", "task CPU ns/row", "process CPU ns/row", "shuffled bytes/row");
    private final BenchTable documentTable = new BenchTable(
            "documents", "wall s", "task CPU µs/document", "process CPU µs/document", "shuffled bytes/document");

    ScaleTables(BenchSession session, SparkBenchOptions options, StringBuilder out) {
        this.session = session;
        this.options = options;
        this.out = out;
    }

    void play() {
        for (long rows : steps(options.joinRows())) {
            rows(rows);
        }
        out.append(
                        "**Rows.** The filter, blocked, has an item per 50 rows at 1 %; the join has a smaller side of a fiftieth"
                                + " and 1 % matches.\n\n")
                .append(rowTable.markdown())
                .append('\n');
        session.withoutFilter();
        for (long documents : steps(options.documents())) {
            documents(documents);
        }
        out.append("**Documents** of 2 KB, near duplicates at 0.8.\n\n")
                .append(documentTable.markdown())
                .append('\n');
    }

    private static List<Long> steps(long most) {
        return List.of(Math.max(1, most / 100), Math.max(1, most / 10), most);
    }

    private void rows(long rows) {
        long smallRows = rows / SparkBenchOptions.SMALLER;
        Dataset<Row> large = JoinContest.large(session, "large-" + rows, rows, List.of(MATCH_PERCENT));
        Dataset<Row> small = JoinContest.small(session, "small-" + rows, smallRows);
        Dataset<Row> keyed = JoinContest.keyed(large, MATCH_PERCENT);
        byte[] frame = (byte[]) small.agg(PerhapsFunctions.filter(col("k"), "blocked", 0.01, smallRows))
                .head()
                .get(0);
        session.withoutFilter();
        row(
                rows,
                "perhaps_filter",
                () -> keyed.agg(PerhapsFunctions.filter(col("b").mod(lit(smallRows)), "blocked", 0.01, smallRows))
                        .head()
                        .length());
        row(
                rows,
                "perhaps_count",
                () -> keyed.agg(PerhapsFunctions.count(col("k"), 1e-4, 0.99))
                        .head()
                        .length());
        row(
                rows,
                "perhaps_might_contain",
                () -> keyed.filter(PerhapsFunctions.mightContain(lit(frame), col("k")))
                        .count());
        row(rows, "join by rule", () -> JoinContest.byRule(session, keyed, small));
        row(rows, "plain join", () -> JoinContest.plainly(session, keyed, small));
        session.drop("large-" + rows);
        session.drop("small-" + rows);
    }

    private void row(long rows, String what, Supplier<Object> run) {
        session.progress().say(String.format(Locale.ROOT, "%s, %,d rows", what, rows));
        if (rows <= WARMED_UP) {
            Object unused = run.get();
        }
        JobCost cost = session.meter().measure(Long.MAX_VALUE, () -> {
            Object unused = run.get();
        });
        rowTable.row(
                Contest.cell(rows, 0),
                what,
                Contest.cell(cost.wallSeconds(), 2),
                Contest.cell(cost.taskSeconds() * 1e9 / rows, 1),
                Contest.cell(cost.processSeconds() * 1e9 / rows, 1),
                Contest.cell((double) cost.shuffledBytes() / rows, 2));
    }

    /** Larger runs warm up by themselves. */
    private static final long WARMED_UP = 1_000_000;

    private void documents(long count) {
        Dataset<Row> documents = DocumentTexts.stored(session, count);
        session.progress().say(String.format(Locale.ROOT, "near duplicates of %,d documents", count));
        if (count <= 10_000) {
            Object unused = DuplicateContest.search(documents);
        }
        JobCost cost = session.meter().measure(Long.MAX_VALUE, () -> {
            Object unused = DuplicateContest.search(documents);
        });
        documentTable.row(
                Contest.cell(count, 0),
                Contest.cell(cost.wallSeconds(), 2),
                Contest.cell(cost.taskSeconds() * 1e6 / count, 1),
                Contest.cell(cost.processSeconds() * 1e6 / count, 1),
                Contest.cell((double) cost.shuffledBytes() / count, 0));
        session.drop("documents-" + count);
    }
}
