package dev.perhaps.frequency;

/**
 * A value and an estimate of how often it was counted. The structure that returns it defines what the estimate
 * guarantees.
 */
public record Estimated<T>(T value, long estimate) {
    public Estimated {
        if (estimate < 0) {
            throw new IllegalArgumentException("an estimate is 0 or more, got " + estimate);
        }
    }
}
