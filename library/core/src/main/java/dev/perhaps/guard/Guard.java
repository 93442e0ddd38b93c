package dev.perhaps.guard;

import dev.perhaps.guard.cost.MeanCost;
import dev.perhaps.membership.Filter;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Puts a filter in front of an expensive lookup and measures whether the filter is worth asking: for each group of keys
 * it chooses the cheapest of asking the filter first, always looking up and, in front of a cache, never looking up. It
 * returns what the store or the origin returns, provided that every "no" of the filter is right. Costs two counters per
 * request and, if costs are measured and not given, some readings of the clock. Safe for any number of threads; only
 * one request in 32 takes a lock, to update the decision.
 *
 * <pre>{@code
 * BloomFilter<String> known = BloomFilter.expecting(1_000).build();
 * Map<String, String> table = new HashMap<>();
 * Guard<String, String> guard = Guard.store(known, key -> Optional.ofNullable(table.get(key)), key -> "all");
 * Optional<String> value = guard.get("nobody");
 * GuardReport report = guard.report();
 * }</pre>
 */
public final class Guard<K, V> {
    /*
     *     get(key) ── group ──> CONSULT ── filter ──> "no" ──────────────> behind it
     *                     │                      └──> "perhaps" ──> lookup ──> not there ──> behind it
     *                     ├───> ALWAYS ────────────────────────────> lookup ──> not there ──> behind it
     *                     └───> NEVER ─────────────────────────────────────────────────────> behind it
     *
     * Behind a store there is nothing: its "not there" is the answer. Behind a cache there is its origin. A wrong "no"
     * is a wrong result in front of a store, and only an additional cost in front of a cache; so NEVER exists only for
     * a cache.
     *
     * The costs [1]: NEVER c_m, ALWAYS c_c + (1 − p)·c_m, CONSULT c_f + (p' + (1 − p)·f)·c_c + (1 − p')·c_m, where p'
     * is what of p the filter does not deny; see Costs. GuardGroup describes how a group measures p, f and p', when it
     * changes its action and how often it probes. Advisor is the same guard without the lookup, for asynchronous
     * lookups.
     *
     * Measured costs. The clock is read around every lookup that follows the filter, and around every eighth of the
     * other lookups, origins and filters. Around a filter it is read three times, and the time between the first two,
     * which is the clock's own, is taken off. Lookups and origins are measured by group (until a group has eight
     * samples, by all together), the filter for all.
     *
     * The guard starts no threads and uses no clock but the given one.
     *
     * [1] Rottenstreich and Keslassy, "The Bloom paradox: when not to use a Bloom filter" (2012); its review adds the
     * filter's own cost.
     *
     * Left out: separate costs of hits and misses; storing the result of the origin in the cache, which the caller
     * does.
     */

    /**
     * The name, in the report, of the group of all keys whose group was new when the maximum number of groups was
     * reached.
     */
    public static final String OTHERS = "(others)";

    private static final String NO_RESULT = "a lookup must return an Optional, and returned null";
    private static final int TIMED_ONE_IN = 8;
    private static final int ENOUGH_SAMPLES = 8;

    private final Plan plan;
    private final Advisor<K> advisor;
    private final Function<? super K, Optional<V>> lookup;
    private final @Nullable Function<? super K, Optional<V>> origin;
    private final MeanCost filterCost = new MeanCost();
    private final MeanCost lookupCost = new MeanCost();
    private final MeanCost originCost = new MeanCost();

    private Guard(
            Plan plan,
            Filter<? super K> filter,
            Function<? super K, Optional<V>> lookup,
            @Nullable Function<? super K, Optional<V>> origin,
            Function<? super K, ?> groupOf) {
        this.plan = plan;
        this.lookup = Objects.requireNonNull(lookup, "lookup");
        this.origin = origin;
        this.advisor = new Advisor<>(plan.seed, plan.groups, plan.among, filter, groupOf, this::costsOf);
    }

    /** Returns a guard in front of a store that has all data. It asks the filter first, or always looks up. */
    public static <K, V> Guard<K, V> store(
            Filter<? super K> filter, Function<? super K, Optional<V>> store, Function<? super K, ?> group) {
        return plan().store(filter, store, group);
    }

