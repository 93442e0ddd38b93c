package dev.perhaps.guard;

import dev.perhaps.io.Figures;

/**
 * What asking costs, in one unit for all: nanoseconds, pages, money. {@code Costs.lookup(1).filter(0.01).origin(10)} is a
 * cache of cost 1 before an origin of cost 10, with a filter of a hundredth of the cache's cost; without an origin it is a
 * store behind which nothing stands. Immutable.
 *
 * <p>Rottenstreich and Keslassy, "The Bloom paradox: when not to use a Bloom filter" (2012), with the filter's own cost
 * added: φ = filter / lookup, α = (origin − lookup) / lookup, p the share of requests for what is there, f the filter's
 * false positives.
 *
 * @param filter of asking the filter
 * @param lookup of asking the cache or the store
 * @param origin of asking what stands behind the cache; 0 if nothing does
 */
public record Costs(double filter, double lookup, double origin) {
    public Costs {
        check("filter", filter, filter >= 0);
        check("lookup", lookup, lookup > 0);
        check("origin", origin, origin >= 0);
    }

    private static void check(String what, double cost, boolean inRange) {
        if (!inRange || cost == Double.POSITIVE_INFINITY) {
            throw new IllegalArgumentException("the cost of a " + what + " must be finite and "
                    + (what.equals("lookup") ? "above 0" : "at least 0") + ", got " + cost);
        }
    }

    /** A store of this cost, with a filter that costs nothing and nothing behind it. */
    public static Costs lookup(double cost) {
        return new Costs(0, cost, 0);
    }

    /**
     * A cache whose hits cost something else than its misses, as where a hit carries a page over the network. It is given as
     * costs that differ between any two actions exactly as the true ones do: a lookup at the cost of a miss, and an origin
     * that is dearer by what a hit is cheaper. Where a hit is no cheaper than the origin by far, nothing is worth looking for.
     */
    public static Costs apart(double hit, double miss, double origin) {
        check("hit", hit, hit >= 0);
        check("origin", origin, origin >= 0);
        double least = Math.max(miss, Double.MIN_NORMAL) * 0x1p-20;
        return new Costs(0, miss, Math.max(least, origin - hit + miss));
    }

    public Costs filter(double cost) {
        return new Costs(cost, lookup, origin);
    }

    public Costs origin(double cost) {
        return new Costs(filter, lookup, cost);
    }

    /** φ: the filter's cost over the lookup's. */
    public double phi() {
        return filter / lookup;
    }

    /** α: the cost of a wrong "no" over that of a wrong "perhaps"; −1 where there is no origin. */
    public double alpha() {
        return (origin - lookup) / lookup;
    }

    /** The expected cost of one asking, with a filter whose "no" is certain. */
    public double expected(Guard.Action action, double prior, double falsePositives) {
        return expected(action, prior, falsePositives, 0);
    }

    /**
     * The expected cost of one asking, with a filter that errs to both sides, as it may before a cache: what it says
     * "no" to is asked of the origin, there or not.
     */
    public double expected(Guard.Action action, double prior, double falsePositives, double falseNegatives) {
        double found = prior * (1 - falseNegatives);
        return switch (action) {
            case NEVER -> origin;
            case ALWAYS -> lookup + (1 - prior) * origin;
            case CONSULT -> filter + (found + (1 - prior) * falsePositives) * lookup + (1 - found) * origin;
        };
    }

    /** Below this prior the filter is too cold to trust, and NEVER beats CONSULT: (φ + f) / (α + f), in [0, 1]. */
    public double neverBelow(double falsePositives) {
        double bottom = alpha() + falsePositives;
        return bottom <= 0 ? 1 : Math.min(1, (phi() + falsePositives) / bottom);
    }

    /** Above this prior the lookup is too hot to ask first, and ALWAYS beats CONSULT: 1 − φ / (1 − f), in [0, 1]. */
    public double alwaysAbove(double falsePositives) {
        return falsePositives >= 1 ? 0 : Math.max(0, 1 - phi() / (1 - falsePositives));
    }

    /** The action that costs least, with a filter whose "no" is certain. Before a store, NEVER is none of them. */
    public Guard.Action cheapest(double prior, double falsePositives) {
        return cheapest(prior, falsePositives, 0);
    }

    /** The action that costs least. Before a store, where there is no origin, NEVER is none of them. */
    public Guard.Action cheapest(double prior, double falsePositives, double falseNegatives) {
        double consult = expected(Guard.Action.CONSULT, prior, falsePositives, falseNegatives);
        double always = expected(Guard.Action.ALWAYS, prior, falsePositives);
        if (origin > 0 && origin < Math.min(consult, always)) {
            return Guard.Action.NEVER;
        }
        return always < consult ? Guard.Action.ALWAYS : Guard.Action.CONSULT;
    }

    @Override
    public String toString() {
        return "filter " + Figures.significant(filter) + ", lookup " + Figures.significant(lookup)
                + (origin > 0 ? ", origin " + Figures.significant(origin) : "");
    }
}
