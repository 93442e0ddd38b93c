package dev.perhaps.plan;

import dev.perhaps.key.Mix;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a guard knows of one group of keys, and what it does with them. Counting is lock-free; now and then one asker, and
 * never two at once, draws the conclusions.
 */
final class GuardGroup {
    /*
     *     asker:  next() → what to do → ask → count → weigh: every 32nd asking, and after every probe
     *
     *     weigh:  what was counted since last time → Evidence of the prior and of false positives → the expected costs
     *             → another action, if it is cheaper at both ends of the prior's interval, and so, costs being linear in
     *               the prior, all over it, and the last change is DWELL askings ago
     *             → how often to probe and to audit
     *
     * Probes. While the filter is bypassed a random part of the askings, the hold-out, consults it all the same. One such
     * asking tells whether the key was there (a "no" is certain, a "perhaps" is followed by the lookup) and whether the
     * filter was right. ALWAYS sees hits and misses anyway, and probes 1 in 64 for the filter's sake. NEVER sees nothing
     * else, and must find out soon when its group has become warm. It probes
     *     64 / t        t askings after it began, so that what a change costs stays small against what went before,
     *     1 in 64       in the long run,
     *     more often    where that costs next to nothing: up to a thousandth of what is spent, but no more than 1 in 8,
     *     less often    where it would cost more than 1.5 % of what is spent, for the filter or the lookup is dear.
     * Where a lookup costs less than a consultation, most of its probes are lookups, and 1 in 32 consults. Where several
     * advisors are asked for each key, as before several caches, all their probes together keep within these limits of cost, and
     * a group that was asked rarely goes by what all groups of its advisor know (Pool).
     *
     * Audits. Of the "no"s 1 in 1,024 is looked up all the same, or fewer, to the same limit of cost: a filter that has
     * fallen behind its store is found out.
     *
     * Saving, against always looking. A "no" saves a lookup, a consultation costs a filter: both are counted. A bypass
     * saves a lookup, and costs an origin if the key was there. How many were, M, is estimated from the probes: with e the
     * share expected before a stretch, r its rate of probes, and x = 1 or 0 for a probe that found or did not,
     *     M = Σ over bypasses of e  +  Σ over probes of (x − e)·(1 − r)/r,        variance Σ ((x − e)·(1 − r)/r)².
     * As probes are chosen at random this is right on average whatever e is, and e only makes it swing less.
     *
     * Chosen by simulation: docs/decisions/guard-probes.md has what was tried.
     */
    private static final int WEIGH_EVERY = 32;
    private static final int DWELL = 128;
    private static final double ERRORS = 1.5;
    private static final double MARGIN = 0.002;
    private static final double PROBES = 1.0 / 64;
    private static final double PROBES_SOON = 64;
    private static final double MOST_PROBES = 1.0 / 8;
    private static final double CONSULTING_PROBES = 1.0 / 32;
    private static final double AUDITS = 1.0 / 1_024;
    private static final double CHEAP = 0.001;
    private static final double DEAR = 0.015;
    private static final double STATED_WEIGHT = 32;
    private static final double UNSTATED = 0.01;
    private static final double ENOUGH = 256;
    private static final long OWN_SEED = 0xD1342543DE82EF95L;
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    final Object name;
    final MeanCost lookupCost = new MeanCost();
    final MeanCost originCost = new MeanCost();

    private final long seed;
    private final Pool pool;
    private final IntSupplier among;
    private final DoubleSupplier stated;
    private final Supplier<@Nullable Costs> costs;

    private final AtomicLong asked = new AtomicLong();
    private final LongAdder no = new LongAdder();
    private final LongAdder yesHit = new LongAdder();
    private final LongAdder yesMiss = new LongAdder();
    private final LongAdder directHit = new LongAdder();
    private final LongAdder directMiss = new LongAdder();
    private final LongAdder bypassed = new LongAdder();
    private final LongAdder audited = new LongAdder();
    private final LongAdder auditedHit = new LongAdder();

    private volatile Action action = Action.CONSULT;
    private volatile double probes = PROBES;
    private volatile double consulting = 1;
    private volatile double audits = AUDITS;
    private volatile double trust = 1;

    private final ReentrantLock weighing = new ReentrantLock();
    private Counts weighed = new Counts(0, 0, 0, 0, 0, 0, 0, 0);
    private Counts accounted = weighed;
    private final Evidence prior = new Evidence();
    private Evidence falsePositives = new Evidence();
    private long changedAt;
    private long changes;
    private double missedHits;
    private double missedHitsVariance;
    private double saving;
    private double savingVariance;

