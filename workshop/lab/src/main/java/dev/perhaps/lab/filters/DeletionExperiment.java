package dev.perhaps.lab.filters;

import dev.perhaps.key.Key;
import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Experiment;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.NumberFormats;
import dev.perhaps.lab.Plot;
import dev.perhaps.lab.ResultTable;
import dev.perhaps.membership.bloom.BloomFormulas;
import dev.perhaps.membership.counting.CountingFormulas;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/** The error of a filter while keys are added and removed: three ways to delete, in the same memory. */
public final class DeletionExperiment implements Experiment {
    /*
     * A cache of 5,000 keys. At each step one of them, at random, goes and another comes: one time in five a key that
     * had gone before, else a new one. Every scheme has 40 bits per cached key, so a Bloom filter has 40 bits per item
     * and 2-bit counters have 20 positions, 4-bit counters 10. As many steps as there are keys make a turnover; lazy
     * rebuilding and restarts come once per turnover.
     *
     * Ten times per turnover all keys are asked for: the cached keys, which must be found; new keys, which should not;
     * and the keys that went during the last turnover and are still away, on which lazy deletion errs.
     *
     * Overflow: m counters, n items, k hashes reach N with chance at most m·(e·k·n/(m·N))^N [1]; 4 bits hold up to 15.
     *
     * [1] Fan, Cao, Almeida and Broder, "Summary cache" (2000).
     */
    static final int CACHED = 5_000;

    private static final int BITS = 40 * CACHED;
    private static final int SAMPLES_PER_TURNOVER = 10;
    private static final double RETURNING = 0.2;

    /** Shares at one time. */
    private record Sample(double missed, double newFound, double goneFound, double returned) {}

    @Override
    public String name() {
        return "deletion";
    }

    @Override
    public String shows() {
        return "Three ways to delete from a filter under churn: lazy rebuild, a second filter, counters of 2 and 4 bits.";
    }

    @Override
    public Findings run(Conditions conditions) {
        int seeds = conditions.seedsOr(8, 2);
        int turnovers = conditions.quick() ? 4 : 10;
        int asked = conditions.quick() ? 5_000 : 20_000;
        DeletionScheme.Kind[] kinds = DeletionScheme.Kind.values();
        List<List<Sample>> runs = conditions.each(
                "churn", kinds.length * seeds, i -> churn(kinds[i / seeds].of(BITS), 1 + i % seeds, turnovers, asked));
        Map<DeletionScheme.Kind, List<Sample>> means = new EnumMap<>(DeletionScheme.Kind.class);
        for (int i = 0; i < kinds.length; i++) {
            means.put(kinds[i], mean(runs.subList(i * seeds, (i + 1) * seeds)));
        }
        Findings findings = new Findings(this);
        report(findings, means);
        expect(findings, means);
        overflow(findings, conditions);
        return findings;
    }

    private static List<Sample> churn(DeletionScheme scheme, int seed, int turnovers, int asked) {
        SplittableRandom random = new SplittableRandom(seed);
        Key.Longs key = Key.longs().seeded(seed);
        Churn churn = new Churn(CACHED, RETURNING, random, key);
        for (long hash : churn.cached()) {
            scheme.add(hash);
        }
        List<Sample> samples = new ArrayList<>();
        int steps = turnovers * CACHED;
        int every = CACHED / SAMPLES_PER_TURNOVER;
        for (int step = 1; step <= steps; step++) {
            churn.step();
            scheme.remove(churn.gone());
            scheme.add(churn.came());
            if (step % every == 0) {
                samples.add(sample(scheme, churn, key, step, asked));
            }
            if (step % CACHED == 0) {
                scheme.restart(churn.cached());
            }
        }
        return samples;
    }

