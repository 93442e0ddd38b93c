package dev.perhaps.membership.cuckoo;

/**
 * The arithmetic of cuckoo filters: m buckets of b slots, fingerprints of p bits, n items, f false positives.
 *
 * <p>Papers: [1] Fan, Andersen, Kaminsky and Mitzenmacher, "Cuckoo filter: practically better than Bloom" (2014). [2]
 * Kirsch, Mitzenmacher and Wieder, "More robust hashing: cuckoo hashing with a stash" (2009), for how often a table
 * with one slot per bucket fails.
 */
public final class CuckooFormulas {
    /**
     * The chance that items which were planned for do not fit, at most, for reasons that more fingerprint bits cure.
     */
    private static final double UNLUCKY = 1e-6;

    private static final double LOAD_OF_ONE = 0.4;
    private static final double SPARE_OF_ONE = 48;
    private static final double SPARE_OF_TWO = 64;
    private static final double SPARE_OF_FOUR = 12;

    /** The share of filters that may state more than was asked, and the normal deviate of it. */
    private static final double UNUSUAL = 0.01;

    private static final double SPARE_DEVIATIONS = 2.326;

    /** Below this, a count is not yet normally distributed. */
    private static final double FEW = 30;

    private CuckooFormulas() {}

    /** f = 1 − (1 − 2^−p)^(2b), about 2b/2^p: every slot in use. */
    public static double falsePositives(int slots, int bits) {
        return -Math.expm1(2 * slots * Math.log1p(-Math.scalb(1.0, -bits)));
    }

    /** p = ⌈log2(2b/f)⌉. */
    public static int fingerprintBits(int slots, double error) {
        int bits = Math.max(0, Math.getExponent(2 * slots / error));
        return Math.scalb(error, bits) >= 2 * slots ? bits : bits + 1;
    }

    /** How full a large table can be: 0.5, 0.84 or 0.95 of its slots for 1, 2 or 4 slots per bucket [1]. */
    public static double mostLoad(int slots) {
        return switch (slots) {
            case 1 -> 0.5;
            case 2 -> 0.84;
            case 4 -> 0.95;
            default -> throw new IllegalArgumentException("a bucket has 1, 2 or 4 slots, got " + slots);
        };
    }

    /** β = ⌈log2(2b/f)⌉ / load: what an item costs at most in a table that is as full as it can be. */
    public static double bitsPerItem(int slots, double error) {
        return fingerprintBits(slots, error) / mostLoad(slots);
    }

    /** m ≥ ⌈n/(b·load)⌉: the buckets that n items need in a large table. */
    public static long leastBuckets(long items, int slots) {
        return (long) Math.ceil(items / (slots * mostLoad(slots)));
    }

    /** The power of two next to n/b, as tables with ⊕ are sized; it looks at no load. */
    public static long powerOfTwoBuckets(long items, int slots) {
        long needed = (items + slots - 1) / slots;
        return needed <= 1 ? 1 : Long.highestOneBit(needed - 1) << 1;
    }

    /** m·b·p bits, in bytes. */
    public static double bytes(double buckets, int slots, int bits) {
        return buckets * slots * bits / 8;
    }

    /**
     * The probability of "perhaps" for an absent item with m buckets that n items went to. It has the buckets of one of
     * them with chance 2/m and its fingerprint with chance 2^−p, or twice that if the fingerprint is 1, which stands
     * for two values of the p bits.
     */
    static double falsePositives(double buckets, int bits, double items) {
        double one = Math.scalb(1.0, -bits);
        double likeOne = -Math.expm1(items * Math.log1p(-4 * one / buckets));
        double likeOthers = -Math.expm1(items * Math.log1p(-2 * one / buckets));
        return 2 * one * likeOne + (1 - 2 * one) * likeOthers;
    }

