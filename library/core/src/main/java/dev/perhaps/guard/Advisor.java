package dev.perhaps.guard;

import dev.perhaps.membership.Filter;
import dev.perhaps.membership.HashFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Guard} for asynchronous lookups: it says for each key whether to look it up, and gets the result later. It
 * makes the same decisions as the guard, which is built on it. Costs two counters and one small object per key. Safe
 * for any number of threads: advice and result may be on different threads.
 *
 * <pre>{@code
 * BloomFilter<String> theirs = BloomFilter.expecting(1_000).build();
 * Advisor<String> advisor = Guard.plan().costs(Costs.lookup(1).origin(10)).advisor(theirs, key -> "all");
 * Advisor.Advice advice = advisor.ask("https://example.org/");
 * if (advice.isWorthLooking()) {
 *     advice.missed();   // when the answer has come; or found(), failed(), or withdrawn() if nobody looked after all
 * }
 * }</pre>
 */
public final class Advisor<K> {
    /*
     *     ask(key) ── group ──> CONSULT ── filter ──> "no" ───────> not worth looking, counted
     *                     │                      └──> "perhaps" ──> worth looking ──> found | missed | failed | withdrawn, later
     *                     ├───> ALWAYS ───────────────────────────> worth looking ──> the same
     *                     └───> NEVER ────────────────────────────> not worth looking, counted
     *
     * A withdrawn lookup is no evidence: if several caches perhaps have a key only one is asked, and each measures how
     * often it has the keys that it is asked for, whatever the others returned before.
     *
     * Groups are counted: those beyond the limit share one. GuardGroup describes how a group decides.
     */
    private final long seed;
    private final int most;
    private final IntSupplier among;
    private final Function<? super K, ?> groupOf;
    private final Function<GuardGroup, @Nullable Costs> costsOf;
    private volatile Filter<? super K> filter;
    private volatile double stated;

    private final ConcurrentHashMap<Object, GuardGroup> groups = new ConcurrentHashMap<>();
    private final AtomicInteger groupsMade = new AtomicInteger();
    private final GuardGroup.Pool pool = new GuardGroup.Pool();
    private final GuardGroup others;

    Advisor(
            long seed,
            int most,
            IntSupplier among,
            Filter<? super K> filter,
            Function<? super K, ?> groupOf,
            Function<GuardGroup, @Nullable Costs> costsOf) {
        this.seed = seed;
        this.most = most;
        this.among = among;
        this.filter = Objects.requireNonNull(filter, "filter");
        this.groupOf = Objects.requireNonNull(groupOf, "group");
        this.costsOf = costsOf;
        this.stated = stated(filter);
        this.others = newGroup(Guard.OTHERS, most);
    }

    /** Returns whether to look up this key. */
    public Advice ask(K key) {
        GuardGroup group = groupOf(key);
        long n = group.next();
        Guard.Action action = group.actionFor(n);
        boolean perhaps = action == Guard.Action.ALWAYS || action == Guard.Action.CONSULT && mightContain(key);
        boolean audit = !perhaps && action == Guard.Action.CONSULT && group.isAudit(n);
        if (perhaps || audit) {
            return new Advice(group, n, action, audit);
        }
        if (action == Guard.Action.NEVER) {
            group.bypass();
        } else {
            group.no(false, false);
        }
        group.weighAfter(n, action);
        return new Advice(null, n, action, false);
    }

    /**
     * The advice for one key. If it is worth looking, call exactly one of its four results; only the first call counts.
     */
    public static final class Advice {
        private final Guard.Action action;
        private final long n;
        private final boolean audit;
        private @Nullable GuardGroup open;
        private final double trust;

        private Advice(@Nullable GuardGroup group, long n, Guard.Action action, boolean audit) {
            this.open = group;
            this.n = n;
            this.action = action;
            this.audit = audit;
            this.trust = group == null ? 0 : group.trust();
        }

        /** Returns the action: that of the group, or that of a probe. */
        public Guard.Action action() {
            return action;
        }

        /** Returns true if the key should be looked up. */
        public synchronized boolean isWorthLooking() {
            return open != null;
        }

        /** Returns true if the filter said no, and the key is looked up nevertheless to check the filter. */
        public boolean isAudit() {
            return audit;
        }

        /**
         * Returns the measured probability of its group that the key is there, given that the filter said "perhaps".
         */
        public double trust() {
            return trust;
        }

        /** Reports that the key was found. */
        public void found() {
            end(true);
        }

        /** Reports that the key was not found. */
        public void missed() {
            end(false);
        }

        /** Reports that the lookup failed: its cost counts, its result does not. */
        public void failed() {
            GuardGroup group = close();
            if (group != null) {
                group.failed(action == Guard.Action.CONSULT);
                group.weighAfter(n, action);
            }
        }

        /** Reports that the key was not looked up, or that the result is unknown: nothing is counted. */
        public void withdrawn() {
            GuardGroup group = close();
            if (group != null) {
                group.weighAfter(n, action);
            }
        }

        private void end(boolean found) {
            GuardGroup group = close();
            if (group == null) {
                return;
            }
            if (audit) {
                group.no(true, found);
            } else if (action == Guard.Action.CONSULT) {
                group.perhaps(found);
            } else {
                group.direct(found);
            }
            group.weighAfter(n, action);
        }

        private synchronized @Nullable GuardGroup close() {
            GuardGroup group = open;
            open = null;
            return group;
        }
    }

    boolean mightContain(K key) {
        return filter.mightContain(key);
    }

    GuardGroup groupOf(K key) {
        Object name = Objects.requireNonNull(groupOf.apply(key), () -> "the group of key " + key + " is null");
        GuardGroup known = groups.get(name);
        if (known != null) {
            return known;
        }
        if (groupsMade.get() >= most) {
            return others;
        }
        return groups.computeIfAbsent(name, this::admit);
    }

    /**
     * A place among the groups, or the common one: that, too, is remembered, but for no more names than there are
     * places.
     */
    private GuardGroup admit(Object name) {
        int number = groupsMade.getAndIncrement();
        return number < most ? newGroup(name, number) : others;
    }

    private GuardGroup newGroup(Object name, int number) {
        // Made before it can be asked for its costs: the group is known to its own supplier by then.
        GuardGroup[] made = new GuardGroup[1];
        made[0] = new GuardGroup(
                name, seed + ((long) number << 40), pool, among, () -> stated, () -> costsOf.apply(made[0]));
        made[0].begin();
        return made[0];
    }

    /** Replaces the filter; measurements of the errors of the old one are discarded. */
    public void replaceFilter(Filter<? super K> newer) {
        filter = Objects.requireNonNull(newer, "filter");
        stated = stated(newer);
        groups.values().forEach(GuardGroup::filterReplaced);
        others.filterReplaced();
    }

    /** The error that the filter states; it counts the bits, so this must not be called for every key. */
    private static double stated(Filter<?> filter) {
        return filter instanceof HashFilter<?> ours ? ours.errorNow() : Double.NaN;
    }

    /** Returns what was measured and saved so far. */
    public GuardReport report() {
        return report("");
    }

    GuardReport report(String unit) {
        stated = stated(filter);
        List<GuardReport.Group> lines = new ArrayList<>();
        groups.values().stream()
                .distinct()
                .filter(group -> group != others)
                .forEach(group -> lines.add(group.report()));
        GuardReport.Group rest = others.report();
        if (rest.asked() > 0) {
            lines.add(rest);
        }
        return new GuardReport(lines, unit);
    }
}
