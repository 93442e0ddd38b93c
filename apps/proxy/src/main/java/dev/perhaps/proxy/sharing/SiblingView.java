package dev.perhaps.proxy.sharing;

import dev.perhaps.guard.Advisor;
import dev.perhaps.guard.Costs;
import dev.perhaps.guard.Guard;
import dev.perhaps.guard.GuardReport;
import dev.perhaps.guard.cost.MeanCost;
import dev.perhaps.proxy.LookupOutcome;
import dev.perhaps.sketch.FormatException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a cache knows of one sibling: its latest digest and the age of it, how often the digest was right, what lookups
 * cost and, from these, whether the sibling is worth asking. Safe for any number of threads. It has no clock: callers
 * pass times and costs.
 */
public final class SiblingView {
    /*
     *     ask(page) ── down, or no digest yet ──> no
     *         └─ advisor: NEVER ─────────────────> no           (a probe now and then)
     *                     CONSULT ── digest ─────> no | perhaps
     *                     ALWAYS ────────────────> perhaps
     *     perhaps ── asked ──> hit | miss, false or stale | failed
     *             └─ another one was asked ──> withdrawn
     *
     * False and stale. The digest said perhaps and the sibling says no. That is settled when its next digest comes: if that
     * says perhaps as well, bits met by accident: a false hit. If not, the page was there when the digest was published, or
     * the bits of others were, and has gone since: a stale hit. No more than 1,024 wait for it; the rest counts as false.
     *
     * Down. One failure takes a sibling out: it is not asked for pages again until its digest could be fetched, which is
     * tried after 1, 2, 4, … 60 seconds. So no request of a client waits for a sibling that is known to be dead.
     *
     * Costs of hits and of misses are measured separately; that of the origin is common to all siblings. What was measured
     * fewer than 8 times is taken to be as cheap, compared with the origin, as is assumed of siblings: otherwise one slow
     * response could end all lookups, and with them the measuring. A sibling that fetches what it does not have keeps a copy
     * that nobody there asked for, in place of another page: that is taken for a quarter of a request to the origin, and
     * added to the cost of a miss.
     *
     * Coming back. A sibling that was restarted (its digest has a new epoch) is another process with another cache:
     * what its lookups cost is measured from zero. That is done once in 8,192 requests at most, for the guard needs
     * about 128 of them to leave a slow sibling out again: so one that is restarted all the time costs little more than
     * one that is not. Whatever the guard says, some pages that the digest perhaps has are asked for (Exploration).
     */
    private static final long FIRST_PAUSE_NANOS = 1_000_000_000L;
    private static final long MAX_PAUSE_NANOS = 60_000_000_000L;
    private static final int ENOUGH_ORIGIN_SAMPLES = 8;
    private static final int MIN_REQUESTS_BEFORE_FORGETTING = 8_192;
    private static final double DISPLACED = 0.25;
    private static final int MAX_UNSETTLED = 1_024;

    private final String name;
    private final Terms terms;
    private final MeanCost originCost;
    private final Advisor<Asked> advisor;
    private final DigestCopy copy;
    private final IntSupplier sharers;
    private final RecentCost hitCost = new RecentCost();
    private final RecentCost missCost = new RecentCost();

    private final LongAdder hits = new LongAdder();
    private final LongAdder falseHits = new LongAdder();
    private final LongAdder staleHits = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder digests = new LongAdder();
    private final LongAdder digestBytes = new LongAdder();
    private final LongAdder digestsRefused = new LongAdder();

    // Guarded by this.
    private FetchInterval fetchInterval = new FetchInterval();
    private Exploration exploration = new Exploration();
    private @Nullable Long epoch;
    private long requestsSinceForgetting = MIN_REQUESTS_BEFORE_FORGETTING;
    private long digestAtNanos;
    private final Deque<Long> unsettled = new ArrayDeque<>();
    private int failuresInARow;
    private long retryAtNanos;

    /** A page to look up, hashed once for all siblings. */
    record Asked(String page, long hash, String group) {
        static Asked of(Terms terms, String page) {
            return new Asked(page, terms.key().hash(page), Terms.group(page));
        }
    }

    SiblingView(String name, Terms terms, MeanCost originCost, IntSupplier sharers, long seed) {
        this.name = name;
        this.terms = terms;
        this.originCost = originCost;
        this.sharers = sharers;
        this.copy = new DigestCopy(terms.key(), terms.maxDigestBytes());
        this.advisor = Guard.plan()
                .costs(this::costs)
                .groups(terms.groups())
                .seed(seed)
                .among(sharers)
                .advisor(asked -> copy.mightContainHash(asked.hash), Asked::group);
    }

    public String name() {
        return name;
    }