    /**
     * The same where each fingerprint is kept once, for a given number of them. None of them is like another: the error
     * is the sum of their chances, 2/m · 2^−p each and as much again for those that are 1. With v the chance that a
     * fingerprint other than 1 is there, 1 is there with chance 1 − (1 − v)²; both together make up 2·kept/m = v·2^p −
     * v².
     */
    static double falsePositivesOfSet(double buckets, int bits, double kept) {
        double range = Math.scalb(1.0, bits);
        double inBoth = 2 * kept / buckets;
        double v = 2 * inBoth / (range + Math.sqrt(Math.max(0, range * range - 4 * inBoth)));
        return Math.min(1, (inBoth + v * (2 - v)) / range);
    }

    /**
     * How much above the expected error a filter of n items is, but for one in a hundred: small ones swing with the
     * number of fingerprints that are 1, of which 2n/2^p are expected.
     */
    static double swing(double items, int bits) {
        double expected = Math.scalb(items, 1 - bits);
        double most = expected + SPARE_DEVIATIONS * Math.sqrt(expected);
        if (expected < FEW) {
            double chance = Math.exp(-expected);
            double upTo = chance;
            most = 0;
            while (upTo < 1 - UNUSUAL) {
                most++;
                chance *= expected / most;
                upTo += chance;
            }
        }
        return Math.max(1, (items + Math.min(items, most)) / (items + expected));
    }

    /**
     * An even number of buckets in which n items find room: {@link #leastBuckets} and a few more. Small tables swing
     * widely around the load that large ones reach: a dozen spare buckets of four slots, or 64 of two, are enough at
     * any size (simulated). One slot per bucket is different: at half full one table in five fails, and below it three
     * items crowd on two buckets somewhere with a chance that falls no faster than n³/m⁴ [2]; 48·n^(3/4) buckets keep
     * that below 10⁻⁵, and 0.4 is taken for 0.5.
     */
    public static double bucketsWithSpare(double items, int slots) {
        double needed = switch (slots) {
            case 1 -> Math.max(items / LOAD_OF_ONE, SPARE_OF_ONE * Math.pow(items, 0.75));
            case 2 -> items / (2 * mostLoad(2)) + SPARE_OF_TWO;
            default -> items / (4 * mostLoad(4)) + SPARE_OF_FOUR;
        };
        return 2 * Math.ceil(needed / 2);
    }

    /** The number of items that find room in this number of buckets: the inverse of {@link #bucketsWithSpare}. */
    static long itemsWithSpare(double buckets, int slots) {
        double fit = switch (slots) {
            case 1 -> Math.min(buckets * LOAD_OF_ONE, Math.pow(buckets / SPARE_OF_ONE, 4.0 / 3));
            case 2 -> (buckets - SPARE_OF_TWO) * 2 * mostLoad(2);
            default -> (buckets - SPARE_OF_FOUR) * 4 * mostLoad(4);
        };
        return (long) fit;
    }

    /**
     * The fewest bits with which n items find room. Of items that agree in fingerprint and buckets only 2b fit. A
     * fingerprint and a pair of buckets are met with chance 2/(m·2^p), and twice that for the fingerprint 1, so
     * n^(2b+1)/(2b+1)! · (2/(m·2^p))^(2b) · (1 + (2^(2b+1) − 2)/2^p) groups of one item too many are expected; that is
     * kept under one in a million. Four slots ask for 5 to 8 bits, fewer than most errors do. One slot asks for 19 at a
     * million items: why fingerprints cannot be short is in [1].
     */
    static int fewestBits(double items, double buckets, int slots) {
        for (int bits = CuckooTable.MIN_BITS; bits < CuckooTable.MAX_BITS; bits++) {
            double alike = 2 / (buckets * Math.scalb(1.0, bits));
            double groups = items * (1 + (Math.scalb(2.0, 2 * slots) - 2) / Math.scalb(1.0, bits));
            for (int i = 1; i <= 2 * slots; i++) {
                groups *= Math.max(0, items - i) * alike / (i + 1);
            }
            if (groups <= UNLUCKY) {
                return bits;
            }
        }
        return CuckooTable.MAX_BITS;
    }
}
