package dev.perhaps.membership.bloom;

import dev.perhaps.membership.BlockedBloom;
import java.util.Arrays;

/**
 * The arithmetic of {@link BlockedBloom}: n items in L lines of eight words, b bits of an item in its first word and
 * one fewer (but at least one) in its second. Exact for that placement; the formula of the classic Bloom filter is too
 * low here by a fifth at 3 % and by two thirds at 0.1 %.
 *
 * <p>Papers: Putze, Sanders and Singler, "Cache-, hash- and space-efficient Bloom filters" (2007), who average the
 * classic formula over the Poisson distributed load of a block. The sum here is over the bits instead, and needs no
 * average.
 */
public final class BlockedFormulas {
    /** The most lines that one array of words holds. */
    public static final long MAX_LINES = (Integer.MAX_VALUE - 8) / BlockedKernel.LINE_WORDS;

    private static final int WORD_BITS = Long.SIZE;

    /** As for the Bloom filter: room for the swing of a single filter, so that one in a hundred states too much. */
    private static final double SPARE_DEVIATIONS = 2.326;

    // A line or two with many items make most of the error of a small filter: it swings further, and to one side. The
    // numbers are simulated (1 to 1,000 items at 10^-2 to 10^-7).
    private static final double SPARE_DEVIATIONS_OF_FEW = 3.5;
    private static final int FEW = 1_000;
    private static final int VERY_FEW = 200;

    /** The terms of the error are up to 10^3 and cancel: below this, what is left of them is rounding. */
    private static final double ROUNDING = 1e-12;

    private BlockedFormulas() {}

    /** Bits of an item in its second word. */
    public static int second(int first) {
        return Math.max(1, first - 1);
    }

    /**
     * The expected error. An absent key is "perhaps" if every bit of its two masks is set. By inclusion and exclusion
     * over the s bits of the first and the t bits of the second mask that are asked to be 0, that chance is the sum of
     * (−1)^(s+t) · C(b₁, s) · C(b₂, t) · z(s, t)^n, where z is the chance that one item leaves those s + t bits alone.
     */
    public static double falsePositives(long lines, int first, double items) {
        int second = second(first);
        double sum = 0;
        for (int s = 0; s <= first; s++) {
            for (int t = 0; t <= second; t++) {
                double touched = (1 - spares(first, second, s, t)) / lines;
                double term = choose(first, s) * choose(second, t) * Math.exp(items * Math.log1p(-touched));
                sum += (s + t) % 2 == 0 ? term : -term;
            }
        }
        return Math.min(1, Math.max(ROUNDING, sum));
    }

    /**
     * The chance that an item of the same line leaves s given bits of word i and t given bits of word j alone, where i
     * and j are the first and the second word of the key that asks. The item's first word is in the half of i or in
     * that of j with chance 1/2, its second word in the other; within its half each is the one in question with chance
     * 1/4.
     */
    private static double spares(int first, int second, int s, int t) {
        double sameWay = (3 + missesOwn(first, s)) / 4 * (3 + missesOwn(second, t)) / 4;
        double otherWay = (3 + misses(first, t)) / 4 * (3 + misses(second, s)) / 4;
        return (sameWay + otherWay) / 2;
    }

    /** The chance that a random mask has none of s given bits. */
    private static double misses(int maskBits, int s) {
        return choose(WORD_BITS - s, maskBits) / choose(WORD_BITS, maskBits);
    }

    /**
     * The same, if those s bits are of a mask of the same table. Of its rows one is that mask itself, which has them
     * all; those dealt in the same shuffle have none of them; the others are random.
     */
    private static double missesOwn(int maskBits, int s) {
        if (s == 0) {
            return 1;
        }
        int shuffle = WORD_BITS / maskBits;
        int rows = BlockedMasks.ROWS;
        return (shuffle - 1 + (rows - shuffle) * misses(maskBits, s)) / rows;
    }

    private static double choose(int n, int k) {
        double ways = 1;
        for (int i = 0; i < k; i++) {
            ways = ways * (n - i) / (i + 1);
        }
        return ways;
    }

