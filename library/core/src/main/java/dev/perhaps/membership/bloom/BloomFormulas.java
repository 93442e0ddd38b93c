package dev.perhaps.membership.bloom;

/**
 * The arithmetic of Bloom filters: m bits, k hashes, n items, f false positives. Any three of them give the fourth.
 *
 * <p>Papers: [1] Bloom, "Space/time trade-offs in hash coding with allowable errors" (1970). [2] Broder and
 * Mitzenmacher, "Network applications of Bloom filters: a survey" (2004). [3] Swamidass and Baldi, "Mathematical
 * correction for fingerprint similarity measures to improve chemical retrieval" (2007), for the estimate of distinct
 * items.
 */
public final class BloomFormulas {
    /** The most bits that one array of words holds. */
    public static final long MAX_BITS = (Integer.MAX_VALUE - 8) * 64L;

    private static final double LN2 = Math.log(2);

    /** Fewer hashes are faster: one less is taken if the error grows by no more than this. */
    private static final double NEARLY_AS_GOOD = 0.01;

    /** The same, where the price of one hash less is paid in memory. */
    private static final double NEARLY_AS_SMALL = 0.001;

    /**
     * The share of set bits varies from filter to filter. Planned for its mean, every second filter would state
     * slightly more than planned; planned for this number of standard deviations above it, one in a hundred does.
     */
    private static final double SPARE_DEVIATIONS = 2.326;

    /** The same where exceeding the plan would be expensive: one filter in a million does. */
    private static final double SURE_DEVIATIONS = 4.753;

    private BloomFormulas() {}

    /** The expected share of bits that stay 0: (1 − 1/m)^(kn). */
    public static double zeros(double bits, double hashes, double items) {
        return Math.exp(hashes * items * Math.log1p(-1 / bits));
    }

    /** f = (1 − (1 − 1/m)^(kn))^k; small as it may be, never 0 where there is something. */
    public static double falsePositives(double bits, int hashes, double items) {
        double rate = Math.pow(1 - zeros(bits, hashes, items), hashes);
        return items > 0 ? Math.max(Double.MIN_NORMAL, rate) : rate;
    }

    /** The best number of hashes, (m/n)·ln 2, as a real number. */
    public static double bestHashes(double bitsPerItem) {
        return bitsPerItem * LN2;
    }

    /** A whole number of hashes for this number of bits per item: the smaller neighbour where it is nearly as good. */
    public static int hashes(double bitsPerItem) {
        int fewer = Math.max(1, (int) Math.floor(bestHashes(bitsPerItem)));
        double atFewer = asymptotic(bitsPerItem, fewer);
        double atMore = asymptotic(bitsPerItem, fewer + 1);
        return atFewer <= atMore * (1 + NEARLY_AS_GOOD) ? fewer : fewer + 1;
    }

    /** The fewest hashes that keep n items in m bits at or under f; 0 if no number does. */
    public static int hashes(long bits, long items, double error) {
        int most = Math.max(1, (int) Math.ceil(bestHashes((double) bits / items)));
        for (int hashes = 1; hashes <= most; hashes++) {
            if (falsePositives(bits, hashes, items) <= error) {
                return hashes;
            }
        }
        return 0;
    }

    /** The ideal m = −n·ln f / (ln 2)², which a whole number of hashes comes near. */
    public static double idealBits(double items, double error) {
        return -items * Math.log(error) / (LN2 * LN2);
    }

    /** The bits that n items need at f with k hashes, on average over all filters. */
    public static double bits(double items, int hashes, double error) {
        double set = Math.pow(error, 1.0 / hashes);
        // From (1 − 1/m)^(kn) = 1 − set: m = 1 / (1 − (1 − set)^(1/kn)).
        return -1 / Math.expm1(Math.log1p(-set) / (hashes * items));
    }

    /** How many items m bits and k hashes hold at f. */
    public static double items(double bits, int hashes, double error) {
        return Math.log1p(-Math.pow(error, 1.0 / hashes)) / (hashes * Math.log1p(-1 / bits));
    }

    /** The number of hashes that keeps n items at f in the least memory, or one less where that costs a thousandth. */
    static int hashesFor(double items, double error) {
        int fewer = Math.max(1, (int) Math.floor(-Math.log(error) / LN2));
        double more = bits(items, fewer + 1, error);
        return bits(items, fewer, error) <= more * (1 + NEARLY_AS_SMALL) ? fewer : fewer + 1;
    }

    /** As {@link #bits}, with room for the swing of a single filter around the average. */
    static double bitsWithSpare(double items, int hashes, double error) {
        return bitsWithSpare(items, hashes, error, SPARE_DEVIATIONS);
    }

    /**
     * Like {@link #bits}, plus a reserve: at most one filter in a million has a higher error, or none because every bit
     * fits.
     */
    public static double bitsForSure(double items, int hashes, double error) {
        double allDifferent = hashes * items / Math.pow(error, 1.0 / hashes);
        return Math.min(allDifferent, bitsWithSpare(items, hashes, error, SURE_DEVIATIONS));
    }

    /** The other way round: the share of m bits that n items set at most, but for one filter in a million. */
    public static double setForSure(double bits, int hashes, double items) {
        double expected = 1 - zeros(bits, hashes, items);
        double sure = expected + SURE_DEVIATIONS * deviationOfSet(bits, hashes, items);
        return Math.min(1, Math.min(sure, hashes * items / bits));
    }

    private static double bitsWithSpare(double items, int hashes, double error, double deviations) {
        double set = Math.pow(error, 1.0 / hashes);
        double bits = bits(items, hashes, error);
        for (int round = 0; round < 8; round++) {
            double aimed = Math.max(set / 2, set - deviations * deviationOfSet(bits, hashes, items));
            bits = -1 / Math.expm1(Math.log1p(-aimed) / (hashes * items));
        }
        return bits;
    }

    /** Standard deviation of the share of set bits: balls into bins, √((p − p²(1 + λ)) / m) with λ = kn/m, p = e^−λ. */
    static double deviationOfSet(double bits, int hashes, double items) {
        double ballsABin = hashes * items / bits;
        double zero = Math.exp(-ballsABin);
        return Math.sqrt(Math.max(0, zero - zero * zero * (1 + ballsABin)) / bits);
    }

    /**
     * Estimated distinct items from the number of set bits [3]: −(m/k)·ln(1 − N/m). No bit: none; up to k: one, whose
     * positions may coincide. All bits set says only "at least": the answer is then (m/k)·ln m, the largest that can be
     * stated.
     */
    public static double distinct(long bits, int hashes, long setBits) {
        if (setBits <= hashes) {
            return Math.min(1, setBits);
        }
        double ratio = (double) bits / hashes;
        return setBits >= bits ? ratio * Math.log(bits) : -ratio * Math.log1p(-(double) setBits / bits);
    }

    private static double asymptotic(double bitsPerItem, int hashes) {
        return Math.pow(-Math.expm1(-hashes / bitsPerItem), hashes);
    }
}
