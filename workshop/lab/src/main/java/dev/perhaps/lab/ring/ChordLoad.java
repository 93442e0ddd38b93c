package dev.perhaps.lab.ring;

import dev.perhaps.key.Key;
import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Experiment;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.Plot;
import dev.perhaps.lab.ResultTable;
import dev.perhaps.placement.HashRing;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** How unevenly consistent hashing spreads keys over 10,000 members, and what virtual nodes do about it. */
public final class ChordLoad implements Experiment {
    /*
     * The arcs of n random points have exponentially distributed lengths: with one point per member, the 99th
     * percentile is ln 100 = 4.6 times the mean, and the longest ln n times. With v points per member the load is a sum
     * of v arcs, and its relative deviation is 1/√v. The ring is that of the library; a hundred keys per member are
     * counted, which adds a deviation of 10 %.
     *
     * [1] Stoica et al., "Chord" (2003), figures 8 and 9.
     */
    private static final int MEMBERS = 10_000;
    private static final int KEYS = 1_000_000;
    private static final List<Integer> POINTS = List.of(1, 2, 5, 10, 20, 50);

    /** Keys per member, divided by their mean. */
    record Load(double first, double median, double ninetyNinth, double most) {}

    @Override
    public String name() {
        return "chord-load";
    }

    @Override
    public String shows() {
        return "Keys a member over their mean, for 10,000 members with 1 to 50 virtual nodes each.";
    }

    @Override
    public Findings run(Conditions conditions) {
        int seeds = conditions.seedsOr(10, 3);
        List<Load> loads = conditions.each("rings", POINTS.size() * seeds, i -> load(POINTS.get(i / seeds), i % seeds));
        Findings findings = new Findings(this);
        ResultTable table = new ResultTable("load", "Keys a member, over the mean; means of several rings");
        table.number("virtual nodes", "%d").number("1 %", "%.2f").number("median", "%.2f");
        table.number("99 %", "%.3f").text("published").number("most", "%.2f");
        double[] ninetyNinth = new double[POINTS.size()];
        for (int i = 0; i < POINTS.size(); i++) {
            List<Load> some = loads.subList(i * seeds, (i + 1) * seeds);
            ninetyNinth[i] =
                    some.stream().mapToDouble(Load::ninetyNinth).average().orElse(0);
            table.row(
                    POINTS.get(i),
                    some.stream().mapToDouble(Load::first).average().orElse(0),
                    some.stream().mapToDouble(Load::median).average().orElse(0),
                    ninetyNinth[i],
                    POINTS.get(i) == 1 ? "4.6" : POINTS.get(i) == 20 ? "1.6" : "",
                    some.stream().mapToDouble(Load::most).average().orElse(0));
        }
        findings.add(table);
        findings.expect(
                Expectation.near("99th percentile over the mean, one node a member", ninetyNinth[0], 4.6, 0.2, "%.3f"));
        findings.expect(Expectation.near(
                "99th percentile over the mean, 20 virtual nodes", ninetyNinth[POINTS.indexOf(20)], 1.65, 0.1, "%.3f"));
        double[] points = POINTS.stream().mapToDouble(Integer::doubleValue).toArray();
        return findings.add(new Plot("load", "99th percentile of keys per member, over the mean")
                .x("virtual nodes a member")
                .y("times the mean")
                .line("measured", points, ninetyNinth, 0));
    }

    static Load load(int points, int seed) {
        Map<Long, Integer> members = new LinkedHashMap<>();
        for (long member = 0; member < MEMBERS; member++) {
            members.put(member, 1);
        }
        Key.Longs key = Key.longs().seeded(seed);
        HashRing<Long> ring = HashRing.points(points).of(members, key);
        double[] counts = new double[MEMBERS];
        for (long i = 0; i < KEYS; i++) {
            counts[ring.owner(key.hash(MEMBERS + i)).intValue()]++;
        }
        double[] shares = IntStream.range(0, MEMBERS)
                .mapToDouble(i -> counts[i] * MEMBERS / KEYS)
                .toArray();
        Arrays.sort(shares);
        return new Load(shares[MEMBERS / 100], shares[MEMBERS / 2], shares[MEMBERS * 99 / 100], shares[MEMBERS - 1]);
    }
}
