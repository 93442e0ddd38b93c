package dev.perhaps.bench;

/**
 * A structure under measurement, ours or another library's, that starts empty for a number of items. Each has its own
 * loops, from key to result, hashing included, so that there is only one call through this interface per batch of keys.
 *
 * @param <K> an array of keys: {@code long[]} or {@code String[]}
 */
public interface Contender<K> {
    /** Adds the keys in {@code [from, to)} one by one, or builds the structure from exactly these keys at once. */
    void add(K keys, int from, int to);

    /** Returns the number of keys in {@code [from, to)} for which the result is "perhaps". */
    int found(K keys, int from, int to);

    /** Returns the size of its arrays in bytes, as it states it. */
    long sizeBytes();
}