    /**
     * Returns a guard in front of a cache with an origin behind it. It asks the filter first, always looks up, or skips
     * the cache.
     */
    public static <K, V> Guard<K, V> cache(
            Filter<? super K> filter,
            Function<? super K, Optional<V>> cache,
            Function<? super K, Optional<V>> origin,
            Function<? super K, ?> group) {
        return plan().cache(filter, cache, origin, group);
    }

    /** Starts a plan for a guard with given costs, seed, clock or number of groups. */
    public static Plan plan() {
        return new Plan(null, 0, System::nanoTime, 1_024, () -> 1);
    }

    /**
     * Returns the value of a key, asking the filter, the lookup and the origin in the order that is cheapest for its
     * group. An exception of the lookup or the origin is passed on.
     */
    public Optional<V> get(K key) {
        GuardGroup group = advisor.groupOf(key);
        long n = group.next();
        Action action = group.actionFor(n);
        try {
            return switch (action) {
                case CONSULT -> consult(key, group, n);
                case ALWAYS -> {
                    Optional<V> found = look(key, group, action, isTimed(n));
                    group.direct(found.isPresent());
                    yield found.isPresent() ? found : behind(key, group, n);
                }
                case NEVER -> {
                    group.bypass();
                    yield behind(key, group, n);
                }
            };
        } finally {
            group.weighAfter(n, action);
        }
    }

    private Optional<V> consult(K key, GuardGroup group, long n) {
        if (mightContain(key, isTimed(n))) {
            Optional<V> found = look(key, group, Action.CONSULT, plan.costs == null);
            group.perhaps(found.isPresent());
            return found.isPresent() ? found : behind(key, group, n);
        }
        if (group.isAudit(n)) {
            Optional<V> found = look(key, group, Action.CONSULT, plan.costs == null);
            group.no(true, found.isPresent());
            return found.isPresent() ? found : behind(key, group, n);
        }
        group.no(false, false);
        return behind(key, group, n);
    }

    private boolean isTimed(long n) {
        return plan.costs == null && n % TIMED_ONE_IN == 0;
    }

    private boolean mightContain(K key, boolean timed) {
        if (!timed) {
            return advisor.mightContain(key);
        }
        long before = plan.nanos.getAsLong();
        long start = plan.nanos.getAsLong();
        boolean perhaps = advisor.mightContain(key);
        long end = plan.nanos.getAsLong();
        filterCost.add((end - start) - (start - before));
        return perhaps;
    }

    private Optional<V> look(K key, GuardGroup group, Action action, boolean timed) {
        boolean answered = false;
        try {
            Optional<V> found = ask(lookup, key, timed, group.lookupCost, lookupCost);
            answered = true;
            return found;
        } finally {
            if (!answered) {
                group.failed(action == Action.CONSULT);
            }
        }
    }

    /** The result for a key that the lookup does not have, or was not asked for. */
    private Optional<V> behind(K key, GuardGroup group, long n) {
        return origin == null ? Optional.empty() : ask(origin, key, isTimed(n), group.originCost, originCost);
    }

    private Optional<V> ask(
            Function<? super K, Optional<V>> function, K key, boolean timed, MeanCost ofGroup, MeanCost ofAll) {
        if (!timed) {
            return Objects.requireNonNull(function.apply(key), NO_RESULT);
        }
        long start = plan.nanos.getAsLong();
        try {
            return Objects.requireNonNull(function.apply(key), NO_RESULT);
        } finally {
            // A lookup that throws counts with its time: a cache that times out soon becomes too expensive to ask.
            long nanos = plan.nanos.getAsLong() - start;
            ofGroup.add(nanos);
            ofAll.add(nanos);
        }
    }

    private @Nullable Costs costsOf(GuardGroup group) {
        if (plan.costs != null) {
            Costs given = plan.costs.get();
            return origin == null ? given.origin(0) : given;
        }
        MeanCost looked = group.lookupCost.samples() >= ENOUGH_SAMPLES ? group.lookupCost : lookupCost;
        MeanCost fetched = group.originCost.samples() >= ENOUGH_SAMPLES ? group.originCost : originCost;
        boolean known = filterCost.samples() >= ENOUGH_SAMPLES
                && looked.samples() >= ENOUGH_SAMPLES
                && looked.late() > 0
                && (origin == null || fetched.samples() >= ENOUGH_SAMPLES);
        return known ? new Costs(filterCost.late(), looked.late(), origin == null ? 0 : fetched.late()) : null;
    }

