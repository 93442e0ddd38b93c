package dev.perhaps.lab.ring;

import dev.perhaps.chord.model.StaticRing;
import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Experiment;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.Plot;
import dev.perhaps.lab.ResultTable;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The number of hops of a lookup by fingers alone, compared with ½·log2 N and the published means, for 2⁸ to 10⁶
 * members.
 */
public final class ChordPaths implements Experiment {
    /*
     * Hops are counted to the key's predecessor, with right fingers and no short cut by successor lists. Each hop at
     * least halves the distance, and about half of the log2 N bits of the distance are ones, each worth a hop: mean
     * ½·log2 N, less a little since the last bits are below the distance of neighbours. The distribution is about
     * Binomial(log2 N, ½) in shape, with variance ¼·log2 N.
     *
     * [1] Stoica et al., "Chord" (2003), figure 10: mean and distribution for 2^12 members.
     */
    private static final double TOLERANCE = 0.03;
    private static final int DISTRIBUTION = 1 << 12;

    /** What is published for this number of members. */
    private record Published(int members, double hops) {}

    private static final List<Published> PUBLISHED = List.of(
            new Published(1 << 8, 3.84),
            new Published(1 << 10, 4.87),
            new Published(1 << 12, 5.86),
            new Published(1 << 14, 6.85),
            new Published(1_000_000, 9.83));

    /** Lookups by their number of hops. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Paths(long[] byHops) {
        long lookups() {
            return java.util.Arrays.stream(byHops).sum();
        }

        double mean() {
            double sum = 0;
            for (int hops = 0; hops < byHops.length; hops++) {
                sum += (double) hops * byHops[hops];
            }
            return sum / lookups();
        }

        double deviation() {
            double sum = 0;
            for (int hops = 0; hops < byHops.length; hops++) {
                sum += byHops[hops] * (hops - mean()) * (hops - mean());
            }
            return Math.sqrt(sum / lookups());
        }

        int quantile(double share) {
            long left = (long) Math.ceil(share * lookups());
            int hops = -1;
            while (left > 0) {
                left -= byHops[++hops];
            }
            return hops;
        }
    }

    @Override
    public String name() {
        return "chord-paths";
    }

    @Override
    public String shows() {
        return "Hops of a lookup by fingers alone, from 256 to a million members, against the published means.";
    }

    @Override
    public Findings run(Conditions conditions) {
        int rings = conditions.seedsOr(20, 5);
        int lookups = conditions.quick() ? 5_000 : 20_000;
        List<List<Paths>> all = PUBLISHED.stream()
                .map(published -> conditions.each(
                        published.members + " members",
                        published.members > 100_000 ? Math.min(rings, 4) : rings,
                        seed -> paths(published.members, lookups, seed)))
                .toList();
        List<Paths> together = all.stream().map(ChordPaths::together).toList();

        Findings findings = new Findings(this);
        ResultTable table = new ResultTable("hops", "Hops to the predecessor of a key, by fingers only");
        table.number("members", "%,d")
                .number("half log2", "%.2f")
                .number("published", "%.2f")
                .number("mean", "%.3f");
        table.number("standard deviation", "%.2f")
                .number("1 %", "%d")
                .number("99 %", "%d")
                .number("lookups", "%,d");
        for (int i = 0; i < together.size(); i++) {
            Published published = PUBLISHED.get(i);
            Paths paths = together.get(i);
            table.row(
                    published.members,
                    Math.log(published.members) / Math.log(4),
                    published.hops,
                    paths.mean(),
                    paths.deviation(),
                    paths.quantile(0.01),
                    paths.quantile(0.99),
                    paths.lookups());
            findings.expect(Expectation.near(
                    String.format(Locale.ROOT, "mean hops of %,d members", published.members),
                    paths.mean(),
                    published.hops,
                    TOLERANCE * published.hops,
                    "%.3f"));
        }
        findings.add(table);
        Paths twelve = together.get(2);
        double deviation = Math.sqrt(Math.log(DISTRIBUTION) / Math.log(2)) / 2;
        findings.expect(Expectation.near(
                "standard deviation of 4,096 members, against ½·√(log2 N)",
                twelve.deviation(),
                deviation,
                0.1,
                "%.3f"));
        return findings.addLong(distribution(twelve)).add(plot(twelve)).add(means(together));
    }

    private static Paths paths(int members, int lookups, int seed) {
        StaticRing ring = StaticRing.of(members, seed);
        SplittableRandom random = new SplittableRandom(seed + 1_000L);
        long[] byHops = new long[Long.SIZE];
        for (int i = 0; i < lookups; i++) {
            byHops[ring.hops(random.nextInt(members), random.nextLong())]++;
        }
        return new Paths(byHops);
    }

    private static Paths together(List<Paths> parts) {
        long[] sum = new long[Long.SIZE];
        parts.forEach(part -> IntStream.range(0, sum.length).forEach(hops -> sum[hops] += part.byHops[hops]));
        return new Paths(sum);
    }

    private static ResultTable distribution(Paths paths) {
        ResultTable table = new ResultTable("distribution", "Share of lookups by their hops, 4,096 members");
        table.number("hops", "%d").number("share", "%.5f");
        for (int hops = 0; hops <= paths.quantile(1); hops++) {
            table.row(hops, (double) paths.byHops[hops] / paths.lookups());
        }
        return table;
    }

    private static Plot plot(Paths paths) {
        double[] hops =
                IntStream.rangeClosed(0, paths.quantile(1)).asDoubleStream().toArray();
        double[] shares = new double[hops.length];
        double[] binomial = new double[hops.length];
        double chance = Math.pow(0.5, 12);
        for (int i = 0; i < hops.length; i++) {
            shares[i] = (double) paths.byHops[i] / paths.lookups();
            binomial[i] = i <= 12 ? chance : 0;
            chance *= (12.0 - i) / (i + 1);
        }
        return new Plot("distribution", "Lookups by hops, 4,096 members: dots measured, line Binomial(12, ½)")
                .x("hops")
                .y("share of lookups")
                .line("Binomial(12, ½)", hops, binomial, 0)
                .dots("measured", hops, shares, 1);
    }

    private static Plot means(List<Paths> together) {
        double[] bits = PUBLISHED.stream()
                .mapToDouble(published -> Math.log(published.members) / Math.log(2))
                .toArray();
        double[] half =
                IntStream.range(0, bits.length).mapToDouble(i -> bits[i] / 2).toArray();
        return new Plot("means", "Mean hops by members: dots measured, line ½·log2 N")
                .x("log2 of members")
                .y("hops")
                .line("½·log2 N", bits, half, 0)
                .dots(
                        "measured",
                        bits,
                        together.stream().mapToDouble(Paths::mean).toArray(),
                        1);
    }
}
