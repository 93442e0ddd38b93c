package dev.perhaps.lab.ring;

import dev.perhaps.chord.Peer;
import dev.perhaps.chord.simulation.Command;
import dev.perhaps.chord.simulation.Outcome;
import dev.perhaps.chord.simulation.Scenario;
import dev.perhaps.chord.simulation.Shrinking;
import dev.perhaps.chord.simulation.Simulation;
import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Experiment;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.Plot;
import dev.perhaps.lab.ResultTable;
import dev.perhaps.lab.ring.Histories.Wrong;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/** A ring under all kinds of network faults: the corrected protocol keeps its invariant, the original one does not. */
public final class ChordInvariant implements Experiment {
    /*
     * Four times thousands of histories, each from a seed:
     *
     *     inside     the corrected protocol, with faults inside its assumptions; the invariant is checked after every event
     *     outside    the corrected protocol, with faults beyond them; the ring must become ideal again once they stop
     *     same       the first published protocol, with the very faults that the corrected one bore in `inside`; it is not
     *                asked for r + 1 principals, only that everybody has a live successor, and that all ends well
     *     spared     the first published protocol, with faults inside the assumptions as far as its own lists bear them: so
     *                what breaks, its own steps break
     */
    private static final int SEEDS = 5_000;
    private static final int ORIGINAL_SEEDS = 2_000;
    private static final int QUICK_SEEDS = 200;
    private static final double MIN_EVENTS = 1e7;
    private static final int LINES_OF_HISTORY = 20;

    @Override
    public String name() {
        return "chord-invariant";
    }

    @Override
    public String shows() {
        return "The corrected Chord holds its invariant after each of ten million events; the original breaks it.";
    }

    @Override
    public Findings run(Conditions conditions) {
        int seeds = conditions.seedsOr(SEEDS, QUICK_SEEDS);
        int fewer = Math.min(seeds, ORIGINAL_SEEDS);
        Histories inside = Histories.play(
                conditions,
                "inside",
                "corrected, inside its assumptions",
                seeds,
                seed -> Simulation.run(Scenario.inside(seed), Peer::new));
        Histories outside = Histories.play(
                conditions,
                "outside",
                "corrected, outside them",
                seeds,
                seed -> Simulation.run(Scenario.outside(seed), Peer::new));
        Histories same = Histories.play(
                conditions,
                "same",
                "original, with the same faults as inside",
                fewer,
                seed -> Simulation.run(inside.outcomes().get((int) seed).done().forced(true), OriginalPeer::new));
        Histories spared = Histories.play(
                conditions,
                "spared",
                "original, without faults that its lists cannot survive",
                fewer,
                seed -> Simulation.run(Scenario.inside(seed), OriginalPeer::new));
        Findings findings = new Findings(this);
        reportHistories(findings, List.of(inside, outside, same, spared));
        reportLookups(findings, List.of(inside, outside));
        reportOriginal(findings, same, spared);
        findings.add(calm(List.of(inside, outside)));
        expect(findings, inside, outside);
        expectOfOriginal(findings, same, spared);
        return findings;
    }

    private static void reportHistories(Findings findings, List<Histories> all) {
        ResultTable table = new ResultTable("histories", "Histories from seeds: what was done, and how many broke");
        table.text("protocol and faults")
                .number("histories", "%,d")
                .number("events", "%,d")
                .number("broken", "%,d");
        table.number("joins", "%,d")
                .number("leaves", "%,d")
                .number("crashes", "%,d")
                .number("spared", "%,d");
        table.number("pauses", "%,d").number("cuts", "%,d").number("lost", "%,d");
        table.number("ideal after, median s", "%.2f").number("longest s", "%.2f");
        for (Histories histories : all) {
            double[] calm = histories.calmSeconds();
            table.row(
                    histories.title(),
                    histories.outcomes().size(),
                    histories.events(),
                    histories.broken().size(),
                    histories.total(Outcome.Counts::joins),
                    histories.total(Outcome.Counts::leaves),
                    histories.total(Outcome.Counts::crashes),
                    histories.total(Outcome.Counts::spared),
                    histories.total(Outcome.Counts::pauses),
                    histories.total(Outcome.Counts::cuts),
                    histories.total(Outcome.Counts::lost),
                    calm.length == 0 ? Double.NaN : calm[calm.length / 2],
                    calm.length == 0 ? Double.NaN : calm[calm.length - 1]);
            findings.remark(String.format(
                    Locale.ROOT,
                    "%s: hash of all histories %016x; %.2f million events per second on one core.",
                    histories.title(),
                    histories.hash(),
                    histories.events() * 1e3 / histories.nanos()));
        }
        findings.add(table);
    }