    /** The bits of a first mask that give the lowest error in this number of lines; the fewer if two are equal. */
    public static int bestFirst(long lines, double items) {
        int best = 1;
        for (int first = 2; first <= BlockedMasks.MAX_BITS; first++) {
            if (falsePositives(lines, first, items) < falsePositives(lines, best, items)) {
                best = first;
            }
        }
        return best;
    }

    /** The bits of a first mask that keep n items at f in the fewest lines; the fewer where two are level. */
    public static int firstFor(double items, double error) {
        int best = 1;
        long fewest = lines(items, 1, error);
        for (int first = 2; first <= BlockedMasks.MAX_BITS; first++) {
            long lines = lines(items, first, error);
            if (lines < fewest) {
                best = first;
                fewest = lines;
            }
        }
        return best;
    }

    /** The fewest lines that keep n items at or under f on average over all filters; above {@link #MAX_LINES} if no number does. */
    public static long lines(double items, int first, double error) {
        long tooFew = 0;
        long enough = 1;
        while (falsePositives(enough, first, items) > error) {
            tooFew = enough;
            enough *= 2;
            if (tooFew > MAX_LINES) {
                return enough;
            }
        }
        while (enough - tooFew > 1) {
            long middle = (enough + tooFew) >>> 1;
            if (falsePositives(middle, first, items) > error) {
                tooFew = middle;
            } else {
                enough = middle;
            }
        }
        return enough;
    }

    /** As {@link #lines}, with room for the swing of a single filter around the average. */
    public static long linesWithSpare(double items, int first, double error) {
        long lines = lines(items, first, error);
        for (int round = 0; round < 4 && lines <= MAX_LINES; round++) {
            double swing = (items < FEW ? SPARE_DEVIATIONS_OF_FEW : SPARE_DEVIATIONS) * deviation(lines, first, items);
            lines = lines(items, first, error / (1 + Math.min(items < VERY_FEW ? 3 : 1, swing)));
        }
        return lines;
    }

    /**
     * Standard deviation of a filter's own error around the expected one, relative to it. A line's error depends on how
     * many items came to it, and on how they spread over its words; what the number of all items fixes is taken off.
     */
    public static double deviation(long lines, int first, double items) {
        double load = items / lines;
        double mean = 0;
        double square = 0;
        double withLoad = 0;
        int from = (int) Math.max(0, load - 8 * Math.sqrt(load) - 8);
        int to = (int) (load + 8 * Math.sqrt(load) + 8);
        for (int inLine = from; inLine <= to; inLine++) {
            double chance = Math.exp(inLine * Math.log(load) - load - logFactorial(inLine));
            double[] moments = lineMoments(inLine, first);
            mean += chance * moments[0];
            square += chance * moments[1];
            withLoad += chance * (inLine - load) * moments[0];
        }
        double variance = square - mean * mean - withLoad * withLoad / load;
        return Math.sqrt(Math.max(0, variance) / lines) / mean;
    }

    /**
     * Mean and mean square of the error of a line with {@code inLine} items. Each of them is in one of the four words
     * of a half, so what grows evenly with the items of a word is the same in every line: of the variance over the
     * items of a word only what is left after a regression makes lines differ. The bits that a word's items happen to
     * share do too.
     */
    private static double[] lineMoments(int inLine, int first) {
        double p = 0;
        double q = 0;
        double pp = 0;
        double qq = 0;
        double pq = 0;
        double pItems = 0;
        double qItems = 0;
        double logChance = inLine * Math.log(0.75);
        for (int inWord = 0; inWord <= inLine; inWord++) {
            double chance = Math.exp(logChance);
            double set = setBits(inWord, first);
            double variance = setBitsVariance(inWord, first);
            double one = contained(set, first);
            double two = contained(set, second(first));
            double onePerBit = contained(set + 0.5, first) - contained(set - 0.5, first);
            double twoPerBit = contained(set + 0.5, second(first)) - contained(set - 0.5, second(first));
            p += chance * one;
            q += chance * two;
            pp += chance * (one * one + onePerBit * onePerBit * variance);
            qq += chance * (two * two + twoPerBit * twoPerBit * variance);
            pq += chance * (one * two + onePerBit * twoPerBit * variance);
            pItems += chance * one * (inWord - inLine / 4.0);
            qItems += chance * two * (inWord - inLine / 4.0);
            logChance += Math.log((inLine - inWord) / (3.0 * (inWord + 1)));
        }
        double variance = Math.max(1, inLine) * 3 / 16.0;
        double pVariance = pp - p * p - pItems * pItems / variance;
        double qVariance = qq - q * q - qItems * qItems / variance;
        double covariance = pq - p * q - pItems * qItems / variance;
        double square = (p * p + pVariance / 4) * (q * q + qVariance / 4);
        double cross = p * q + covariance / 4;
        return new double[] {p * q, (square + cross * cross) / 2};
    }

