package dev.perhaps.cli.input.compressed;

import dev.perhaps.io.Figures;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompresses gzip, of one member or of many in sequence, and refuses what it cannot: a damaged or cut member and bytes
 * behind the last one are an error that names the byte. Zeros behind the last member are padding. Confined to a thread.
 */
public final class GzipMembers extends InputStream {
    /*
     * A member (RFC 1952), little-endian:
     *
     *     1F 8B  method (8)  flags  time (4)  extra flags  system
     *     [length (2), extra field]  [name, 0]  [comment, 0]  [CRC-16 of the header]       as the flags say
     *     deflated data
     *     CRC-32 of the data (4)  length of the data modulo 2^32 (4)
     *
     * java.util.zip.GZIPInputStream is not used because it takes any member after the first whose header it cannot read
     * for the end of the input, and also one that has not arrived in the pipe yet.
     */
    private static final int MAGIC_1 = 0x1F;
    private static final int MAGIC_2 = 0x8B;
    private static final int DEFLATED = 8;
    private static final int HAS_HEADER_CRC = 2;
    private static final int HAS_EXTRA = 4;
    private static final int HAS_NAME = 8;
    private static final int HAS_COMMENT = 16;
    private static final int RESERVED_FLAGS = 0xE0;

    private final InputStream in;
    private final byte[] buffer;
    private final Inflater inflater = new Inflater(true);
    private final CRC32 crc = new CRC32();
    private final CRC32 headerCrc = new CRC32();
    private int at;
    private int limit;
    private long bufferStart;
    private long member;
    private boolean ended;

    /** Reads the header of the first member at once. */
    public GzipMembers(InputStream in, int bufferBytes) throws IOException {
        this.in = in;
        this.buffer = new byte[bufferBytes];
        header(next());
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (!ended) {
            int count = inflate(into, from, length);
            if (count > 0) {
                crc.update(into, from, count);
                return count;
            }
            if (inflater.finished()) {
                trailer();
                ended = !nextMember();
            }
        }
        return -1;
    }

    /** Returns the number of bytes inflated; 0 at the end of the member. */
    private int inflate(byte[] into, int from, int length) throws IOException {
        while (true) {
            int count = inflateOnce(into, from, length);
            at = limit - inflater.getRemaining();
            if (count > 0 || inflater.finished()) {
                return count;
            }
            if (inflater.needsDictionary()) {
                throw damaged("it asks for a dictionary");
            }
            if (!more()) {
                throw damaged("it is cut short");
            }
            inflater.setInput(buffer, at, limit - at);
        }
    }

    private int inflateOnce(byte[] into, int from, int length) throws IOException {
        try {
            return inflater.inflate(into, from, length);
        } catch (DataFormatException e) {
            at = limit - inflater.getRemaining();
            throw damaged(e.getMessage() == null ? "it cannot be inflated" : e.getMessage());
        }
    }

    private void trailer() throws IOException {
        if (fourBytes() != crc.getValue()) {
            throw damaged("the checksum of the data does not match");
        }
        if (fourBytes() != (inflater.getBytesWritten() & 0xFFFFFFFFL)) {
            throw damaged("the length of the data does not match");
        }
    }

    private long fourBytes() throws IOException {
        long value = 0;
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            value |= (long) next() << shift;
        }
        return value;
    }

    /** Moves to the next member. Returns false if there is none. */
    private boolean nextMember() throws IOException {
        if (!more()) {
            return false;
        }
        int first = next();
        if (first == 0) {
            padding();
            return false;
        }
        inflater.reset();
        crc.reset();
        header(first);
        return true;
    }

    private void padding() throws IOException {
        while (more()) {
            if (next() != 0) {
                throw damaged("something other than zeros follows its end");
            }
        }
    }

    private void header(int first) throws IOException {
        member++;
        headerCrc.reset();
        headerCrc.update(first);
        if (first != MAGIC_1 || field() != MAGIC_2) {
            throw damaged("what follows the last member is neither a member nor padding of zeros");
        }
        if (field() != DEFLATED) {
            throw damaged("its method is not deflate");
        }
        int flags = field();
        if ((flags & RESERVED_FLAGS) != 0) {
            throw damaged("it has unknown flags");
        }
        skip(6);
        if ((flags & HAS_EXTRA) != 0) {
            skip(field() | field() << 8);
        }
        if ((flags & HAS_NAME) != 0) {
            skipText();
        }
        if ((flags & HAS_COMMENT) != 0) {
            skipText();
        }
        if ((flags & HAS_HEADER_CRC) != 0) {
            int expected = (int) headerCrc.getValue() & 0xFFFF;
            if ((next() | next() << 8) != expected) {
                throw damaged("the checksum of the header does not match");
            }
        }
        inflater.setInput(buffer, at, limit - at);
    }

    private void skip(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            field();
        }
    }

    private void skipText() throws IOException {
        int b = field();
        while (b != 0) {
            b = field();
        }
    }

    /** The next byte of a header. */
    private int field() throws IOException {
        int b = next();
        headerCrc.update(b);
        return b;
    }

    private int next() throws IOException {
        if (!more()) {
            throw damaged("it is cut short");
        }
        return buffer[at++] & 0xFF;
    }

    /** Returns true if there is a byte at {@code at}. */
    private boolean more() throws IOException {
        if (at == limit) {
            bufferStart += limit;
            at = 0;
            limit = Math.max(0, in.read(buffer));
        }
        return at < limit;
    }

    private DamagedArchive damaged(String what) {
        return new DamagedArchive(what, "gzip member " + Figures.count(Math.max(1, member)), bufferStart + at);
    }

    @Override
    public int available() throws IOException {
        return ended ? 0 : Math.min(1, limit - at + in.available());
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        in.close();
    }
}