    private static Sample sample(DeletionScheme scheme, Churn churn, Key.Longs key, int step, int asked) {
        int missed = 0;
        for (long hash : churn.cached()) {
            missed += scheme.mightContain(hash) ? 0 : 1;
        }
        int newFound = 0;
        for (int i = 0; i < asked; i++) {
            // Keys of the churn are counted up from 0; these from below it.
            newFound += scheme.mightContain(key.hash(-1 - (long) step * asked - i)) ? 1 : 0;
        }
        int goneFound = 0;
        List<Long> away = churn.away(step);
        for (long hash : away) {
            goneFound += scheme.mightContain(hash) ? 1 : 0;
        }
        return new Sample(
                (double) missed / CACHED,
                (double) newFound / asked,
                (double) goneFound / Math.max(1, away.size()),
                churn.returnedShare());
    }

    private static List<Sample> mean(List<List<Sample>> runs) {
        List<Sample> means = new ArrayList<>();
        for (int i = 0; i < runs.get(0).size(); i++) {
            int at = i;
            List<Sample> there = runs.stream().map(run -> run.get(at)).toList();
            means.add(new Sample(
                    there.stream().mapToDouble(Sample::missed).average().orElse(0),
                    there.stream().mapToDouble(Sample::newFound).average().orElse(0),
                    there.stream().mapToDouble(Sample::goneFound).average().orElse(0),
                    there.stream().mapToDouble(Sample::returned).average().orElse(0)));
        }
        return means;
    }

    private static void report(Findings findings, Map<DeletionScheme.Kind, List<Sample>> means) {
        ResultTable table = new ResultTable("errors", "Errors in percent, over time: 40 bits per cached key for all");
        table.text("scheme").number("turnovers", "%.1f").number("cached, but missed", "%.3f");
        table.number("new, but found", "%.3f").number("gone, but found", "%.3f");
        ResultTable all = new ResultTable("over-time", "Errors of every scheme at every time");
        all.text("scheme").number("turnovers", "%.1f").number("missed", "%.5f").number("new found", "%.5f");
        all.number("gone found", "%.5f");
        Plot positives = new Plot("found", "Keys that went during the last turnover, and are found still")
                .x("turnovers of the cache")
                .yLog("share of false positives");
        Plot negatives = new Plot("missed", "Cached keys that are missed")
                .x("turnovers of the cache")
                .y("share of false negatives");
        int colour = 0;
        for (DeletionScheme.Kind kind : DeletionScheme.Kind.values()) {
            List<Sample> samples = of(means, kind);
            double[] x = new double[samples.size()];
            for (int i = 0; i < x.length; i++) {
                Sample sample = samples.get(i);
                x[i] = (i + 1.0) / SAMPLES_PER_TURNOVER;
                all.row(kind.title, x[i], sample.missed, sample.newFound, sample.goneFound);
                if (i == 0 || i == x.length / 2 - 1 || i == x.length - 1) {
                    table.row(kind.title, x[i], 100 * sample.missed, 100 * sample.newFound, 100 * sample.goneFound);
                }
            }
            positives.line(
                    kind.title,
                    x,
                    samples.stream().mapToDouble(Sample::goneFound).toArray(),
                    colour);
            negatives.line(
                    kind.title, x, samples.stream().mapToDouble(Sample::missed).toArray(), colour++);
        }
        findings.add(table).addLong(all).add(positives).add(negatives);
    }

