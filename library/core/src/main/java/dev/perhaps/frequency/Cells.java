package dev.perhaps.frequency;

import dev.perhaps.frame.Frame;
import dev.perhaps.sketch.FormatException;

/**
 * The width of a counter. A counter that reaches its {@link #limit} stays there and means "this number or more": it
 * never overflows, and a sketch reports how many of its counters are at the limit.
 */
public enum Cells {
    /** One byte per counter, up to 255. */
    BITS_8(3),
    /** Two bytes per counter, up to 65,535. */
    BITS_16(4),
    /** Four bytes per counter, up to 4,294,967,295. */
    BITS_32(5),
    /** Eight bytes per counter. It never reaches its limit, because the total of a sketch is limited to 2^63 - 1. */
    BITS_64(6);

    private final int log2Bits;

    Cells(int log2Bits) {
        this.log2Bits = log2Bits;
    }

    /** Returns the width of a counter in bits: 8, 16, 32 or 64. */
    public int bits() {
        return 1 << log2Bits;
    }

    /** Returns the largest value of a counter, which means "this number or more". */
    public long limit() {
        return this == BITS_64 ? Long.MAX_VALUE : (1L << bits()) - 1;
    }

    int log2Bits() {
        return log2Bits;
    }

    /** The cells whose bits are a parameter of a file. */
    static Cells read(Frame frame, int parameter) throws FormatException {
        long bits = frame.parameter(parameter);
        for (Cells cells : values()) {
            if (cells.bits() == bits) {
                return cells;
            }
        }
        throw new FormatException("a " + frame.kind() + " file cannot have cells of " + bits + " bits: it is damaged");
    }

    /** The narrowest counter that can hold {@code most}. */
    static Cells reaching(long most) {
        for (Cells cells : values()) {
            if (cells.limit() >= most) {
                return cells;
            }
        }
        return BITS_64;
    }
}
