package dev.perhaps.server.durable;

import dev.perhaps.server.command.Change;
import dev.perhaps.sketch.FormatException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** How records are written to files, and what is in those of the log. */
final class Records {
    /*
     *     file    = magic (8 bytes) record …            the first record says what the file is
     *     record  = A7 5E length (u32) sum (u32) body   sum: CRC-32C of the 4 bytes of the length and of the body
     *
     * Numbers of fixed size are little-endian. Others have 7 bits per byte, the lowest first, and bit 7 set in all but the last.
     * A record of the log is
     *
     *     number      of this record; the next one has the next number, also in the next file
     *     unsynced    number − synced, where the records up to `synced` were on the disk when this one was made
     *     millis      when the commands ran
     *     commands    of which there is at least one; each:
     *       memory    0, or 1 and what the command could take: free bytes + 2^62, most bytes per key
     *       words     their number, and for each its length and bytes
     */
    static final int HEAD_BYTES = 10;
    static final byte MARK_0 = (byte) 0xa7;
    static final byte MARK_1 = 0x5e;

    /** A transaction of the largest size, and more than any request. */
    static final int MAX_BODY_BYTES = 1 << 30;

    private static final int MAX_WORDS = 1 << 21;
    private static final long FREE_OFFSET = 1L << 62;

    /** A record of the log. */
    record Logged(long number, long synced, long millis, List<Change> changes) {}

    private Records() {}

    /** Begins a record; returns what {@link #end} needs. */
    static int begin(ByteBuf out) {
        int start = out.writerIndex();
        out.writeByte(MARK_0).writeByte(MARK_1).writeLong(0);
        return start;
    }

    /** Ends a record that began here. */
    static void end(ByteBuf out, int start) {
        int body = start + HEAD_BYTES;
        int length = out.writerIndex() - body;
        if (length > MAX_BODY_BYTES) {
            throw new IllegalStateException("a record of " + length + " bytes");
        }
        out.setIntLE(start + 2, length);
        out.setIntLE(start + 6, sum(length, out, body));
    }

    private static int sum(int length, ByteBuf bytes, int body) {
        CRC32C sum = sum(length);
        sum.update(bytes.nioBuffer(body, length));
        return (int) sum.getValue();
    }

    /** The sum of a record whose body has this length, before the body. */
    static CRC32C sum(int length) {
        CRC32C sum = new CRC32C();
        for (int shift = 0; shift < 32; shift += 8) {
            sum.update(length >>> shift);
        }
        return sum;
    }

    static void number(ByteBuf out, long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            out.writeByte((int) (rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.writeByte((int) rest);
    }

    /** A number that is not negative. */
    static long number(ByteBuf in) throws FormatException {
        long value = 0;
        for (int shift = 0; shift < 63; shift += 7) {
            if (!in.isReadable()) {
                break;
            }
            byte b = in.readByte();
            value |= (long) (b & 0x7f) << shift;
            if (b >= 0) {
                return value;
            }
        }
        throw new FormatException("a number does not end");
    }

    static void bytes(ByteBuf out, byte[] bytes) {
        number(out, bytes.length);
        out.writeBytes(bytes);
    }

    static byte[] bytes(ByteBuf in) throws FormatException {
        long length = number(in);
        if (length > in.readableBytes()) {
            throw new FormatException(length + " bytes where " + in.readableBytes() + " are left");
        }
        byte[] bytes = new byte[(int) length];
        in.readBytes(bytes);
        return bytes;
    }

    static void write(ByteBuf out, Logged record) {
        int start = begin(out);
        number(out, record.number);
        number(out, record.number - record.synced);
        number(out, Math.max(0, record.millis));
        for (Change change : record.changes) {
            Change.Memory memory = change.memory();
            if (memory == null) {
                number(out, 0);
            } else {
                number(out, 1);
                number(out, Math.max(0, memory.freeBytes() + FREE_OFFSET));
                number(out, Math.max(0, memory.maxKeyBytes()));
            }
            number(out, change.words().length);
            for (byte[] word : change.words()) {
                bytes(out, word);
            }
        }
        end(out, start);
    }

    /** Reads the body of a record of the log. */
    static Logged read(byte[] body) throws FormatException {
        ByteBuf in = Unpooled.wrappedBuffer(body);
        long number = number(in);
        long unsynced = number(in);
        long millis = number(in);
        List<Change> changes = new ArrayList<>();
        while (in.isReadable()) {
            Change.Memory memory = null;
            long hasMemory = number(in);
            if (hasMemory > 1) {
                throw new FormatException("a command of an unknown kind, " + hasMemory);
            }
            if (hasMemory == 1) {
                long freeBytes = number(in) - FREE_OFFSET;
                memory = new Change.Memory(freeBytes, number(in));
            }
            long words = number(in);
            if (words < 1 || words > Math.min(MAX_WORDS, in.readableBytes())) {
                throw new FormatException("a command of " + words + " words");
            }
            byte[][] all = new byte[(int) words][];
            for (int i = 0; i < all.length; i++) {
                all[i] = bytes(in);
            }
            changes.add(new Change(all, memory));
        }
        if (number < 1 || unsynced < 1 || unsynced > number || changes.isEmpty()) {
            throw new FormatException("record " + number + " of the log is not one");
        }
        return new Logged(number, number - unsynced, millis, changes);
    }
}
