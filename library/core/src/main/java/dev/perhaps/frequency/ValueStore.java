package dev.perhaps.frequency;

import dev.perhaps.hash.Mix;
import dev.perhaps.key.Key;
import java.util.Arrays;

/** How a table stores values in addition to their hash: as they are, as a copy of their bytes, or not at all. */
abstract class ValueStore<T> {
    /** In place of a value whose hash says it all. */
    static final Object NOTHING = new Object();

    abstract long hash(T value);

    /** What is kept of a value. */
    abstract Object of(T value);

    abstract boolean same(Object kept, T value);

    /** The value again. */
    abstract T value(long hash, Object kept);

    /** True if only the hash is stored. */
    abstract boolean inHash();

    /** For this key, whose hash is mixed with an odd constant of the structure. */
    @SuppressWarnings("unchecked") // a key of longs or bytes is a key of Long or byte[]
    static <T> ValueStore<T> by(Key.Stored<T> key, long oddConstant) {
        if (key instanceof Key.Longs) {
            return (ValueStore<T>) new Longs(new LongHash(key.seed()));
        }
        if (key instanceof Key.Bytes bytes) {
            return (ValueStore<T>) new Bytes(bytes, oddConstant);
        }
        return new Objects<>(key, oddConstant);
    }

    private static final class Longs extends ValueStore<Long> {
        private final LongHash hashing;

        Longs(LongHash hashing) {
            this.hashing = hashing;
        }

        @Override
        long hash(Long value) {
            return hashing.hash(java.util.Objects.requireNonNull(value, "value must not be null"));
        }

        @Override
        Object of(Long value) {
            return NOTHING;
        }

        @Override
        boolean same(Object kept, Long value) {
            return true;
        }

        @Override
        Long value(long hash, Object kept) {
            return hashing.value(hash);
        }

        @Override
        boolean inHash() {
            return true;
        }
    }

    private static final class Bytes extends ValueStore<byte[]> {
        private final Key.Bytes key;
        private final long oddConstant;

        Bytes(Key.Bytes key, long oddConstant) {
            this.key = key;
            this.oddConstant = oddConstant;
        }

        @Override
        long hash(byte[] value) {
            return Mix.with(oddConstant, key.hash(value));
        }

        @Override
        Object of(byte[] value) {
            return value.clone();
        }

        @Override
        boolean same(Object kept, byte[] value) {
            return Arrays.equals((byte[]) kept, value);
        }

        @Override
        byte[] value(long hash, Object kept) {
            return ((byte[]) kept).clone();
        }

        @Override
        boolean inHash() {
            return false;
        }
    }

    private static final class Objects<T> extends ValueStore<T> {
        private final Key<T> key;
        private final long oddConstant;

        Objects(Key<T> key, long oddConstant) {
            this.key = key;
            this.oddConstant = oddConstant;
        }

        @Override
        long hash(T value) {
            return Mix.with(oddConstant, key.hash(value));
        }

        @Override
        Object of(T value) {
            return value;
        }

        @Override
        boolean same(Object kept, T value) {
            return kept.equals(value);
        }

        @Override
        @SuppressWarnings("unchecked") // only values of T were kept
        T value(long hash, Object kept) {
            return (T) kept;
        }

        @Override
        boolean inHash() {
            return false;
        }
    }
}
