package dev.perhaps.foreign;

import dev.perhaps.sketch.FormatException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * Bitcoin's length prefix: one byte up to 252; otherwise a byte 253, 254 or 255 and then 2, 4 or 8 bytes,
 * little-endian. A number has one right form, the shortest; another one is refused, as nodes do.
 */
final class CompactSize {
    private static final int TWO_BYTES = 0xFD;
    private static final int FOUR_BYTES = 0xFE;
    private static final int EIGHT_BYTES = 0xFF;

    private CompactSize() {}

    /** How many bytes {@code value}, not negative, takes. */
    static int bytes(long value) {
        assert value >= 0 : value;
        if (value < TWO_BYTES) {
            return 1;
        }
        if (value <= 0xFFFF) {
            return 1 + Short.BYTES;
        }
        return value <= 0xFFFF_FFFFL ? 1 + Integer.BYTES : 1 + Long.BYTES;
    }

    /** Writes {@code value}, not negative, into a little-endian buffer. */
    static void write(long value, ByteBuffer out) {
        switch (bytes(value)) {
            case 1 -> out.put((byte) value);
            case 1 + Short.BYTES -> out.put((byte) TWO_BYTES).putShort((short) value);
            case 1 + Integer.BYTES -> out.put((byte) FOUR_BYTES).putInt((int) value);
            default -> out.put((byte) EIGHT_BYTES).putLong(value);
        }
    }

    /** Reads a number of at most {@code most} from a little-endian buffer; {@code what} names it in the message. */
    static long read(ByteBuffer in, long most, String what) throws FormatException {
        long value;
        int start = in.position();
        try {
            int first = Byte.toUnsignedInt(in.get());
            value = switch (first) {
                case TWO_BYTES -> Short.toUnsignedLong(in.getShort());
                case FOUR_BYTES -> Integer.toUnsignedLong(in.getInt());
                case EIGHT_BYTES -> in.getLong();
                default -> first;
            };
        } catch (BufferUnderflowException e) {
            throw new FormatException("it is cut short in " + what);
        }
        if (value < 0 || value > most) {
            throw new FormatException(what + " is " + Long.toUnsignedString(value) + ", and at most " + most
                    + " is possible here: it is damaged");
        }
        if (in.position() - start != bytes(value)) {
            throw new FormatException(what + " " + value + " is written in " + (in.position() - start)
                    + " bytes instead of " + bytes(value) + ": it is damaged");
        }
        return value;
    }
}
