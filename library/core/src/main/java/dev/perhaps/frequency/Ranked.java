package dev.perhaps.frequency;

/**
 * A value and how often it was counted: at least {@code atLeast} and at most {@code atMost} times. If both are equal,
 * the count is exact.
 */
public record Ranked<T>(T value, long atLeast, long atMost) {
    public Ranked {
        if (atLeast < 0 || atMost < atLeast) {
            throw new IllegalArgumentException(
                    "atLeast must be 0 or more and no more than atMost, got " + atLeast + " and " + atMost);
        }
    }

    /** Returns true if the count is exact. */
    public boolean isExact() {
        return atLeast == atMost;
    }
}
