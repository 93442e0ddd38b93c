package dev.perhaps.server.durable;

import dev.perhaps.server.keyspace.Value;
import dev.perhaps.server.keyspace.ValueType;
import dev.perhaps.server.keyspace.ValueView;
import dev.perhaps.sketch.FormatException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The file of a snapshot: written and read key by key, values in parts, so that no value is in memory twice for it. */
final class Snapshots {
    /*
     * Records as in Records, after the magic:
     *
     *     header   0, version, id of the directory, number of the log file that continues it, last record that it has, millis
     *     key      1, time when it expires + 1 or 0 (never), type, length of the content, name; then the first part of it
     *     part     2, the next part of the content
     *     end      3, number of keys
     *
     * The content is what Value.writeTo writes, which is also what DUMP returns within its payload. A file without its end is
     * damaged: it got its name only when it was complete.
     */
    static final byte[] MAGIC = "\u0089Psnap\r\n".getBytes(StandardCharsets.ISO_8859_1);
    static final int VERSION = 1;

    private static final int HEADER = 0;
    private static final int KEY = 1;
    private static final int PART = 2;
    private static final int END = 3;
    private static final int PART_BYTES = 1 << 16;
    private static final int BUFFER_BYTES = 1 << 18;

    /** So much may be on its way to the disk at once: the log waits behind it. */
    private static final int SYNC_BYTES = 8 << 20;

    /** What a snapshot is of. */
    record Header(long id, long logNumber, long lastRecord, long millis) {}

    /** Takes the keys of a snapshot. */
    interface Target {
        /** Takes a key; the content is as long as this. */
        void key(byte[] name, ValueType type, long expiresAtMillis, InputStream content, long contentBytes)
                throws IOException;
    }

    private Snapshots() {}

    /** Writes a snapshot. */
    static final class Writer implements Closeable {
        private final Disk.Output file;
        private final ByteBuf buffer = Unpooled.buffer(BUFFER_BYTES + PART_BYTES + 256);
        private long keys;
        private long bytes;
        private long unsynced;

        Writer(Disk.Output file, Header header) throws IOException {
            this.file = file;
            buffer.writeBytes(MAGIC);
            int start = Records.begin(buffer);
            Records.number(buffer, HEADER);
            Records.number(buffer, VERSION);
            buffer.writeLongLE(header.id);
            Records.number(buffer, header.logNumber);
            Records.number(buffer, header.lastRecord);
            Records.number(buffer, header.millis);
            Records.end(buffer, start);
        }

        void add(byte[] name, Value value, long expiresAtMillis) throws IOException {
            Parts parts = begin(name, value.type(), value.fileBytes(), expiresAtMillis);
            value.writeTo(parts);
            parts.end();
        }

        void add(byte[] name, ValueType type, ValueView view, long expiresAtMillis) throws IOException {
            Parts parts = begin(name, type, view.fileBytes(), expiresAtMillis);
            view.writeTo(parts);
            parts.end();
        }

        private Parts begin(byte[] name, ValueType type, long length, long expiresAtMillis) {
            int start = Records.begin(buffer);
            Records.number(buffer, KEY);
            Records.number(buffer, expiresAtMillis == Long.MAX_VALUE ? 0 : Math.max(0, expiresAtMillis) + 1);
            Records.number(buffer, type.number());
            Records.number(buffer, length);
            Records.bytes(buffer, name);
            keys++;
            return new Parts(start, length);
        }

        /** The content of a value, cut into parts; the record of the first one has begun. */
        private final class Parts extends OutputStream {
            private int start;
            private int free = PART_BYTES;
            private long left;

            Parts(int start, long length) {
                this.start = start;
                this.left = length;
            }

            @Override
            public void write(int b) throws IOException {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] b, int from, int length) throws IOException {
                Objects.checkFromIndexSize(from, length, b.length);
                left -= length;
                for (int at = from; at < from + length; ) {
                    if (free == 0) {
                        Records.end(buffer, start);
                        flushIfFull();
                        start = Records.begin(buffer);
                        Records.number(buffer, PART);
                        free = PART_BYTES;
                    }
                    int part = Math.min(free, from + length - at);
                    buffer.writeBytes(b, at, part);
                    free -= part;
                    at += part;
                }
            }

