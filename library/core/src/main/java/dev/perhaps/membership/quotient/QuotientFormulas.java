package dev.perhaps.membership.quotient;

/**
 * The arithmetic of quotient filters: n fingerprints of r + log2(slots) bits in slots of r + 3 bits. The paper's slots
 * are 2^q; here any number goes.
 *
 * <p>Paper: Bender et al., "Don't thrash: how to cache your hash on flash" (2012).
 */
public final class QuotientFormulas {
    private static final double LN2 = StrictMath.log(2);

    private QuotientFormulas() {}

    /** The expected error of n random fingerprints below {@code range}: 1 − (1 − 1/range)^n ≈ 1 − e^(−n/range). */
    public static double falsePositives(double items, double range) {
        return -Math.expm1(items * Math.log1p(-1 / range));
    }

    /** The fewest bits of remainder that keep n items at f: r = ⌈log2(−(n/slots) / ln(1 − f))⌉; at least 1. */
    public static int remainderBits(double items, double slots, double error) {
        // Strict: one bit more or less on another machine would be another file.
        return Math.max(1, (int) Math.ceil(StrictMath.log(-items / slots / Math.log1p(-error)) / LN2));
    }

    /** The space of the slots: (r + 3)·slots. */
    public static double bits(double slots, int remainderBits) {
        return (remainderBits + 3) * slots;
    }
}
