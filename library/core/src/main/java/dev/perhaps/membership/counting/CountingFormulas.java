package dev.perhaps.membership.counting;

/**
 * The arithmetic of counting Bloom filters: m counters, k of them an item's, n items. A counter is the number of balls
 * in one of m bins when k·n balls are thrown.
 *
 * <p>Paper: Fan, Cao, Almeida and Broder, "Summary cache: a scalable wide-area web cache sharing protocol" (2000),
 * section V, for the bounds. Rottenstreich and Keslassy, "The Bloom paradox: when not to use a Bloom filter" (2012),
 * for what the counters say of an item.
 */
public final class CountingFormulas {
    private static final double LN2 = Math.log(2);

    private CountingFormulas() {}

    /**
     * A bound on the chance that any of m counters reaches N at the best number of hashes: m·(e·ln 2 / N)^N, which is
     * m·1.37·10⁻¹⁵ for N = 16.
     */
    public static double overflow(double counters, int reached) {
        return overflowAtLoad(counters, LN2, reached);
    }

    /** The same for any number of hashes and items: m·(e·k·n / (m·N))^N. */
    public static double overflow(double counters, int hashes, double items, int reached) {
        return overflowAtLoad(counters, hashes * items / counters, reached);
    }

    private static double overflowAtLoad(double counters, double ballsABin, int reached) {
        return Math.min(1, counters * Math.pow(Math.E * ballsABin / reached, reached));
    }

    /**
     * How many of m counters are expected to be c or more: m times the tail of a Poisson distribution of mean k·n/m.
     */
    public static double countersAtLeast(double counters, int hashes, double items, int reached) {
        double ballsABin = hashes * items / counters;
        double term = Math.exp(-ballsABin);
        double below = 0;
        for (int count = 0; count < reached; count++) {
            below += term;
            term *= ballsABin / (count + 1);
        }
        // Summed from where it starts, the tail keeps its digits where 1 − below has lost them.
        double tail = 0;
        for (int count = reached; term > tail * 1e-17 && count < reached + 1_000; count++) {
            tail += term;
            term *= ballsABin / (count + 1);
        }
        return counters * Math.max(tail, below < 0.5 ? 1 - below : 0);
    }

    /**
     * What one counter of an item says: the log of the factor by which it raises (or lowers) the odds that the item is
     * there. An item that is there met c − 1 others in it, one that is not met c, so the factor is m·c / (n·k).
     */
    public static double logFactor(double counters, int hashes, double items, long counter) {
        return counter == 0 ? Double.NEGATIVE_INFINITY : Math.log(counters * counter / (items * hashes));
    }

    /**
     * The chance that an item is there, given its prior and the sum of {@link #logFactor} over its k counters:
     * m^k·Πc·P / (m^k·Πc·P + (n·k)^k·(1 − P)). Taken in logarithms, for (n·k)^k leaves the range of a double at k = 65
     * and 2,300 items. A counter of 0 is certain, whatever the prior.
     */
    public static double posterior(double prior, double logFactors) {
        if (logFactors == Double.NEGATIVE_INFINITY || prior == 0) {
            return 0;
        }
        return prior == 1 ? 1 : 1 / (1 + Math.exp(Math.log1p(-prior) - Math.log(prior) - logFactors));
    }

    /**
     * Below this prior the Bloom paradox holds for a filter of m bits or counters and n items at its best number of
     * hashes: 1 / (1 + α·2^(ln 2 · m/n)).
     */
    public static double paradoxBound(double alpha, double countersPerItem) {
        return 1 / (1 + alpha * Math.pow(2, LN2 * countersPerItem));
    }

    public static void checkPrior(double prior) {
        if (!(prior >= 0 && prior <= 1)) {
            throw new IllegalArgumentException("prior must be in [0, 1], got " + prior);
        }
    }
}
