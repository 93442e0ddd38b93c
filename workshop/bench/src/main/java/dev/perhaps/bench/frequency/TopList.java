package dev.perhaps.bench.frequency;

import dev.perhaps.bench.Contender;

/** A list of the most frequent keys under measurement, ours or a peer's. */
interface TopList extends Contender<long[]> {
    /** The keys that it ranks first, at most this number. */
    long[] top(int most);
}
