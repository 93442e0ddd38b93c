package dev.perhaps.guard.cost;

/** The mean of sampled costs, recent and overall; a single outlier hardly changes it. Thread-safe. */
public final class MeanCost {
    /*
     * The late mean moves by 1/32 of a sample's distance from it, and a sample counts for at most 16 times the mean: a
     * collection of garbage that falls into a sample is not a change of cost, while a store that has become a hundred
     * times slower is still noticed after a few dozen samples. Over all samples: Welford's mean and sum of squares.
     */
    private static final int MEMORY = 32;
    private static final double MAX_OF_MEAN = 16;

    private long samples;
    private double late;
    private double mean;
    private double squares;

    /** Creates a mean without samples. */
    public MeanCost() {}

    /** Returns a mean that goes on from this recent one, after this number of samples. */
    public static MeanCost of(long samples, double late) {
        MeanCost cost = new MeanCost();
        cost.samples = samples;
        cost.late = late;
        cost.mean = late;
        return cost;
    }

    /** Adds a sample; a negative one counts as 0. */
    public synchronized void add(double cost) {
        double sample = Math.max(0, cost);
        if (samples >= MEMORY / 4 && late > 0) {
            sample = Math.min(sample, MAX_OF_MEAN * late);
        }
        samples++;
        late += (sample - late) / Math.min(samples, MEMORY);
        double distance = sample - mean;
        mean += distance / samples;
        squares += distance * (sample - mean);
    }

    /** Returns the number of samples so far. */
    public synchronized long samples() {
        return samples;
    }

    /** Returns the recent mean, 0 without samples. */
    public synchronized double late() {
        return late;
    }

    /** Returns the standard error of the mean over all samples, relative to the mean. */
    public synchronized double relativeError() {
        return samples < 2 || mean == 0 ? 0 : Math.sqrt(squares / (samples - 1) / samples) / mean;
    }
}
