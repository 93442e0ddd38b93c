package dev.perhaps.lab.filters;

import dev.perhaps.key.Key;
import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Experiment;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.Plot;
import dev.perhaps.lab.ResultTable;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.bloom.BloomFormulas;
import java.util.List;
import java.util.Locale;

/**
 * Compares the measured false positive rate of a Bloom filter with f = (1 − (1 − 1/m)^(kn))^k, for 2 to 20 bits per
 * item and 1 to 16 hashes, and at the points that textbooks print.
 */
public final class FalsePositives implements Experiment {
    /*
     * Each point is measured on several filters of other keys, and each filter with many absent keys. The measured rate
     * swings around the formula for two reasons: absent keys are a sample (binomial), and so is the filter, whose share
     * s of set bits differs from filter to filter (balls into bins [1]). With N absent keys over F filters
     *
     *     sd² = f(1 − f)/N + (k·f/s)²·var(s)/F,    var(s) = (p − p²(1 + λ))/m,   p = e^−λ,   λ = kn/m.
     *
     * 304 points within 5 sd of the formula: by chance alone one run in 6,000 fails.
     *
     * [1] Mitzenmacher and Upfal, "Probability and computing" (2005), chapter 5.
     */
    private static final int MIN_BITS = 2;
    private static final int MAX_BITS = 20;
    private static final int MAX_HASHES = 16;
    private static final double DEVIATIONS = 5;

    /** What a source prints for these bits per item, and half of its last digit (all of it if it truncates). */
    private record Printed(String source, double bitsPerItem, int hashes, double rate, double rounding) {}

    private static final List<Printed> PRINTED = List.of(
            new Printed("table of sizes", 6, 4, 0.0561, 0.00005),
            new Printed("table of sizes (truncated)", 8, 6, 0.0215, 0.0001),
            new Printed("table of sizes", 12, 8, 0.00314, 0.000005),
            new Printed("table of sizes", 16, 11, 0.000458, 0.0000005),
            new Printed("ten bits per item", 10, 7, 0.0082, 0.00005),
            new Printed("24 Mbit, grown from 1 M to 10 M items", 2.4, 2, 0.32, 0.005));

    /** A measured point of the curves. */
    record Point(double bitsPerItem, int hashes, double predicted, double measured, double deviation, long missing) {
        double z() {
            return (measured - predicted) / deviation;
        }
    }

