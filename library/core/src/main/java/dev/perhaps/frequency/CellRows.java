package dev.perhaps.frequency;

import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.frame.PayloadOutput;
import dev.perhaps.hash.Mix;
import dev.perhaps.sketch.FormatException;
import java.io.IOException;

/**
 * Rows of counters: each item has one counter per row, chosen by its mixed hash. Count-Min and related sketches store
 * their counts here. Not thread-safe, except that any number of threads may call {@link #addAtomically} at once.
 */
abstract sealed class CellRows permits IntRows, PackedRows {
    /*
     * depth rows of width cells, one row behind the other. Two stores keep them: IntRows, cells of 32 bits in an int[],
     * with loops made for speed; PackedRows, cells of 8, 16 and 64 bits in words. In a file both are the same words.
     *
     *     rows     |  row 0: cells 0 … w-1   |  row 1: w … 2w-1  | …
     *
     * Positions. 64 bits of hash place an item in two rows: x's high half in one, its low half in the next, each scaled
     * to 0 … w-1 by a multiplication. Two more rows take x mixed once more. A row sees 32 fresh bits, so that two items
     * that meet in one row meet in another no more often than chance has it. Double hashing (a + i·b) is not so good:
     * two items with nearly the same a and b meet in every row, and one heavy item then ruins the other's minimum.
     *
     * 32 bits reach w ≤ 2^28 cells with 16 or 17 values each: the chance of meeting is 1/w within a thousandth.
     */
    static final int MAX_WIDTH = 1 << 28;
    static final int MAX_DEPTH = 64;
    static final long MAX_CELLS = Integer.MAX_VALUE - 64L;

    private static final long STEP = 0xF1357AEA2E62A9C5L;
    private static final long LOW_HALF = 0xFFFF_FFFFL;

    final int width;
    final int depth;
    final CountMin.Cells cells;

    CellRows(int width, int depth, CountMin.Cells cells) {
        this.width = width;
        this.depth = depth;
        this.cells = cells;
    }

    static CellRows empty(int width, int depth, CountMin.Cells cells) {
        return cells == CountMin.Cells.BITS_32 ? IntRows.empty(width, depth) : PackedRows.empty(width, depth, cells);
    }

    /** Memory of this number of cells, in whole words. */
    static long bytesFor(long width, int depth, CountMin.Cells cells) {
        return wordsFor(width, depth, cells) * Long.BYTES;
    }

    static long wordsFor(long width, int depth, CountMin.Cells cells) {
        return (width * depth * cells.bits() + 63) / 64;
    }

    /** True if an array can hold this number of cells. */
    static boolean possible(long width, long depth) {
        return width >= 1 && width <= MAX_WIDTH && depth >= 1 && depth <= MAX_DEPTH && width * depth <= MAX_CELLS;
    }

    /** Position of x in an even row. */
    static int high(long x, int width) {
        return (int) ((x >>> 32) * width >>> 32);
    }

    /** Position of x in the odd row behind it. */
    static int low(long x, int width) {
        return (int) ((x & LOW_HALF) * width >>> 32);
    }

    /** The x of the next two rows. */
    static long next(long x) {
        return Mix.with(STEP, x);
    }

    /** For loops that take one row after the other by {@link #high} alone: the x of the row behind this one. */
    static long next(long x, int row) {
        long turned = x >>> 32 | x << 32;
        return (row & 1) == 0 ? turned : next(turned);
    }

    /** The smaller of two numbers that are not negative, without a branch, which would be mispredicted often. */
    static long lesser(long a, long b) {
        long difference = a - b;
        return b + (difference & difference >> 63);
    }

    abstract long cell(int at);

    /** Adds to a cell; one that would pass the limit stays at it. */
    abstract void increase(int at, long count);

    abstract void increaseAtomically(int at, long count);

    /** Subtracts from a cell that holds at least as much. */
    abstract void decrease(int at, long count);

    /** The least of x's cells. */
    long min(long x) {
        long min = cells.limit();
        for (int row = 0; row < depth; row++) {
            min = lesser(min, cell(row * width + high(x, width)));
            x = next(x, row);
        }
        return min;
    }

    /** The least cells of the hashes in {@code [from, to)}, each mixed with the constant. */
    void minAll(long mix, long[] hashes, int from, int to, long[] least) {
        for (int i = from; i < to; i++) {
            least[i - from] = min(Mix.with(mix, hashes[i]));
        }
    }

    /** Adds to each of x's cells. */
    void add(long x, long count) {
        for (int row = 0; row < depth; row++) {
            increase(row * width + high(x, width), count);
            x = next(x, row);
        }
    }

