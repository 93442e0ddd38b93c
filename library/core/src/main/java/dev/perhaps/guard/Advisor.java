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
 * A {@link Guard} for lookups that answer later: says for each key whether to look, and is told afterwards what came of it.
 * It decides as the guard does, for it is what the guard decides with. Costs two counters and one small object a key. Safe
 * for any number of threads: what was advised on one may be answered on another.
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
     * What is withdrawn is not evidence of anything: where several caches perhaps have a key only one is asked, and each
     * learns how often it has what it is asked for, not what others answered before it came to it.
     *
     * Groups are counted: those beyond the limit share one. How a group decides stands in GuardGroup.
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

    /** Whether to look for this key. */
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

    /** What was advised for one key. If it is worth looking, exactly one of its four ends is to be told; the first counts. */
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

        /** What was done: the group's action, or a probe's. */
        public Guard.Action action() {
            return action;
        }

        /** True if the key is to be looked for. */
        public synchronized boolean isWorthLooking() {
            return open != null;
        }

        /** True if the filter said no, and it is looked all the same, to see whether it is right. */
        public boolean isAudit() {
            return audit;
        }

        /** The chance, as measured of its group, that the key is there, given that the filter said "perhaps". */
        public double trust() {
            return trust;
        }

        /** It was there. */
        public void found() {
            end(true);
        }

        /** It was not there. */
        public void missed() {
            end(false);
        }

        /** It was looked for, and the lookup failed: it is paid for, and says nothing of what is there. */
        public void failed() {
            GuardGroup group = close();
            if (group != null) {
                group.failed(action == Guard.Action.CONSULT);
                group.weighAfter(n, action);
            }
        }

        /** It was not looked for, or nobody knows: this says nothing of what is there. */
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

    /** A place among the groups, or the common one: that, too, is remembered, but for no more names than there are places. */
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

    /** Puts another filter in the place of the present one; what was measured of its errors is forgotten. */
    public void replaceFilter(Filter<? super K> newer) {
        filter = Objects.requireNonNull(newer, "filter");
        stated = stated(newer);
        groups.values().forEach(GuardGroup::filterReplaced);
        others.filterReplaced();
    }

    /** What the filter says of its error now: a count of its bits, so not to be asked for at every turn. */
    private static double stated(Filter<?> filter) {
        return filter instanceof HashFilter<?> ours ? ours.errorNow() : Double.NaN;
    }

    /** What was measured and saved until now. */
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
