package dev.perhaps.server.keyspace;

import java.util.Arrays;

/**
 * The name of a key: bytes, with a hash that clients cannot predict. Immutable, as long as the bytes are not changed.
 */
public final class KeyBytes implements Comparable<KeyBytes> {
    private final byte[] bytes;
    private final long hash;

    KeyBytes(byte[] bytes, long hash) {
        this.bytes = bytes;
        this.hash = hash;
    }

    /** Returns the name itself; it must not be changed. */
    public byte[] bytes() {
        return bytes;
    }

    long hash() {
        return hash;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof KeyBytes key && key.hash == hash && Arrays.equals(key.bytes, bytes);
    }

    @Override
    public int hashCode() {
        return (int) hash;
    }

    @Override
    public int compareTo(KeyBytes other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }
}
