package dev.perhaps.guard;

import dev.perhaps.io.Figures;

/**
 * The costs of filter, lookup and origin, all in the same unit: nanoseconds, pages, money. {@code
 * Costs.lookup(1).filter(0.01).origin(10)} is a cache of cost 1 in front of an origin of cost 10, with a filter of cost
 * 0.01. Without an origin, the lookup is in a store that has all data. Immutable.
 *
 * <p>Rottenstreich and Keslassy, "The Bloom paradox: when not to use a Bloom filter" (2012), with the cost of the
 * filter added: φ = filter / lookup, α = (origin − lookup) / lookup, p the share of requests for keys that are there, f
 * the false positive rate of the filter.
 *
 * @param filter the cost of asking the filter
 * @param lookup the cost of a lookup in the cache or the store
 * @param origin the cost of asking the origin behind the cache; 0 if there is none
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

    /** Returns the costs of a store without an origin, with a filter of cost 0. */
    public static Costs lookup(double cost) {
        return new Costs(0, cost, 0);
    }

    /**
     * Returns the costs of a cache whose hits and misses cost different amounts, for example because a hit transfers a
     * page over the network. They are expressed as equivalent costs, with the same differences between any two actions:
     * a lookup at the cost of a miss, and an origin whose cost is adjusted by the difference between hit and miss. If a
     * hit is not cheaper than the origin, nothing is worth a lookup.
     */
    public static Costs apart(double hit, double miss, double origin) {
        check("hit", hit, hit >= 0);
        check("origin", origin, origin >= 0);
        double least = Math.max(miss, Double.MIN_NORMAL) * 0x1p-20;
        return new Costs(0, miss, Math.max(least, origin - hit + miss));
    }

    /** Returns these costs with another cost of asking the filter, 0 or more. */
    public Costs filter(double cost) {
        return new Costs(cost, lookup, origin);
    }

    /** Returns these costs with another cost of asking the origin; 0 means that there is none. */
    public Costs origin(double cost) {
        return new Costs(filter, lookup, cost);
    }

    /** Returns φ, the cost of the filter divided by that of the lookup. */
    public double phi() {
        return filter / lookup;
    }

    /** Returns α, the cost of a wrong "no" divided by that of a wrong "perhaps"; −1 if there is no origin. */
    public double alpha() {
        return (origin - lookup) / lookup;
    }

    /** Returns the expected cost of one request, with a filter whose "no" is certain. */
    public double expected(Guard.Action action, double prior, double falsePositives) {
        return expected(action, prior, falsePositives, 0);
    }

    /**
     * Returns the expected cost of one request, with a filter that errs in both directions, which is allowed in front
     * of a cache: after a "no" the origin is asked, whether the cache has the key or not.
     */
    public double expected(Guard.Action action, double prior, double falsePositives, double falseNegatives) {
        double found = prior * (1 - falseNegatives);
        return switch (action) {
            case NEVER -> origin;
            case ALWAYS -> lookup + (1 - prior) * origin;
            case CONSULT -> filter + (found + (1 - prior) * falsePositives) * lookup + (1 - found) * origin;
        };
    }

    /** Returns the prior below which NEVER is cheaper than CONSULT: (φ + f) / (α + f), in [0, 1]. */
    public double neverBelow(double falsePositives) {
        double bottom = alpha() + falsePositives;
        return bottom <= 0 ? 1 : Math.min(1, (phi() + falsePositives) / bottom);
    }

    /** Returns the prior above which ALWAYS is cheaper than CONSULT: 1 − φ / (1 − f), in [0, 1]. */
    public double alwaysAbove(double falsePositives) {
        return falsePositives >= 1 ? 0 : Math.max(0, 1 - phi() / (1 - falsePositives));
    }

    /** Returns the cheapest action, with a filter whose "no" is certain. Without an origin, it is never NEVER. */
    public Guard.Action cheapest(double prior, double falsePositives) {
        return cheapest(prior, falsePositives, 0);
    }

    /**
     * Returns the cheapest action, with a filter that errs in both directions. Without an origin, it is never NEVER.
     */
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
