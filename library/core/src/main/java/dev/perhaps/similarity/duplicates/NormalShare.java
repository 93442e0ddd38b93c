package dev.perhaps.similarity.duplicates;

/** The distribution function of the standard normal distribution. */
final class NormalShare {
    private NormalShare() {}

    /** The chance of a standard normal to be below {@code x}, within 2·10⁻⁷ of its value. */
    static double below(double x) {
        // Chebyshev's fit of erfc, Press et al., "Numerical recipes" (1992), section 6.2.
        double z = Math.abs(x) * Math.sqrt(0.5);
        double t = 1 / (1 + z / 2);
        double[] fit = {
            0.17087277,
            -0.82215223,
            1.48851587,
            -1.13520398,
            0.27886807,
            -0.18628806,
            0.09678418,
            0.37409196,
            1.00002368,
            -1.26551223
        };
        double power = 0;
        for (double coefficient : fit) {
            power = power * t + coefficient;
        }
        double tail = t * StrictMath.exp(power - z * z) / 2;
        return x < 0 ? tail : 1 - tail;
    }
}