    GuardGroup(
            Object name,
            long seed,
            Pool pool,
            IntSupplier among,
            DoubleSupplier stated,
            Supplier<@Nullable Costs> costs) {
        this.name = name;
        this.pool = pool;
        this.among = among;
        this.seed = Mix.finish(seed ^ OWN_SEED);
        this.stated = stated;
        this.costs = costs;
    }

    /**
     * What all groups of an advisor know together. Where one of many caches is asked rarely, and its groups more rarely still, a
     * group that knows little takes this for its own, unless what it has seen speaks against it.
     */
    static final class Pool {
        private final Evidence prior = new Evidence();
        private final Evidence falsePositives = new Evidence();
    }

    /** What a group goes by: its own evidence, or everybody's. */
    private record Known(double prior, double low, double high, double falsePositives) {}

    /** What was counted, at one time or between two. */
    private record Counts(
            long no,
            long yesHit,
            long yesMiss,
            long directHit,
            long directMiss,
            long bypassed,
            long audited,
            long auditedHit) {
        Counts less(Counts b) {
            return new Counts(
                    no - b.no,
                    yesHit - b.yesHit,
                    yesMiss - b.yesMiss,
                    directHit - b.directHit,
                    directMiss - b.directMiss,
                    bypassed - b.bypassed,
                    audited - b.audited,
                    auditedHit - b.auditedHit);
        }

        long consulted() {
            return no + yesHit + yesMiss;
        }

        /** Askings of which it is known whether the key was there. */
        long looked() {
            return consulted() + directHit + directMiss;
        }

        long found() {
            return yesHit + directHit;
        }
    }

    /** The number of this asking. */
    long next() {
        return asked.getAndIncrement();
    }

    /** What to do with asking n. */
    Action actionFor(long n) {
        Action now = action;
        if (now == Action.CONSULT) {
            return now;
        }
        double chance = chance(n);
        if (chance >= probes) {
            return now;
        }
        return chance < probes * consulting ? Action.CONSULT : Action.ALWAYS;
    }

    /** The chance that what the filter said "perhaps" to is there. */
    double trust() {
        return trust;
    }

    /** True if asking n is to look although the filter said no. */
    boolean isAudit(long n) {
        return chance(~n) < audits;
    }

    private double chance(long n) {
        return (Mix.finish(seed + n * GOLDEN) >>> 11) * 0x1p-53;
    }

    void no(boolean wasAudited, boolean found) {
        no.increment();
        if (wasAudited) {
            audited.increment();
            if (found) {
                auditedHit.increment();
            }
        }
    }

    void perhaps(boolean found) {
        (found ? yesHit : yesMiss).increment();
    }

    void direct(boolean found) {
        (found ? directHit : directMiss).increment();
    }

    void bypass() {
        bypassed.increment();
    }

    /** Draws conclusions before anything was asked: some actions are dearer whatever is there. */
    void begin() {
        weighing.lock();
        try {
            weigh();
            changes = 0;
        } finally {
            weighing.unlock();
        }
    }

    /** Draws conclusions after asking n, which took this action, if it is time and nobody else is at it. */
    void weighAfter(long n, Action taken) {
        boolean probe = taken != action;
        boolean early = n < WEIGH_EVERY && (n & n + 1) == 0;
        if ((probe || early || n % WEIGH_EVERY == WEIGH_EVERY - 1) && weighing.tryLock()) {
            try {
                weigh();
            } finally {
                weighing.unlock();
            }
        }
    }

    /** Another filter stands here now: what was measured of the old one is forgotten. */
    void filterReplaced() {
        weighing.lock();
        try {
            weigh();
            falsePositives = new Evidence();
        } finally {
            weighing.unlock();
        }
    }

    private void weigh() {
        Counts now = counts();
        Counts late = now.less(weighed);
        weighed = now;
        Costs price = costs.get();
        if (price != null) {
            // What was asked before anything was known of its price is accounted for with the first one.
            account(now.less(accounted), price);
            accounted = now;
        }
        prior.add(late.looked(), late.found());
        falsePositives.add(late.no + late.yesMiss, late.yesMiss);
        Known known = known(late);
        if (price != null) {
            decide(price, known);
        }
    }

    private Known known(Counts late) {
        Known own = new Known(prior.share(), prior.low(ERRORS), prior.high(ERRORS), falsePositives());
        if (among.getAsInt() < 2) {
            return own;
        }
        synchronized (pool) {
            pool.prior.add(late.looked(), late.found());
            pool.falsePositives.add(late.no + late.yesMiss, late.yesMiss);
            boolean agree = prior.low(2) <= pool.prior.high(2) && pool.prior.low(2) <= prior.high(2);
            return prior.trials() >= ENOUGH || !agree
                    ? own
                    : new Known(
                            pool.prior.share(),
                            pool.prior.low(ERRORS),
                            pool.prior.high(ERRORS),
                            pool.falsePositives.share(own.falsePositives, 1));
        }
    }

