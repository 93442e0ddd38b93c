package dev.perhaps.bench;

import dev.perhaps.io.Figures;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;

/** How often? Sketches of counts, ours and the peers', from key to answer. */
final class FrequencyBench {
    private static final int WARM_UP_EVENTS = 50_000;
    private static final long SEED = 1;

    private final Options options;
    private final Progress progress;
    private final Rounds rounds;
    private final Events events;
    private final Results results = new Results();
    private final Report report = new Report(results);

    private FrequencyBench(Options options, Progress progress) {
        this.options = options;
        this.progress = progress;
        this.rounds = new Rounds(options.rounds(), SEED, options.clock(), progress);
        progress.say("drawing the events");
        this.events = Events.zipf(options.keys(), Events.DISTINCT, Events.EXPONENT, SEED);
    }

    static Report run(Options options, Progress progress) {
        return new FrequencyBench(options, progress).run();
    }

    private Report run() {
        report.command(options.command());
        report.line(LocalDate.now(ZoneOffset.UTC) + "; " + Machine.describe() + "; " + options.rounds() + " rounds, "
                + options.clock());
        report.line(Figures.count(options.keys()) + " events, longs, Zipf(" + Events.EXPONENT + ") over "
                + Figures.count(Events.DISTINCT) + " keys");
        for (CountRows.Shape shape : CountRows.shapes()) {
            counting(shape);
        }
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
        report.counts(rows);
        report.speeds(rows, CountRows.name(CountRows.SPARK, shape));
    }
}
