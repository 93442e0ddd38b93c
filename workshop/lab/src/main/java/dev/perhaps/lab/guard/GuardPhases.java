package dev.perhaps.lab.guard;

import dev.perhaps.guard.Costs;
import dev.perhaps.guard.Guard;
import dev.perhaps.key.Key;
import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Experiment;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.NumberFormats;
import dev.perhaps.lab.Plot;
import dev.perhaps.lab.ResultTable;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.Filter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;

/** Compares a guard with the three fixed policies, on workloads whose hit rate and costs change. */
public final class GuardPhases implements Experiment {
    /*
     * The same questions are put to the guard and to each fixed action. What was done is counted (filters asked,
     * lookups, origins) and charged at the costs of the phase in which it was done; the first 10,000 questions are for
     * warming up and cost nothing. A fixed action is one for the whole run and all groups; the best is the one that is
     * cheapest over the whole run, phase changes included. The guard is given the costs and measures everything else.
     */
    private static final int WARM_UP = 10_000;
    private static final double MAX_ABOVE = 0.05;
    private static final int WINDOW = 5_000;

    /** What a run cost after the warming up, and in each window of questions. */
    private static final class Bill {
        private final List<Double> windows = new ArrayList<>();
        private double cost;
        private double window;
        private long asked;
        private long nanos;

        void add(double charged) {
            cost += asked >= WARM_UP ? charged : 0;
            window += charged;
            if (++asked % WINDOW == 0) {
                windows.add(window / WINDOW);
                window = 0;
            }
        }
    }

    /** All policies on one workload and seed: the fixed actions, and the guard last. */
    private record Run(List<Guard.Action> fixed, List<Bill> bills) {
        Bill guard() {
            return bills.get(fixed.size());
        }

        double best() {
            return bills.subList(0, fixed.size()).stream()
                    .mapToDouble(bill -> bill.cost)
                    .min()
                    .orElseThrow();
        }

        double ratio() {
            return guard().cost / best();
        }
    }

    @Override
    public String name() {
        return "guard-phases";
    }

    @Override
    public String shows() {
        return "A guard against always, never and consult, while hits and costs change: never 5 % above the best of them.";
    }

    @Override
    public Findings run(Conditions conditions) {
        int seeds = conditions.seedsOr(20, 3);
        List<PhasedWorkload> workloads = PhasedWorkload.all();
        List<Run> runs = conditions.each(
                "workloads", workloads.size() * seeds, i -> play(workloads.get(i / seeds), 1 + i % seeds));
        Findings findings = new Findings(this);
        ResultTable table = new ResultTable(
                "costs",
                "Cost a question after warming up, mean of " + seeds + " seeds; the guard over the best fixed action");
        table.text("workload").number("never", "%.4f").number("consult", "%.4f").number("always", "%.4f");
        table.number("guard", "%.4f").number("over the best, mean", "%.4f").number("worst seed", "%.4f");
        ResultTable times =
                new ResultTable("times", "Nanoseconds per question, drawing and charging it included (not judged)");
        times.text("workload").number("best fixed action", "%.0f").number("guard", "%.0f");
        for (int i = 0; i < workloads.size(); i++) {
            PhasedWorkload workload = workloads.get(i);
            List<Run> some = runs.subList(i * seeds, (i + 1) * seeds);
            double[] ratios = some.stream().mapToDouble(Run::ratio).toArray();
            double worst = some.stream().mapToDouble(Run::ratio).max().orElse(Double.NaN);
            table.row(
                    workload.name(),
                    mean(some, workload, Guard.Action.NEVER),
                    mean(some, workload, Guard.Action.CONSULT),
                    mean(some, workload, Guard.Action.ALWAYS),
                    some.stream().mapToDouble(run -> run.guard().cost).average().orElse(0) / judged(workload),
                    NumberFormats.mean(ratios),
                    worst);
            times.row(workload.name(), nanos(some, workload, 0), nanos(some, workload, 1));
            findings.expect(Expectation.atMost(
                    String.format(
                            Locale.ROOT,
                            "%s: the guard's cost over the best fixed action's, worst of %d seeds",
                            workload.name(),
                            seeds),
                    worst,
                    1 + MAX_ABOVE,
                    "%.4f"));
            findings.add(plot(i, workload, some.get(0)));
        }
        return findings.add(table).add(times);
    }

    private static double judged(PhasedWorkload workload) {
        return (double) workload.phases().size() * PhasedWorkload.QUESTIONS_PER_PHASE - WARM_UP;
    }

    private static double mean(List<Run> runs, PhasedWorkload workload, Guard.Action action) {
        int at = runs.get(0).fixed.indexOf(action);
        return at < 0
                ? Double.NaN
                : runs.stream()
                                .mapToDouble(run -> run.bills.get(at).cost)
                                .average()
                                .orElse(0)
                        / judged(workload);
    }

