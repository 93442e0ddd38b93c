package dev.perhaps.frequency;

/** A value and an estimate of how often it came; what the estimate promises, the structure that made it says. */
public record Estimated<T>(T value, long estimate) {
    public Estimated {
        if (estimate < 0) {
            throw new IllegalArgumentException("an estimate is 0 or more, got " + estimate);
        }
    }
}