    private static void expect(Findings findings, Map<DeletionScheme.Kind, List<Sample>> means) {
        for (DeletionScheme.Kind kind : List.of(
                DeletionScheme.Kind.LAZY,
                DeletionScheme.Kind.TWO_STICK,
                DeletionScheme.Kind.FOUR,
                DeletionScheme.Kind.COMPACT)) {
            double missed =
                    of(means, kind).stream().mapToDouble(Sample::missed).max().orElse(1);
            findings.expect(Expectation.atMost(kind.title + ": cached keys missed, at any time", missed, 0, "%.5f"));
        }
        List<Sample> four = of(means, DeletionScheme.Kind.FOUR);
        double formula = BloomFormulas.falsePositives(BITS / 4.0, BloomFormulas.hashes(10), CACHED);
        findings.expect(Expectation.near(
                "4-bit counters: error on new keys at the end, as after filling",
                last(four).newFound,
                formula,
                formula / 4,
                "%.5f"));

        List<Sample> lazy = of(means, DeletionScheme.Kind.LAZY);
        findings.expect(Expectation.atLeast(
                "lazy: keys gone, but found, just before it is rebuilt", last(lazy).goneFound, 0.99, "%.3f"));
        List<Sample> second = of(means, DeletionScheme.Kind.SECOND);
        findings.expect(Expectation.atLeast(
                "second filter: cached keys missed at the end, over those that had been deleted once",
                last(second).missed / last(second).returned,
                1,
                "%.2f"));
        List<Sample> stick = of(means, DeletionScheme.Kind.TWO_STICK);
        findings.expect(Expectation.atLeast(
                "2-bit counters that stick: error on new keys at the end over that at the start",
                last(stick).newFound / stick.get(0).newFound,
                2,
                "%.1f"));
        double falling = last(of(means, DeletionScheme.Kind.TWO_FALL)).missed;
        double restarted = last(of(means, DeletionScheme.Kind.TWO_RESTART)).missed;
        findings.expect(
                Expectation.atLeast("2-bit counters that fall: cached keys missed at the end", falling, 0.01, "%.4f"));
        findings.expect(new Expectation(
                "2-bit counters that fall, restarted once a turnover: cached keys missed",
                NumberFormats.format("%.4f", restarted),
                NumberFormats.format("above 0 and below half of %.4f", falling),
                restarted > 0 && restarted < falling / 2));
    }

    private static List<Sample> of(Map<DeletionScheme.Kind, List<Sample>> means, DeletionScheme.Kind kind) {
        return means.getOrDefault(kind, List.of());
    }

    private static Sample last(List<Sample> samples) {
        return samples.get(samples.size() - 1);
    }

    /** The bound on overflow against what happens, with ten counters per item and seven hashes. */
    private static void overflow(Findings findings, Conditions conditions) {
        int counters = 10 * CACHED;
        int hashes = BloomFormulas.hashes(10);
        int fillings = conditions.quick() ? 50 : 1_000;
        int most = 16;
        List<int[]> reached = conditions.each("overflow", fillings, seed -> {
            SmallCounters filter = new SmallCounters(counters, hashes, 5, SmallCounters.Full.STICKS);
            Key.Longs key = Key.longs().seeded(1_000L + seed);
            for (int i = 0; i < CACHED; i++) {
                filter.add(key.hash(i));
            }
            int[] counts = new int[most + 1];
            for (int least = 0; least <= most; least++) {
                counts[least] = filter.reached(least);
            }
            return counts;
        });
        ResultTable table = new ResultTable(
                "overflow",
                String.format(
                        Locale.ROOT, "The overflow bound against %,d fillings of %,d counters", fillings, counters));
        table.number("counter reaches", "%d")
                .number("bound on the chance", "%.3g")
                .number("fillings that did", "%.3g");
        table.number("counters expected", "%.3g").number("counters measured", "%.3g");
        double[] x = new double[most - 2];
        double[] bounds = new double[x.length];
        double[] shares = new double[x.length];
        double farthest = Double.NEGATIVE_INFINITY;
        for (int least = 3; least <= most; least++) {
            int at = least;
            double bound = CountingFormulas.overflow(counters, hashes, CACHED, least);
            double share = reached.stream().filter(counts -> counts[at] > 0).count() / (double) fillings;
            double expected = CountingFormulas.countersAtLeast(counters, hashes, CACHED, least);
            double measured =
                    reached.stream().mapToInt(counts -> counts[at]).average().orElse(0);
            table.row(least, bound, share, expected, measured);
            x[least - 3] = least;
            bounds[least - 3] = bound;
            shares[least - 3] = share;
            farthest = Math.max(farthest, share - bound - 4 * Math.sqrt(bound * (1 - bound) / fillings));
        }
        findings.add(table);
        findings.add(new Plot("overflow", "Chance that some counter reaches N: the bound, and what happens")
                .x("N")
                .yLog("share of fillings")
                .line("bound", x, bounds, 0)
                .dots("fillings that did", x, shares, 1));
        findings.expect(Expectation.atMost(
                "overflow: share of fillings above the bound and 4 standard deviations, worst N", farthest, 0, "%.4f"));
    }
}
