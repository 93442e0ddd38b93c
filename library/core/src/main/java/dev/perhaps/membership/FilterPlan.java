package dev.perhaps.membership;

import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Sizing;

/**
 * Describes a filter before it is allocated: the number of items, and a false positive rate or a memory limit.
 * Immutable: every method returns a new plan. All kinds of filter have these methods; some plans have more.
 */
public interface FilterPlan<T> {
    /** The false positive rate of a plan that sets neither a rate nor a memory limit. */
    double DEFAULT_FALSE_POSITIVES = 0.01;

    /**
     * The highest acceptable false positive rate when the filter holds the planned items, in (0, 1) (default: 0.01).
     */
    FilterPlan<T> falsePositives(double rate);

    /** The memory limit in bytes. Without a false positive rate, the filter gets the lowest rate that fits. */
    FilterPlan<T> memoryBytes(long max);

    /** The key of the values (default: strings). */
    <U> FilterPlan<U> of(Key<U> key);

    /**
     * The salt (default: 0). Filters that share keys, and have the same seed and salt, have false positives for the
     * same absent keys; with different salts their false positives are independent. Give each level, shard or replica
     * that is asked for the same key its own salt. The key is still hashed once for all of them. Filters with different
     * salts cannot be merged.
     */
    FilterPlan<T> salt(int salt);

    /**
     * Returns the size and error that the filter will have, without allocating it.
     *
     * @throws IllegalArgumentException if no filter of this kind can satisfy the plan
     */
    Sizing sizing();

    /**
     * Builds the filter of all these hashes.
     *
     * @throws IllegalStateException if there are more hashes than planned and this kind cannot hold them
     */
    HashFilter<T> buildFrom(Hashes all);

    /** The plan of a filter that starts empty and can be added to. */
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
         * @throws IllegalArgumentException if no filter of this kind can satisfy the plan
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
