package dev.perhaps.server.durable;

import dev.perhaps.sketch.FormatException;
import io.netty.buffer.Unpooled;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** Reads a file record by record. No more memory is taken than the file has bytes left. */
final class RecordReader implements Closeable {
    private static final int BUFFER_BYTES = 1 << 18;

    private final String name;
    private final long length;
    private final InputStream in;
    private long position;

    /** Reads from this position on, where a record begins. */
    RecordReader(Disk disk, String name, long position) throws IOException {
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
            if (!java.util.Arrays.equals(first, magic)) {
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
        byte[] body = in.readNBytes(bytes);
        if (body.length < bytes || Records.sum(bytes, Unpooled.wrappedBuffer(body), 0) != numbers.getInt(6)) {
            return null;
        }
        position += Records.HEAD_BYTES + bytes;
        return body;
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
