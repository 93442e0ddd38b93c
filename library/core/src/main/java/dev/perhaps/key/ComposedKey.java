package dev.perhaps.key;

import dev.perhaps.hash.Mix;
import java.util.List;
import java.util.Objects;

/** Hashes the hashes of the parts, in their order. */
record ComposedKey<T>(String name, List<Key<T>> parts, long seed) implements Key<T> {
    static <T> ComposedKey<T> of(String name, Key<T>[] parts) {
        if (parts.length == 0) {
            throw new IllegalArgumentException("the key '" + name + "' needs at least one part, got none");
        }
        long seed = Objects.requireNonNull(parts[0], "a part must not be null").seed();
        for (Key<T> part : parts) {
            if (Objects.requireNonNull(part, "a part must not be null").seed() != seed) {
                throw new IllegalArgumentException("the parts of the key '" + name + "' must have one seed, got " + seed
                        + " and " + part.seed() + ": seed the whole key instead");
            }
        }
        return new ComposedKey<>(name, List.of(parts), seed);
    }

    ComposedKey {
        parts = parts.stream().map(part -> part.seeded(seed)).toList();
    }

    @Override
    public long hash(T value) {
        Objects.requireNonNull(value, KeyName.NO_VALUE);
        // A running state, folded part by part: the hash of (a, b) must differ from that of (b, a).
        long state = parts.size();
        for (Key<T> part : parts) {
            state = Long.rotateLeft(state, 23) * 0x9E3779B97F4A7C15L ^ part.hash(value);
        }
        return Mix.finish(state);
    }

    @Override
    public Key<T> seeded(long otherSeed) {
        return new ComposedKey<>(name, parts, otherSeed);
    }

    @Override
    public String toString() {
        return name;
    }
}
