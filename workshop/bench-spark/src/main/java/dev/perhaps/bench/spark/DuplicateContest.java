package dev.perhaps.bench.spark;

import static org.apache.spark.sql.functions.col;

import dev.perhaps.bench.BenchTable;
import dev.perhaps.similarity.Documents;
import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.duplicates.NearDuplicates;
import dev.perhaps.spark.NearDuplicateSearch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.ml.feature.HashingTF;
import org.apache.spark.ml.feature.MinHashLSH;
import org.apache.spark.ml.feature.NGram;
import org.apache.spark.ml.feature.RegexTokenizer;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** Near duplicates beside MLlib's MinHashLSH, and beside the library on one machine. */
final class DuplicateContest {
    private static final double THRESHOLD = 0.8;
    private static final int LSH_TABLES = 3;
    private static final String OURS = "NearDuplicateSearch";
    private static final String LSH = "MLlib's MinHashLSH";
    private static final String LIBRARY = "the library, one machine";

    private final BenchSession session;
    private final SparkBenchOptions options;
    private final StringBuilder out;

    DuplicateContest(BenchSession session, SparkBenchOptions options, StringBuilder out) {
        this.session = session;
        this.options = options;
        this.out = out;
    }

    static Object search(Dataset<Row> documents) {
        try (NearDuplicateSearch.Result found = NearDuplicateSearch.of(documents, "id", "text")
                .threshold(THRESHOLD)
                .run()) {
            return found.clusters().where("kept").count();
        }
    }

    /** One hash per table, as MLlib has it: nearly all pairs that share a shingle are compared. */
    private static Object lsh(Dataset<Row> documents) {
        Dataset<Row> letters = new RegexTokenizer()
                .setInputCol("text")
                .setOutputCol("letters")
                .setPattern(".")
                .setGaps(false)
                .setToLowercase(false)
                .transform(documents);
        Dataset<Row> shingles = new NGram()
                .setN(Shingles.DEFAULT_SIZE)
                .setInputCol("letters")
                .setOutputCol("shingles")
                .transform(letters);
        Dataset<Row> sets = new HashingTF()
                .setBinary(true)
                .setInputCol("shingles")
                .setOutputCol("set")
                .transform(shingles)
                .select("id", "set");
        long pairs = new MinHashLSH()
                .setNumHashTables(LSH_TABLES)
                .setSeed(1)
                .setInputCol("set")
                .setOutputCol("hashes")
                .fit(sets)
                .approxSimilarityJoin(sets, sets, 1 - THRESHOLD, "distance")
                .where(col("datasetA.id").lt(col("datasetB.id")))
                .count();
        return pairs >= 0 ? Contest.NO_RESULT : "none";
    }

    private static Object oneMachine(List<String> texts) {
        try {
            return (long)
                    NearDuplicates.atLeast(THRESHOLD).run(Documents.of(texts)).keptCount();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void play() {
        session.withoutFilter();
        GoalTable goals = new GoalTable();
        int few = options.lshDocuments();
        Dataset<Row> some = DocumentTexts.stored(session, few);
        Contest against = session.contest();
        against.enter(OURS, () -> {
            search(some);
            return Contest.NO_RESULT;
        });
        against.enter(LSH, () -> lsh(some));
        against.play("near duplicates of " + few, options.joinRounds(), 1);
        out.append("**Near duplicates among ")
                .append(Contest.cell(few, 0))
                .append(" generated documents of 2 KB, beside MLlib**\n\n");
        BenchTable table = new BenchTable("", "wall s", "CPU s", "CPU, times less");
        table.row(
                LSH,
                Contest.cell(against.quartiles(LSH, JobCost.By.WALL)),
                Contest.cell(against.median(LSH, JobCost.By.TASKS), 2),
                "");
        table.row(
                OURS,
                Contest.cell(against.quartiles(OURS, JobCost.By.WALL)),
                Contest.cell(against.median(OURS, JobCost.By.TASKS), 2),
                Contest.cell(against.timesLess(OURS, LSH, JobCost.By.TASKS)));
        out.append(table.markdown()).append('\n');
        goals.atLeast(
                Contest.cell(few, 0) + " documents: CPU of MLlib", against.timesLess(OURS, LSH, JobCost.By.TASKS), 50);

        out.append("**Near duplicates beside the library on one machine, two threads**\n\n");
        BenchTable sizes = new BenchTable(
                "documents", "wall s", "task CPU µs/document", "process CPU µs/document", "shuffled KB/document");
        for (int count : List.of(options.documents() / 10, options.documents())) {
            Dataset<Row> documents = DocumentTexts.stored(session, count);
            List<String> texts = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                texts.add(DocumentTexts.text(i));
            }
            Contest contest = session.contest();
            contest.enter(OURS, () -> search(documents));
            contest.enter(LIBRARY, () -> oneMachine(texts));
            contest.play("near duplicates of " + count, options.joinRounds(), 1);
            for (String name : List.of(LIBRARY, OURS)) {
                boolean isOurs = name.equals(OURS);
                sizes.row(
                        Contest.cell(count, 0) + ", " + name,
                        Contest.cell(contest.quartiles(name, JobCost.By.WALL)),
                        isOurs ? Contest.cell(contest.median(name, JobCost.By.TASKS) * 1e6 / count, 1) : "",
                        Contest.cell(contest.median(name, JobCost.By.PROCESS) * 1e6 / count, 1),
                        isOurs ? Contest.cell(contest.median(name, JobCost.By.SHUFFLED) / 1e3 / count, 2) : "");
            }
            goals.atMost(
                    Contest.cell(count, 0) + " documents: task CPU of one machine's CPU",
                    contest.share(OURS, JobCost.By.TASKS, LIBRARY, JobCost.By.PROCESS),
                    2.5);
            double bytes = contest.median(OURS, JobCost.By.SHUFFLED) / count;
            goals.atMost(Contest.cell(count, 0) + " documents: KB shuffled per document", bytes / 1e3, 3);
        }
        out.append(sizes.markdown()).append('\n').append(goals.markdown());
    }
}
