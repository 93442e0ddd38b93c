package dev.perhaps.lab;

import dev.perhaps.chord.Peer;
import dev.perhaps.chord.simulation.Command;
import dev.perhaps.chord.simulation.Outcome;
import dev.perhaps.chord.simulation.Protocol;
import dev.perhaps.chord.simulation.Scenario;
import dev.perhaps.chord.simulation.Shrinking;
import dev.perhaps.chord.simulation.Simulation;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.function.ToIntFunction;

/** The ring under every fault a network has: the corrected protocol holds its invariant, the original does not. */
final class ChordInvariant implements Experiment {
    /*
     * Three times thousands of histories, each from a seed:
     *
     *     inside     the corrected protocol, with faults inside its assumptions; the invariant is checked after every event
     *     outside    the corrected protocol, with faults beyond them; the ring must become ideal again once they stop
     *     original   the first published protocol, with the very faults that the corrected one bore in `inside`
     *
     * Inside, crashes that would break the assumptions are spared. That depends on the protocol's lists; so the original is
     * not asked what it can bear, but gets what the corrected one got.
     */
    private static final int SEEDS = 5_000;
    private static final int ORIGINAL_SEEDS = 1_000;
    private static final int QUICK_SEEDS = 200;
    private static final int BLOCK = 50;
    private static final double LEAST_EVENTS = 1e7;
    private static final int LINES_OF_HISTORY = 14;

    /** What many histories had together. */
    private record Histories(String name, List<Outcome> outcomes, long nanos) {
        long events() {
            return outcomes.stream().mapToLong(Outcome::events).sum();
        }

        int broken() {
            return (int) outcomes.stream()
                    .filter(outcome -> outcome.violation().isPresent())
                    .count();
        }

        int total(ToIntFunction<Outcome.Counts> kind) {
            return outcomes.stream()
                    .mapToInt(outcome -> kind.applyAsInt(outcome.counts()))
                    .sum();
        }

        /** How long after the last fault the rings were ideal, in seconds, the shortest first. */
        double[] calmSeconds() {
            return outcomes.stream()
                    .filter(outcome -> outcome.violation().isEmpty())
                    .mapToDouble(outcome -> outcome.calmMillis() / 1e3)
                    .sorted()
                    .toArray();
        }

        Optional<Outcome> firstBroken() {
            return outcomes.stream()
                    .filter(outcome -> outcome.violation().isPresent())
                    .findFirst();
        }

