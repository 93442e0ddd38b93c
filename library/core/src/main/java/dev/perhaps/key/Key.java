package dev.perhaps.key;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

/**
 * Turns a value into one 64-bit hash. Its name and seed are written into every file, so that a program knows whether it
 * can use the file. Immutable and thread-safe. Hashing strings, bytes and longs allocates nothing.
 *
 * <pre>{@code
 * long hash = Key.strings().hash("Zürich");
 * Key<Map.Entry<String, Long>> visits = Key.all("visit",
 *         Key.strings().on("user", Map.Entry::getKey), Key.longs().on("day", Map.Entry::getValue));
 * }</pre>
 *
 * @param <T> what is hashed
 */
public interface Key<T> {
    /*
     * A name has two parts: what is hashed, and, after " of ", where it was taken from. Key.strings() is "utf8",
     * Key.strings().on("email", User::email) is "utf8 of email" and hashes exactly like the string it takes, so a file
     * written with either opens with the other: only the first part (`base`) must be equal. A composed key (`all`) is a
     * way of hashing of its own and has a name of its own.
     *
     * The hash of bytes is XXH3 (64 bits) of hash4j, seeded; that of UTF-16 is its Komihash 5.0, and that of numbers a
     * seeded permutation (Mixer). docs/format.md numbers them together as hash version 2. A String hashes exactly as
     * its UTF-8 bytes, and so shares its name with byte[]: what a file of lines holds, a String finds.
     *
     * Left out: 128-bit hashes. At 10⁹ items a 64-bit collision adds n/2^64 = 5·10⁻¹¹ to an error rate.
     */

    /** The default seed. It is fixed, so that two processes can merge what they built. */
    long DEFAULT_SEED = 0;

    /** The version of the hash that all keys of this library use; it is written into every file. */
    int HASH_VERSION = 2;

    /**
     * Returns the hash of a value.
     *
     * @throws NullPointerException if the value is null
     */
    long hash(T value);

    /** Returns the name, which is written to files: what is hashed and, after " of ", which part of a value it is. */
    String name();

    /** Returns the seed of the hash. */
    long seed();

    /** Returns the same key with another seed, which gives other hashes. */
    Key<T> seeded(long seed);

    /**
     * Returns a key that hashes one part of a larger value: {@code Key.strings().on("email", User::email)}. It gives
     * the hash of the part alone.
     */
    default <U> Key<U> on(String name, Function<? super U, ? extends T> part) {
        Objects.requireNonNull(part, "part must not be null");
        return new PartKey<>(this, KeyName.ofPart(this, name), part);
    }

    /** Returns the key of strings, by their UTF-8 bytes. */
    static Stored<String> strings() {
        return StringKey.DEFAULT;
    }

    /**
     * Returns the key of strings by their UTF-16 code units, for programs that only ever ask with Java strings: its
     * hash takes about two thirds of the time of {@link #strings}, and fits neither that key nor the bytes of a file.
     */
    static Stored<String> utf16() {
        return Utf16Key.DEFAULT;
    }

    /** Returns the key of byte arrays. It fits {@link #strings}: a string and its UTF-8 bytes have the same hash. */
    static Bytes bytes() {
        return BytesKey.DEFAULT;
    }

    /**
     * Returns the key of any characters, such as a string builder, by their UTF-8 bytes and without a copy. It fits
     * {@link #strings}.
     */
    static Key<CharSequence> chars() {
        return CharsKey.DEFAULT;
    }

    /** Returns the key of buffers, by the bytes from position to limit; neither is changed. It fits {@link #bytes}. */
    static Key<ByteBuffer> buffers() {
        return BufferKey.DEFAULT;
    }

    /** Returns the key of longs, by their eight bytes; its hash of a primitive {@code long} boxes nothing. */
    static Longs longs() {
        return LongKey.DEFAULT;
    }

    /** Returns the key of ints, by their four bytes; it does not fit {@link #longs}. */
    static Stored<Integer> ints() {
        return IntKey.DEFAULT;
    }

    /**
     * Returns the key of doubles, by their eight bytes. {@code 0.0} and {@code -0.0} are the same value, and so are all
     * {@code NaN}; a float has the key of the double of the same value.
     */
    static Stored<Double> doubles() {
        return DoubleKey.DEFAULT;
    }

