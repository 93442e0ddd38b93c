package dev.perhaps.server.keyspace;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A key with its value and the time when it expires. Changed under the lock of its stripe. */
public final class KeyEntry {
    /** The time of an entry that does not expire. */
    public static final long NEVER = Long.MAX_VALUE;

    /** What an entry takes beside its name and its value: the table's node, the objects, the headers of their arrays. */
    static final int OVERHEAD_BYTES = 160;

    private final byte[] name;
    private final long hash;
    private Value value;
    private @Nullable KeyEntry next;
    private long expiresAtMillis = NEVER;
    private long countedBytes;
    private int snapshot;

    KeyEntry(KeyBytes key, Value value) {
        this.name = key.bytes();
        this.hash = key.hash();
        this.value = value;
    }

    /** Returns the key. */
    public KeyBytes key() {
        return new KeyBytes(name, hash);
    }

    /** Returns true if this is the entry of the key. */
    boolean is(KeyBytes other) {
        return hash == other.hash() && Arrays.equals(name, other.bytes());
    }

    long hash() {
        return hash;
    }

    /** Returns the value. */
    public Value value() {
        return value;
    }

    void value(Value other) {
        value = other;
    }

    /** The entry after this one in its table. */
    @Nullable
    KeyEntry next() {
        return next;
    }

    void next(@Nullable KeyEntry entry) {
        next = entry;
    }

    /** Returns when it expires, in milliseconds since 1970, or {@link #NEVER}. */
    public long expiresAtMillis() {
        return expiresAtMillis;
    }

    /** Sets when it expires. */
    public void expiresAtMillis(long millis) {
        expiresAtMillis = millis;
    }

    /** Returns the memory that the entry takes, in bytes. */
    public long sizeBytes() {
        return OVERHEAD_BYTES + name.length + value.sizeBytes();
    }

    /** Returns the memory that an entry of this key and value takes, in bytes. */
    public static long sizeBytes(KeyBytes key, Value value) {
        return OVERHEAD_BYTES + key.bytes().length + value.sizeBytes();
    }

    /** The newest snapshot that has this entry already, or does not need it. */
    int snapshot() {
        return snapshot;
    }

    void snapshot(int number) {
        snapshot = number;
    }

    long countedBytes() {
        return countedBytes;
    }

    void countedBytes(long bytes) {
        countedBytes = bytes;
    }
}
