package dev.perhaps.bench.frequency;

import dev.perhaps.bench.BenchProgress;
import dev.perhaps.bench.Entrant;
import dev.perhaps.bench.Fact;
import dev.perhaps.bench.HostMachine;
import dev.perhaps.bench.Options;
import dev.perhaps.bench.Report;
import dev.perhaps.bench.Results;
import dev.perhaps.bench.Rounds;
import dev.perhaps.io.Figures;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How often? Sketches of counts, ours and those of other libraries, from key to result. */
public final class FrequencyBench {
    private static final int WARM_UP_EVENTS = 50_000;
    private static final long SEED = 1;

    private final Options options;
    private final BenchProgress progress;
    private final Rounds rounds;
    private final Events events;
    private final Results results = new Results();
    private final Report report = new Report(results);
    private final FrequencyTables tables = new FrequencyTables(results, report);

    private FrequencyBench(Options options, BenchProgress progress) {
        this.options = options;
        this.progress = progress;
        this.rounds = new Rounds(options.rounds(), SEED, options.clock(), progress);
        progress.say("drawing the events");
        this.events = Events.zipf(options.keys(), Events.DISTINCT, Events.EXPONENT, SEED);
    }

    public static Report run(Options options, BenchProgress progress) {
        return new FrequencyBench(options, progress).run();
    }

    private Report run() {
        report.command(options.command());
        report.line(LocalDate.now(ZoneOffset.UTC) + "; " + HostMachine.describe() + "; " + options.rounds()
                + " rounds, " + options.clock());
        report.line(Figures.count(options.keys()) + " events, longs, Zipf(" + Events.EXPONENT + ") over "
                + Figures.count(Events.DISTINCT) + " keys");
        for (CountRows.Shape shape : CountRows.shapes()) {
            counting(shape);
        }
        ranking();
        report.goals(FrequencyGoals.all());
        progress.say("done");
        return report;
    }

    private void counting(CountRows.Shape shape) {
        List<Entrant<long[]>> rows = CountRows.of(shape).stream()
                .filter(row -> options.wants(row.name()))
                .toList();
        if (rows.isEmpty()) {
            return;
        }
        CountContest contest = new CountContest("count, " + shape, rows, events);
        contest.warmUp(Events.zipf(WARM_UP_EVENTS, Events.DISTINCT, Events.EXPONENT, SEED + 1), progress);
        contest.run(rounds, progress, results);
        report.heading("Counting in " + shape + " counters");
        tables.counts(rows);
        tables.speeds(rows, CountRows.name(CountRows.SPARK, shape));
    }

    private void ranking() {
        Map<Long, TopContest> contests = new LinkedHashMap<>();
        for (long bytes : TopRows.sizes()) {
            List<Entrant<long[]>> rows = topRows(bytes);
            if (!rows.isEmpty()) {
                TopContest contest = new TopContest("top, " + Figures.count(bytes) + " bytes", rows);
                contest.warmUp(Events.zipf(WARM_UP_EVENTS, Events.DISTINCT, Events.EXPONENT, SEED + 1), progress);
                contest.time(events, rounds, results);
                contests.put(bytes, contest);
            }
        }
        Map<String, double[]> recalls = new HashMap<>();
        for (int seed = 0; seed < TopContest.SEEDS && !contests.isEmpty(); seed++) {
            progress.say("top, recall: stream " + (seed + 1) + " of " + TopContest.SEEDS);
            Events stream = Events.zipf(options.keys(), Events.DISTINCT, Events.EXPONENT, SEED + 1 + seed);
            for (TopContest contest : contests.values()) {
                contest.recall(stream, seed, recalls);
            }
        }
        recalls.forEach((row, bySeed) -> results.fact(row, Fact.RECALL, bySeed));
        for (long bytes : contests.keySet()) {
            report.heading("The top " + TopRows.K + " in " + Figures.count(bytes) + " bytes");
            tables.tops(topRows(bytes), TopRows.name(TopRows.LONGS_SKETCH, bytes));
        }
    }

    private List<Entrant<long[]>> topRows(long bytes) {
        return TopRows.of(bytes).stream()
                .filter(row -> options.wants(row.name()))
                .toList();
    }
}
