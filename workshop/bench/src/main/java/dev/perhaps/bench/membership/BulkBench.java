package dev.perhaps.bench.membership;

import dev.perhaps.bench.BenchProgress;
import dev.perhaps.bench.BenchTable;
import dev.perhaps.bench.Contender;
import dev.perhaps.bench.Entrant;
import dev.perhaps.bench.Fact;
import dev.perhaps.bench.HostMachine;
import dev.perhaps.bench.Keys;
import dev.perhaps.bench.Measure;
import dev.perhaps.bench.Options;
import dev.perhaps.bench.Report;
import dev.perhaps.bench.Results;
import dev.perhaps.bench.Rounds;
import dev.perhaps.io.Figures;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** Building a filter of all keys at once, beside adding them one by one. */
public final class BulkBench {
    private static final long SEED = 1;

    /** Enough for arrays that are built by regions. */
    private static final int WARM_UP_ITEMS = 5_000_000;

    private static final int WARM_UP_CYCLES = 3;

    private final Options options;
    private final BenchProgress progress;
    private final Results results = new Results();
    private final Report report = new Report(results);

    private Contender<long[]> contender;

    private BulkBench(Options options, BenchProgress progress) {
        this.options = options;
        this.progress = progress;
        this.contender = MembershipRows.BLOOM.oneByOne().maker().make(1);
    }

    public static Report run(Options options, BenchProgress progress) {
        return new BulkBench(options, progress).run();
    }

    private Report run() {
        report.command(options.command());
        report.line(LocalDate.now(ZoneOffset.UTC) + "; " + HostMachine.describe() + "; " + options.rounds()
                + " rounds, " + options.clock());
        List<BulkRow> rows = MembershipRows.bulk().stream()
                .filter(row -> options.wants(row.entrant().name()))
                .toList();
        long[] keys = Keys.longs(options.keys(), 0).added();
        Rounds rounds = new Rounds(options.rounds(), SEED, options.clock(), progress);
        List<Rounds.Turn> turns = new ArrayList<>();
        for (BulkRow row : rows) {
            Entrant<long[]> entrant = row.entrant();
            if (entrant.building() == Entrant.Building.AT_ONCE_BY_OTHER_THREADS && rounds.seesOneThreadOnly()) {
                continue;
            }
            progress.say("warming up: " + entrant.name());
            int few = Math.min(WARM_UP_ITEMS, keys.length);
            for (int cycle = 0; cycle < WARM_UP_CYCLES; cycle++) {
                entrant.addAll(entrant.maker().make(few), keys, (int) (few * row.share()));
            }
            int count = (int) (keys.length * row.share());
            turns.add(new Rounds.Turn(
                    entrant.name(), Measure.ADD, count, () -> makeEmpty(entrant), () -> add(entrant, keys, count)));
            results.fact(entrant.name(), Fact.BYTES, row.bytes().applyAsLong(keys.length));
        }
        rounds.play("building", turns, results);
        report.heading("Building filters of " + Figures.count(options.keys()) + " longs");
        BenchTable table = new BenchTable(
                "", "ns per key", "memory", "times as fast as one by one", "times as fast as " + MembershipRows.GUAVA);
        for (BulkRow row : rows) {
            String name = row.entrant().name();
            table.row(
                    name,
                    report.nanos(name, Measure.ADD),
                    report.fact(name, Fact.BYTES),
                    name.equals(row.oneByOne()) ? Report.NOTHING : report.ratio(name, Measure.ADD, row.oneByOne()),
                    name.equals(MembershipRows.GUAVA)
                            ? Report.NOTHING
                            : report.ratio(name, Measure.ADD, MembershipRows.GUAVA));
        }
        report.table(table);
        report.line(
                "Medians, hashing included. Memory: the filter and what building it takes besides, without the keys."
                        + " Guava is given a tenth of the keys, in a filter for all of them.");
        report.goals(MembershipGoals.bulk(options.keys()));
        progress.say("done");
        return report;
    }

    private void makeEmpty(Entrant<long[]> entrant) {
        contender = MembershipRows.BLOOM.oneByOne().maker().make(1);
        System.gc();
        contender = entrant.maker().make(options.keys());
    }

    private void add(Entrant<long[]> entrant, long[] keys, int count) {
        entrant.addAll(contender, keys, count);
    }
}
