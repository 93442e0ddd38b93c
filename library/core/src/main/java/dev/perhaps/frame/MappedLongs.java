package dev.perhaps.frame;

import dev.perhaps.sketch.FormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The payload of a file, mapped into memory and read word by word; any size. Reads touch only the pages they need. Safe
 * for any number of threads. The mapping ends when the object is no longer used.
 */
public final class MappedLongs {
    // A buffer of Java is indexed by int, so the payload is mapped in segments of 1 GiB = 2^27 words.
    private static final int SEGMENT_SHIFT = 27;
    private static final int SEGMENT_MASK = (1 << SEGMENT_SHIFT) - 1;
    private static final int CHUNK_BYTES = 1 << 16;
    private static final long SEGMENT_BYTES = 8L << SEGMENT_SHIFT;

    private final LongBuffer[] segments;
    private final MappedByteBuffer[] buffers;
    private final long length;
    private final int expectedCrc;

    /** Where the file is, what it is there, if the system says that, and how long it was. */
    private final Path file;

    private final @Nullable Object identity;
    private final long fileBytes;

    private MappedLongs(MappedByteBuffer[] buffers, long length, int expectedCrc, Path file, long fileBytes)
            throws IOException {
        this.file = file;
        this.identity = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        this.fileBytes = fileBytes;
        this.buffers = buffers;
        this.segments = new LongBuffer[buffers.length];
        for (int i = 0; i < buffers.length; i++) {
            segments[i] = buffers[i].order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
        }
        this.length = length;
        this.expectedCrc = expectedCrc;
    }

    static MappedLongs of(FileChannel file, Path path, Frame frame) throws IOException {
        long start = frame.headerBytes();
        long bytes = frame.payloadBytes();
        frame.require(bytes % Long.BYTES == 0, "a payload of bytes", bytes);
        MappedByteBuffer[] buffers = new MappedByteBuffer[(int) ((bytes + SEGMENT_BYTES - 1) / SEGMENT_BYTES)];
        for (int i = 0; i < buffers.length; i++) {
            long from = i * SEGMENT_BYTES;
            buffers[i] = file.map(FileChannel.MapMode.READ_ONLY, start + from, Math.min(SEGMENT_BYTES, bytes - from));
        }
        ByteBuffer crc = ByteBuffer.allocate(Frame.CRC_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        while (crc.hasRemaining()) {
            if (file.read(crc, start + bytes + crc.position()) < 0) {
                throw new FormatException("it is cut short in its checksum");
            }
        }
        return new MappedLongs(buffers, bytes / Long.BYTES, crc.getInt(0), path, frame.fileBytes());
    }

    /** How many words there are. */
    public long length() {
        return length;
    }

    public long get(long index) {
        return segments[(int) (index >>> SEGMENT_SHIFT)].get((int) index & SEGMENT_MASK);
    }

    /** Writes all words again. */
    public void writeTo(PayloadOutput payload) throws IOException {
        long[] chunk = new long[1 << 13];
        for (long at = 0; at < length; at += chunk.length) {
            int count = (int) Math.min(chunk.length, length - at);
            for (int i = 0; i < count; i++) {
                chunk[i] = get(at + i);
            }
            payload.longs(chunk, 0, count);
        }
    }

    /**
     * Reads everything once and compares it with the checksum.
     *
     * @throws FormatException if it is damaged, or if the file was truncated after it was mapped
     */
    public void verify() throws FormatException {
        if (isTruncated()) {
            throw new FormatException("the file was truncated after it was mapped: it is damaged");
        }
        CRC32C crc = new CRC32C();
        for (MappedByteBuffer buffer : buffers) {
            update(crc, buffer.duplicate());
        }
        if ((int) crc.getValue() != expectedCrc) {
            throw new FormatException("the payload's checksum does not fit: the file is damaged");
        }
    }

    /** True if it is still this file that has its name, and pages are gone: reading one is an error of the machine. */
    private boolean isTruncated() {
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            return identity != null && identity.equals(now.fileKey()) && now.size() < fileBytes;
        } catch (IOException unnamed) {
            return false;
        }
    }

    /**
     * By way of the heap: a page that goes meanwhile is an error when it is copied, and ends the process in a checksum.
     */
    private static void update(CRC32C crc, ByteBuffer buffer) {
        byte[] chunk = new byte[CHUNK_BYTES];
        while (buffer.hasRemaining()) {
            int count = Math.min(chunk.length, buffer.remaining());
            buffer.get(chunk, 0, count);
            crc.update(chunk, 0, count);
        }
    }
}
