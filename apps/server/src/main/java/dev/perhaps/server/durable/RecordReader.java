package dev.perhaps.server.durable;

import dev.perhaps.sketch.FormatException;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Reads a file record by record. A body gets memory when it is small, or has been found to be whole. */
final class RecordReader implements Closeable {
    private static final int BUFFER_BYTES = 1 << 18;
    private static final int SMALL_BYTES = 1 << 20;

    private final Disk disk;
    private final String name;
    private final long length;
    private final InputStream in;
    private long position;

    /** Reads from this position on, where a record begins. */
    RecordReader(Disk disk, String name, long position) throws IOException {
        this.disk = disk;
        this.name = name;
        this.length = disk.length(name);
        this.position = position;
        this.in = new BufferedInputStream(disk.read(name, position), BUFFER_BYTES);
    }

    /** Opens a file that begins with this magic. */
    static RecordReader open(Disk disk, String name, byte[] magic) throws IOException {
        RecordReader reader = new RecordReader(disk, name, 0);
        boolean isDone = false;
        try {
            byte[] first = reader.in.readNBytes(magic.length);
            if (!Arrays.equals(first, magic)) {
                throw new FormatException(name + " is damaged: it does not begin as it should");
            }
            reader.position = magic.length;
            isDone = true;
            return reader;
        } finally {
            if (!isDone) {
                reader.close();
            }
        }
    }

    /** Where the next record begins, or the one that could not be read. */
    long position() {
        return position;
    }

    long length() {
        return length;
    }

    /** The body of the next record, or null at the end of the file and where no whole record is. */
    byte @Nullable [] next() throws IOException {
        byte[] head = in.readNBytes(Records.HEAD_BYTES);
        if (head.length < Records.HEAD_BYTES || head[0] != Records.MARK_0 || head[1] != Records.MARK_1) {
            return null;
        }
        ByteBuffer numbers = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
        int bytes = numbers.getInt(2);
        if (bytes < 0 || bytes > Records.MAX_BODY_BYTES || bytes > length - position - Records.HEAD_BYTES) {
            return null;
        }
        int sum = numbers.getInt(6);
        if (bytes > SMALL_BYTES && !isWhole(bytes, sum)) {
            return null;
        }
        byte[] body = in.readNBytes(bytes);
        CRC32C found = Records.sum(bytes);
        found.update(body);
        if (body.length < bytes || (int) found.getValue() != sum) {
            return null;
        }
        position += Records.HEAD_BYTES + bytes;
        return body;
    }

    /** True if the record that begins here has this sum: a length that is damaged must not take all memory. */
    private boolean isWhole(int bytes, int sum) throws IOException {
        CRC32C found = Records.sum(bytes);
        byte[] some = new byte[BUFFER_BYTES];
        try (InputStream body = disk.read(name, position + Records.HEAD_BYTES)) {
            for (int left = bytes; left > 0; ) {
                int count = body.read(some, 0, Math.min(left, some.length));
                if (count < 0) {
                    return false;
                }
                found.update(some, 0, count);
                left -= count;
            }
        }
        return (int) found.getValue() == sum;
    }

    /** The body of the next record; that there is none is an error. */
    byte[] existing() throws IOException {
        byte[] body = next();
        if (body == null) {
            throw new FormatException(name + " is damaged at byte " + position);
        }
        return body;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
