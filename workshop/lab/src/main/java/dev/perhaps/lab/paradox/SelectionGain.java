package dev.perhaps.lab.paradox;

import dev.perhaps.guard.SelectiveCounting;
import dev.perhaps.key.Key;
import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.NumberFormats;
import dev.perhaps.lab.Plot;
import dev.perhaps.lab.ResultTable;
import dev.perhaps.membership.CountingBloom;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What a filter saves by using priors, as the number of hashes varies: a counting filter compared with a selective one.
 */
final class SelectionGain {
    /*
     * A memory of 1.6 million keys in 16 groups of equal size. A key of group g is in the cache with chance c·2^−g, c
     * such that 2,300 are expected there. 33,280 counters. Every key of the memory is asked once; the cost is one for a
     * false positive and α for a false negative.
     *
     *   counting   takes in all of the cache; yes iff no counter is 0
     *   weighing   the same filter, its counters weighed against the one prior of all keys
     *   selective  takes in only groups whose prior is above the bound; weighed against the prior of the group
     *
     * Where hashes are so few that even high counters prove nothing, weighing and selecting end at the same: always no.
     */
    private static final int GROUPS = 16;
    private static final int COUNTERS = 33_280;
    private static final int CACHED = 2_300;
    private static final int MEMORY = 1_600_000;
    private static final int[] HASHES = {1, 2, 3, 4, 6, 8, 10, 12};
    private static final double[] ALPHAS = {5, 100};

    /** Costs with this number of hashes, mean over seeds. */
    private record Point(double alpha, int hashes, double counting, double weighing, double selective) {
        double gain() {
            return 1 - selective / counting;
        }
    }

    private final List<Point> points;

    private SelectionGain(List<Point> points) {
        this.points = points;
    }

    static SelectionGain measure(Conditions conditions) {
        int seeds = conditions.quick() ? 1 : 3;
        int scale = conditions.quick() ? 10 : 1;
        List<Point> points = conditions.each("counting against selective", ALPHAS.length * HASHES.length, i -> {
            double alpha = ALPHAS[i / HASHES.length];
            int hashes = HASHES[i % HASHES.length];
            double[] sums = new double[3];
            for (int seed = 1; seed <= seeds; seed++) {
                double[] costs = costs(alpha, hashes, seed, scale);
                for (int way = 0; way < sums.length; way++) {
                    sums[way] += costs[way] / seeds;
                }
            }
            return new Point(alpha, hashes, sums[0], sums[1], sums[2]);
        });
        return new SelectionGain(points);
    }

    /** The costs of counting, weighing and selecting. */
    private static double[] costs(double alpha, int hashes, int seed, int scale) {
        int memory = MEMORY / scale;
        int most = 2 * CACHED / scale;
        CountingBloom<String> counting = CountingBloom.expecting(most)
                .counters(COUNTERS / scale)
                .hashes(hashes)
                .build();
        // Planned for what is expected, and never full: no more than the cache is added, and not all of that.
        SelectiveCounting<String> selective = SelectiveCounting.expecting(CACHED / scale)
                .alpha(alpha)
                .counters(COUNTERS / scale)
                .hashes(hashes)
                .build();
        Key.Longs key = Key.longs().seeded(seed);
        SplittableRandom random = new SplittableRandom(seed);
        boolean[] cached = new boolean[memory];
        for (int i = 0; i < memory; i++) {
            double prior = prior(i, memory);
            if (random.nextDouble() < prior) {
                cached[i] = true;
                counting.addHash(key.hash(i));
                selective.addHash(key.hash(i), prior);
            }
        }
        double average = (double) CACHED / MEMORY;
        double[] costs = new double[3];
        for (int i = 0; i < memory; i++) {
            long hash = key.hash(i);
            boolean weighed = counting.posteriorHash(hash, average) >= 1 / (alpha + 1);
            costs[0] += cost(counting.mightContainHash(hash), cached[i], alpha);
            costs[1] += cost(weighed, cached[i], alpha);
            costs[2] += cost(selective.isWorthAskingHash(hash, prior(i, memory)), cached[i], alpha);
        }
        return costs;
    }

    private static double prior(int index, int memory) {
        int group = (int) ((long) index * GROUPS / memory);
        double first = (double) CACHED * GROUPS / MEMORY / 2 / (1 - Math.scalb(1.0, -GROUPS));
        return Math.scalb(first, -group);
    }

    private static double cost(boolean ask, boolean there, double alpha) {
        return ask == there ? 0 : ask ? 1 : alpha;
    }

    void report(Findings findings) {
        ResultTable table =
                new ResultTable("selection", "What minding priors saves, by number of hashes (33,280 counters)");
        table.number("alpha", "%.0f").number("hashes", "%d").number("cost of counting", "%,.0f");
        table.number("of weighing", "%,.0f").number("of selective", "%,.0f").number("selective saves, %", "%.1f");
        Plot plot = new Plot("selection", "Saved by the selective filter against the counting filter")
                .x("hashes k")
                .y("saved, % of the cost");
        for (int i = 0; i < ALPHAS.length; i++) {
            double alpha = ALPHAS[i];
            List<Point> some = points.stream().filter(p -> p.alpha == alpha).toList();
            some.forEach(p -> table.row(p.alpha, p.hashes, p.counting, p.weighing, p.selective, 100 * p.gain()));
            double[] x = some.stream().mapToDouble(Point::hashes).toArray();
            double[] y = some.stream().mapToDouble(p -> 100 * p.gain()).toArray();
            String name = NumberFormats.format("alpha %.0f", alpha);
            plot.line(name, x, y, i).dots(name + ", measured", x, y, i);
            double least = some.stream().mapToDouble(Point::gain).min().orElse(Double.NaN);
            findings.expect(Expectation.atLeast(
                    name + ": the selective filter is always cheaper, least saving", least, 0, "%.3f"));
            Point few = some.stream().filter(p -> p.hashes == 2).findFirst().orElseThrow();
            Point best = some.stream().filter(p -> p.hashes == 10).findFirst().orElseThrow();
            findings.expect(Expectation.atLeast(
                    name + ": with fewer hashes it saves more, 2 against 10 hashes",
                    few.gain() / best.gain(),
                    1,
                    "%.2f"));
        }
        findings.add(table).add(plot);
    }
}