    private Counts counts() {
        return new Counts(
                no.sum(),
                yesHit.sum(),
                yesMiss.sum(),
                directHit.sum(),
                directMiss.sum(),
                bypassed.sum(),
                audited.sum(),
                auditedHit.sum());
    }

    /** What the latest askings saved. Called before their evidence is taken in: what is expected must not know them. */
    private void account(Counts late, Costs price) {
        saving += (late.no - late.audited) * price.lookup() - late.consulted() * price.filter();
        if (action == Action.NEVER) {
            double expected = prior.share();
            double weight = (1 - probes) / probes;
            double missed = late.bypassed * expected + weight * (late.found() - late.looked() * expected);
            double squares = late.found() * (1 - expected) * (1 - expected)
                    + (late.looked() - late.found()) * expected * expected;
            double variance = weight * weight * squares;
            missedHits += missed;
            missedHitsVariance += variance;
            saving += late.bypassed * price.lookup() - missed * price.origin();
            savingVariance += variance * price.origin() * price.origin();
        }
    }

    private void decide(Costs price, Known known) {
        Action now = action;
        double p = known.prior;
        double f = known.falsePositives;
        double part = 1.0 / Math.max(1, among.getAsInt());
        double spent = price.expected(now, p, f);
        Action best = price.cheapest(p, f);
        long n = asked.get();
        if (best != now && (changes == 0 || n - changedAt >= DWELL) && isSurelyCheaper(best, now, price, known, part)) {
            action = best;
            now = best;
            spent = price.expected(now, p, f);
            changedAt = n;
            changes++;
        }
        trust = p / (p + (1 - p) * f);
        double consult = price.expected(Action.CONSULT, p, f);
        audits = part * Math.min(AUDITS, DEAR * consult / price.lookup());
        if (now == Action.NEVER) {
            double always = price.expected(Action.ALWAYS, p, f);
            consulting = always < consult ? CONSULTING_PROBES : 1;
            double extra = consulting * consult + (1 - consulting) * always - spent;
            probes = probesOfNever(n - changedAt, part * spent, extra);
        } else if (now == Action.ALWAYS) {
            consulting = 1;
            probes = Math.min(PROBES, DEAR * part * spent / Math.max(0, consult - spent));
        }
    }

    /**
     * How often to probe.
     *
     * @param spent by an asking, or the part of it that this group's probes are measured by
     * @param extra what a probe costs more than bypassing
     */
    private static double probesOfNever(long askings, double spent, double extra) {
        double soon = PROBES_SOON / Math.max(1, askings);
        double cheap = Math.min(MOST_PROBES, CHEAP * spent / Math.max(0, extra));
        return Math.min(1, Math.min(Math.max(PROBES, Math.max(soon, cheap)), DEAR * spent / Math.max(0, extra)));
    }

    /** Also at the end of the prior's interval that speaks for staying. */
    private static boolean isSurelyCheaper(Action best, Action now, Costs price, Known known, double part) {
        double f = known.falsePositives;
        return saves(best, now, price, known.low, f, part) && saves(best, now, price, known.high, f, part);
    }

    private static boolean saves(Action best, Action now, Costs price, double p, double f, double part) {
        return price.expected(best, p, f) < (1 - part * MARGIN) * price.expected(now, p, f);
    }

    private double falsePositives() {
        double said = stated.getAsDouble();
        return Double.isNaN(said) ? falsePositives.share(UNSTATED, 1) : falsePositives.share(said, STATED_WEIGHT);
    }

    /** The group as it is now. */
    GuardReport.Group report() {
        weighing.lock();
        try {
            weigh();
            Counts now = weighed;
            Costs price = costs.get();
            double costError = saving * lookupCost.relativeError();
            return new GuardReport.Group(
                    name,
                    action,
                    asked.get(),
                    share(prior),
                    share(falsePositives),
                    stated.getAsDouble(),
                    price,
                    now.yesHit + now.yesMiss + now.directHit + now.directMiss + now.audited,
                    now.no - now.audited + now.bypassed,
                    Math.max(0, missedHits),
                    Math.sqrt(missedHitsVariance),
                    saving,
                    Math.sqrt(savingVariance + costError * costError),
                    now.audited,
                    now.auditedHit,
                    changes);
        } finally {
            weighing.unlock();
        }
    }

    private static GuardReport.Share share(Evidence evidence) {
        double value = evidence.trials() == 0 ? Double.NaN : Math.min(evidence.share(), evidence.high(2));
        return new GuardReport.Share(value, evidence.low(2), evidence.high(2));
    }
}
