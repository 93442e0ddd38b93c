package dev.perhaps.plan;

import org.jspecify.annotations.Nullable;

/**
 * What a user knows before choosing a filter; 0 or null stands for what was not given. Immutable.
 *
 * <p>{@code Need.items(1_000_000).falsePositives(0.001).deletes()}
 *
 * @param items how many different items
 * @param error the highest error that is accepted
 * @param memoryBytes the most memory
 * @param removing items must be removable
 * @param fixed the whole set is known when the filter is built
 * @param paradox how often what is asked for is there, and what mistakes cost
 */
public record Need(
        long items,
        double error,
        long memoryBytes,
        boolean removing,
        boolean fixed,
        @Nullable Paradox paradox) {
    public static Need items(long items) {
        if (items < 1) {
            throw new IllegalArgumentException("items must be at least 1, got " + items);
        }
        return new Need(items, 0, 0, false, false, null);
    }

    public Need falsePositives(double rate) {
        if (!(rate > 0 && rate < 1)) {
            throw new IllegalArgumentException("falsePositives must be in (0, 1), got " + rate);
        }
        return new Need(items, rate, memoryBytes, removing, fixed, paradox);
    }

    public Need memoryBytes(long max) {
        if (max < 1) {
            throw new IllegalArgumentException("memoryBytes must be at least 1, got " + max);
        }
        return new Need(items, error, max, removing, fixed, paradox);
    }

    public Need deletes() {
        return new Need(items, error, memoryBytes, true, fixed, paradox);
    }

    public Need neverChanges() {
        return new Need(items, error, memoryBytes, removing, true, paradox);
    }

    public Need askedFor(Paradox odds) {
        return new Need(items, error, memoryBytes, removing, fixed, odds);
    }
}
