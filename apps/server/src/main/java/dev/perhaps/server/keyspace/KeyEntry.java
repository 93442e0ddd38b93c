package dev.perhaps.server.keyspace;

/** A key with its value and the time when it expires. Read and changed under the lock of its stripe. */
public final class KeyEntry {
    /** The time of an entry that does not expire. */
    public static final long NEVER = Long.MAX_VALUE;

    /** What an entry takes beside its name and its value: the table's node, the objects, the headers of their arrays. */
    static final int OVERHEAD_BYTES = 160;

    private final KeyBytes key;
    private final Value value;
    private long expiresAtMillis = NEVER;
    private long countedBytes;
    private int snapshot;

    KeyEntry(KeyBytes key, Value value) {
        this.key = key;
        this.value = value;
    }

    /** Returns the key. */
    public KeyBytes key() {
        return key;
    }

    /** Returns the value. */
    public Value value() {
        return value;
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
