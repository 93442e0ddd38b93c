package dev.perhaps.plan;

import org.jspecify.annotations.Nullable;

/**
 * What a user knows before choosing a filter; 0 or null means "not given". Immutable.
 *
 * <p>{@code Need.items(1_000_000).falsePositives(0.001).deletes()}
 *
 * @param items the number of distinct items
 * @param error the highest acceptable false positive rate
 * @param memoryBytes the memory limit in bytes
 * @param removing items must be removable
 * @param fixed the whole set is known when the filter is built
 * @param paradox the prior probability of a hit and the costs of mistakes
 */
public record Need(
        long items,
        double error,
        long memoryBytes,
        boolean removing,
        boolean fixed,
        @Nullable Paradox paradox) {
    /** Starts a need: a filter for this number of distinct items, at least 1. */
    public static Need items(long items) {
        if (items < 1) {
            throw new IllegalArgumentException("items must be at least 1, got " + items);
        }
        return new Need(items, 0, 0, false, false, null);
    }

    /** Returns this need with the highest acceptable false positive rate, in (0, 1). */
    public Need falsePositives(double rate) {
        if (!(rate > 0 && rate < 1)) {
            throw new IllegalArgumentException("falsePositives must be in (0, 1), got " + rate);
        }
        return new Need(items, rate, memoryBytes, removing, fixed, paradox);
    }

    /** Returns this need with a limit of memory, in bytes, at least 1. */
    public Need memoryBytes(long max) {
        if (max < 1) {
            throw new IllegalArgumentException("memoryBytes must be at least 1, got " + max);
        }
        return new Need(items, error, max, removing, fixed, paradox);
    }

    /** Returns this need for a filter from which items can be removed. */
    public Need deletes() {
        return new Need(items, error, memoryBytes, true, fixed, paradox);
    }

    /** Returns this need for a set that is complete when the filter is built, which allows kinds that cannot add. */
    public Need neverChanges() {
        return new Need(items, error, memoryBytes, removing, true, paradox);
    }

    /**
     * Returns this need with the prior probability of a hit and the costs of mistakes, so that the choice can say
     * whether a filter is worth it.
     */
    public Need askedFor(Paradox odds) {
        return new Need(items, error, memoryBytes, removing, fixed, odds);
    }
}