            void end() throws IOException {
                if (left != 0) {
                    throw new IllegalStateException("a value has " + left + " bytes more or less than it says");
                }
                Records.end(buffer, start);
                flushIfFull();
            }
        }

        private void flushIfFull() throws IOException {
            if (buffer.writerIndex() >= BUFFER_BYTES) {
                flush();
            }
        }

        private void flush() throws IOException {
            int length = buffer.readableBytes();
            file.write(buffer.nioBuffer());
            buffer.clear();
            bytes += length;
            unsynced += length;
            if (unsynced >= SYNC_BYTES) {
                file.sync();
                unsynced = 0;
            }
        }

        /** Writes the end; returns when all is on the disk, and how long the file is. */
        long finish() throws IOException {
            int start = Records.begin(buffer);
            Records.number(buffer, END);
            Records.number(buffer, keys);
            Records.end(buffer, start);
            flush();
            file.sync();
            return bytes;
        }

        long keys() {
            return keys;
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    /** Reads a snapshot of the directory with this id; every key is given to the target. */
    static Header read(Disk disk, String name, long id, Target target) throws IOException {
        try (RecordReader reader = RecordReader.open(disk, name, MAGIC)) {
            ByteBuf first = Unpooled.wrappedBuffer(reader.existing());
            if (Records.number(first) != HEADER) {
                throw new FormatException(name + " is damaged: it has no header");
            }
            long version = Records.number(first);
            if (version > VERSION) {
                throw new FormatException(name + " was written by a newer version (snapshots of version " + version
                        + ", this one reads " + VERSION + "): use that version");
            }
            if (first.readableBytes() < 8 || first.readLongLE() != id) {
                throw new FormatException(name + " belongs to another data directory");
            }
            Header header = new Header(id, Records.number(first), Records.number(first), Records.number(first));
            long keys = 0;
            while (true) {
                ByteBuf record = Unpooled.wrappedBuffer(reader.existing());
                long kind = Records.number(record);
                if (kind == END) {
                    if (Records.number(record) != keys || reader.position() != reader.length()) {
                        throw new FormatException(
                                name + " is damaged: it has " + keys + " keys, and should have others");
                    }
                    return header;
                }
                if (kind != KEY) {
                    throw new FormatException(name + " is damaged: a record of kind " + kind);
                }
                key(reader, name, record, target);
                keys++;
            }
        }
    }

    private static void key(RecordReader reader, String name, ByteBuf record, Target target) throws IOException {
        long expires = Records.number(record);
        ValueType type = ValueType.numbered((int) Math.min(Integer.MAX_VALUE, Records.number(record)));
        long length = Records.number(record);
        byte[] key = Records.bytes(record);
        if (length > reader.length()) {
            throw new FormatException(name + " is damaged: a value of " + length + " bytes");
        }
        InputStream content = new InputStream() {
            private ByteBuf part = record;
            private long left = length;

            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] to, int from, int most) throws IOException {
                Objects.checkFromIndexSize(from, most, to.length);
                if (left == 0) {
                    return -1;
                }
                while (!part.isReadable()) {
                    part = Unpooled.wrappedBuffer(reader.existing());
                    if (Records.number(part) != PART) {
                        throw new FormatException(name + " is damaged: a value ends too early");
                    }
                }
                int count = (int) Math.min(Math.min(most, part.readableBytes()), left);
                part.readBytes(to, from, count);
                left -= count;
                return count;
            }

            @Override
            public int available() {
                return (int) Math.min(left, part.readableBytes());
            }
        };
        target.key(key, type, expires == 0 ? Long.MAX_VALUE : expires - 1, content, length);
        if (content.read() >= 0) {
            throw new FormatException(name + " is damaged: a value is longer than it should be");
        }
    }
}
