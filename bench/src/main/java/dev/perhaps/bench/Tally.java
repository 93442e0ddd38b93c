package dev.perhaps.bench;

/**
 * A sketch of counts under measurement, ours or a peer's, made empty for a seed. {@link #found} says how many keys it counts
 * at least once, which is all of those that were added.
 */
interface Tally extends Contender<long[]> {
    long estimate(long key);
}
