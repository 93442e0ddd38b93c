package dev.perhaps.guard.cost;

/** The mean of sampled costs, recent and overall; one long pause does not swing it. Safe for any number of threads. */
public final class MeanCost {
    /*
     * The late mean moves by 1/32 of a sample's distance from it, and a sample counts for at most 16 times the mean: a
     * collection of garbage that falls into a sample is no new cost, while a store that has become a hundred times as slow
     * is known after a few dozen samples all the same. Over all samples: Welford's mean and sum of squares.
     */
    private static final int MEMORY = 32;
    private static final double MAX_OF_MEAN = 16;

    private long samples;
    private double late;
    private double mean;
    private double squares;

    /** Of nothing yet. */
    public MeanCost() {}

    /** Takes in a sample; one below 0 counts as 0. */
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

    public synchronized long samples() {
        return samples;
    }

    /** The recent mean, 0 if there was no sample. */
    public synchronized double late() {
        return late;
    }

    /** The standard error of the mean over all samples, as a share of it. */
    public synchronized double relativeError() {
        return samples < 2 || mean == 0 ? 0 : Math.sqrt(squares / (samples - 1) / samples) / mean;
    }
}
