package dev.perhaps.io;

/**
 * Golomb-Rice codes: a number as its quotient by 2^p in unary (ones, then a zero) and its remainder in p bits, the most
 * significant bit first. Close to the shortest code for the gaps between evenly spread numbers if 2^p is near ln 2
 * times the mean gap.
 *
 * <p>Papers: Golomb, "Run-length encodings" (1966); Rice, "Some practical universal noiseless coding techniques"
 * (1979).
 */
public final class GolombRice {
    /*
     *     p = 2, number 9:   quotient 2     remainder 1
     *                        1 1 0          0 1             the first bit of a byte is its most significant one
     *
     * The reader looks at a window of the bits that come next, left-aligned in a long and with zeros after the last
     * byte; at least 57 of its bits are true whatever the position in a byte, which covers any remainder and nearly all
     * quotients; very large ones take several windows.
     */
    public static final int MAX_REMAINDER_BITS = 32;

    private static final int TRUE_BITS = Long.SIZE - Byte.SIZE + 1;

    private GolombRice() {}

    /**
     * The bits of remainder that suit {@code count} numbers spread evenly below {@code range}: 2^p near ln 2 · the mean
     * gap.
     */
    public static int remainderBitsFor(long count, long range) {
        double near = Math.log(Math.max(1, 0.69 * range / Math.max(1, count))) / Math.log(2);
        return Math.min(MAX_REMAINDER_BITS, (int) Math.round(near));
    }

    /** How many bits the code of {@code number} has. */
    public static long bits(long number, int remainderBits) {
        return (number >>> remainderBits) + 1 + remainderBits;
    }

    /** Writes codes into zeroed bytes that have room for them. Not thread-safe. */
    public static final class Writer {
        private final byte[] bytes;
        private final int remainderBits;
        private long at;

        public Writer(byte[] bytes, int fromByte, int remainderBits) {
            assert remainderBits >= 0 && remainderBits <= MAX_REMAINDER_BITS : remainderBits;
            this.bytes = bytes;
            this.remainderBits = remainderBits;
            this.at = (long) fromByte * Byte.SIZE;
        }

        public void write(long number) {
            for (long ones = number >>> remainderBits; ones > 0; ones--) {
                bit(1);
            }
            bit(0);
            for (int i = remainderBits - 1; i >= 0; i--) {
                bit(number >>> i & 1);
            }
        }

        private void bit(long bit) {
            bytes[(int) (at >>> 3)] |= (byte) (bit << (7 - (at & 7)));
            at++;
        }
    }

    /** Reads codes. Not thread-safe. */
    public static final class Reader {
        private final byte[] bytes;
        private final int remainderBits;
        private final long end;
        private long at;

        public Reader(byte[] bytes, int fromByte, int remainderBits) {
            assert remainderBits >= 0 && remainderBits <= MAX_REMAINDER_BITS : remainderBits;
            this.bytes = bytes;
            this.remainderBits = remainderBits;
            this.end = (long) bytes.length * Byte.SIZE;
            this.at = (long) fromByte * Byte.SIZE;
        }

        /** The next number, or −1 if the bytes end within its code. */
        public long next() {
            long quotient = 0;
            while (true) {
                int valid = (int) Math.min(TRUE_BITS, end - at);
                int ones = Long.numberOfLeadingZeros(~window());
                if (ones < valid) {
                    quotient += ones;
                    at += ones + 1;
                    break;
                }
                if (valid == 0) {
                    return -1;
                }
                quotient += valid;
                at += valid;
            }
            if (end - at < remainderBits) {
                return -1;
            }
            long remainder = remainderBits == 0 ? 0 : window() >>> (Long.SIZE - remainderBits);
            at += remainderBits;
            return quotient << remainderBits | remainder;
        }

        /** True if nothing is left but the zeros that fill up the last byte. */
        public boolean atEnd() {
            return end - at < Byte.SIZE && window() == 0;
        }

        private long window() {
            int from = (int) (at >>> 3);
            int to = Math.min(bytes.length, from + Long.BYTES);
            long window = 0;
            for (int i = from; i < to; i++) {
                window |= Byte.toUnsignedLong(bytes[i]) << (Long.SIZE - Byte.SIZE * (i - from + 1));
            }
            return window << (at & 7);
        }
    }
}
