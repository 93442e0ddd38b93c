package dev.perhaps.guard;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

/**
 * The recent success rate of trials: decayed counts with a confidence interval, which are reset when the last few
 * trials contradict them. Not thread-safe.
 */
final class Evidence {
    /*
     * Two memories of the same trials. The long one decays with every trial by 1/1024, so that it knows a share of 1 %
     * to about a third of itself, and the short one by 1/32. When the short one can hardly come from the share that the
     * long one knew before, the world has changed, and the long one is replaced by it: a group that turns from cold to
     * hot is known after a handful of trials, not after a thousand.
     *
     * Hardly: the likelihood ratio G = 2·n·KL(short ‖ long) is above 16. For n independent trials G is as χ² with one
     * degree of freedom, 6·10⁻⁵ beyond 16; decayed counts swing less. Unlike a difference in standard errors it also
     * holds near 0, where three hits in thirty are news to a share of 1/10,000.
     */
    private static final double LONG = 1_024;
    private static final double SHORT = 32;
    private static final double CONTRADICTION = 16;

    private double trials;
    private double successes;
    private double lateTrials;
    private double lateSuccesses;

    /** Of nothing yet. */
    Evidence() {}

    /** What {@link #numbers} returned of another. */
    static Evidence of(double[] numbers) {
        Evidence evidence = new Evidence();
        evidence.trials = numbers[0];
        evidence.successes = numbers[1];
        evidence.lateTrials = numbers[2];
        evidence.lateSuccesses = numbers[3];
        return evidence;
    }

    /** All that it knows: trials and successes, and those of the short memory. */
    double[] numbers() {
        return new double[] {trials, successes, lateTrials, lateSuccesses};
    }

    /** As if this many trials had failed. */
    static Evidence against(double failed) {
        Evidence evidence = new Evidence();
        evidence.trials = failed;
        return evidence;
    }

    /**
     * Takes in some trials; true if they contradict what was known. Successes need not be whole: where some trials were
     * not looked at, they are expected ones.
     */
    @CanIgnoreReturnValue
    boolean add(double tried, double succeeded) {
        assert succeeded >= 0 && succeeded <= tried;
        if (tried <= 0) {
            return false;
        }
        double keepLong = Math.exp(-tried / LONG);
        double keepShort = Math.exp(-tried / SHORT);
        trials = trials * keepLong + tried;
        successes = successes * keepLong + succeeded;
        lateTrials = lateTrials * keepShort + tried;
        lateSuccesses = lateSuccesses * keepShort + succeeded;
        // Without the late trials themselves: what they bring must not hide among what was known.
        double earlier = trials - lateTrials;
        double known = (Math.max(0, successes - lateSuccesses) + 0.5) / (earlier + 1);
        if (earlier > SHORT && contradiction(lateTrials, lateSuccesses, known) > CONTRADICTION) {
            trials = lateTrials;
            successes = lateSuccesses;
            return true;
        }
        return false;
    }

    private static double contradiction(double n, double hits, double share) {
        double misses = Math.max(0, n - hits);
        double ofHits = hits <= 0 ? 0 : hits * Math.log(hits / (n * share));
        double ofMisses = misses <= 0 ? 0 : misses * Math.log(misses / (n * (1 - share)));
        return 2 * (ofHits + ofMisses);
    }

    double trials() {
        return trials;
    }

    /** The share, with half a success and half a failure added, so that it is never quite 0 or 1. */
    double share() {
        return (successes + 0.5) / (trials + 1);
    }

    /** The share, drawn towards one known beforehand as if that came from {@code weight} trials. */
    double share(double known, double weight) {
        return (successes + known * weight) / (trials + weight);
    }

    /** The lower end of the interval of {@code errors} standard errors (Wilson's). */
    double low(double errors) {
        return trials == 0 ? 0 : Math.max(0, center(errors) - halfWidth(errors));
    }

    /** The upper end. */
    double high(double errors) {
        return trials == 0 ? 1 : Math.min(1, center(errors) + halfWidth(errors));
    }

    private double center(double z) {
        return (successes + z * z / 2) / (trials + z * z);
    }

    private double halfWidth(double z) {
        double share = successes / trials;
        return z / (trials + z * z) * Math.sqrt(Math.max(0, trials * share * (1 - share)) + z * z / 4);
    }
}
