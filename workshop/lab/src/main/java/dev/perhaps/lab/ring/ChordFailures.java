package dev.perhaps.lab.ring;

import dev.perhaps.chord.model.CrashedRing;
import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Experiment;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.ResultTable;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/** The cost of a lookup after a share of 1,000 members has crashed at once, before anything is repaired. */
public final class ChordFailures implements Experiment {
    /*
     * 1,000 members with successor lists of 20. A lookup is wrong if it ends anywhere but at the first live member at
     * or after the key. With half of all dead, a list has no live entry with chance 2^−20.
     *
     * [1] Stoica et al., "Chord" (2003), table II: path length and timeouts.
     */
    private static final int MEMBERS = 1_000;
    private static final int SUCCESSORS = 20;
    private static final int LOOKUPS = 10_000;
    private static final double HOPS_OFF = 0.15;
    private static final double TIMEOUTS_OFF = 0.5;

    private record Published(double deadShare, double hops, double timeouts) {}

    private static final List<Published> PUBLISHED = List.of(
            new Published(0, 3.84, 0),
            new Published(0.1, 4.03, 0.60),
            new Published(0.2, 4.22, 1.17),
            new Published(0.3, 4.44, 2.02),
            new Published(0.4, 4.69, 3.23),
            new Published(0.5, 5.09, 5.10));

    /** 10,000 lookups in one ring. */
    record Cost(double hops, double timeouts, int wrong) {}

    @Override
    public String name() {
        return "chord-failures";
    }

    @Override
    public String shows() {
        return "Hops and timeouts of lookups after up to half of 1,000 members crashed at once.";
    }

    @Override
    public Findings run(Conditions conditions) {
        int seeds = conditions.seedsOr(20, 5);
        List<Cost> costs = conditions.each(
                "rings", PUBLISHED.size() * seeds, i -> cost(PUBLISHED.get(i / seeds).deadShare, i % seeds));
        Findings findings = new Findings(this);
        ResultTable table = new ResultTable("failures", "Lookups after crashes: 1,000 members, successor lists of 20");
        table.number("dead", "%.1f").number("hops", "%.2f").number("published hops", "%.2f");
        table.number("timeouts", "%.2f").number("published timeouts", "%.2f").number("wrong of all", "%d");
        for (int i = 0; i < PUBLISHED.size(); i++) {
            Published published = PUBLISHED.get(i);
            List<Cost> some = costs.subList(i * seeds, (i + 1) * seeds);
            double hops = some.stream().mapToDouble(Cost::hops).average().orElse(0);
            double timeouts =
                    some.stream().mapToDouble(Cost::timeouts).average().orElse(0);
            int wrong = some.stream().mapToInt(Cost::wrong).sum();
            table.row(published.deadShare, hops, published.hops, timeouts, published.timeouts, wrong);
            String dead = String.format(Locale.ROOT, "%.0f %% dead: ", 100 * published.deadShare);
            findings.expect(Expectation.near(dead + "hops", hops, published.hops, HOPS_OFF, "%.2f"));
            findings.expect(Expectation.near(dead + "timeouts", timeouts, published.timeouts, TIMEOUTS_OFF, "%.2f"));
            findings.expect(Expectation.atMost(
                    String.format(Locale.ROOT, "%swrong of %,d lookups", dead, seeds * LOOKUPS), wrong, 0, "%.0f"));
        }
        return findings.add(table);
    }

    static Cost cost(double deadShare, int seed) {
        CrashedRing ring = CrashedRing.of(MEMBERS, SUCCESSORS, deadShare, seed);
        SplittableRandom random = new SplittableRandom(seed + 1_000L);
        long hops = 0;
        long timeouts = 0;
        int wrong = 0;
        for (int i = 0; i < LOOKUPS; i++) {
            int from = random.nextInt(MEMBERS);
            while (ring.isDead(from)) {
                from = random.nextInt(MEMBERS);
            }
            long key = random.nextLong();
            wrong += ring.lookup(from, key) == ring.owner(key) ? 0 : 1;
            hops += ring.hops();
            timeouts += ring.timeouts();
        }
        return new Cost((double) hops / LOOKUPS, (double) timeouts / LOOKUPS, wrong);
    }
}
