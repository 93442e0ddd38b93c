package dev.perhaps.similarity;

/** Quantiles of the normal distribution, the same to the bit on every machine. */
final class Normal {
    /*
     * Acklam's rational approximation of the inverse distribution function (2003), relative error below 1.2·10⁻⁹: one
     * quotient of polynomials between the outer 2.425 %, and one in √(−2 ln p) beyond. StrictMath for the logarithm.
     */
    private static final double TAIL = 0.02425;

    private Normal() {}

    /** The quantile of a uniform hash: standard normal if the hash is uniform. */
    static double quantile(long hash) {
        return quantile(((hash >>> 12) + 0.5) * 0x1p-52);
    }

    /** The quantile of {@code p} in (0, 1). */
    static double quantile(double p) {
        if (p < TAIL) {
            return tail(p);
        }
        if (p > 1 - TAIL) {
            return -tail(1 - p);
        }
        double q = p - 0.5;
        double r = q * q;
        double above =
                ((((-39.69683028665376 * r + 220.9460984245205) * r - 275.9285104469687) * r + 138.3577518672690) * r
                                        - 30.66479806614716)
                                * r
                        + 2.506628277459239;
        double below =
                ((((-54.47609879822406 * r + 161.5858368580409) * r - 155.6989798598866) * r + 66.80131188771972) * r
                                        - 13.28068155288572)
                                * r
                        + 1;
        return q * above / below;
    }

    private static double tail(double p) {
        double q = Math.sqrt(-2 * StrictMath.log(p));
        double above =
                ((((-0.007784894002430293 * q - 0.3223964580411365) * q - 2.400758277161838) * q - 2.549732539343734)
                                                * q
                                        + 4.374664141464968)
                                * q
                        + 2.938163982698783;
        double below =
                (((0.007784695709041462 * q + 0.3224671290700398) * q + 2.445134137142996) * q + 3.754408661907416) * q
                        + 1;
        return above / below;
    }
}
