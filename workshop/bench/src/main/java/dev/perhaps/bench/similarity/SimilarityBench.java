package dev.perhaps.bench.similarity;

import dev.perhaps.bench.BenchProgress;
import dev.perhaps.bench.HostMachine;
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
            report.signatures(rows, peer);
        }
    }
}
