package dev.perhaps.membership;

/**
 * The arithmetic of counting Bloom filters: m counters, k of them an item's, n items. A counter is the number of balls in
 * one of m bins when k·n balls are thrown.
 *
 * <p>Paper: Fan, Cao, Almeida and Broder, "Summary cache: a scalable wide-area web cache sharing protocol" (2000), section
 * V, for the bounds.
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

    /** How many of m counters are expected to be c or more: m times the tail of a Poisson distribution of mean k·n/m. */
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
}
