package dev.perhaps.frequency;

/**
 * A value and how often it came: at least so often, and at most so often. Where both are equal, the count is exact.
 */
public record Ranked<T>(T value, long atLeast, long atMost) {
    public Ranked {
        if (atLeast < 0 || atMost < atLeast) {
            throw new IllegalArgumentException(
                    "atLeast must be 0 or more and no more than atMost, got " + atLeast + " and " + atMost);
        }
    }

    /** True if the count is known exactly. */
    public boolean isExact() {
        return atLeast == atMost;
    }
}
