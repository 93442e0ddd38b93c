package dev.perhaps.bench.membership;

import dev.perhaps.bench.BenchProgress;
import dev.perhaps.bench.Entrant;
import dev.perhaps.bench.HostMachine;
import dev.perhaps.bench.Keys;
import dev.perhaps.bench.Options;
import dev.perhaps.bench.Report;
import dev.perhaps.bench.Results;
import dev.perhaps.bench.Rounds;
import dev.perhaps.io.Figures;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;

/** Is it in the set? Filters, ours and those of other libraries, from key to result. */
public final class MembershipBench {
    private static final int MEMORY_ITEMS = 10_000_000;
    private static final int WARM_UP_ITEMS = 50_000;
    private static final long SEED = 1;

    private final Options options;
    private final BenchProgress progress;
    private final Rounds rounds;
    private final Results results = new Results();
    private final Report report = new Report(results);
    private final MembershipTables tables = new MembershipTables(results, report);

    private MembershipBench(Options options, BenchProgress progress) {
        this.options = options;
        this.progress = progress;
        this.rounds = new Rounds(options.rounds(), SEED, options.clock(), progress);
    }

    public static Report run(Options options, BenchProgress progress) {
        return new MembershipBench(options, progress).run();
    }

    private Report run() {
        report.command(options.command());
        report.line(LocalDate.now(ZoneOffset.UTC) + "; " + HostMachine.describe() + "; " + options.rounds()
                + " rounds, " + options.clock());
        longs();
        strings();
        merging();
        memory();
        report.goals(MembershipGoals.of(options.keys()));
        progress.say("done");
        return report;
    }

    private void longs() {
        List<Entrant<long[]>> rows = wanted(MembershipRows.longs());
        if (!rows.isEmpty()) {
            FilterContest<long[]> contest =
                    new FilterContest<>("longs", rows, Keys.longs(options.keys(), Keys.ABSENTEES));
            contest.warmUp(Keys.longs(WARM_UP_ITEMS, WARM_UP_ITEMS), progress, results);
            contest.run(rounds, progress, results);
            report.heading(Figures.count(options.keys()) + " longs");
            tables.figures(rows);
            tables.ratios(rows, MembershipRows.GUAVA);
            tables.distance(rows, MembershipRows.REFERENCE);
        }
    }

    private void strings() {
        List<Entrant<String[]>> rows = wanted(MembershipRows.strings());
        if (!rows.isEmpty()) {
            Keys<String[]> keys = Keys.strings(options.keys(), Options.QUICK_KEYS);
            FilterContest<String[]> contest = new FilterContest<>("strings", rows, keys);
            contest.warmUp(Keys.strings(WARM_UP_ITEMS, WARM_UP_ITEMS), progress, results);
            contest.run(rounds, progress, results);
            report.heading(Figures.count(options.keys()) + " strings of 20 characters");
            tables.figures(rows);
            tables.ratios(rows, MembershipRows.GUAVA_STRINGS);
            tables.distance(rows, MembershipRows.STRING_REFERENCE);
        }
    }

    private void merging() {
        List<OwnRow> rows = wantedOwn(MembershipRows.merging());
        if (!rows.isEmpty() && options.keys() <= MembershipRows.LARGE) {
            MergeBench.measure(rows, options.keys(), rounds, results);
            report.heading("Merging two filters of " + Figures.count(options.keys() / 2) + " longs");
            tables.merging(rows);
        }
    }

    private void memory() {
        List<OwnRow> rows = wantedOwn(MembershipRows.ours());
        if (!rows.isEmpty()) {
            Memory.measure(rows, MEMORY_ITEMS, progress, results);
            report.heading("Memory of " + Figures.count(MEMORY_ITEMS) + " longs");
            tables.memory(rows);
        }
    }

    private <K> List<Entrant<K>> wanted(List<Entrant<K>> rows) {
        return rows.stream()
                .filter(row -> options.keys() <= row.mostItems() && options.wants(row.name()))
                .toList();
    }

    private List<OwnRow> wantedOwn(List<OwnRow> rows) {
        return rows.stream()
                .filter(row -> row.exists() && options.keys() <= row.mostItems() && options.wants(row.name()))
                .toList();
    }
}
