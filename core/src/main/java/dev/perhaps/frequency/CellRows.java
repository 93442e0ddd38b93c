package dev.perhaps.frequency;

import dev.perhaps.io.FormatException;
import dev.perhaps.io.Frame;
import dev.perhaps.io.FrameReader;
import dev.perhaps.key.Mix;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Rows of counters, in each of which a mixed hash has one: the store of Count-Min and its relatives. One writer at a time;
 * {@link #addAtomically} may be called by any number of threads at once.
 */
final class CellRows {
    /*
     * depth rows of width cells, one row behind the other, packed into words; cells of 8, 16, 32 or 64 bits are lanes of a
     * word, and one code serves all widths, the atomic one too:
     *
     *     words    |c3 c2 c1 c0|c7 c6 c5 c4| …         16 bits: cell i is lane i mod 4 of word i / 4
     *     rows     |  row 0: cells 0 … w-1   |  row 1: w … 2w-1  | …
     *
     * Positions. 64 bits of hash place an item in two rows: x's high half in one, its low half in the next, each scaled
     * to 0 … w-1 by a multiplication. Two more rows take x mixed once more. A row sees 32 fresh bits, so that two items
     * that meet in one row meet in another no more often than chance has it. Double hashing (a + i·b) is not so good:
     * two items with nearly the same b and a meet in every row, and one heavy item then ruins the other's minimum.
     *
     * 32 bits reach w ≤ 2^28 cells with 16 or 17 values each: the chance of meeting is 1/w within a thousandth.
     */
    static final int MAX_WIDTH = 1 << 28;
    static final int MAX_DEPTH = 64;

    static final long MAX_CELLS = Integer.MAX_VALUE - 64L;
    private static final long STEP = 0xF1357AEA2E62A9C5L;
    private static final long LOW_HALF = 0xFFFF_FFFFL;
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    final int width;
    final int depth;
    final Cells cells;
    private final int log2Bits;
    private final long mask;
    private final long limit;
    private final long[] words;

    private CellRows(int width, int depth, Cells cells, long[] words) {
        assert words.length * 8L == bytesFor(width, depth, cells);
        this.width = width;
        this.depth = depth;
        this.cells = cells;
        this.log2Bits = cells.log2Bits();
        this.mask = cells == Cells.BITS_64 ? -1 : cells.limit();
        this.limit = cells.limit();
        this.words = words;
    }

    static CellRows empty(int width, int depth, Cells cells) {
        return new CellRows(width, depth, cells, new long[(int) (bytesFor(width, depth, cells) / Long.BYTES)]);
    }

    /** Memory of so many cells, in whole words. */
    static long bytesFor(long width, int depth, Cells cells) {
        return (width * depth * cells.bits() + 63) / 64 * Long.BYTES;
    }

    /** True if an array can hold so many cells. */
    static boolean possible(long width, long depth) {
        return width >= 1 && width <= MAX_WIDTH && depth >= 1 && depth <= MAX_DEPTH && width * depth <= MAX_CELLS;
    }

    private static int high(long x, int width) {
        return (int) ((x >>> 32) * width >>> 32);
    }

    private static int low(long x, int width) {
        return (int) ((x & LOW_HALF) * width >>> 32);
    }

    private static long next(long x) {
        return Mix.with(STEP, x);
    }

    /** The least of x's cells. */
    long min(long x) {
        int row = 0;
        long min = limit;
        int pairs = depth >>> 1;
        for (int i = 0; i < pairs; i++) {
            long first = cell(row + high(x, width));
            long second = cell(row + width + low(x, width));
            min = Math.min(min, Math.min(first, second));
            x = next(x);
            row += 2 * width;
        }
        return (depth & 1) == 0 ? min : Math.min(min, cell(row + high(x, width)));
    }

    /** Adds to each of x's cells; one that would pass the limit stays at it. */
    void add(long x, long count) {
        int row = 0;
        int pairs = depth >>> 1;
        for (int i = 0; i < pairs; i++) {
            increase(row + high(x, width), count);
            increase(row + width + low(x, width), count);
            x = next(x);
            row += 2 * width;
        }
        if ((depth & 1) != 0) {
            increase(row + high(x, width), count);
        }
    }

    /** The same, by any number of threads at once. */
    void addAtomically(long x, long count) {
        for (int row = 0; row < depth; row++) {
            increaseAtomically(row * width + ((row & 1) == 0 ? high(x, width) : low(x, width)), count);
            x = (row & 1) == 0 ? x : next(x);
        }
    }

    /** Raises those of x's cells that are below {@code least} to it. */
    void raise(long x, long least) {
        for (int row = 0; row < depth; row++) {
            int at = row * width + ((row & 1) == 0 ? high(x, width) : low(x, width));
            long cell = cell(at);
            if (cell < least) {
                increase(at, least - cell);
            }
            x = (row & 1) == 0 ? x : next(x);
        }
    }

    /** Takes from each of x's cells, all of which have as much; those at the limit stay there. */
    void subtract(long x, long count) {
        for (int row = 0; row < depth; row++) {
            int at = row * width + ((row & 1) == 0 ? high(x, width) : low(x, width));
            long cell = cell(at);
            if (cell != limit) {
                assert cell >= count;
                words[at >>> (6 - log2Bits)] -= count << (at << log2Bits);
            }
            x = (row & 1) == 0 ? x : next(x);
        }
    }

    long cell(int at) {
        return words[at >>> (6 - log2Bits)] >>> (at << log2Bits) & mask;
    }

    void increase(int at, long count) {
        int index = at >>> (6 - log2Bits);
        int shift = at << log2Bits;
        long word = words[index];
        long room = limit - (word >>> shift & mask);
        words[index] = word + (Math.min(count, room) << shift);
    }

    private void increaseAtomically(int at, long count) {
        int index = at >>> (6 - log2Bits);
        int shift = at << log2Bits;
        long word;
        long more;
        do {
            word = (long) WORD.getOpaque(words, index);
            more = Math.min(count, limit - (word >>> shift & mask));
        } while (more != 0 && !WORD.weakCompareAndSet(words, index, word, word + (more << shift)));
    }

    /** Adds the cells of rows of the same shape. */
    void addAll(CellRows other, boolean atomically) {
        int all = width * depth;
        for (int at = 0; at < all; at++) {
            long count = other.cell(at);
            if (count != 0) {
                if (atomically) {
                    increaseAtomically(at, count);
                } else {
                    increase(at, count);
                }
            }
        }
    }

    /** How many cells are above {@code least}, in one row. */
    long above(long least, int row) {
        long above = 0;
        for (int at = row * width; at < (row + 1) * width; at++) {
            above += cell(at) > least ? 1 : 0;
        }
        return above;
    }

    /** How many cells are at their limit. */
    long saturated() {
        long saturated = 0;
        if (cells != Cells.BITS_64) {
            for (int row = 0; row < depth; row++) {
                saturated += above(limit - 1, row);
            }
        }
        return saturated;
    }

    long sizeBytes() {
        return words.length * (long) Long.BYTES;
    }

    CellRows copy() {
        return new CellRows(width, depth, cells, words.clone());
    }

    /** In what these rows differ from others; empty if in nothing. */
    String difference(CellRows other) {
        if (width != other.width) {
            return "width " + width + " against " + other.width;
        }
        if (depth != other.depth) {
            return "depth " + depth + " against " + other.depth;
        }
        return cells == other.cells ? "" : "cells of " + cells.bits() + " bits against " + other.cells.bits();
    }

    Frame.Payload payload() {
        return out -> out.longs(words);
    }

    /** Reads rows whose width, depth and bits a cell are the parameters from {@code parameter} on. */
    static CellRows read(FrameReader in, Frame frame, int parameter) throws IOException {
        long width = frame.parameter(parameter);
        long depth = frame.parameter(parameter + 1);
        long bits = frame.parameter(parameter + 2);
        frame.require(width >= 1 && width <= MAX_WIDTH, "width", width);
        frame.require(possible(width, depth), "depth", depth);
        for (Cells cells : Cells.values()) {
            if (cells.bits() == bits) {
                long words = bytesFor(width, (int) depth, cells) / Long.BYTES;
                return new CellRows((int) width, (int) depth, cells, in.longs(words));
            }
        }
        throw new FormatException("a " + frame.kind() + " file cannot have cells of " + bits + " bits: it is damaged");
    }

    /**
     * Refuses cells that no additions can have made: more in a row than the total or, where every addition reached every
     * row and none was cut off, less.
     */
    void check(Frame frame, long total, boolean everyRowIsTheTotal) throws IOException {
        for (int row = 0; row < depth; row++) {
            long left = total;
            boolean saturated = false;
            for (int at = row * width; at < (row + 1) * width; at++) {
                long cell = cell(at);
                frame.require(cell >= 0 && cell <= left, "a cell of", cell);
                left -= cell;
                saturated |= cell == limit;
            }
            frame.require(left == 0 || saturated || !everyRowIsTheTotal, "a total of", total);
        }
        checkPadding(frame);
    }

    void checkPadding(Frame frame) throws IOException {
        int used = width * depth << log2Bits & 63;
        frame.require(used == 0 || words[words.length - 1] >>> used == 0, "bits behind its last", "cell");
    }
}
