package dev.perhaps.jdbc;

import java.time.Duration;

/**
 * Says who inserts rows into a {@link GuardedTable}, which reports a row as absent if its filter does not have the key.
 * Immutable.
 */
public final class Writers {
    private static final Writers ONLY_THIS_PROGRAM = new Writers(Long.MAX_VALUE);

    private final long maxAgeNanos;

    private Writers(long maxAgeNanos) {
        this.maxAgeNanos = maxAgeNanos;
    }

    /**
     * Only this process inserts rows, and it brackets each with {@link GuardedTable#inserting}: no row is ever missed.
     */
    public static Writers onlyThisProgram() {
        return ONLY_THIS_PROGRAM;
    }

    /**
     * Other processes, people or imports insert rows too. A row is found at the latest when it is this old: a filter
     * whose keys were read longer ago is not used. Call {@link GuardedTable#refresh} more often than that, or the guard
     * saves nothing.
     */
    public static Writers others(Duration visibleWithin) {
        if (visibleWithin.isNegative() || visibleWithin.isZero() || visibleWithin.compareTo(Duration.ofDays(365)) > 0) {
            throw new IllegalArgumentException(
                    "visibleWithin must be more than 0 and at most 365 days, got " + visibleWithin);
        }
        return new Writers(visibleWithin.toNanos());
    }

    /** True if a filter of this age may be used. */
    boolean trust(long ageNanos) {
        return maxAgeNanos == Long.MAX_VALUE || ageNanos < maxAgeNanos;
    }
}
