package dev.perhaps.lab.ring;

import dev.perhaps.chord.model.StaticRing;
import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Experiment;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.Plot;
import dev.perhaps.lab.ResultTable;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/** Lookups just after n members joined n others: successors are correct, but fingers know only the older half. */
public final class ChordJoins implements Experiment {
    /*
     * An exercise of the lectures: lookups still take O(log n) hops with high probability. Fingers lead to the last of
     * the older half before the key in O(log n); from there the successors lead over those that joined in between,
     * geometrically many: one on average, and more than c·log2 n between any two with chance n · 2^(−c·log2 n) =
     * n^(1−c).
     */
    private static final int MIN_BITS = 8;
    private static final int MAX_BITS = 17;

    /** Hops of many lookups. */
    private record Hops(double mean, int of999, int most) {}

    @Override
    public String name() {
        return "chord-joins";
    }

    @Override
    public String shows() {
        return "Hops after n members joined n others whose fingers know nothing of it: still O(log n).";
    }

    @Override
    public Findings run(Conditions conditions) {
        int mostBits = conditions.quick() ? 12 : MAX_BITS;
        int lookups = conditions.quick() ? 20_000 : 200_000;
        List<Hops> all = conditions.each("rings", mostBits - MIN_BITS + 1, i -> hops(MIN_BITS + i, lookups));
        Findings findings = new Findings(this);
        ResultTable table = new ResultTable(
                "joins", "Hops to the predecessor after n members joined n, by stale fingers and successors");
        table.number("n", "%,d")
                .number("log2 n", "%d")
                .number("mean", "%.2f")
                .number("99.9 %", "%d")
                .number("most", "%d");
        double[] bits = new double[all.size()];
        double[] means = new double[all.size()];
        double[] mosts = new double[all.size()];
        double worst = 0;
        double worstMean = 0;
        for (int i = 0; i < all.size(); i++) {
            Hops hops = all.get(i);
            bits[i] = MIN_BITS + i;
            means[i] = hops.mean;
            mosts[i] = hops.most;
            worst = Math.max(worst, hops.most / bits[i]);
            worstMean = Math.max(worstMean, hops.mean - bits[i] / 2);
            table.row(1L << MIN_BITS + i, MIN_BITS + i, hops.mean, hops.of999, hops.most);
        }
        findings.add(table);
        findings.expect(Expectation.atMost(
                String.format(Locale.ROOT, "mean hops above ½·log2 n, at worst, up to n = %,d", 1 << mostBits),
                worstMean,
                1.5,
                "%.2f"));
        findings.expect(Expectation.atMost("most hops of any lookup over log2 n, at worst", worst, 3, "%.2f"));
        return findings.add(new Plot("joins", "Hops after n members joined n, with stale fingers")
                .x("log2 n")
                .y("hops")
                .line("mean", bits, means, 0)
                .line("most", bits, mosts, 1));
    }

    private static Hops hops(int bits, int lookups) {
        StaticRing ring = StaticRing.joined(1 << bits, bits);
        SplittableRandom random = new SplittableRandom(bits + 1_000L);
        int[] hops = new int[lookups];
        for (int i = 0; i < lookups; i++) {
            hops[i] = ring.hops(random.nextInt(ring.members()), random.nextLong());
        }
        Arrays.sort(hops);
        return new Hops(Arrays.stream(hops).average().orElse(0), hops[(int) (0.999 * lookups)], hops[lookups - 1]);
    }
}
