package dev.perhaps.guard;

import dev.perhaps.guard.cost.MeanCost;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Optional;

/**
 * Says whether asking a cache pays, from reports of its hits, misses and costs: the recent hit rate with its confidence
 * interval, and the cheapest of looking up, asking a filter first, and going to the origin at once. For callers that
 * ask on their own, perhaps on other machines; {@link Guard} is the same in front of a lookup. Takes about 200 bytes,
 * whatever is reported. Not thread-safe.
 *
 * <pre>{@code
 * CacheTally tally = new CacheTally();
 * tally.add(new CacheTally.Batch(5, 995));
 * tally.lookupCost(1);
 * tally.originCost(10);
 * Optional<CacheTally.Recommendation> advice = tally.advise(0.01);   // NEVER: a lookup costs 1, and saves 10 in 0.5 % of all cases
 * }</pre>
 */
public final class CacheTally {
    /*
     * Shares are those of Evidence, which forgets: about the last thousand requests count, and fewer after a change. A
     * larger batch counts as a thousand of the same share. It goes in by parts, so that the short memory holds only the
     * last of them.
     */
    private static final double MAX_BATCH = 1_024;
    private static final double PART = 16;
    private static final double ERRORS = 2;

    private Evidence evidence = new Evidence();
    private long hits;
    private long misses;
    private MeanCost filter = new MeanCost();
    private MeanCost lookup = new MeanCost();
    private MeanCost origin = new MeanCost();

    /** Creates an empty tally. */
    public CacheTally() {}

    /** Hits and misses that are reported together, 0 or more of each. */
    public record Batch(long hits, long misses) {
        public Batch {
            if (hits < 0 || misses < 0) {
                throw new IllegalArgumentException("hits and misses must be 0 or more, got " + hits + " and " + misses);
            }
        }
    }

    /**
     * What to do with the next request, and what each choice is expected to cost.
     *
     * @param action the cheapest choice; CONSULT only if the cost of a filter is known, NEVER only if that of an origin
     *     is
     * @param sure true if it is the cheapest at both ends of the interval of the hit rate
     * @param hitRate the recent hit rate with its 95 % confidence interval
     * @param never the cost of going to the origin at once; NaN if there is none
     * @param consult the cost of asking a filter first; NaN if there is none
     * @param always the cost of a lookup, and of the origin after a miss
     */
    public record Recommendation(
            Guard.Action action,
            boolean sure,
            GuardReport.Share hitRate,
            double never,
            double consult,
            double always) {}

    /** Adds hits and misses. */
    public void add(Batch batch) {
        hits = Math.addExact(hits, batch.hits);
        misses = Math.addExact(misses, batch.misses);
        double all = (double) batch.hits + batch.misses;
        double counted = Math.min(all, MAX_BATCH);
        int parts = (int) Math.ceil(counted / PART);
        for (int i = 0; i < parts; i++) {
            evidence.add(counted / parts, Math.min(1, batch.hits / all) * counted / parts);
        }
    }

    /** Adds a measured cost of asking the filter once, 0 or more. */
    public void filterCost(double cost) {
        filter.add(checked(cost));
    }

    /** Adds a measured cost of a lookup, 0 or more. */
    public void lookupCost(double cost) {
        lookup.add(checked(cost));
    }

    /** Adds a measured cost of asking the origin once, 0 or more. */
    public void originCost(double cost) {
        origin.add(checked(cost));
    }

    private static double checked(double cost) {
        if (!(cost >= 0 && cost < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("a cost must be finite and at least 0, got " + cost);
        }
        return cost;
    }

    /** Returns the number of hits so far. */
    public long hits() {
        return hits;
    }

    /** Returns the number of misses so far. */
    public long misses() {
        return misses;
    }

    /** Returns the recent hit rate with its 95 % confidence interval; NaN in [0, 1] if nothing was reported. */
    public GuardReport.Share hitRate() {
        double value = evidence.trials() == 0 ? Double.NaN : evidence.share();
        return new GuardReport.Share(value, evidence.low(ERRORS), evidence.high(ERRORS));
    }

    /** Returns the recent costs; empty until a cost of a lookup above 0 was reported. */
    public Optional<Costs> costs() {
        return lookup.late() > 0
                ? Optional.of(new Costs(filter.late(), lookup.late(), origin.late()))
                : Optional.empty();
    }

    /** Returns true if the cost of a filter was reported. */
    public boolean hasFilter() {
        return filter.samples() > 0;
    }

    /**
     * Returns the cheapest choice, with a filter of this false positive rate if there is one; empty without costs or
     * reports.
     */
    public Optional<Recommendation> advise(double falsePositives) {
        if (!(falsePositives >= 0 && falsePositives <= 1)) {
            throw new IllegalArgumentException("falsePositives must be in [0, 1], got " + falsePositives);
        }
        GuardReport.Share rate = hitRate();
        if (Double.isNaN(rate.value())) {
            return Optional.empty();
        }
        return costs().map(costs -> {
            Guard.Action action = cheapest(costs, rate.value(), falsePositives);
            boolean sure = action == cheapest(costs, rate.low(), falsePositives)
                    && action == cheapest(costs, rate.high(), falsePositives);
            return new Recommendation(
                    action,
                    sure,
                    rate,
                    costs.origin() > 0 ? costs.origin() : Double.NaN,
                    hasFilter() ? costs.expected(Guard.Action.CONSULT, rate.value(), falsePositives) : Double.NaN,
                    costs.expected(Guard.Action.ALWAYS, rate.value(), falsePositives));
        });
    }

    private Guard.Action cheapest(Costs costs, double rate, double falsePositives) {
        if (hasFilter()) {
            return costs.cheapest(rate, falsePositives);
        }
        boolean isSkipped = costs.origin() > 0 && costs.origin() < costs.expected(Guard.Action.ALWAYS, rate, 0);
        return isSkipped ? Guard.Action.NEVER : Guard.Action.ALWAYS;
    }

    /** Returns a tally with the same content that does not change with this one. */
    public CacheTally copy() {
        CacheTally copy = new CacheTally();
        copy.evidence = Evidence.of(evidence.numbers());
        copy.hits = hits;
        copy.misses = misses;
        copy.filter = MeanCost.of(filter.samples(), filter.late());
        copy.lookup = MeanCost.of(lookup.samples(), lookup.late());
        copy.origin = MeanCost.of(origin.samples(), origin.late());
        return copy;
    }

    /** Writes the tally; the number of bytes is always the same. */
    public void writeTo(DataOutput out) throws IOException {
        TallyBytes.write(new TallyBytes.Content(hits, misses, evidence, filter, lookup, origin), out);
    }

    /** Returns the number of bytes that {@link #writeTo} writes. */
    public static int fileBytes() {
        return TallyBytes.LENGTH;
    }

    /** Reads what {@link #writeTo} wrote; impossible numbers are refused. */
    public static CacheTally readFrom(DataInput in) throws IOException {
        TallyBytes.Content content = TallyBytes.read(in);
        CacheTally tally = new CacheTally();
        tally.hits = content.hits();
        tally.misses = content.misses();
        tally.evidence = content.evidence();
        tally.filter = content.filter();
        tally.lookup = content.lookup();
        tally.origin = content.origin();
        return tally;
    }
}
