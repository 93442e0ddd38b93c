package dev.perhaps.bench.frequency;

import dev.perhaps.bench.Contender;

/**
 * A sketch of counts under measurement, ours or a peer's, made empty for a seed. {@link #found} says how many keys it
 * counts at least once, which is all of those that were added.
 */
interface EventCounts extends Contender<long[]> {
    long estimate(long key);
}
