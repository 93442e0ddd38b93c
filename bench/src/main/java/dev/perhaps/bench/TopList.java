package dev.perhaps.bench;

/** A list of the most frequent keys under measurement, ours or a peer's. */
interface TopList extends Contender<long[]> {
    /** The keys that it ranks first, at most so many. */
    long[] top(int most);
}
