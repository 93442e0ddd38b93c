package dev.perhaps.lab.ring;

import dev.perhaps.chord.model.ChurnRing;
import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Experiment;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.ResultTable;

/** A million members under churn in one process: speed, memory, and reproducibility. */
public final class ChordMillion implements Experiment {
    /*
     * Members stabilise every 15 to 45 s and look up one finger again each time; 100 join and 100 crash per second, and
     * 1,000 keys are looked up per second. Run on one thread. An event is an operation that reads another member's
     * tables, or a hop of a lookup. Memory is that of all tables; nothing else grows with the members.
     *
     * [1] SimGrid's Chord: 2 · 10⁶ members on one machine; OverSim: 10⁴ in real time.
     */
    private static final double MIN_EVENTS_PER_SECOND = 1e6;
    private static final double MAX_HEAP_GIGABYTES = 1;

    private record Run(int members, ChurnRing.Outcome outcome, double seconds) {
        double gigabytes() {
            return outcome.tableBytes() / 1e9;
        }

        double eventsPerSecond() {
            return outcome.events() / seconds;
        }
    }

    @Override
    public String name() {
        return "chord-million";
    }

    @Override
    public String shows() {
        return "A million members under churn in one process: events per second, memory, and the same history twice.";
    }

    @Override
    public Findings run(Conditions conditions) {
        int members = conditions.quick() ? 50_000 : 1_000_000;
        int seconds = conditions.quick() ? 20 : 60;
        conditions.watch().at("the first time", 0);
        Run first = measured(members, seconds, 1);
        conditions.watch().at("the second time", 0.33);
        Run second = measured(members, seconds, 1);
        conditions.watch().at("twice as many members", 0.67);
        Run larger = measured(2 * members, seconds / 2, 2);

        Findings findings = new Findings(this);
        ResultTable table = new ResultTable("million", "Members under churn in one process, on one thread");
        table.number("members", "%,d")
                .number("events", "%,d")
                .number("seconds", "%.1f")
                .number("M events per second", "%.2f");
        table.number("GB of tables", "%.2f")
                .number("lookups", "%,d")
                .number("wrong", "%d")
                .number("hops", "%.2f");
        for (Run run : new Run[] {first, second, larger}) {
            ChurnRing.Outcome outcome = run.outcome;
            table.row(
                    run.members,
                    outcome.events(),
                    run.seconds,
                    run.eventsPerSecond() / 1e6,
                    run.gigabytes(),
                    outcome.lookups(),
                    outcome.wrong(),
                    (double) outcome.hops() / outcome.lookups());
        }
        findings.add(table);
        findings.expect(new Expectation(
                "the same plan gives the same history",
                Long.toHexString(second.outcome.fingerprint()),
                "as the first time, " + Long.toHexString(first.outcome.fingerprint()),
                first.outcome.equals(second.outcome)));
        findings.expect(Expectation.atLeast(
                "million events per second, the better of both runs",
                Math.max(first.eventsPerSecond(), second.eventsPerSecond()) / 1e6,
                MIN_EVENTS_PER_SECOND / 1e6,
                "%.2f"));
        findings.expect(Expectation.atMost("GB of tables", first.gigabytes(), MAX_HEAP_GIGABYTES, "%.2f"));
        double wrong = 10_000.0 * first.outcome.wrong() / first.outcome.lookups();
        return findings.expect(Expectation.atMost("wrong per 10,000 lookups", wrong, 5, "%.2f"));
    }

    private static Run measured(int members, int seconds, long seed) {
        long start = System.nanoTime();
        ChurnRing.Outcome outcome =
                ChurnRing.run(new ChurnRing.Plan(members, 16, members / 10_000.0, members / 1_000.0, seconds, seed));
        return new Run(members, outcome, (System.nanoTime() - start) / 1e9);
    }
}