        long hash() {
            long hash = 0;
            for (Outcome outcome : outcomes) {
                hash = hash * 0x9E3779B97F4A7C15L + outcome.historyHash();
            }
            return hash;
        }
    }

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
        Histories inside = play(conditions, "inside", seeds, seed -> Simulation.run(Scenario.inside(seed), Peer::new));
        Histories outside =
                play(conditions, "outside", seeds, seed -> Simulation.run(Scenario.outside(seed), Peer::new));
        Histories original = play(
                conditions,
                "original",
                Math.min(seeds, ORIGINAL_SEEDS),
                seed -> Simulation.run(inside.outcomes.get((int) seed).done().forced(true), OriginalPeer::new));
        Findings findings = new Findings(this);
        reportHistories(findings, List.of(inside, outside, original));
        reportLookups(findings, List.of(inside, outside));
        reportOriginal(findings, original);
        findings.add(calm(List.of(inside, outside)));
        expect(findings, inside, outside, original, seeds >= SEEDS);
        return findings;
    }

    private static Histories play(Conditions conditions, String name, int seeds, LongFunction<Outcome> history) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        List<Histories> blocks = conditions.each(name, (seeds + BLOCK - 1) / BLOCK, block -> {
            long start = threads.getCurrentThreadCpuTime();
            List<Outcome> outcomes = new ArrayList<>();
            for (int seed = block * BLOCK; seed < Math.min(seeds, (block + 1) * BLOCK); seed++) {
                outcomes.add(history.apply(seed));
            }
            return new Histories(name, outcomes, threads.getCurrentThreadCpuTime() - start);
        });
        return new Histories(
                name,
                blocks.stream().flatMap(block -> block.outcomes.stream()).toList(),
                blocks.stream().mapToLong(Histories::nanos).sum());
    }

    private static void reportHistories(Findings findings, List<Histories> all) {
        Table table = new Table("histories", "Histories from seeds: what was done, and how many broke");
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
                    switch (histories.name) {
                        case "inside" -> "corrected, inside its assumptions";
                        case "outside" -> "corrected, outside them";
                        default -> "original, with the faults inside";
                    },
                    histories.outcomes.size(),
                    histories.events(),
                    histories.broken(),
                    histories.total(Outcome.Counts::joins),
                    histories.total(Outcome.Counts::leaves),
                    histories.total(Outcome.Counts::crashes),
                    histories.total(Outcome.Counts::spared),
                    histories.total(Outcome.Counts::pauses),
                    histories.total(Outcome.Counts::cuts),
                    histories.total(Outcome.Counts::lost),
                    calm.length == 0 ? Double.NaN : calm[calm.length / 2],
                    calm.length == 0 ? Double.NaN : calm[calm.length - 1]);
        }
        findings.add(table);
        for (Histories histories : all) {
            findings.remark(String.format(
                    Locale.ROOT,
                    "%s: hash of all histories %016x; %.2f million events in a second of one core.",
                    histories.name,
                    histories.hash(),
                    histories.events() * 1e3 / histories.nanos));
        }
    }

    private static void reportLookups(Findings findings, List<Histories> all) {
        Table table = new Table("lookups", "Lookups while all this went on: what was wrong at that moment");
        table.text("faults").number("lookups", "%,d").number("wrong", "%,d").number("wrong per 10,000", "%.0f");
        table.number("only presumed", "%,d").number("not reachable", "%,d");
        for (Histories histories : all) {
            int lookups = histories.total(Outcome.Counts::lookups);
            int wrong = histories.total(Outcome.Counts::wrong);
            table.row(
                    histories.name,
                    lookups,
                    wrong,
                    1e4 * wrong / Math.max(1, lookups),
                    histories.total(Outcome.Counts::presumed),
                    histories.total(Outcome.Counts::unanswered));
        }
        findings.add(table);
        findings.remark(
                "A member joins, leaves or crashes about twice a second among a dozen: far more than in a real ring.");
    }

    private static void reportOriginal(Findings findings, Histories original) {
        Map<String, Integer> kinds = new TreeMap<>();
        for (Outcome outcome : original.outcomes) {
            outcome.violation().ifPresent(what -> kinds.merge(kind(what), 1, Integer::sum));
        }
        Table table = new Table("original", "How the original protocol breaks");
        table.text("what is wrong").number("histories", "%,d").number("share", "%.3f");
        kinds.forEach((kind, number) -> table.row(kind, number, (double) number / original.outcomes.size()));
        findings.add(table);
        original.firstBroken().ifPresent(broken -> findings.add(shortest(broken)));
    }

    private static String kind(String violation) {
        if (violation.contains("no live successor")) {
            return "a member has no live successor: it is cut off for good";
        }
        if (violation.contains("principals")) {
            return "too few principals: the ring can fall apart";
        }
        return violation.contains("not ideal") ? "the ring never becomes ideal again" : "lookups at the end are wrong";
    }

    /** The same end with as few faults as possible, all of which the corrected protocol bears. */
    private static Table shortest(Outcome broken) {
        Protocol original = OriginalPeer::new;
        Outcome shortest = Shrinking.of(broken.scenario(), original, scenario -> {
            Outcome corrected = Simulation.run(scenario.forced(false), Peer::new);
            return corrected.violation().isEmpty() && corrected.counts().spared() == 0;
        });
        Table table = new Table("history", "A short history that breaks the original: " + shortest.scenario());
        table.text("what is done, and what happens last");
        for (Command command : shortest.scenario().script()) {
            table.row(command.toString());
        }
        table.row("…");
        List<String> trace = shortest.trace();
        trace.subList(Math.max(0, trace.size() - LINES_OF_HISTORY), trace.size())
                .forEach(table::row);
        table.row(shortest.violation().orElse(""));
        return table;
    }

    /** The share of rings that were ideal so long after the last fault. */
    private static Plot calm(List<Histories> all) {
        Plot plot = new Plot("calm", "Time from the last fault until every peer knows its neighbours")
                .x("seconds")
                .y("share of histories");
        for (int i = 0; i < all.size(); i++) {
            double[] seconds = all.get(i).calmSeconds();
            double[] shares = new double[seconds.length];
            Arrays.setAll(shares, j -> (j + 1.0) / seconds.length);
            plot.line(all.get(i).name + " the assumptions", seconds, shares, i);
        }
        return plot;
    }

    private static void expect(
            Findings findings, Histories inside, Histories outside, Histories original, boolean full) {
        inside.firstBroken()
                .or(outside::firstBroken)
                .ifPresent(broken -> findings.remark(Shrinking.history(Shrinking.of(broken.scenario(), Peer::new))));
        findings.expect(Expectation.atMost("violations inside the assumptions", inside.broken(), 0, "%.0f"));
        findings.expect(Expectation.atMost("rings outside them that did not heal", outside.broken(), 0, "%.0f"));
        if (full) {
            findings.expect(Expectation.atLeast("events inside, each checked", inside.events(), LEAST_EVENTS, "%.0f"));
        }
        findings.expect(Expectation.atLeast(
                "share of histories that the corrected protocol bears and the original does not",
                (double) original.broken() / original.outcomes.size(),
                .2,
                "%.3f"));
        Outcome first = inside.outcomes.get(0);
        long again = Simulation.run(first.scenario(), Peer::new).historyHash();
        findings.expect(new Expectation(
                "the same seed gives the same history",
                String.format(Locale.ROOT, "%016x", again),
                String.format(Locale.ROOT, "exactly %016x", first.historyHash()),
                again == first.historyHash()));
    }
}
