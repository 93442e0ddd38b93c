package dev.perhaps.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.membership.Filter;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The guard against the best fixed action over the whole run, in counted costs, from the 10,001st asking on, phase changes
 * included. Phases have 50,000 requests; each workload is run with 20 seeds, and none may cost more than 5 % above.
 */
@SuppressWarnings("CheckReturnValue") // a guard learns from every request, whether or not the value is used
class GuardPhasesTest {
    private static final int PHASE = 50_000;
    private static final int WARM_UP = 10_000;
    private static final int SEEDS = 20;
    private static final double FALSE_POSITIVES = 0.01;

    /** One phase: the priors of the groups, by turns, and what asking costs meanwhile. */
    private record Phase(Costs costs, List<Double> priors) {
        Phase(Costs costs, Double... priors) {
            this(costs, List.of(priors));
        }
    }

    /**
     * A workload; if it is timed, the guard is not told the costs, and has a clock that they move.
     *
     * @param denied the share of what is there to which the filter says no
     */
    private record Workload(String name, boolean cache, boolean timed, int groups, List<Phase> phases, double denied) {
        Workload(String name, boolean cache, boolean timed, int groups, List<Phase> phases) {
            this(name, cache, timed, groups, phases, 0);
        }

        /** A filter that says no to all that is there says it to all else, too. */
        double falsePositives() {
            return denied == 1 ? 0 : FALSE_POSITIVES;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Workload> workloads() {
        Costs cheap = Costs.lookup(1).filter(0.01).origin(10);
        Costs dear = Costs.lookup(1).filter(0.5).origin(6);
        Costs remote = Costs.lookup(1).filter(1).origin(2);
        List<Phase> fromColdToHot = phases(cheap, 0, 0.001, 0.3, 0.9, 0.05);
        List<Phase> backAndForth = phases(dear, 0, 0.9, 0, 0.9, 0.3);
        List<Phase> changingCosts = List.of(
                new Phase(cheap, 0.05),
                new Phase(Costs.lookup(8).filter(0.2).origin(9), 0.05),
                new Phase(Costs.lookup(0.1).filter(0.2).origin(9), 0.4),
                new Phase(cheap, 0.005));
        List<Phase> eachItsOwn = List.of(
                new Phase(dear, 0.0, 0.001, 0.3, 0.9, 0.05),
                new Phase(dear, 0.9, 0.05, 0.0, 0.001, 0.3),
                new Phase(dear, 0.001, 0.3, 0.9, 0.05, 0.0));
        return Stream.of(
                new Workload("a store from cold to hot", false, false, 1, fromColdToHot),
                new Workload("a cache from cold to hot", true, false, 1, fromColdToHot),
                new Workload("a cache back and forth", true, false, 1, backAndForth),
                new Workload("a store back and forth, measured", false, true, 1, backAndForth),
                new Workload("a cache with changing costs, measured", true, true, 1, changingCosts),
                new Workload("a store with changing costs, measured", false, true, 1, changingCosts),
                new Workload("40 groups, each its own", true, false, 40, eachItsOwn),
                new Workload("40 groups, each its own, measured", true, true, 40, eachItsOwn),
                new Workload("100 groups before a store", false, false, 100, backAndForth),
                new Workload("a cold cache that stays so", true, false, 1, phases(remote, 0, 0)),
                new Workload("a cold store that stays so", false, false, 1, phases(cheap, 0, 0)),
                new Workload("a hot cache that stays so", true, false, 1, phases(remote, 0.95, 0.95)),
                new Workload("100 groups at the turning point", true, false, 100, phases(dear, 0.1, 0.12, 0.08)),
                new Workload("a hot cache, a tenth denied", true, false, 1, phases(cheap, 0.9, 0.9), 0.1),
                new Workload("a hot cache, a tenth denied, measured", true, true, 1, phases(cheap, 0.9, 0.9), 0.1),
                new Workload("a hot cache, all denied", true, false, 1, phases(cheap, 0.9, 0.9), 1),
                new Workload("a hot cache, all denied, measured", true, true, 1, phases(cheap, 0.9, 0.9), 1),
                new Workload("a cold cache, all denied, that becomes hot", true, false, 1, phases(cheap, 0, 0.9), 1),
                new Workload("a cache from cold to hot, a tenth denied", true, false, 1, fromColdToHot, 0.1),
                new Workload("a cache from cold to hot, half denied", true, false, 1, fromColdToHot, 0.5),
                new Workload("a cache back and forth, all denied", true, false, 1, backAndForth, 1),
                new Workload("40 groups, each its own, a fifth denied", true, false, 40, eachItsOwn, 0.2));
    }

    private static List<Phase> phases(Costs costs, double... priors) {
        return Arrays.stream(priors).mapToObj(prior -> new Phase(costs, prior)).toList();
    }

    @ParameterizedTest
    @MethodSource("workloads")
    void costsAtMostFivePercentMoreThanTheBestFixedAction(Workload workload) {
        for (int seed = 0; seed < SEEDS; seed++) {
            Run run = new Run(workload, seed);
            run.all();
            assertThat(run.spent)
                    .as(
                            "%s, seed %d: never %.0f, consult %.0f, always %.0f",
                            workload, seed, run.never, run.consult, run.always)
                    .isLessThanOrEqualTo(1.05 * run.best());
            double tolerance = Math.max(0.1 * Math.abs(run.queriesSaved()), 0.002 * run.asked);
            assertThat(run.guard.report().queriesSaved())
                    .as("%s, seed %d: queries saved", workload, seed)
                    .isBetween(run.queriesSaved() - tolerance, run.queriesSaved() + tolerance);
        }
    }

    /** One run: the guard, and what each fixed action would have cost for the same requests. */
    private static final class Run {
        private final Workload workload;
        private final SplittableRandom random;
        private final Guard<Long, Boolean> guard;
        private Costs costs;
        private double clock;
        private double spent;
        private double never;
        private double consult;
        private double always;
        private long asked;
        private long there;
        private long queries;

        Run(Workload workload, long seed) {
            this.workload = workload;
            this.random = new SplittableRandom(seed);
            this.costs = workload.phases.get(0).costs;
            Guard.Plan plan = Guard.plan().seed(seed);
            plan = workload.timed ? plan.clock(() -> (long) (clock * 1_000)) : plan.costs(() -> costs);
            // A key is its group, whether the filter says "perhaps", and whether it is there.
            Filter<Long> filter = key -> {
                pay(costs.filter());
                return (key & 2) != 0;
            };
            Function<Long, Optional<Boolean>> lookup = key -> {
                pay(costs.lookup());
                queries++;
                return (key & 1) != 0 ? Optional.of(true) : Optional.empty();
            };
            Function<Long, Optional<Boolean>> origin = key -> {
                pay(costs.origin());
                queries++;
                return Optional.of(true);
            };
            this.guard = workload.cache
                    ? plan.cache(filter, lookup, origin, key -> key >>> 2)
                    : plan.store(filter, lookup, key -> key >>> 2);
        }

        private void pay(double cost) {
            clock += cost;
            spent += asked > WARM_UP ? cost : 0;
        }

        void all() {
            for (Phase phase : workload.phases) {
                costs = phase.costs;
                for (int i = 0; i < PHASE; i++) {
                    int group = random.nextInt(workload.groups);
                    boolean present = random.nextDouble() < phase.priors.get(group % phase.priors.size());
                    boolean perhaps = random.nextDouble() < (present ? 1 - workload.denied : workload.falsePositives());
                    asked++;
                    there += present ? 1 : 0;
                    if (asked > WARM_UP) {
                        double behind = workload.cache && !present ? costs.origin() : 0;
                        never += costs.origin();
                        double denied = workload.cache && present && !perhaps ? costs.origin() : 0;
                        consult += costs.filter() + (perhaps ? costs.lookup() : 0) + behind + denied;
                        always += costs.lookup() + behind;
                    }
                    guard.get((long) group << 2 | (perhaps ? 2 : 0) | (present ? 1 : 0));
                }
            }
        }

        double best() {
            double best = Math.min(consult, always);
            return workload.cache ? Math.min(best, never) : best;
        }

        /** Against always looking. */
        double queriesSaved() {
            return asked + (workload.cache ? asked - there : 0) - queries;
        }
    }
}
