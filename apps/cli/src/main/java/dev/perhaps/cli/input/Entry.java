package dev.perhaps.cli.input;

import java.util.Arrays;

/**
 * One record of an input: its text, and its hashes (one for a line, several for a URL
 * or a read of DNA). A long record comes in pieces. Reused from record to record; confined to a thread.
 */
public final class Entry {
    private byte[] bytes = new byte[0];
    private int from;
    private int to;
    private long[] hashes = new long[1];
    private int hashCount;
    private boolean last = true;
    private byte[] key = new byte[0];
    private int keyFrom;
    private int keyTo;
    private long weight = 1;
    private long timeMillis;
    private final String input;
    private long line;

    /** For records of this input. */
    Entry(String input) {
        this.input = input;
    }

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

    /** The key itself, where it is one run of bytes. */
    void key(byte[] source, int start, int end) {
        key = source;
        keyFrom = start;
        keyTo = end;
    }

    void weight(long count) {
        weight = count;
    }

    void timeMillis(long sinceEpoch) {
        timeMillis = sinceEpoch;
    }

    /** The number of the line on which the record starts, from 1. */
    void line(long number) {
        line = number;
    }

    /** Room for this number of hashes; {@link #hashes(int)} sets how many were put there. */
    long[] room(int count) {
        if (hashes.length < count) {
            hashes = new long[Math.max(count, hashes.length * 2)];
        }
        return hashes;
    }

    void hashes(int count) {
        hashCount = count;
    }

    void last(boolean piece) {
        last = piece;
    }

    /** Returns true if this is the last piece of its record, or the only one. */
    public boolean last() {
        return last;
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

    /** The key as it was hashed is {@code [keyFrom, keyTo)} of these bytes; of forms without one they are empty. */
    public byte[] keyBytes() {
        return key;
    }

    public int keyFrom() {
        return keyFrom;
    }

    public int keyTo() {
        return keyTo;
    }

    /** How much the record counts (default: 1). */
    public long weight() {
        return weight;
    }

    /** When it was, since 1970, if a field for that was named. */
    public long timeMillis() {
        return timeMillis;
    }

    /** Returns the place of the record, for messages. */
    public String where() {
        return input + " line " + line;
    }

    /** The first {@link #hashCount} are this record's. */
    public long[] hashes() {
        return hashes;
    }

    public int hashCount() {
        return hashCount;
    }
}
