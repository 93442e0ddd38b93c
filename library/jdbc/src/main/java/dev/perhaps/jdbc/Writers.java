package dev.perhaps.jdbc;

import java.time.Duration;

/** Who inserts rows into a {@link GuardedTable}: what its filter does not know of, it calls absent. Immutable. */
public final class Writers {
    private static final Writers ONLY_THIS_PROGRAM = new Writers(Long.MAX_VALUE);

    private final long maxAgeNanos;

    private Writers(long maxAgeNanos) {
        this.maxAgeNanos = maxAgeNanos;
    }

    /** Nobody but this process, which calls {@link GuardedTable#added} before every row that it inserts: its filter stays right. */
    public static Writers onlyThisProgram() {
        return ONLY_THIS_PROGRAM;
    }

    /**
     * Other processes too, people at a console, or imports. Their rows are found at the latest when they are this old: keys that
     * were read longer ago are not believed. Call {@link GuardedTable#refresh} more often than that, or the guard saves nothing.
     */
    public static Writers others(Duration visibleWithin) {
        if (visibleWithin.isNegative() || visibleWithin.isZero() || visibleWithin.compareTo(Duration.ofDays(365)) > 0) {
            throw new IllegalArgumentException(
                    "visibleWithin must be more than 0 and at most 365 days, got " + visibleWithin);
        }
        return new Writers(visibleWithin.toNanos());
    }

    /** True if keys that were read so long ago can be believed. */
    boolean trust(long ageNanos) {
        return maxAgeNanos == Long.MAX_VALUE || ageNanos < maxAgeNanos;
    }
}