    /** The hashes of one filter's keys, and of keys that are not in it. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Keys(long[] present, long[] absent) {}

    @Override
    public String name() {
        return "false-positives";
    }

    @Override
    public String shows() {
        return "Measured against predicted error of a Bloom filter, over 2 to 20 bits per item and 1 to 16 hashes.";
    }

    @Override
    public Findings run(Conditions conditions) {
        int filters = conditions.seedsOr(8, 2);
        int items = conditions.quick() ? 5_000 : 50_000;
        int asked = conditions.quick() ? 20_000 : 250_000;
        List<Keys> keys = conditions.each("keys", filters, seed -> keys(seed, items, asked));

        int widths = MAX_BITS - MIN_BITS + 1;
        List<Point> points = conditions.each("filters", widths * MAX_HASHES, i -> {
            int bitsPerItem = MIN_BITS + i / MAX_HASHES;
            return measure(keys, bitsPerItem, 1 + i % MAX_HASHES, items, asked);
        });
        List<Point> printed = conditions.each("printed points", PRINTED.size(), i -> {
            Printed point = PRINTED.get(i);
            return measure(keys, point.bitsPerItem, point.hashes, items, asked);
        });
        return findings(points, printed);
    }

    private static Keys keys(int seed, int items, int asked) {
        Key.Longs key = Key.longs().seeded(seed);
        long[] present = new long[items];
        long[] absent = new long[asked];
        for (int i = 0; i < items; i++) {
            present[i] = key.hash(i);
        }
        for (int i = 0; i < asked; i++) {
            absent[i] = key.hash(items + i);
        }
        return new Keys(present, absent);
    }

    private static Point measure(List<Keys> keys, double bitsPerItem, int hashes, int items, int asked) {
        long bits = Math.round(bitsPerItem * items);
        long found = 0;
        long missing = 0;
        for (Keys some : keys) {
            BloomFilter<String> filter =
                    BloomFilter.expecting(items).bits(bits).hashes(hashes).build();
            filter.addHashes(some.present, 0, items);
            for (long hash : some.absent) {
                found += filter.mightContainHash(hash) ? 1 : 0;
            }
            for (long hash : some.present) {
                missing += filter.mightContainHash(hash) ? 0 : 1;
            }
        }
        double predicted = BloomFormulas.falsePositives(bits, hashes, items);
        double samples = (double) keys.size() * asked;
        double deviation = deviation(bits, hashes, items, predicted, samples, keys.size());
        return new Point(bitsPerItem, hashes, predicted, found / samples, deviation, missing);
    }

    private static double deviation(long bits, int hashes, int items, double rate, double samples, int filters) {
        double load = (double) hashes * items / bits;
        double zero = Math.exp(-load);
        double swing = Math.max(0, zero - zero * zero * (1 + load)) / bits;
        double slope = hashes * rate / (1 - zero);
        return Math.sqrt(rate * (1 - rate) / samples + slope * slope * swing / filters);
    }

    private Findings findings(List<Point> points, List<Point> printed) {
        Findings findings = new Findings(this);
        findings.add(summary(points)).add(printedTable(printed)).addLong(table(points));
        findings.add(byHashes(points)).add(byBits(points));

        Point worst = points.get(0);
        long missing = 0;
        for (Point point : points) {
            worst = Math.abs(point.z()) > Math.abs(worst.z()) ? point : worst;
            missing += point.missing;
        }
        findings.expect(Expectation.atMost(
                String.format(
                        Locale.ROOT,
                        "all %d points near the formula, in standard deviations (worst: %.0f bits per item, %d hashes)",
                        points.size(),
                        worst.bitsPerItem,
                        worst.hashes),
                Math.abs(worst.z()),
                DEVIATIONS,
                "%.2f"));
        findings.expect(Expectation.atMost("keys that were added and not found", missing, 0, "%.0f"));
        for (int i = 0; i < printed.size(); i++) {
            Printed claim = PRINTED.get(i);
            Point point = printed.get(i);
            findings.expect(Expectation.near(
                    String.format(
                            Locale.ROOT,
                            "%.3g bits per item, %d hashes: %s",
                            claim.bitsPerItem,
                            claim.hashes,
                            claim.source),
                    point.measured,
                    claim.rate,
                    claim.rounding + DEVIATIONS * point.deviation,
                    "%.3g"));
        }
        return findings;
    }

    private static ResultTable summary(List<Point> points) {
        ResultTable table = new ResultTable("best", "Share of false positives with the best number of hashes");
        table.number("bits per item", "%.0f").number("best hashes", "%d").number("predicted", "%.3g");
        table.number("measured", "%.3g").number("farthest of 1 to 16 hashes, deviations", "%.2f");
        for (Point point : best(points)) {
            double farthest = points.stream()
                    .filter(p -> p.bitsPerItem == point.bitsPerItem)
                    .mapToDouble(p -> Math.abs(p.z()))
                    .max()
                    .orElse(0);
            table.row(point.bitsPerItem, point.hashes, point.predicted, point.measured, farthest);
        }
        return table;
    }

    private static List<Point> best(List<Point> points) {
        return points.stream()
                .filter(p -> p.hashes == BloomFormulas.hashes(p.bitsPerItem))
                .toList();
    }

    private static ResultTable table(List<Point> points) {
        ResultTable table =
                new ResultTable("curves", "Share of false positives, measured and predicted, at every point");
        table.number("bits per item", "%.0f").number("hashes", "%d").number("predicted", "%.3g");
        table.number("measured", "%.3g").number("deviations off", "%+.2f");
        for (Point point : points) {
            table.row(point.bitsPerItem, point.hashes, point.predicted, point.measured, point.z());
        }
        return table;
    }

    private static ResultTable printedTable(List<Point> printed) {
        ResultTable table = new ResultTable("printed", "The points that textbooks print");
        table.text("point")
                .number("bits per item", "%.1f")
                .number("hashes", "%d")
                .number("printed", "%.3g");
        table.number("predicted", "%.3g").number("measured", "%.3g");
        for (int i = 0; i < printed.size(); i++) {
            Point point = printed.get(i);
            Printed claim = PRINTED.get(i);
            table.row(claim.source, claim.bitsPerItem, claim.hashes, claim.rate, point.predicted, point.measured);
        }
        return table;
    }

    private static Plot byHashes(List<Point> points) {
        Plot plot = new Plot("by-hashes", "False positives by number of hashes: lines predicted, dots measured")
                .x("hashes k")
                .yLog("share of false positives");
        int colour = 0;
        for (int bits : new int[] {2, 4, 6, 8, 12, 16, 20}) {
            List<Point> some =
                    points.stream().filter(p -> p.bitsPerItem == bits).toList();
            curve(
                    plot,
                    bits + " bits per item",
                    some,
                    some.stream().mapToDouble(Point::hashes).toArray(),
                    colour++);
        }
        return plot;
    }

    private static Plot byBits(List<Point> points) {
        Plot plot = new Plot("by-bits", "False positives by bits per item: lines predicted, dots measured")
                .x("bits per item m/n")
                .yLog("share of false positives");
        int colour = 0;
        for (int hashes : new int[] {1, 2, 4, 8, 16}) {
            List<Point> some = points.stream().filter(p -> p.hashes == hashes).toList();
            String name = hashes == 1 ? "1 hash" : hashes + " hashes";
            curve(
                    plot,
                    name,
                    some,
                    some.stream().mapToDouble(Point::bitsPerItem).toArray(),
                    colour++);
        }
        List<Point> best = best(points);
        curve(
                plot,
                "the best number",
                best,
                best.stream().mapToDouble(Point::bitsPerItem).toArray(),
                colour);
        return plot;
    }

    private static void curve(Plot plot, String name, List<Point> points, double[] x, int colour) {
        plot.line(name, x, points.stream().mapToDouble(Point::predicted).toArray(), colour);
        plot.dots(
                name + ", measured",
                x,
                points.stream().mapToDouble(Point::measured).toArray(),
                colour);
    }
}