    /** Returns the key of UUIDs, by their sixteen bytes. */
    static Stored<UUID> uuids() {
        return UuidKey.DEFAULT;
    }

    /** Returns the key of IPv4 and IPv6 addresses; an IPv4-mapped IPv6 address is hashed as the IPv4 address. */
    static Stored<InetAddress> addresses() {
        return AddressKey.DEFAULT;
    }

    /** Returns the key of URLs, in the canonical form of safe-browsing lists. */
    static Urls urls() {
        return Urls.DEFAULT;
    }

    /** Returns the key of DNA k-mers of 1 to 32 bases; both strands have the same hash. */
    static Kmers kmers(int bases) {
        return Kmers.of(bases);
    }

    /**
     * Returns a key of values that are equal if all these parts are equal; the order of the parts matters. Its seed is
     * that of the parts, which must be the same. A file is opened by any composed key of its name: give another name to
     * other parts.
     *
     * @throws IllegalArgumentException if there are no parts, their seeds differ, or the name is that of a key of this
     *     library or has " of " in it
     */
    @SafeVarargs
    static <T> Key<T> all(String name, Key<T>... parts) {
        Objects.requireNonNull(parts, "parts must not be null");
        return ComposedKey.of(KeyName.ofOwnWay(name), parts);
    }

    /** Returns true if a structure that was written with a key of this name and seed can be used with this key. */
    default boolean fits(String otherName, long otherSeed) {
        return otherSeed == seed() && KeyName.base(otherName).equals(KeyName.base(name()));
    }

    /** Returns true if a structure that was written with the other key can be used with this one. */
    default boolean fits(Key<?> other) {
        return fits(other.name(), other.seed());
    }

    /**
     * Returns the difference between two keys, for messages: {@code key utf8 with seed 0 against int64 with seed 7}.
     */
    default String against(Key<?> other) {
        return "key " + name() + " with seed " + seed() + " against " + other.name() + " with seed " + other.seed();
    }

    /**
     * Returns the key with this name, as a file has it. A name that this library does not know, because a program made
     * it, gives a key that has the name and the seed and cannot hash: such a file can be described, merged and queried
     * by hash.
     */
    static Key<?> named(String name, long seed) {
        return KeyName.resolve(name, seed);
    }

    /** A key whose values can be written and read again, for structures that keep values. */
    interface Stored<T> extends Key<T> {
        /** Writes a value such that {@link #read} returns an equal one. */
        void write(T value, DataOutput out) throws IOException;

        /**
         * Reads a value that {@link #write} wrote.
         *
         * @throws IOException if the bytes are not a value of this key
         */
        T read(DataInput in) throws IOException;

        /**
         * Returns a key that hashes and stores one part of a value, from which the value can be restored, so that top
         * lists can keep and save your own types: {@code Key.longs().on("id", User::id, User::new)} of a record, {@code
         * Key.strings().on("color", Color::name, Color::valueOf)} of an enum. Values must be equal if and only if their
         * parts are.
         */
        default <U> Stored<U> on(
                String name, Function<? super U, ? extends T> part, Function<? super T, ? extends U> whole) {
            Objects.requireNonNull(part, "part must not be null");
            Objects.requireNonNull(whole, "whole must not be null");
            return new StoredPartKey<>(this, KeyName.ofPart(this, name), part, whole);
        }

        @Override
        Stored<T> seeded(long seed);
    }

    /** A key of byte arrays that also hashes a part of an array, without a copy. */
    interface Bytes extends Stored<byte[]> {
        /** Returns the hash of the bytes in {@code [from, to)}, which is the hash of a copy of them. */
        long hash(byte[] bytes, int from, int to);

        @Override
        Bytes seeded(long seed);
    }

    /** A key of longs that also hashes primitive longs, without boxing. */
    interface Longs extends Stored<Long> {
        /** Returns the hash of a value, without boxing it. */
        long hash(long value);

        @Override
        default long hash(Long value) {
            return hash(Objects.requireNonNull(value, KeyName.NO_VALUE).longValue());
        }

        @Override
        Longs seeded(long seed);
    }
}