    /** Returns the costs of asking it, as far as they are known. */
    private Costs costs() {
        if (originCost.samples() < ENOUGH_ORIGIN_SAMPLES || !hitCost.isKnown() && !missCost.isKnown()) {
            return terms.assumed();
        }
        return Costs.apart(expectedHitCost(), Math.max(expectedMissCost(), Double.MIN_NORMAL), originCost.late())
                .filter(terms.filterCost());
    }

    private double expectedHitCost() {
        return hitCost.isKnown() ? hitCost.mean() : assumedCost();
    }

    private double expectedMissCost() {
        return missCost.isKnown() ? missCost.mean() : expectedHitCost();
    }

    /** Returns the assumed cost of a sibling, in proportion to the measured cost of the origin. */
    private double assumedCost() {
        Costs assumed = terms.assumed();
        return originCost.samples() < ENOUGH_ORIGIN_SAMPLES
                ? assumed.lookup()
                : originCost.late() * assumed.lookup() / assumed.origin();
    }

    /** Returns a lookup at the sibling; null if it is not worth one. */
    @Nullable
    Lookup ask(Asked asked) {
        if (copy.state() == null || !countRequest()) {
            return null;
        }
        if (!terms.guarded()) {
            return copy.mightContainHash(asked.hash) ? new Lookup(asked.hash, null, false) : null;
        }
        Advisor.Advice advice = advisor.ask(asked);
        if (advice.isWorthLooking()) {
            return new Lookup(asked.hash, advice, false);
        }
        return advice.action() == Guard.Action.NEVER && isToBeExplored(asked.hash)
                ? new Lookup(asked.hash, null, true)
                : null;
    }

    /** Counts a request. Returns false if the sibling is down. */
    private synchronized boolean countRequest() {
        requestsSinceForgetting++;
        return failuresInARow == 0;
    }

    /** Returns true if a page is looked up although the guard advises against it. */
    private synchronized boolean isToBeExplored(long hash) {
        if (!exploration.isDueAfter(sharers.getAsInt()) || !copy.mightContainHash(hash)) {
            return false;
        }
        exploration.asked();
        return true;
    }

    /** True from its first failure until its digest could be fetched again. */
    public synchronized boolean isDown() {
        return failuresInARow > 0;
    }

    /**
     * Returns true if a newer digest, which may be available, is to be fetched now. Call it at each publication of the
     * sibling or, if that is not known, once in an interval.
     */
    public synchronized boolean wantsDigest(long nowNanos) {
        return failuresInARow > 0 ? nowNanos - retryAtNanos >= 0 : !terms.guarded() || fetchInterval.takes();
    }

    /** Returns the state of the digest here, to request what is newer. */
    public DigestCopy.@Nullable State digest() {
        return copy.state();
    }

    /**
     * Takes a digest from the sibling. If it is refused, the sibling counts as down, and the whole digest is fetched
     * next.
     */
    public void digested(byte[] message, double cost, long nowNanos) throws FormatException {
        digests.increment();
        digestBytes.add(message.length);
        double fresh;
        try {
            fresh = copy.accept(message);
        } catch (FormatException e) {
            digestsRefused.increment();
            copy.clear();
            failed(nowNanos);
            throw e;
        }
        settle();
        synchronized (this) {
            cameBack();
            failuresInARow = 0;
            digestAtNanos = nowNanos;
            fetchInterval.paid(cost, fresh);
        }
    }

    /** Forgets what a restart or a longer failure has made void. To be called with the lock. */
    private void cameBack() {
        DigestCopy.State now = copy.state();
        boolean restarted = now != null && epoch != null && epoch != now.epoch();
        if (restarted && requestsSinceForgetting >= MIN_REQUESTS_BEFORE_FORGETTING) {
            requestsSinceForgetting = 0;
            fetchInterval = new FetchInterval();
            hitCost.clear();
            missCost.clear();
        }
        // After a single failure only, it may be the exploring that fails.
        if (restarted || failuresInARow > 1) {
            exploration = new Exploration();
        }
        epoch = now == null ? null : (Long) now.epoch();
    }

    /** The digest could not be fetched. */
    public void digestFailed(long nowNanos) {
        failed(nowNanos);
    }

    private synchronized void failed(long nowNanos) {
        failures.increment();
        long pause = Math.min(MAX_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(16, failuresInARow));
        failuresInARow++;
        retryAtNanos = nowNanos + pause;
    }

    /** A lookup at the sibling. {@link #end} must be called exactly once. */
    public final class Lookup {
        private final long hash;
        private final Advisor.@Nullable Advice advice;
        private final boolean explores;

        private Lookup(long hash, Advisor.@Nullable Advice advice, boolean explores) {
            this.hash = hash;
            this.advice = advice;
            this.explores = explores;
        }

