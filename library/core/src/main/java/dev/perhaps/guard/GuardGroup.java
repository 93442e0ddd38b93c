package dev.perhaps.guard;

import dev.perhaps.guard.cost.MeanCost;
import dev.perhaps.hash.Mix;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The measurements and the current action of one group of keys. Counting is lock-free; every 32nd request, and never
 * two at once, updates the action.
 */
final class GuardGroup {
    /*
     *     asker:  next() → what to do → ask → count → weigh: every 32nd asking, and after every probe
     *
     *     weigh:  what was counted since last time → Evidence of the prior, of false positives and of wrong "no"s
     *             → the expected costs
     *             → another action, if it is cheaper at both ends of the interval of prior and wrong "no"s, and the last
     *               change is DWELL requests ago
     *             → how often to probe and to audit
     *
     * Probes. While the filter is bypassed, a random part of the requests, the hold-out, still consults it. ALWAYS sees
     * hits and misses anyway, and probes 1 in 64 for the filter's sake: it asks the filter and then looks, whatever it
     * said. NEVER sees nothing else, and must find out soon when its group has become warm. It probes
     *     64 / t        t requests after it began, so that what a change costs stays small against what went before,
     *     1 in 64       in the long run,
     *     more often    where that costs next to nothing: up to a thousandth of what is spent, but no more than 1 in 8,
     *     less often    where it would cost more than 1.5 % of what is spent, for the filter or the lookup is dear.
     * Where a lookup costs less than a consultation, most of its probes are lookups, and 1 in 32 consults. Where
     * several advisors are asked for each key, as before several caches, all their probes together keep within these
     * limits of cost, and a group that was asked rarely goes by what all groups of its advisor know (Pool).
     *
     * Audits. Some "no"s are looked up nevertheless. In front of a store 1 in 1,024, or fewer within the same limit of
     * cost: a filter that lacks keys is detected and reported. Before a cache a "no" may be wrong by design, and
     * whether it is worth taking depends on how many are: with h the share of "no"s that are there, on h·origin against
     * lookup. There
     *     64 / t        t requests after CONSULT began or the filter was replaced,
     *     1 in 1,024    in the long run,
     *     more often    where that costs up to a thousandth of what is spent, but no more than 1 in 8; of NEVER's probes 1
     *                   in 4 at least,
     *     all           of ALWAYS's probes: it would have looked anyway.
     * A "no" that was not audited counts, in the prior, for h hits. h starts as if 4 audits had found nothing, 32 where
     * the filter states its error, as ours do: theirs are certain unless they have fallen behind. By prior p, false
     * positives f and h the false negatives are g = h·(1 − p)·(1 − f) / ((1 − h)·p).
     *
     * Saving, against always looking. A "no" saves a lookup, a consultation costs a filter: both are counted. A bypass
     * saves a lookup, and costs an origin if the key was there; so does a "no" before a cache. How many were, M, is
     * estimated from the probes: with e the share expected before a stretch, r its rate of probes, w = (1 − r)/r, and x
     * = 1 or 0 for a probe that found or did not,
     *     M = Σ over bypasses of e  +  Σ over probes of (x − e)·w,        variance Σ ((x − e)·w)² + 3·(mean of w²).
     * As probes are chosen at random this is right on average whatever e is, and e only makes it swing less. The last
     * term is for what no probe has met: where none hit, M may still be 5 w, with a chance of 0.5 %, and the sum of
     * squares would be next to 0. The same, with the rate of audits, for the "no"s; but where the filter states its
     * error, and no audit found anything, its "no"s are taken for certain.
     *
     * A lookup that throws counts as a lookup, with its time; its result is unknown.
     *
     * Chosen by simulation: docs/decisions/guard-probes.md has what was tried.
     */
    private static final int WEIGH_EVERY = 32;
    private static final int DWELL = 128;
    private static final double ERRORS = 1.5;
    private static final double MARGIN = 0.002;
    private static final double PROBES = 1.0 / 64;
    private static final double PROBES_SOON = 64;
    private static final double MAX_PROBES = 1.0 / 8;
    private static final double CONSULTING_PROBES = 1.0 / 32;
    private static final double AUDITS = 1.0 / 1_024;
    private static final double AUDITED_PROBES = 1.0 / 4;
    private static final double AUDITS_UNPRICED = 8;
    private static final double CHEAP = 0.001;
    private static final double DEAR = 0.015;
    private static final double STATED_WEIGHT = 32;
    private static final double UNSTATED = 0.01;
    private static final double UNSTATED_WEIGHT = 4;
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
    private final LongAdder failed = new LongAdder();
    private final LongAdder failedConsulted = new LongAdder();

