package dev.perhaps.foreign;

import dev.perhaps.sketch.FormatException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Words and blocks as little-endian bytes. */
final class LittleEndian {
    private static final int CHUNK_BYTES = 1 << 16;

    private LittleEndian() {}

    /** Fills {@code to} with the bytes of the words, from this position on. */
    static void copy(long[] words, long position, byte[] to) {
        for (int i = 0; i < to.length; ) {
            long at = position + i;
            if ((at & 7) == 0 && to.length - i >= 8) {
                int count = (to.length - i) >>> 3;
                ByteBuffer.wrap(to, i, count << 3)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .asLongBuffer()
                        .put(words, (int) (at >>> 3), count);
                i += count << 3;
            } else {
                to[i] = (byte) (words[(int) (at >>> 3)] >>> 8 * (at & 7));
                i++;
            }
        }
    }

    /** Writes bytes to this position of the words. */
    static void copy(byte[] from, long[] words, long position) {
        for (int i = 0; i < from.length; ) {
            long at = position + i;
            if ((at & 7) == 0 && from.length - i >= 8) {
                int count = (from.length - i) >>> 3;
                ByteBuffer.wrap(from, i, count << 3)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .asLongBuffer()
                        .get(words, (int) (at >>> 3), count);
                i += count << 3;
            } else {
                int word = (int) (at >>> 3);
                int shift = (int) (8 * (at & 7));
                words[word] = words[word] & ~(0xffL << shift) | (from[i] & 0xffL) << shift;
                i++;
            }
        }
    }

    static void write(OutputStream out, long[] words) throws IOException {
        byte[] chunk = new byte[(int) Math.min(CHUNK_BYTES, 8L * words.length)];
        long length = 8L * words.length;
        for (long at = 0; at < length; at += chunk.length) {
            byte[] bytes = length - at >= chunk.length ? chunk : new byte[(int) (length - at)];
            copy(words, at, bytes);
            out.write(bytes);
        }
    }

    static void read(InputStream in, long[] words) throws IOException {
        long length = 8L * words.length;
        for (long at = 0; at < length; ) {
            byte[] bytes = readExactly(in, (int) Math.min(CHUNK_BYTES, length - at));
            copy(bytes, words, at);
            at += bytes.length;
        }
    }

    static void writeBlock(OutputStream out, byte[] block) throws IOException {
        out.write(ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(block.length)
                .array());
        out.write(block);
    }

    static byte[] readBlock(InputStream in, int maxBytes) throws IOException {
        int length = ByteBuffer.wrap(readExactly(in, 4))
                .order(ByteOrder.LITTLE_ENDIAN)
                .getInt();
        if (length < 0 || length > maxBytes) {
            throw new FormatException("a header of " + length + " bytes, at most " + maxBytes + " are possible");
        }
        return readExactly(in, length);
    }

    static byte[] readExactly(InputStream in, int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new FormatException("the bytes end early: " + bytes.length + " of " + length);
        }
        return bytes;
    }
}
