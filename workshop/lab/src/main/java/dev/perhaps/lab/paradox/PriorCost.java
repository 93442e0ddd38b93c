package dev.perhaps.lab.paradox;

import dev.perhaps.key.Key;
import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.Plot;
import dev.perhaps.lab.ResultTable;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.plan.Paradox;
import java.util.List;
import java.util.Locale;

/** The costs of using a filter and of ignoring it, as the hit rate rises. */
final class PriorCost {
    /*
     * A Bloom filter of 10 bits per item is asked for keys of which a share p is there. The costs of one question above
     * the least possible, in looks into the cache:
     *
     *     acting on "perhaps"     (1 − p)·f      every false positive looks into the cache for nothing
     *     ignoring it             p·α            everything that is there is fetched from the store
     *
     * They cross at p = f/(α + f): below, the paradox holds. Exactly p of all questions are for something that is
     * there, so the only chance is in the false positives.
     */
    static final double[] ALPHAS = {1, 5, 100};

    private static final double BITS_AN_ITEM = 10;
    private static final int ITEMS = 100_000;

    /** The same with 10 bits per item and the best number of hashes, as the paper has it. */
    private static final double[] PRINTED = {0.0081, 0.0016, 0.000082};

    private static final double TOLERANCE = 0.05;

    private final double[] priors;
    private final double[] acting;
    private final double error;

    private PriorCost(double[] priors, double[] acting, double error) {
        this.priors = priors;
        this.acting = acting;
        this.error = error;
    }

    static PriorCost measure(Conditions conditions) {
        int questions = conditions.quick() ? 400_000 : 4_000_000;
        int points = 33;
        Key.Longs key = Key.longs().seeded(1);
        BloomFilter<String> filter = BloomFilter.expecting(ITEMS)
                .bits(Math.round(BITS_AN_ITEM * ITEMS))
                .build();
        for (int i = 0; i < ITEMS; i++) {
            filter.addHash(key.hash(i));
        }
        double[] priors = new double[points];
        for (int i = 0; i < points; i++) {
            priors[i] = Math.pow(10, -5 + i / 8.0);
        }
        List<Double> acting = conditions.each("cost against prior", points, i -> {
            long absent = Math.round(questions * (1 - priors[i]));
            long wrong = 0;
            for (long j = 0; j < absent; j++) {
                wrong += filter.mightContainHash(key.hash(ITEMS + (long) i * questions + j)) ? 1 : 0;
            }
            return (double) wrong / questions;
        });
        return new PriorCost(
                priors, acting.stream().mapToDouble(Double::doubleValue).toArray(), filter.errorNow());
    }

    void report(Findings findings) {
        ResultTable table = new ResultTable("prior", "Where the paradox begins: a Bloom filter of 10 bits per item");
        table.number("alpha", "%.0f").number("printed bound", "%.6f").number("bound of this filter", "%.6f");
        table.number("costs cross at", "%.6f");
        Plot plot = new Plot(
                        "prior", "Cost of a question above the least, by prior: below the crossing the paradox holds")
                .xLog("prior: share of questions for what is there")
                .yLog("extra cost, in looks into the cache");
        plot.line("act on 'perhaps'", priors, theory(), 6).dots("act, measured", priors, acting, 6);
        for (int i = 0; i < ALPHAS.length; i++) {
            double alpha = ALPHAS[i];
            double[] ignoring = new double[priors.length];
            for (int j = 0; j < priors.length; j++) {
                ignoring[j] = alpha * priors[j];
            }
            String name = String.format(Locale.ROOT, "alpha %.0f", alpha);
            plot.line("ignore it, " + name, priors, ignoring, i);
            double crossing = crossing(alpha);
            plot.dashes("paradox ends, " + name, new double[] {crossing, crossing}, new double[] {1e-5, 10}, i);
            double bound = Paradox.bound(alpha, error);
            table.row(alpha, PRINTED[i], bound, crossing);
            findings.expect(Expectation.near(
                    name + ": measured costs cross at the paradox bound, as a ratio",
                    crossing / PRINTED[i],
                    1,
                    TOLERANCE,
                    "%.3f"));
        }
        findings.add(table).add(plot);
    }

    private double[] theory() {
        double[] cost = new double[priors.length];
        for (int i = 0; i < cost.length; i++) {
            cost[i] = (1 - priors[i]) * error;
        }
        return cost;
    }

    /** The prior at which both measured costs are equal, between points on a line in logarithms. */
    private double crossing(double alpha) {
        for (int i = 1; i < priors.length; i++) {
            double before = Math.log(alpha * priors[i - 1] / acting[i - 1]);
            double after = Math.log(alpha * priors[i] / acting[i]);
            if (before < 0 && after >= 0) {
                double share = before / (before - after);
                return priors[i - 1] * Math.pow(priors[i] / priors[i - 1], share);
            }
        }
        return Double.NaN;
    }
}
