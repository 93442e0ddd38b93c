package dev.perhaps.membership;

import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Sizing;

/**
 * What is wanted of a filter, before it takes memory: items, and an error rate or a limit of memory. Immutable: every
 * method returns a new plan. All kinds have these methods; a kind's own plan adds its own.
 */
public interface FilterPlan<T> {
    /** The error rate of a plan that is given neither an error rate nor a limit of memory. */
    double DEFAULT_FALSE_POSITIVES = 0.01;

    /** The highest error that is accepted when the planned items are in; 1 % if neither this nor memory is said. */
    FilterPlan<T> falsePositives(double rate);

    /** The most memory it may take; alone, it gives the lowest error that fits. */
    FilterPlan<T> memoryBytes(long max);

    /** What is added and asked for (default: strings). */
    <U> FilterPlan<U> of(Key<U> key);

    /**
     * The salt of the filter's own mix (default: 0). Filters that hold keys in common and have the same key seed and salt
     * err on the same absent keys; with different salts they err independently. Give each level, shard or replica that is
     * asked for the same key a number of its own. The key is still hashed once for all of them. Filters with different
     * salts cannot be merged.
     */
    FilterPlan<T> salt(int salt);

    /**
     * Returns the size and error that the filter will have, without allocating it.
     *
     * @throws IllegalArgumentException if no filter of this kind can have what was asked for
     */
    Sizing sizing();

    /**
     * The filter of all these hashes.
     *
     * @throws IllegalStateException if there are more than were planned for and the kind cannot take them
     */
    HashFilter<T> buildFrom(Hashes all);

    /** The plan of a filter that can be empty first and be added to. */
    interface Fillable<T> extends FilterPlan<T> {
        @Override
        Fillable<T> falsePositives(double rate);

        @Override
        Fillable<T> memoryBytes(long max);

        @Override
        <U> Fillable<U> of(Key<U> key);

        @Override
        Fillable<T> salt(int salt);

        /**
         * Builds an empty filter.
         *
         * @throws IllegalArgumentException if no filter of this kind can have what was asked for
         */
        HashFilter.Adds<T> build();

        @Override
        default HashFilter<T> buildFrom(Hashes all) {
            HashFilter.Adds<T> filter = build();
            all.replay((hashes, from, to) -> {
                if (filter.addHashes(hashes, from, to) < to - from) {
                    throw new IllegalStateException("the filter is full: it was planned for "
                            + filter.sizing().items() + " items and was given " + all.count());
                }
            });
            return filter;
        }
    }
}