    /** Bits that one of the two masks has on average. */
    private static double meanBits(int first) {
        return (first + second(first)) / 2.0;
    }

    private static double setBits(double inWord, int first) {
        return WORD_BITS * (1 - Math.pow(1 - meanBits(first) / WORD_BITS, inWord));
    }

    private static double setBitsVariance(int inWord, int first) {
        double zero = Math.pow(1 - meanBits(first) / WORD_BITS, inWord);
        double bothZero = zero * Math.pow(1 - meanBits(first) / (WORD_BITS - 1), inWord);
        return Math.max(0, WORD_BITS * (zero - bothZero + WORD_BITS * (bothZero - zero * zero)));
    }

    private static double logFactorial(int n) {
        double sum = 0;
        for (int i = 2; i <= n; i++) {
            sum += Math.log(i);
        }
        return sum;
    }

    /** The chance that a random mask lies within {@code set} set bits of a word. */
    private static double contained(double set, int maskBits) {
        double chance = 1;
        for (int i = 0; i < maskBits; i++) {
            chance *= Math.max(0, set - i) / (WORD_BITS - i);
        }
        return chance;
    }

    /**
     * For each number of set bits in a word, the chance that a mask of the table lies within them. A word with x set
     * bits has taken about ln(1 − x/64) / ln(1 − b̄/64) items, half of them with a row of this table. Those rows lie
     * within for certain, the others by chance; and since every position is in equally many rows, what those have more
     * of the set bits, the others have less.
     */
    static double[] containedBySetBits(int maskBits, int first) {
        double spared = 1 - meanBits(first) / WORD_BITS;
        double[] chances = new double[WORD_BITS + 1];
        for (int set = 0; set < WORD_BITS; set++) {
            double share = set / (double) WORD_BITS;
            double put = Math.min(share, Math.log1p(-share) / Math.log(spared) / 2 / BlockedMasks.ROWS);
            double left = (share - put) / (1 - put);
            chances[set] = put + (1 - put) * contained(left * WORD_BITS, maskBits);
        }
        chances[WORD_BITS] = 1;
        return chances;
    }

    /** Estimated distinct items from the number of set bits; if all are set, the largest that can be stated. */
    public static double distinct(long lines, int first, long setBits) {
        double bits = (double) lines * BlockedKernel.LINE_WORDS * WORD_BITS;
        double zeros = Math.max(1, bits - setBits) / bits;
        return Math.log(zeros) / (Math.log1p(-first / bits) + Math.log1p(-second(first) / bits));
    }

    /** The mean error of lines, from the number of set bits of each of their words, one after the other. */
    public static final class LineErrors {
        private final double[] first;
        private final double[] second;
        private final double[] sums = new double[4];
        private double total;
        private long words;

        public LineErrors(int bitsOfFirst) {
            this.first = containedBySetBits(bitsOfFirst, bitsOfFirst);
            this.second = containedBySetBits(second(bitsOfFirst), bitsOfFirst);
        }

        public void next(int setBits) {
            int half = (int) (words & BlockedKernel.LINE_WORDS / 2) >>> 1; // 0 in the lower half, 2 in the upper
            sums[half] += first[setBits];
            sums[half + 1] += second[setBits];
            words++;
            if (words % BlockedKernel.LINE_WORDS == 0) {
                // Of the 32 pairs of a first and a second word, half have the first one in the lower half.
                total += (sums[0] * sums[3] + sums[2] * sums[1]) / 32;
                Arrays.fill(sums, 0);
            }
        }

        public double mean() {
            return total * BlockedKernel.LINE_WORDS / words;
        }
    }
}