    /** The time of a question: of the quickest fixed action, or of the guard. */
    private static double nanos(List<Run> runs, PhasedWorkload workload, int which) {
        double questions = (double) workload.phases().size() * PhasedWorkload.QUESTIONS_PER_PHASE;
        return runs.stream()
                .mapToDouble(run -> which == 1
                        ? run.guard().nanos
                        : run.bills.stream().mapToLong(bill -> bill.nanos).min().orElse(0))
                .map(nanos -> nanos / questions)
                .average()
                .orElse(0);
    }

    private static Plot plot(int number, PhasedWorkload workload, Run run) {
        Plot plot = new Plot("workload-" + (number + 1), "Cost a question over time: " + workload.name())
                .x("questions, thousands")
                .yLog("cost a question, mean of 5,000");
        for (int i = 0; i <= run.fixed.size(); i++) {
            boolean guard = i == run.fixed.size();
            Bill bill = run.bills.get(i);
            double[] x = new double[bill.windows.size()];
            for (int j = 0; j < x.length; j++) {
                x[j] = (j + 1.0) * WINDOW / 1_000;
            }
            double[] y = bill.windows.stream().mapToDouble(Double::doubleValue).toArray();
            if (guard) {
                plot.dots("guard", x, y, 6);
            } else {
                plot.line(run.fixed.get(i).toString().toLowerCase(Locale.ROOT), x, y, i);
            }
        }
        return plot;
    }

    @SuppressWarnings("CheckReturnValue") // what requests cost is counted, not what they return
    private static Run play(PhasedWorkload workload, long seed) {
        List<Guard.Action> fixed = workload.store()
                ? List.of(Guard.Action.CONSULT, Guard.Action.ALWAYS)
                : List.of(Guard.Action.NEVER, Guard.Action.CONSULT, Guard.Action.ALWAYS);
        Counted counted = new Counted(workload, seed);
        List<Bill> bills = new ArrayList<>();
        for (Guard.Action action : fixed) {
            bills.add(ask(workload, seed, counted, key -> counted.take(action, key)));
        }
        Guard<Long, Boolean> guard = counted.guard(seed);
        bills.add(ask(workload, seed, counted, guard::get));
        return new Run(fixed, bills);
    }

    /** Runs all requests of a workload against a policy, and charges the operations of each. */
    private static Bill ask(PhasedWorkload workload, long seed, Counted counted, LongConsumer asked) {
        Bill bill = new Bill();
        SplittableRandom random = new SplittableRandom(seed);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadCpuTime();
        for (PhasedWorkload.Phase phase : workload.phases()) {
            counted.costs = phase.costs();
            for (int i = 0; i < PhasedWorkload.QUESTIONS_PER_PHASE; i++) {
                long key = workload.next(phase, random);
                asked.accept(key);
                bill.add(counted.charged());
            }
        }
        bill.nanos = threads.getCurrentThreadCpuTime() - start;
        return bill;
    }

    /** A filter, a cache or store and an origin that count how often they are asked. */
    private static final class Counted {
        private final PhasedWorkload workload;
        private final BloomFilter<Long> filter;
        private Costs costs;
        private int filters;
        private int lookups;
        private int origins;

        Counted(PhasedWorkload workload, long seed) {
            this.workload = workload;
            this.costs = workload.phases().get(0).costs();
            Key.Longs key = Key.longs().seeded(seed);
            filter = BloomFilter.expecting(workload.groups() * PhasedWorkload.THERE)
                    .of(key)
                    .falsePositives(0.01)
                    .build();
            for (long group = 0; group < workload.groups(); group++) {
                for (long i = 0; i < PhasedWorkload.THERE; i++) {
                    filter.addHash(key.hash(group << PhasedWorkload.GROUP_SHIFT | i));
                }
            }
        }

        Guard<Long, Boolean> guard(long seed) {
            Filter<Long> asked = this::filter;
            Guard.Plan plan = Guard.plan().costs(() -> costs).seed(seed);
            return workload.store()
                    ? plan.store(asked, this::lookup, Counted::group)
                    : plan.cache(asked, this::lookup, this::origin, Counted::group);
        }

        private static Object group(Long key) {
            return (int) (key >>> PhasedWorkload.GROUP_SHIFT);
        }

        private boolean filter(Long key) {
            filters++;
            return filter.mightContain(key);
        }

        private Optional<Boolean> lookup(Long key) {
            lookups++;
            return PhasedWorkload.isThere(key) ? Optional.of(true) : Optional.empty();
        }

        private Optional<Boolean> origin(Long key) {
            origins++;
            return Optional.of(PhasedWorkload.isThere(key));
        }

        /** Does what a fixed action does. */
        void take(Guard.Action action, long key) {
            boolean look = action == Guard.Action.ALWAYS || action == Guard.Action.CONSULT && filter(key);
            boolean found = look && lookup(key).isPresent();
            if (!found && !workload.store()) {
                origin(key);
            }
        }

        /** What was done since it was last asked for, at the costs of now. */
        double charged() {
            double charged = filters * costs.filter() + lookups * costs.lookup() + origins * costs.origin();
            filters = 0;
            lookups = 0;
            origins = 0;
            return charged;
        }
    }
}
