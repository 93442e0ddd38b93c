package dev.perhaps.cli.input;

import dev.perhaps.key.Key;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Some whole lines of an input, cut and hashed: line i is {@code [from(i), to(i))} of {@link #bytes}, without its newline and a
 * CR before it. Reused; used by one thread at a time.
 */
public final class LineBlock {
    private static final int FIRST_LINES = 1 << 12;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long NEWLINES = 0x0A0A_0A0A_0A0A_0A0AL;
    private static final long LOW_BITS = 0x0101_0101_0101_0101L;
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

    private byte[] bytes;
    /** Where the lines begin, and behind the last of them: one behind its newline, whether it has one or not. */
    private int[] starts = new int[FIRST_LINES + 1];

    private long[] hashes = new long[FIRST_LINES];
    private int count;
    private int linesFrom;
    private int linesTo;
    private @Nullable Throwable problem;
    private byte[] chosen = new byte[0];
    private int chosenLength;
    private int found;

    LineBlock(int capacityBytes) {
        this.bytes = new byte[capacityBytes];
    }

    byte[] room() {
        return bytes;
    }

    void room(byte[] other) {
        bytes = other;
    }

    /** Sets the range of complete lines in {@link #room}. */
    void lines(int from, int to) {
        linesFrom = from;
        linesTo = to;
    }

    /** What went wrong when it was prepared. */
    void problem(@Nullable Throwable thrown) {
        problem = thrown;
    }

    @Nullable
    Throwable problem() {
        return problem;
    }

    /** Cuts and hashes the lines; the last may lack its newline. */
    void cut(Key.Bytes key) {
        count = 0;
        chosenLength = 0;
        found = 0;
        int start = linesFrom;
        int to = linesTo;
        for (int newline = newline(bytes, start, to); newline >= 0; newline = newline(bytes, start, to)) {
            line(start, newline, key);
            start = newline + 1;
        }
        if (start < to) {
            line(start, to, key);
            start = to + 1;
        }
        starts[count] = start;
    }

    private void line(int from, int end, Key.Bytes key) {
        if (count == hashes.length) {
            starts = Arrays.copyOf(starts, 2 * count + 1);
            hashes = Arrays.copyOf(hashes, 2 * count);
        }
        starts[count] = from;
        hashes[count++] = key.hash(bytes, from, withoutReturn(bytes, from, end));
    }

    private static int withoutReturn(byte[] bytes, int from, int end) {
        return end > from && bytes[end - 1] == '\r' ? end - 1 : end;
    }

    /** The first newline in {@code [from, to)}, or -1. */
    static int newline(byte[] bytes, int from, int to) {
        int at = from;
        for (; at <= to - Long.BYTES; at += Long.BYTES) {
            // Bytes that are a newline become 0, and then, in the lowest such byte at least, 0x80; all others become 0.
            long x = (long) LONGS.get(bytes, at) ^ NEWLINES;
            long zeros = x - LOW_BITS & ~x & HIGH_BITS;
            if (zeros != 0) {
                return at + (Long.numberOfTrailingZeros(zeros) >>> 3);
            }
        }
        for (; at < to; at++) {
            if (bytes[at] == '\n') {
                return at;
            }
        }
        return -1;
    }

    public int count() {
        return count;
    }

    public byte[] bytes() {
        return bytes;
    }

    public int from(int line) {
        return starts[line];
    }

    public int to(int line) {
        return withoutReturn(bytes, starts[line], starts[line + 1] - 1);
    }

    /** The hashes of the lines; the first {@link #count} are this block's. */
    public long[] hashes() {
        return hashes;
    }

    /** Says how many of its lines were found. */
    public void found(int lines) {
        found = lines;
    }

    public int found() {
        return found;
    }

    /** Copies a line, with a newline behind it, to those that are {@link #chosen}. */
    public void choose(int line) {
        int length = to(line) - starts[line];
        if (chosenLength + length >= chosen.length) {
            chosen = Arrays.copyOf(chosen, Math.max(bytes.length + 1, chosenLength + length + 1));
        }
        System.arraycopy(bytes, starts[line], chosen, chosenLength, length);
        chosen[chosenLength + length] = '\n';
        chosenLength += length + 1;
    }

    /** The lines that were chosen, each with a newline: the first {@link #chosenLength} bytes. */
    public byte[] chosen() {
        return chosen;
    }

    public int chosenLength() {
        return chosenLength;
    }
}