    /** Replaces the filter, for example by one that was rebuilt from the store. */
    public void replaceFilter(Filter<? super K> newer) {
        advisor.replaceFilter(newer);
    }

    /** Returns what was measured and saved so far. */
    public GuardReport report() {
        return advisor.report(plan.costs == null ? "ns" : "");
    }

    /** Describes a guard before it is built; everything has a default. Immutable. */
    public static final class Plan {
        private final @Nullable Supplier<Costs> costs;
        private final long seed;
        private final LongSupplier nanos;
        private final int groups;
        private final IntSupplier among;

        private Plan(@Nullable Supplier<Costs> costs, long seed, LongSupplier nanos, int groups, IntSupplier among) {
            this.costs = costs;
            this.seed = seed;
            this.nanos = nanos;
            this.groups = groups;
            this.among = among;
        }

        /** Sets fixed costs, in any unit; then no clock is read. */
        public Plan costs(Costs known) {
            Objects.requireNonNull(known, "costs");
            return costs(() -> known);
        }

        /** Sets costs that may change; the supplier is called often. */
        public Plan costs(Supplier<Costs> known) {
            Objects.requireNonNull(known, "costs must not be null");
            return new Plan(known, seed, nanos, groups, among);
        }

        /** The seed of the random choice of probes (default: 0). */
        public Plan seed(long anySeed) {
            return new Plan(costs, anySeed, nanos, groups, among);
        }

        /** The clock, in nanoseconds, for measuring costs (default: {@link System#nanoTime}). */
        public Plan clock(LongSupplier nanoseconds) {
            Objects.requireNonNull(nanoseconds, "clock must not be null");
            return new Plan(costs, seed, nanoseconds, groups, among);
        }

        /** The maximum number of groups; further keys share one more group (default: 1,024). */
        public Plan groups(int most) {
            if (most < 1 || most > 1 << 20) {
                throw new IllegalArgumentException("groups must be in [1, " + (1 << 20) + "], got " + most);
            }
            return new Plan(costs, seed, nanos, most, among);
        }

        /**
         * The number of guards or advisors that are asked for each key, including this one (default: 1): together they
         * spend no more on probes than one would. The number may change.
         */
        public Plan among(IntSupplier guards) {
            return new Plan(costs, seed, nanos, groups, Objects.requireNonNull(guards, "guards"));
        }

        /** Builds {@link Guard#store} with this plan. */
        public <K, V> Guard<K, V> store(
                Filter<? super K> filter, Function<? super K, Optional<V>> store, Function<? super K, ?> group) {
            return new Guard<>(this, filter, store, null, group);
        }

        /** Builds {@link Guard#cache} with this plan. */
        public <K, V> Guard<K, V> cache(
                Filter<? super K> filter,
                Function<? super K, Optional<V>> cache,
                Function<? super K, Optional<V>> origin,
                Function<? super K, ?> group) {
            return new Guard<>(this, filter, cache, Objects.requireNonNull(origin, "origin"), group);
        }

        /**
         * Builds an advisor for asynchronous lookups. Costs must be given, because it cannot measure them.
         */
        public <K> Advisor<K> advisor(Filter<? super K> filter, Function<? super K, ?> group) {
            Supplier<Costs> known = costs;
            if (known == null) {
                throw new IllegalArgumentException(
                        "an advisor cannot measure the costs of lookups: give them with costs(…)");
            }
            return new Advisor<>(seed, groups, among, filter, group, any -> known.get());
        }
    }

    /** What a guard does with a key: skip filter and lookup, ask the filter first, or look up directly. */
    public enum Action {
        /** Go to the origin at once, without filter and cache: hits are too rare to be worth a lookup. */
        NEVER,
        /** Ask the filter, and look up only if it says "perhaps". */
        CONSULT,
        /** Look up without asking the filter: nearly all keys are there, so that asking would be wasted. */
        ALWAYS
    }
}