    private static void reportLookups(Findings findings, List<Histories> all) {
        ResultTable table = new ResultTable("lookups", "Lookups while all this went on: what was wrong at that moment");
        table.text("faults").number("lookups", "%,d").number("wrong", "%,d").number("wrong per 10,000", "%.0f");
        table.number("only presumed", "%,d").number("not reachable", "%,d");
        for (Histories histories : all) {
            int lookups = histories.total(Outcome.Counts::lookups);
            int wrong = histories.total(Outcome.Counts::wrong);
            table.row(
                    histories.name(),
                    lookups,
                    wrong,
                    1e4 * wrong / Math.max(1, lookups),
                    histories.total(Outcome.Counts::presumed),
                    histories.total(Outcome.Counts::unanswered));
        }
        findings.add(table);
        findings.remark(
                "A member joins, leaves or crashes about twice per second among a dozen: far more than in reality.");
    }

    private static void reportOriginal(Findings findings, Histories same, Histories spared) {
        ResultTable table = new ResultTable("original", "How the original protocol breaks: number of histories");
        table.text("what is wrong").number("with the same faults", "%,d").number("spared", "%,d");
        for (Wrong wrong : Wrong.values()) {
            table.row(wrong.words(), same.number(wrong), spared.number(wrong));
        }
        findings.add(table);
        same.first(Wrong.CUT_OFF)
                .ifPresent(broken -> findings.add(shortest("same", broken, Wrong.CUT_OFF, scenario -> {
                    Outcome corrected = Simulation.run(scenario.forced(false), Peer::new);
                    return corrected.violation().isEmpty() && corrected.counts().spared() == 0;
                })));
        spared.first(Wrong.TOO_FEW)
                .ifPresent(broken -> findings.add(shortest("spared", broken, Wrong.TOO_FEW, scenario -> true)));
    }

    /** The same end with as few faults as possible, as far as they are allowed. */
    private static ResultTable shortest(String name, Outcome broken, Wrong wrong, Predicate<Scenario> allowed) {
        Outcome shortest = Shrinking.of(
                broken.scenario(),
                OriginalPeer::new,
                scenario -> wrong.isIn(Simulation.run(scenario, OriginalPeer::new)) && allowed.test(scenario));
        ResultTable table = new ResultTable(name, "The original breaks: " + shortest.scenario());
        table.text("what is done, and what happens last");
        List<String> lines = new ArrayList<>();
        shortest.scenario().script().stream().map(Command::toString).forEach(lines::add);
        lines.add("…");
        List<String> trace = shortest.trace();
        lines.addAll(trace.subList(Math.max(0, trace.size() - LINES_OF_HISTORY), trace.size()));
        lines.add(shortest.violation().orElse(""));
        lines.forEach(table::row);
        return table;
    }

    /** The share of rings that were ideal, by the time since the last fault. */
    private static Plot calm(List<Histories> all) {
        Plot plot = new Plot("calm", "Time from the last fault until every peer knows its neighbours")
                .x("seconds")
                .y("share of histories");
        for (int i = 0; i < all.size(); i++) {
            double[] seconds = all.get(i).calmSeconds();
            double[] shares = new double[seconds.length];
            Arrays.setAll(shares, j -> (j + 1.0) / seconds.length);
            plot.line(all.get(i).title(), seconds, shares, i);
        }
        return plot;
    }

    private static void expect(Findings findings, Histories inside, Histories outside) {
        for (Histories histories : List.of(inside, outside)) {
            histories.broken().stream()
                    .limit(1)
                    .forEach(broken -> findings.remark(Shrinking.history(Shrinking.of(broken.scenario(), Peer::new))));
        }
        findings.expect(Expectation.atMost(
                "violations inside the assumptions", inside.broken().size(), 0, "%.0f"));
        findings.expect(Expectation.atMost(
                "rings outside them that did not heal", outside.broken().size(), 0, "%.0f"));
        if (inside.outcomes().size() >= SEEDS) {
            findings.expect(Expectation.atLeast("events inside, each checked", inside.events(), MIN_EVENTS, "%.0f"));
        }
        Outcome first = inside.outcomes().get(0);
        long again = Simulation.run(first.scenario(), Peer::new).historyHash();
        findings.expect(new Expectation(
                "the same seed gives the same history",
                String.format(Locale.ROOT, "%016x", again),
                String.format(Locale.ROOT, "exactly %016x", first.historyHash()),
                again == first.historyHash()));
    }

    private static void expectOfOriginal(Findings findings, Histories same, Histories spared) {
        findings.expect(Expectation.atLeast(
                "share of histories that the corrected protocol bears and the original does not",
                same.brokenShare(),
                .2,
                "%.3f"));
        if (spared.outcomes().size() >= ORIGINAL_SEEDS) {
            findings.expect(Expectation.atLeast(
                    "share of histories in which the original breaks without faults that it cannot survive",
                    spared.brokenShare(),
                    .003,
                    "%.3f"));
        }
    }
}
