package dev.perhaps.frame;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.zip.CRC32C;

/** Writes the payload of a frame and computes its checksum. Not thread-safe. */
public final class PayloadOutput {
    private static final int CHUNK_LONGS = 1 << 13;

    private final OutputStream out;
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer chunk =
            ByteBuffer.allocate(CHUNK_LONGS * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private long written;

    PayloadOutput(OutputStream out) {
        this.out = out;
    }

    public void longs(long[] words) throws IOException {
        longs(words, 0, words.length);
    }

    /** Writes the words of {@code [from, to)}, each in eight little-endian bytes. */
    public void longs(long[] words, int from, int to) throws IOException {
        Objects.checkFromToIndex(from, to, words.length);
        for (int at = from; at < to; at += CHUNK_LONGS) {
            int count = Math.min(CHUNK_LONGS, to - at);
            chunk.clear().asLongBuffer().put(words, at, count);
            int bytes = count * Long.BYTES;
            crc.update(chunk.array(), 0, bytes);
            out.write(chunk.array(), 0, bytes);
            written += bytes;
        }
    }

    /** Writes numbers, each in four little-endian bytes. */
    public void ints(int[] ints) throws IOException {
        for (int at = 0; at < ints.length; at += CHUNK_LONGS) {
            int count = Math.min(CHUNK_LONGS, ints.length - at);
            chunk.clear().asIntBuffer().put(ints, at, count);
            int bytes = count * Integer.BYTES;
            crc.update(chunk.array(), 0, bytes);
            out.write(chunk.array(), 0, bytes);
            written += bytes;
        }
    }

    public void bytes(byte[] bytes) throws IOException {
        crc.update(bytes);
        out.write(bytes);
        written += bytes.length;
    }

    void end(long expectedBytes) throws IOException {
        if (written != expectedBytes) {
            throw new IllegalStateException("announced " + expectedBytes + " bytes of payload, wrote " + written);
        }
        ByteBuffer sum = ByteBuffer.allocate(Frame.CRC_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        out.write(sum.putInt((int) crc.getValue()).array());
    }
}
