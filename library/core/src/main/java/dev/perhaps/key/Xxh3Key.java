package dev.perhaps.key;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;

/** What the keys of plain values share: a name, a seed and the hasher that the seed gives. */
abstract class Xxh3Key<T> implements Key.Stored<T> {
    private final String name;
    private final long seed;

    final Hasher64 hasher;

    Xxh3Key(String name, long seed) {
        this.name = name;
        this.seed = seed;
        this.hasher = Hashing.xxh3_64(seed);
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final long seed() {
        return seed;
    }

    @Override
    public final String toString() {
        return name;
    }
}