    /** The same, by any number of threads at once. */
    void addAtomically(long x, long count) {
        for (int row = 0; row < depth; row++) {
            increaseAtomically(row * width + high(x, width), count);
            x = next(x, row);
        }
    }

    /** Raises those of x's cells that are below {@code least} to it, as far as their limit lets them. */
    void raise(long x, long least) {
        for (int row = 0; row < depth; row++) {
            int at = row * width + high(x, width);
            long missing = least - cell(at);
            increase(at, missing & ~(missing >> 63));
            x = next(x, row);
        }
    }

    /** Subtracts from each of x's cells, all of which hold at least as much; those at the limit stay there. */
    void subtract(long x, long count) {
        for (int row = 0; row < depth; row++) {
            int at = row * width + high(x, width);
            if (cell(at) != cells.limit()) {
                decrease(at, count);
            }
            x = next(x, row);
        }
    }

    /** Adds the cells of rows of the same shape. */
    void addAll(CellRows other, boolean atomically) {
        int all = width * depth;
        for (int at = 0; at < all; at++) {
            long count = other.cell(at);
            if (count == 0) {
                continue;
            }
            if (atomically) {
                increaseAtomically(at, count);
            } else {
                increase(at, count);
            }
        }
    }

    /** How many cells of a row are above {@code least}. */
    int above(long least, int row) {
        int above = 0;
        for (int at = row * width; at < (row + 1) * width; at++) {
            above += cell(at) > least ? 1 : 0;
        }
        return above;
    }

    /** How many cells are at their limit. */
    long saturated() {
        long saturated = 0;
        for (int row = 0; row < depth; row++) {
            saturated += above(cells.limit() - 1, row);
        }
        return saturated;
    }

    /**
     * Makes the sums of all rows equal again, in a copy that was taken while others were adding: what a row lacks of an
     * addition that was on its way goes into its first cell. No cell gets less, so no estimate is too low; and for the
     * others it is as if that addition were of another item.
     *
     * @return the sum, which is that of the fullest row, and at least {@code least}; rows with a cell at its limit may
     *     have less
     */
    final long level(long least) {
        long[] sums = new long[depth];
        long total = least;
        for (int row = 0; row < depth; row++) {
            for (int at = row * width; at < (row + 1) * width; at++) {
                sums[row] += cell(at);
            }
            total = Math.max(total, sums[row]);
        }
        for (int row = 0; row < depth; row++) {
            if (sums[row] < total && above(cells.limit() - 1, row) == 0) {
                increase(row * width, total - sums[row]);
            }
        }
        return total;
    }

    final long sizeBytes() {
        return bytesFor(width, depth, cells);
    }

    /** Makes every cell 0. */
    abstract void clear();

    abstract CellRows copy();

    /** The first difference from other rows, for messages; empty if there is none. */
    final String difference(CellRows other) {
        if (width != other.width) {
            return "width " + width + " against " + other.width;
        }
        if (depth != other.depth) {
            return "depth " + depth + " against " + other.depth;
        }
        return cells == other.cells ? "" : "cells of " + cells.bits() + " bits against " + other.cells.bits();
    }

    abstract void write(PayloadOutput out) throws IOException;

    /** Reads rows whose width, depth and bits per cell are the parameters from {@code parameter} on. */
    static CellRows read(FrameReader in, Frame frame, int parameter) throws IOException {
        long width = frame.parameter(parameter);
        long depth = frame.parameter(parameter + 1);
        CountMin.Cells cells = CountMin.Cells.read(frame, parameter + 2);
        frame.require(width >= 1 && width <= MAX_WIDTH, "width", width);
        frame.require(possible(width, depth), "depth", depth);
        return read(in, (int) width, (int) depth, cells);
    }

    /** Reads rows of a shape that the caller has checked. */
    static CellRows read(FrameReader in, int width, int depth, CountMin.Cells cells) throws IOException {
        return cells == CountMin.Cells.BITS_32
                ? IntRows.read(in, width, depth)
                : PackedRows.read(in, width, depth, cells);
    }

    /**
     * Refuses cells that no additions can have made: more in a row than the total or, where every addition reached
     * every row and none was cut off, less.
     */
    final void check(Frame frame, long total, boolean everyRowIsTheTotal) throws FormatException {
        for (int row = 0; row < depth; row++) {
            long left = total;
            boolean saturated = false;
            for (int at = row * width; at < (row + 1) * width; at++) {
                long cell = cell(at);
                frame.require(cell >= 0 && cell <= left, "a cell of", cell);
                left -= cell;
                saturated |= cell == cells.limit();
            }
            frame.require(left == 0 || saturated || !everyRowIsTheTotal, "a total of", total);
        }
    }
}
