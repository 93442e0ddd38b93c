package dev.perhaps.plan;

import dev.perhaps.io.Figures;
import dev.perhaps.membership.counting.CountingFormulas;

/**
 * The Bloom paradox: if the keys that are asked for are so rarely there that most results "perhaps" are false, using a
 * filter costs more than ignoring it.
 *
 * <p>A filter is in front of a small cache of a big store. A false positive wastes one cache lookup; treating a
 * "perhaps" as "no" costs a store access instead of a cache access. {@code alpha} is the second cost divided by the
 * first, (store − cache) / cache: with a cache of cost 1 and a store of cost 10, alpha is 9.
 *
 * <p>Rottenstreich and Keslassy, "The Bloom paradox: when not to use a Bloom filter" (2012). A larger alpha makes the
 * paradox less likely.
 *
 * @param prior the share of requests for keys that are there
 * @param alpha the cost of a wrong "no" divided by the cost of a wrong "perhaps"
 */
public record Paradox(double prior, double alpha) {
    public Paradox {
        if (!(prior >= 0 && prior <= 1)) {
            throw new IllegalArgumentException("prior must be in [0, 1], got " + prior);
        }
        if (!(alpha > 0 && alpha < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("alpha must be above 0, got " + alpha);
        }
    }

    /** Returns the prior below which a filter with this error costs more than it saves: f / (α + f). */
    public static double bound(double alpha, double error) {
        return error / (alpha + error);
    }

    /**
     * Returns the same bound for a Bloom filter with this number of bits per item and the best number of hashes: 1 / (1
     * + α·2^(ln 2 · m/n)).
     */
    public static double boundAt(double alpha, double bitsPerItem) {
        return CountingFormulas.paradoxBound(alpha, bitsPerItem);
    }

    /** Returns true if a "perhaps" of a filter with this error should be ignored. */
    public boolean holds(double error) {
        return prior < bound(alpha, error);
    }

    /** Returns the highest error at which a filter still saves: α·p / (1 − p). 1 or more means that any filter does. */
    public double highestUsefulError() {
        return prior == 1 ? Double.POSITIVE_INFINITY : alpha * prior / (1 - prior);
    }

    /** Returns what this means for a filter with this error, in one or two sentences for people. */
    public String verdict(double error) {
        String bound = Figures.percent(bound(alpha, error));
        if (!holds(error)) {
            return "A filter pays: " + Figures.percent(prior) + " of what is asked for is there, above the bound of "
                    + bound + ".";
        }
        double useful = highestUsefulError();
        String way = useful <= 0
                ? "No filter helps: nothing that is asked for is there."
                : "It pays from an error of " + Figures.percent(useful) + " down.";
        return "Do not use this filter: only " + Figures.percent(prior)
                + " of what is asked for is there, below the bound of " + bound
                + ", so acting on a 'perhaps' costs more than ignoring it (the Bloom paradox). " + way;
    }
}
