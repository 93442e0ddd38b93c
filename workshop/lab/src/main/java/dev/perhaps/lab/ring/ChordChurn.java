package dev.perhaps.lab.ring;

import dev.perhaps.chord.model.ChurnRing;
import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Experiment;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.Plot;
import dev.perhaps.lab.ResultTable;
import java.util.List;
import java.util.Locale;

/**
 * The number of wrong lookups while members of a ring of 1,000 join and crash, compared with the published failures.
 */
public final class ChordChurn implements Experiment {
    /*
     * 1,000 members, successor lists of 20, each stabilises every 15 to 45 s; joins and crashes each at rate R per
     * second, one lookup per second. The published members announce that they leave; ours crash. A lookup is wrong if
     * it does not end at the live member that has the key at that moment, those that joined a moment ago included.
     *
     * Each rate is run with several seeds of 10,000 s: in a longer run the number of members, a random walk, would
     * drift away from 1,000. The bound is that of Poisson: with w wrong ones seen, the mean is below ½·χ²(2w + 2) at
     * 0.95, here by the approximation of Wilson and Hilferty.
     *
     * [1] Stoica et al., "Chord" (2003), table III: failures per 10,000 lookups, joins and leaves at rate R.
     */
    private static final double MAX_WRONG = 5;
    private static final int SECONDS = 10_000;
    private static final double[] RATES = {0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.35, 0.40};
    private static final int[] PUBLISHED = {0, 0, 2, 5, 6, 8, 16, 15};

    @Override
    public String name() {
        return "chord-churn";
    }

    @Override
    public String shows() {
        return "Wrong lookups in a ring of 1,000 members that join and crash 0.05 to 0.4 times per second.";
    }

    @Override
    public Findings run(Conditions conditions) {
        int seeds = conditions.seedsOr(20, 2);
        List<ChurnRing.Outcome> all = conditions.each(
                "rates",
                RATES.length * seeds,
                i -> ChurnRing.run(new ChurnRing.Plan(1_000, 20, RATES[i / seeds], 1, SECONDS, i % seeds)));
        Findings findings = new Findings(this);
        ResultTable table =
                new ResultTable("churn", "Lookups under churn, 1,000 members; published: members that say good-bye");
        table.number("joins and crashes per second", "%.2f")
                .number("lookups", "%,d")
                .number("hops", "%.2f");
        table.number("timeouts", "%.3f").number("wrong", "%d").number("wrong per 10,000", "%.2f");
        table.number("95 % bound", "%.2f").number("published", "%d");
        double[] wrongs = new double[RATES.length];
        for (int i = 0; i < RATES.length; i++) {
            List<ChurnRing.Outcome> some = all.subList(i * seeds, (i + 1) * seeds);
            long lookups = some.stream().mapToLong(ChurnRing.Outcome::lookups).sum();
            long wrong = some.stream().mapToLong(ChurnRing.Outcome::wrong).sum();
            double a10000 = 10_000.0 / lookups;
            wrongs[i] = wrong * a10000;
            table.row(
                    RATES[i],
                    lookups,
                    some.stream().mapToLong(ChurnRing.Outcome::hops).sum() / (double) lookups,
                    some.stream().mapToLong(ChurnRing.Outcome::timeouts).sum() / (double) lookups,
                    wrong,
                    wrongs[i],
                    upperBound(wrong) * a10000,
                    PUBLISHED[i]);
            findings.expect(Expectation.atMost(
                    String.format(Locale.ROOT, "wrong per 10,000 lookups at %.2f per second", RATES[i]),
                    wrongs[i],
                    MAX_WRONG,
                    "%.2f"));
        }
        long lost = all.stream().mapToLong(ChurnRing.Outcome::lost).sum();
        findings.expect(Expectation.atMost("members that lost all their successors", lost, 0, "%.0f"));
        double[] published = java.util.Arrays.stream(PUBLISHED).asDoubleStream().toArray();
        return findings.add(table)
                .add(new Plot("churn", "Wrong lookups of 10,000, by joins and crashes per second")
                        .x("joins per second, and as many crashes")
                        .y("wrong of 10,000")
                        .line("published, with good-byes", RATES, published, 1)
                        .line("here, with crashes", RATES, wrongs, 0));
    }

    /** The 95 % upper bound for the mean of a Poisson variable of which {@code seen} was seen. */
    static double upperBound(long seen) {
        double k = seen + 1;
        return k * Math.pow(1 - 1 / (9 * k) + 1.6449 / (3 * Math.sqrt(k)), 3);
    }
}
