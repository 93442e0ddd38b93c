package dev.perhaps.cli.input;

import java.util.Arrays;

/**
 * One record of an input: its text as it stood there, and the hashes that stand for it (one for a line, several for a URL
 * or a read of DNA). Reused from record to record; confined to a thread.
 */
public final class Entry {
    private byte[] bytes = new byte[0];
    private int from;
    private int to;
    private long[] hashes = new long[1];
    private int hashCount;

    void text(byte[] source, int start, int end) {
        this.bytes = source;
        this.from = start;
        this.to = end;
        this.hashCount = 0;
    }

    void hash(long hash) {
        if (hashCount == hashes.length) {
            hashes = Arrays.copyOf(hashes, hashCount * 2);
        }
        hashes[hashCount++] = hash;
    }

    /** The text is {@code [from, to)} of these bytes. */
    public byte[] bytes() {
        return bytes;
    }

    public int from() {
        return from;
    }

    public int to() {
        return to;
    }

    /** The first {@link #hashCount} are this record's. */
    public long[] hashes() {
        return hashes;
    }

    public int hashCount() {
        return hashCount;
    }
}
