package dev.perhaps.lab.guard;

import dev.perhaps.guard.Costs;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A workload whose hit rate and costs change from phase to phase.
 *
 * @param store true if there is no origin, so that the lookup cannot be skipped
 */
record PhasedWorkload(String name, boolean store, List<Phase> phases) {
    static final int QUESTIONS_PER_PHASE = 50_000;

    /** Keys of a group have its number above this bit; those that are there count up from 0 below it. */
    static final int GROUP_SHIFT = 40;

    /** The number of keys of each group that are there. */
    static final long THERE = 2_000;

    /**
     * One phase.
     *
     * @param priors the hit rate of each group
     */
    record Phase(List<Double> priors, Costs costs) {}

    int groups() {
        return phases.get(0).priors.size();
    }

    /** The key of the next question of a phase. */
    long next(Phase phase, SplittableRandom random) {
        int group = random.nextInt(groups());
        long below = random.nextDouble() < phase.priors.get(group)
                ? random.nextLong(THERE)
                : THERE + random.nextLong((1L << GROUP_SHIFT) - THERE);
        return (long) group << GROUP_SHIFT | below;
    }

    static boolean isThere(long key) {
        return (key & ((1L << GROUP_SHIFT) - 1)) < THERE;
    }

    static List<PhasedWorkload> all() {
        Costs usual = Costs.lookup(1).filter(0.02).origin(10);
        Costs near = Costs.lookup(1).filter(0.1).origin(2);
        return List.of(
                new PhasedWorkload(
                        "cold, warm, hot",
                        false,
                        List.of(
                                one(0.0005, usual),
                                one(0.3, usual),
                                one(0.99, usual),
                                one(0.0005, usual),
                                one(0.99, usual))),
                new PhasedWorkload(
                        "costs change",
                        false,
                        List.of(
                                one(0.02, usual.origin(1.2)),
                                one(0.02, usual.origin(100)),
                                one(0.02, usual.origin(10)),
                                one(0.02, usual.filter(0.8).origin(10)),
                                one(0.02, usual.origin(1.2)))),
                new PhasedWorkload(
                        "cold throughout", false, List.of(one(0.0005, near), one(0.0005, near), one(0.0005, near))),
                new PhasedWorkload(
                        "cold and hot in turn",
                        false,
                        List.of(
                                one(0.001, near),
                                one(0.995, near),
                                one(0.001, near),
                                one(0.995, near),
                                one(0.001, near),
                                one(0.995, near))),
                new PhasedWorkload("16 groups, all changes", false, drawn(16, 5)),
                new PhasedWorkload(
                        "dear filter",
                        false,
                        List.of(
                                one(0.2, usual.filter(0.5)),
                                one(0.8, usual.filter(0.5)),
                                one(0.01, usual.filter(0.5)),
                                one(0.5, usual.filter(0.1)))),
                new PhasedWorkload(
                        "store: cold, hot, mixed",
                        true,
                        List.of(
                                one(0.05, Costs.lookup(1).filter(0.05)),
                                one(0.995, Costs.lookup(1).filter(0.05)),
                                one(0.5, Costs.lookup(1).filter(0.05)),
                                one(0.99, Costs.lookup(1).filter(0.3)))));
    }

    private static Phase one(double prior, Costs costs) {
        return new Phase(List.of(prior), costs);
    }

    /** Priors and costs drawn again for each phase, priors from 1/10,000 to nearly 1. */
    private static List<Phase> drawn(int groups, int count) {
        SplittableRandom random = new SplittableRandom(5);
        List<Phase> phases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<Double> priors = new ArrayList<>();
            for (int group = 0; group < groups; group++) {
                double odds = Math.pow(10, -4 + 6 * random.nextDouble());
                priors.add(odds / (1 + odds));
            }
            double filter = Math.pow(10, -2 + 1.5 * random.nextDouble());
            double origin = Math.pow(10, 0.2 + 1.5 * random.nextDouble());
            phases.add(new Phase(priors, Costs.lookup(1).filter(filter).origin(origin)));
        }
        return phases;
    }
}
