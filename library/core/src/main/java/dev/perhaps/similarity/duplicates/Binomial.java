package dev.perhaps.similarity.duplicates;

/** The binomial distribution. */
final class Binomial {
    private Binomial() {}

    /** The largest h with {@code Pr[X < h] ≤ tail}, for X ~ Binomial(n, p). */
    static int quantile(int n, double p, double tail) {
        if (p >= 1) {
            return n;
        }
        // Logarithms: at n = 16,384 the first terms are below the least double.
        double logTerm = n * Math.log1p(-p);
        double logOdds = Math.log(p) - Math.log1p(-p);
        double below = 0;
        for (int h = 0; h < n; h++) {
            below += Math.exp(logTerm);
            if (below > tail) {
                return h;
            }
            logTerm += Math.log((double) (n - h) / (h + 1)) + logOdds;
        }
        return n;
    }
}
