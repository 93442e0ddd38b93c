package dev.perhaps.membership.quotient;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Turns rows of bits into values and back: row i of a block holds bit i of 64 values, the highest bit first. */
final class BitRows {
    /*
     * Values are kept in planes of 64 bytes, the lowest byte of each value in the first plane: eight rows per plane,
     * and eight values per long. Reading spreads each byte of a row over the eight bytes of a long, by a table; writing
     * gathers the lowest bits of eight bytes by one multiplication, which brings bit 8j to bit 56 + j.
     */
    static final int VALUES = 64;
    private static final int GROUPS = 8;
    private static final long LOWEST_BITS = 0x0101010101010101L;
    private static final long GATHER = 0x0102040810204080L;
    private static final long[] SPREAD = new long[256];
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    static {
        for (int bits = 0; bits < SPREAD.length; bits++) {
            for (int j = 0; j < 8; j++) {
                SPREAD[bits] |= (bits >>> j & 1L) << 8 * j;
            }
        }
    }

    private BitRows() {}

    /** Planes for values of this number of bits. */
    static byte[] planes(int bits) {
        return new byte[(bits + 7) / 8 * VALUES];
    }

    static long get(byte[] planes, int i) {
        long value = planes[i] & 255;
        for (int at = i + VALUES, shift = 8; at < planes.length; at += VALUES, shift += 8) {
            value |= (planes[at] & 255L) << shift;
        }
        return value;
    }

    static void put(byte[] planes, int i, long value) {
        planes[i] = (byte) value;
        for (int at = i + VALUES; at < planes.length; at += VALUES) {
            value >>>= 8;
            planes[at] = (byte) value;
        }
    }

    /** Reads 64 values from the rows that begin at {@code from}; {@code scratch} has eight places. */
    static void read(long[] words, int from, int rows, byte[] planes, long[] scratch) {
        for (int plane = 0, end = from + rows; end > from; plane += VALUES, end -= 8) {
            for (int g = 0; g < GROUPS; g++) {
                scratch[g] = 0;
            }
            for (int row = Math.max(from, end - 8); row < end; row++) {
                long word = words[row];
                for (int g = 0; g < GROUPS; g++) {
                    scratch[g] = scratch[g] << 1 | SPREAD[(int) word & 255];
                    word >>>= 8;
                }
            }
            for (int g = 0; g < GROUPS; g++) {
                LONGS.set(planes, plane + 8 * g, scratch[g]);
            }
        }
    }

    /** Writes 64 values into the rows that begin at {@code from}, and leaves zeros in {@code planes}. */
    static void write(long[] words, int from, int rows, byte[] planes, long[] scratch) {
        for (int plane = 0, end = from + rows; end > from; plane += VALUES, end -= 8) {
            for (int g = 0; g < GROUPS; g++) {
                scratch[g] = (long) LONGS.get(planes, plane + 8 * g);
                LONGS.set(planes, plane + 8 * g, 0L);
            }
            for (int row = end - 1; row >= Math.max(from, end - 8); row--) {
                long word = 0;
                for (int g = GROUPS - 1; g >= 0; g--) {
                    long bytes = scratch[g];
                    word = word << 8 | (bytes & LOWEST_BITS) * GATHER >>> 56;
                    scratch[g] = bytes >>> 1;
                }
                words[row] = word;
            }
        }
    }
}