        public SiblingView sibling() {
            return SiblingView.this;
        }

        /** Returns true if the guard advised against this lookup, which checks, rarely, that the advice still holds. */
        boolean explores() {
            return explores;
        }

        /** Returns the expected cost, which includes the origin if the sibling does not have the page. */
        double expectedCost() {
            double trust = advice == null ? 1 : advice.trust();
            return trust * expectedHitCost() + (1 - trust) * (expectedMissCost() + originCost.late());
        }

        /** Reports the outcome. */
        public void end(LookupOutcome outcome) {
            if (outcome instanceof LookupOutcome.Hit hit) {
                double cost = hit.cost().value();
                hits.increment();
                bytes.add(hit.bodyBytes());
                hitCost.add(cost);
                gained(originCost.late() - cost);
            } else if (outcome instanceof LookupOutcome.Miss miss) {
                double cost = miss.cost().value() + (terms.fetched() ? DISPLACED * originCost.late() : 0);
                missed(hash);
                missCost.add(cost);
                gained(-cost);
            } else if (outcome instanceof LookupOutcome.Failure failure) {
                failed(failure.atNanos());
            }
            if (advice != null) {
                tell(advice, outcome);
            }
            if (explores) {
                explored(outcome);
            }
        }
    }

    /** Reports the outcome to the guard. */
    private static void tell(Advisor.Advice advice, LookupOutcome outcome) {
        if (outcome instanceof LookupOutcome.Hit) {
            advice.found();
        } else if (outcome instanceof LookupOutcome.Miss) {
            advice.missed();
        } else if (outcome instanceof LookupOutcome.Failure) {
            advice.failed();
        } else {
            advice.withdrawn();
        }
    }

    private synchronized void explored(LookupOutcome outcome) {
        if (!(outcome instanceof LookupOutcome.Withdrawal)) {
            exploration.ended(
                    outcome instanceof LookupOutcome.Hit hit && hit.cost().value() < originCost.late());
        }
    }

    private synchronized void missed(long hash) {
        if (unsettled.size() < MAX_UNSETTLED) {
            unsettled.add(hash);
        } else {
            falseHits.increment();
        }
    }

    private synchronized void settle() {
        for (long hash : unsettled) {
            (copy.mightContainHash(hash) ? falseHits : staleHits).increment();
        }
        unsettled.clear();
    }

    private synchronized void gained(double saved) {
        fetchInterval.gained(saved);
    }

    /**
     * The state of a sibling.
     *
     * @param down true while it is not used, until its digest can be fetched
     * @param version of its digest, 0 if there is none
     * @param documents the number of pages that it holds, by its digest
     * @param digestAgeNanos the time since its digest was fetched; −1 if there is none
     * @param digestError the false positive rate of the digest, by its bits
     * @param falseHits number of pages that it did not have, although its digest and the next one said "perhaps"
     * @param staleHits number of pages that it no longer had, as its next digest showed
     * @param unsettled number of misses that the next digest will show to be false or stale hits
     * @param failures number of lookups that failed, or had an invalid response
     * @param bytes of pages that came from it
     * @param digestEvery the number of published digests per digest that is fetched
     * @param hitCost the recent cost of a hit; 0 if there was none
     * @param missCost the recent cost of a miss; 0 if there was none
     * @param guard the actions for groups of pages, and why
     */
    public record Report(
            String name,
            boolean down,
            long version,
            long documents,
            long digestAgeNanos,
            long digestSizeBytes,
            double digestError,
            long hits,
            long falseHits,
            long staleHits,
            long unsettled,
            long failures,
            long bytes,
            long digests,
            long digestBytes,
            long digestsRefused,
            double digestEvery,
            double hitCost,
            double missCost,
            GuardReport guard) {}

    public Report report(long nowNanos) {
        DigestCopy.State state = copy.state();
        boolean down;
        long age;
        double every;
        int waiting;
        synchronized (this) {
            down = failuresInARow > 0;
            age = state == null ? -1 : nowNanos - digestAtNanos;
            every = fetchInterval.every();
            waiting = unsettled.size();
        }
        return new Report(
                name,
                down,
                state == null ? 0 : state.version(),
                state == null ? 0 : state.documents(),
                age,
                state == null ? 0 : state.filter().sizeBytes(),
                state == null ? Double.NaN : state.error(),
                hits.sum(),
                falseHits.sum(),
                staleHits.sum(),
                waiting,
                failures.sum(),
                bytes.sum(),
                digests.sum(),
                digestBytes.sum(),
                digestsRefused.sum(),
                every,
                hitCost.mean(),
                missCost.mean(),
                advisor.report());
    }
}
