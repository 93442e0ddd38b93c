package dev.perhaps.bench;

import dev.perhaps.io.Figures;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;

/** Is it in the set? Filters, ours and the peers', from key to answer. */
final class MembershipBench {
    private static final int MEMORY_ITEMS = 10_000_000;
    private static final int WARM_UP_ITEMS = 50_000;
    private static final long SEED = 1;

    private final Options options;
    private final Progress progress;
    private final Rounds rounds;
    private final Results results = new Results();
    private final Report report = new Report(results);

    private MembershipBench(Options options, Progress progress) {
        this.options = options;
        this.progress = progress;
        this.rounds = new Rounds(options.rounds(), SEED, options.clock(), progress);
    }

    static Report run(Options options, Progress progress) {
        return new MembershipBench(options, progress).run();
    }

    private Report run() {
        report.command(options.command());
        report.line(LocalDate.now(ZoneOffset.UTC) + "; " + Machine.describe() + "; " + options.rounds() + " rounds, "
                + options.clock());
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
            Contest<long[]> contest = new Contest<>("longs", rows, Keys.longs(options.keys(), Keys.ABSENTEES));
            contest.warmUp(Keys.longs(WARM_UP_ITEMS, WARM_UP_ITEMS), progress);
            contest.run(rounds, progress, results);
            report.heading(Figures.count(options.keys()) + " longs");
            report.figures(rows);
            report.ratios(rows, MembershipRows.GUAVA);
            report.distance(rows, MembershipRows.REFERENCE);
        }
    }

    private void strings() {
        List<Entrant<String[]>> rows = wanted(MembershipRows.strings());
        if (!rows.isEmpty()) {
            Keys<String[]> keys = Keys.strings(options.keys(), Options.QUICK_KEYS);
            Contest<String[]> contest = new Contest<>("strings", rows, keys);
            contest.warmUp(Keys.strings(WARM_UP_ITEMS, WARM_UP_ITEMS), progress);
            contest.run(rounds, progress, results);
            report.heading(Figures.count(options.keys()) + " strings of 20 characters");
            report.figures(rows);
            report.ratios(rows, MembershipRows.GUAVA_STRINGS);
        }
    }

    private void merging() {
        List<Own> rows = wantedOwn(MembershipRows.merging());
        if (!rows.isEmpty() && options.keys() <= MembershipRows.LARGE) {
            Merging.measure(rows, options.keys(), rounds, results);
            report.heading("Merging two filters of " + Figures.count(options.keys() / 2) + " longs");
            report.merging(rows);
        }
    }

    private void memory() {
        List<Own> rows = wantedOwn(MembershipRows.ours());
        if (!rows.isEmpty()) {
            Memory.measure(rows, MEMORY_ITEMS, progress, results);
            report.heading("Memory of " + Figures.count(MEMORY_ITEMS) + " longs");
            report.memory(rows);
        }
    }

    private <K> List<Entrant<K>> wanted(List<Entrant<K>> rows) {
        return rows.stream()
                .filter(row -> options.keys() <= row.mostItems() && options.wants(row.name()))
                .toList();
    }

    private List<Own> wantedOwn(List<Own> rows) {
        return rows.stream()
                .filter(row -> row.exists() && options.keys() <= row.mostItems() && options.wants(row.name()))
                .toList();
    }
}