    private volatile Guard.Action action = Guard.Action.CONSULT;
    private volatile double probes = PROBES;
    private volatile double consulting = 1;
    private volatile double audits = AUDITS;
    private volatile double trust = 1;

    private final ReentrantLock weighing = new ReentrantLock();
    private Counts weighed = new Counts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    private Counts accounted = weighed;
    private final Evidence prior = new Evidence();
    private Evidence falsePositives = new Evidence();
    private Evidence wrongNo;
    private long changedAt;
    private long replacedAt;
    private long changes;
    private final Missed bypasses = new Missed();
    private final Missed wrongNos = new Missed();
    private double saving;

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
        this.wrongNo = Evidence.against(knownOfNo());
    }

    /** From how many trials it is known beforehand that the filter's "no" is right. */
    private double knownOfNo() {
        return Double.isNaN(stated.getAsDouble()) ? UNSTATED_WEIGHT : STATED_WEIGHT;
    }

    /**
     * What all groups of an advisor know together. Where one of many caches is asked rarely, and its groups more rarely
     * still, a group that knows little takes this for its own, unless what it has seen speaks against it.
     */
    static final class Pool {
        private final Evidence prior = new Evidence();
        private final Evidence falsePositives = new Evidence();
        private final Evidence wrongNo = Evidence.against(UNSTATED_WEIGHT);
    }

    /**
     * The evidence that a group uses: its own, or that of all groups.
     *
     * @param low the prior's and the wrong "no"s lower ends, at once
     */
    private record Known(Point point, Point low, Point high) {
        static Known of(Evidence prior, double falsePositives, Evidence wrongNo) {
            Point point = new Point(prior.share(), falsePositives, wrongNo.share(0, 0));
            // What is not known of the "no"s is not known of the prior either.
            double hLow = Math.min(point.wrongNo, wrongNo.low(ERRORS));
            double hHigh = Math.max(point.wrongNo, wrongNo.high(ERRORS));
            double no = point.no();
            double low = Math.max(0, prior.low(ERRORS) - no * (point.wrongNo - hLow));
            double high = Math.min(1, prior.high(ERRORS) + no * (hHigh - point.wrongNo));
            return new Known(point, new Point(low, falsePositives, hLow), new Point(high, falsePositives, hHigh));
        }
    }

    /** Prior, false positives and the share of "no"s that are there. */
    private record Point(double prior, double falsePositives, double wrongNo) {
        /** The share of keys to which the filter says no. */
        double no() {
            double absent = (1 - prior) * (1 - falsePositives);
            return wrongNo >= 1 ? 1 : Math.min(1, absent / (1 - wrongNo));
        }

        double falseNegatives() {
            return prior <= 0 ? 0 : Math.min(1, no() * wrongNo / prior);
        }

        double expected(Guard.Action action, Costs price) {
            return price.expected(action, prior, falsePositives, falseNegatives());
        }

        Guard.Action cheapest(Costs price) {
            return price.cheapest(prior, falsePositives, falseNegatives());
        }

        /** The chance that what the filter said "perhaps" to is there. */
        double trust() {
            double found = prior * (1 - falseNegatives());
            return found <= 0 ? 0 : found / (found + (1 - prior) * falsePositives);
        }
    }

    /** An estimate, from a random part, of how many hits were missed, and of what that cost. */
    private static final class Missed {
        private static final double UNSEEN = 3;

        private double hits;
        private double variance;
        private double costVariance;
        private double skipped;
        private double squares;
        private double costSquares;

        /**
         * Takes in some requests.
         *
         * @param unseen of which nothing is known
         * @param expected the share of hits that is expected of all of them
         * @param rate at which requests were chosen to be seen
         * @param reach for how many requests one of these stands
         * @return how many of the unseen were hits
         */
        double add(
                double unseen, double seen, double seenHits, double expected, double rate, double reach, double cost) {
            double weight = (1 - rate) / rate;
            double missed = unseen * expected + weight * (seenHits - seen * expected);
            double square = weight * weight * reach * reach;
            double spread = seenHits * (1 - expected) * (1 - expected) + (seen - seenHits) * expected * expected;
            hits += missed;
            variance += square * spread;
            costVariance += square * spread * cost * cost;
            skipped += unseen;
            squares += unseen * square;
            costSquares += unseen * square * cost * cost;
            return missed;
        }

        /** That of the seen and, unless it is known that there is nothing else, of what none of them met. */
        double variance(boolean isAllKnown) {
            return Math.max(0, variance) + (isAllKnown ? 0 : unmet(squares));
        }

        double costVariance(boolean isAllKnown) {
            return Math.max(0, costVariance) + (isAllKnown ? 0 : unmet(costSquares));
        }

        private double unmet(double sum) {
            return skipped == 0 ? 0 : UNSEEN * sum / skipped;
        }
    }

    /** What was counted, at one time or between two. */
    private record Counts(
            long no,
            long yesHit,
            long yesMiss,
            long directHit,
            long directMiss,
            long bypassed,
            long audited,
            long auditedHit,
            long failed,
            long failedConsulted) {
        Counts less(Counts b) {
            return new Counts(
                    no - b.no,
                    yesHit - b.yesHit,
                    yesMiss - b.yesMiss,
                    directHit - b.directHit,
                    directMiss - b.directMiss,
                    bypassed - b.bypassed,
                    audited - b.audited,
                    auditedHit - b.auditedHit,
                    failed - b.failed,
                    failedConsulted - b.failedConsulted);
        }

        long consulted() {
            return no + yesHit + yesMiss;
        }

        /** Requests of which it is known whether the key was there, or how likely. */
        long looked() {
            return consulted() + directHit + directMiss;
        }

        long found() {
            return yesHit + directHit + auditedHit;
        }

        /** "No"s that were not looked at. */
        long unaudited() {
            return no - audited;
        }
    }

    /** The number of this asking. */
    long next() {
        return asked.getAndIncrement();
    }

    /** What to do with asking n. */
    Guard.Action actionFor(long n) {
        Guard.Action now = action;
        if (now == Guard.Action.CONSULT) {
            return now;
        }
        double chance = chance(n);
        if (chance >= probes) {
            return now;
        }
        return chance < probes * consulting ? Guard.Action.CONSULT : Guard.Action.ALWAYS;
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

    /** The lookup threw. */
    void failed(boolean consulted) {
        failed.increment();
        if (consulted) {
            failedConsulted.increment();
        }
    }

    /** Chooses an action before the first request: some actions are more expensive whatever the prior is. */
    void begin() {
        weighing.lock();
        try {
            weigh();
            changes = 0;
        } finally {
            weighing.unlock();
        }
    }

    /** Updates the action after request n, which took this action, if it is due and no other thread does it. */
    void weighAfter(long n, Guard.Action taken) {
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

    /** The filter was replaced: measurements of the old one are discarded. */
    void filterReplaced() {
        weighing.lock();
        try {
            weigh();
            falsePositives = new Evidence();
            wrongNo = Evidence.against(knownOfNo());
            replacedAt = asked.get();
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
        learn(late, prior, falsePositives, wrongNo);
        Known known = known(late);
        if (price != null) {
            decide(price, known);
        } else {
            audits = Math.min(1, AUDITS_UNPRICED / Math.max(1, asked.get()));
        }
    }

    private static void learn(Counts late, Evidence prior, Evidence falsePositives, Evidence wrongNo) {
        wrongNo.add(late.audited, late.auditedHit);
        double hidden = late.unaudited() * wrongNo.share(0, 0);
        prior.add(late.looked(), late.found() + hidden);
        falsePositives.add(late.no - late.auditedHit - hidden + late.yesMiss, late.yesMiss);
    }

    private Known known(Counts late) {
        Known own = Known.of(prior, falsePositives(), wrongNo);
        if (among.getAsInt() < 2) {
            return own;
        }
        synchronized (pool) {
            learn(late, pool.prior, pool.falsePositives, pool.wrongNo);
            boolean agree = prior.low(2) <= pool.prior.high(2) && pool.prior.low(2) <= prior.high(2);
            return prior.trials() >= ENOUGH || !agree
                    ? own
                    : Known.of(pool.prior, pool.falsePositives.share(own.point.falsePositives, 1), pool.wrongNo);
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
                auditedHit.sum(),
                failed.sum(),
                failedConsulted.sum());
    }

    /**
     * What the latest requests saved. Called before their evidence is taken in: what is expected must not know them.
     */
    private void account(Counts late, Costs price) {
        long filters = late.consulted() + late.failedConsulted;
        saving += late.unaudited() * price.lookup() - filters * price.filter();
        if (price.origin() == 0) {
            return;
        }
        boolean never = action == Guard.Action.NEVER;
        // A "no" to a probe of NEVER also stands for those to which the filter was not asked.
        double reach = never ? 1 / probes : 1;
        double hidden = wrongNos.add(
                late.unaudited(), late.audited, late.auditedHit, wrongNo.share(0, 0), audits, reach, price.origin());
        saving -= hidden * price.origin();
        if (never) {
            double found = late.found() + hidden;
            double missed = bypasses.add(late.bypassed, late.looked(), found, prior.share(), probes, 1, price.origin());
            saving += late.bypassed * price.lookup() - missed * price.origin();
        }
    }

    private void decide(Costs price, Known known) {
        Guard.Action now = action;
        Point point = known.point;
        double part = 1.0 / Math.max(1, among.getAsInt());
        Guard.Action best = point.cheapest(price);
        long n = asked.get();
        if (best != now && (changes == 0 || n - changedAt >= DWELL) && isSurelyCheaper(best, now, price, known, part)) {
            action = best;
            now = best;
            changedAt = n;
            changes++;
        }
        double spent = point.expected(now, price);
        trust = point.trust();
        double consult = point.expected(Guard.Action.CONSULT, price);
        if (now == Guard.Action.NEVER) {
            double always = point.expected(Guard.Action.ALWAYS, price);
            consulting = always < consult ? CONSULTING_PROBES : 1;
            double extra = consulting * consult + (1 - consulting) * always - spent;
            probes = probesOfNever(n - changedAt, part * spent, extra);
        } else if (now == Guard.Action.ALWAYS) {
            consulting = 1;
            // A probe asks the filter and looks up in any case.
            probes = Math.min(PROBES, DEAR * part * spent / Math.max(0, price.filter()));
        }
        audits = audits(now, price, point, n, part * spent);
    }

    /** The share of "no"s that are looked up nevertheless. */
    private double audits(Guard.Action now, Costs price, Point point, long n, double spent) {
        if (now == Guard.Action.ALWAYS) {
            return 1;
        }
        // What auditing all of them would cost, an asking.
        double all = point.no() * Math.max(0, price.lookup() - point.wrongNo * price.origin());
        if (now == Guard.Action.NEVER) {
            double asked = probes * consulting;
            return Math.min(
                    1, Math.min(Math.max(AUDITED_PROBES, CHEAP * spent / (asked * all)), DEAR * spent / (asked * all)));
        }
        double rate = AUDITS;
        if (price.origin() > 0) {
            double soon = PROBES_SOON / Math.max(1, n - Math.max(changedAt, replacedAt));
            rate = Math.max(rate, Math.max(soon, Math.min(MAX_PROBES, CHEAP * spent / all)));
        }
        return Math.min(1, Math.min(rate, DEAR * spent / all));
    }

    /**
     * How often to probe.
     *
     * @param spent by an asking, or the part of it that this group's probes are measured by
     * @param extra what a probe costs more than bypassing
     */
    private static double probesOfNever(long requests, double spent, double extra) {
        double soon = PROBES_SOON / Math.max(1, requests);
        double cheap = Math.min(MAX_PROBES, CHEAP * spent / Math.max(0, extra));
        return Math.min(1, Math.min(Math.max(PROBES, Math.max(soon, cheap)), DEAR * spent / Math.max(0, extra)));
    }

    /** Also at the end of the interval that speaks for staying. */
    private static boolean isSurelyCheaper(Guard.Action best, Guard.Action now, Costs price, Known known, double part) {
        return saves(best, now, price, known.low, part) && saves(best, now, price, known.high, part);
    }

    private static boolean saves(Guard.Action best, Guard.Action now, Costs price, Point point, double part) {
        return point.expected(best, price) < (1 - part * MARGIN) * point.expected(now, price);
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
            boolean isNoCertain = !Double.isNaN(stated.getAsDouble()) && now.auditedHit == 0;
            return new GuardReport.Group(
                    name,
                    action,
                    asked.get(),
                    share(prior),
                    share(falsePositives),
                    stated.getAsDouble(),
                    price,
                    now.yesHit + now.yesMiss + now.directHit + now.directMiss + now.audited + now.failed,
                    now.failed,
                    now.unaudited() + now.bypassed,
                    Math.max(0, bypasses.hits + wrongNos.hits),
                    Math.sqrt(bypasses.variance(false) + wrongNos.variance(isNoCertain)),
                    saving,
                    Math.sqrt(
                            bypasses.costVariance(false) + wrongNos.costVariance(isNoCertain) + costError * costError),
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
