package dev.perhaps.key;

import java.util.Objects;
import java.util.function.Function;

/** Hashes one part of a value exactly as the part alone. */
record PartKey<U, T>(Key<T> whole, String part, Function<? super U, ? extends T> take) implements Key<U> {
    @Override
    public long hash(U value) {
        return whole.hash(taken(part, take, value));
    }

    /** The part of a value, if both are there. */
    static <U, T> T taken(String part, Function<? super U, ? extends T> take, U value) {
        T taken = take.apply(Objects.requireNonNull(value, KeyName.NO_VALUE));
        if (taken == null) {
            throw new NullPointerException("the " + part + " of a value must not be null");
        }
        return taken;
    }

    @Override
    public String name() {
        return KeyName.join(whole.name(), part);
    }

    @Override
    public long seed() {
        return whole.seed();
    }

    @Override
    public Key<U> seeded(long seed) {
        return new PartKey<>(whole.seeded(seed), part, take);
    }

    @Override
    public String toString() {
        return name();
    }
}
