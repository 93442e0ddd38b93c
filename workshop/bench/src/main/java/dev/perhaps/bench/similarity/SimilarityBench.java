package dev.perhaps.bench.similarity;

import dev.perhaps.bench.BenchProgress;
import dev.perhaps.bench.BenchTable;
import dev.perhaps.bench.Fact;
import dev.perhaps.bench.HostMachine;
import dev.perhaps.bench.Measure;
import dev.perhaps.bench.Options;
import dev.perhaps.bench.Report;
import dev.perhaps.bench.Results;
import dev.perhaps.bench.Rounds;
import dev.perhaps.io.Figures;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;

/** How alike? Signatures of texts, ours and those of other libraries, from UTF-8 to signature. */
public final class SimilarityBench {
    private static final long SEED = 1;
    private static final int TEXT_BYTES = 10_000;

    private final Options options;
    private final BenchProgress progress;
    private final Rounds rounds;
    private final Results results = new Results();
    private final Report report = new Report(results);

    private SimilarityBench(Options options, BenchProgress progress) {
        this.options = options;
        this.progress = progress;
        this.rounds = new Rounds(options.rounds(), SEED, options.clock(), progress);
    }

    public static Report run(Options options, BenchProgress progress) {
        return new SimilarityBench(options, progress).run();
    }

    private Report run() {
        report.command(options.command());
        report.line(LocalDate.now(ZoneOffset.UTC) + "; " + HostMachine.describe() + "; " + options.rounds()
                + " rounds, " + options.clock());
        report.line("Texts of " + Figures.count(TEXT_BYTES) + " bytes, " + Figures.count(options.keys())
                + " in all, by their shingles of " + TextPairs.SHINGLE + " characters, one thread");
        progress.say("writing the texts");
        TextPairs source = new TextPairs(SEED);
        byte[][] texts = source.texts(TEXT_BYTES, options.keys());
        TextPairs.Pair[] pairs = source.pairs();
        contest("MinHash, k = " + SignRows.COMPONENTS, SignRows.minHashes(), SignRows.SUPER, texts, pairs);
        for (int bits : SignRows.angleBits()) {
            contest("SimHash, " + bits + " bits", SignRows.simHashes(bits), SignRows.fastSimHash(bits), texts, pairs);
        }
        report.goals(SimilarityGoals.all());
        progress.say("done");
        return report;
    }

    private void contest(String title, List<SignRow> all, String peer, byte[][] texts, TextPairs.Pair[] pairs) {
        List<SignRow> rows =
                all.stream().filter(row -> options.wants(row.name())).toList();
        if (!rows.isEmpty()) {
            new SignContest(title, rows).run(texts, pairs, rounds, progress, results);
            report.heading(title);
            signatures(rows, peer);
        }
    }

    /** Prints how fast each family signs texts, and the error of its estimates. */
    private void signatures(List<SignRow> rows, String peer) {
        BenchTable table = new BenchTable("", "MB/s", "error", "times as fast as " + peer);
        for (SignRow row : rows) {
            String name = row.name();
            table.row(
                    name,
                    report.megabytesPerSecond(name, Measure.SIGN),
                    report.fact(name, Fact.RMSE),
                    name.equals(peer) ? Report.NOTHING : report.ratio(name, Measure.SIGN, peer));
        }
        report.table(table);
        report.line("Speeds are medians; error: root mean square over " + TextPairs.COUNT
                + " pairs of texts, median of " + SignContest.SEEDS + " seeds.");
    }
}
