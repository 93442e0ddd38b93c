package dev.perhaps.proxy.sharing;

import dev.perhaps.sketch.FormatException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One message of a cache about what it holds: which version of its digest this is, and the common frame of the filter or of
 * what leads to it from an earlier version. {@code docs/cache-digests.md} has it to the byte.
 *
 * @param form whether a whole filter follows, a delta, or nothing as nothing is new
 * @param epoch a random number, new at each start of the sender: versions of different epochs are unrelated
 * @param version counted up by one at each publication
 * @param base of a delta: the version it starts from, 0 for the empty filter
 * @param documents how many pages the sender held when it published
 * @param frame the frame; empty if nothing is new
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Digest(Form form, long epoch, long version, long base, long documents, byte[] frame) {
    /** What a message carries. */
    public enum Form {
        WHOLE(1),
        DELTA(2),
        NOTHING_NEW(3);

        private final int number;

        Form(int number) {
            this.number = number;
        }

        static @Nullable Form numbered(int number) {
            return Arrays.stream(values())
                    .filter(form -> form.number == number)
                    .findFirst()
                    .orElse(null);
        }
    }

    /*
     *     0   mark         8 bytes   89 'D' 'i' 'g' 'e' 's' 't' 's'
     *     8   layout       u16       1
     *    10   form         u16       1 whole, 2 delta, 3 nothing new
     *    12   reserved     u32       0
     *    16   epoch        u64
     *    24   version      u64
     *    32   base         u64
     *    40   documents    u64
     *    48   length       u64       bytes of the frame
     *    56   checksum     u32       CRC-32C of the 56 bytes before
     *    60   frame
     */
    static final int HEADER_BYTES = 60;
    private static final int CHECKED_BYTES = 56;
    private static final byte[] MARK = {(byte) 0x89, 'D', 'i', 'g', 'e', 's', 't', 's'};
    private static final int LAYOUT = 1;

    /** The message as it is sent. */
    public byte[] toBytes() {
        ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES + frame.length).order(ByteOrder.LITTLE_ENDIAN);
        out.put(MARK).putShort((short) LAYOUT).putShort((short) form.number).putInt(0);
        out.putLong(epoch).putLong(version).putLong(base).putLong(documents).putLong(frame.length);
        out.putInt(crc(out.array())).put(frame);
        return out.array();
    }

    /** Parses the header of a message; the frame is not parsed yet. */
    public static Digest parse(byte[] message) throws FormatException {
        if (message.length < HEADER_BYTES) {
            throw new FormatException(
                    "the digest is cut short: " + message.length + " bytes where its head has " + HEADER_BYTES);
        }
        ByteBuffer in = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
        if (!Arrays.equals(message, 0, MARK.length, MARK, 0, MARK.length)) {
            throw new FormatException("not a digest: wrong magic bytes");
        }
        if (in.getInt(CHECKED_BYTES) != crc(message)) {
            throw new FormatException("the checksum of the digest's head does not fit: it is damaged");
        }
        int layout = in.getShort(8) & 0xFFFF;
        int number = in.getShort(10) & 0xFFFF;
        Form form = Form.numbered(number);
        if (layout != LAYOUT || form == null || in.getInt(12) != 0) {
            throw new FormatException("the digest has layout " + layout + " and form " + number
                    + ", this program reads layout " + LAYOUT + " and forms 1 to 3: use a newer Perhaps");
        }
        long version = in.getLong(24);
        long base = in.getLong(32);
        long documents = in.getLong(40);
        long length = in.getLong(48);
        if (length != message.length - HEADER_BYTES) {
            throw new FormatException("the digest is cut short or too long: " + (message.length - HEADER_BYTES)
                    + " bytes follow its head, which says " + Long.toUnsignedString(length));
        }
        boolean possible = version > 0
                && base >= 0
                && base < version
                && documents >= 0
                && (form == Form.DELTA || base == 0)
                && (form == Form.NOTHING_NEW) == (length == 0);
        if (!possible) {
            throw new FormatException("a digest cannot be " + form + " of version " + version + " from version " + base
                    + " with " + documents + " documents in " + length + " bytes: it is damaged");
        }
        byte[] frame = Arrays.copyOfRange(message, HEADER_BYTES, message.length);
        return new Digest(form, in.getLong(16), version, base, documents, frame);
    }

    private static int crc(byte[] message) {
        CRC32C crc = new CRC32C();
        crc.update(message, 0, CHECKED_BYTES);
        return (int) crc.getValue();
    }
}
