package dev.perhaps.bench;

/**
 * A structure under measurement, ours or a peer's, made empty for a number of items. Each has its own loops, from key to
 * answer, hashing included, so that the only call through this interface is one a batch of keys.
 *
 * @param <K> an array of keys: {@code long[]} or {@code String[]}
 */
public interface Contender<K> {
    /** Adds the keys of {@code [from, to)} one by one, or builds the structure of exactly these at once. */
    void add(K keys, int from, int to);

    /** How many of the keys of {@code [from, to)} it answers "perhaps" for. */
    int found(K keys, int from, int to);

    /** What its arrays take, by its own statement. */
    long sizeBytes();
}
