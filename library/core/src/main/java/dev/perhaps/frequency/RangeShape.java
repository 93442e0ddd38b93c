package dev.perhaps.frequency;

import dev.perhaps.frame.Frame;
import dev.perhaps.frequency.RangeCounts.Sizing;
import dev.perhaps.io.Figures;
import java.io.IOException;

/**
 * The levels of a sketch for ranges: which count exactly, and how much they take.
 *
 * @param bits of the universe, and levels
 * @param width counters in a row of a level that does not count exactly
 * @param depth rows of such a level
 */
record RangeShape(int bits, int width, int depth, CountMin.Cells cells) {
    private static final int SIGNED_BITS = 64;

    /** Every level gets ε / (2·log2 U) of the error: a range asks for at most two intervals of each. */
    static RangeShape planned(double error, double confidence, int bits, CountMin.Cells cells) {
        double width = CountMinShape.widthFor(error / (2.0 * bits));
        int depth = Math.max(1, CountMinShape.depthFor(confidence));
        if (!(width <= CellRows.MAX_WIDTH) || !CellRows.possible((long) width, depth)) {
            throw new IllegalArgumentException("a level has at most " + Figures.count(CellRows.MAX_WIDTH)
                    + " counters in a row and " + Figures.count(CellRows.MAX_CELLS) + " in all, got " + depth
                    + " rows of " + Figures.count((long) width) + ": allow more error or a smaller universe");
        }
        return new RangeShape(bits, (int) width, depth, cells);
    }

    static RangeShape read(Frame frame) throws IOException {
        long bits = frame.parameter(0);
        long width = frame.parameter(1);
        long depth = frame.parameter(2);
        CountMin.Cells cells = CountMin.Cells.read(frame, 3);
        frame.require(bits >= 1 && bits <= SIGNED_BITS, "a universe of bits", bits);
        frame.require(width >= 1 && width <= CellRows.MAX_WIDTH, "width", width);
        frame.require(CellRows.possible(width, depth), "depth", depth);
        RangeShape shape = new RangeShape((int) bits, (int) width, (int) depth, cells);
        frame.require(shape.bytes() == frame.payloadBytes(), "a payload of", frame.payloadBytes());
        return shape;
    }

    /** Intervals of a level; 2^31 stands for more. */
    private long intervals(int level) {
        return 1L << Math.min(31, bits - level);
    }

    /** True if the level has no more intervals than a row has counters. */
    boolean isExact(int level) {
        return intervals(level) <= width;
    }

    int width(int level) {
        return isExact(level) ? (int) intervals(level) : width;
    }

    int depth(int level) {
        return isExact(level) ? 1 : depth;
    }

    /** How many levels can err. */
    int sketched() {
        int sketched = 0;
        for (int level = 0; level < bits; level++) {
            sketched += isExact(level) ? 0 : 1;
        }
        return sketched;
    }

    long bytes() {
        long bytes = 0;
        for (int level = 0; level < bits; level++) {
            bytes += CellRows.bytesFor(width(level), depth(level), cells);
        }
        return bytes;
    }

    Sizing sizing() {
        int sketched = sketched();
        return new Sizing(
                bits,
                width,
                depth,
                cells,
                2.0 * sketched * Math.E / width,
                sketched == 0 ? 1 : -Math.expm1(-depth),
                bytes());
    }

    /** The chance that no turn on the way down to a quantile was wrong by the whole error. */
    double quantileConfidence() {
        int sketched = sketched();
        double wrong = 0;
        for (int i = 1; i <= sketched; i++) {
            wrong += Math.pow(i / (2 * Math.E * sketched), depth);
        }
        return Math.max(0, 1 - wrong);
    }

    long least() {
        return bits == SIGNED_BITS ? Long.MIN_VALUE : 0;
    }

    long greatest() {
        return bits == SIGNED_BITS ? Long.MAX_VALUE : (1L << bits) - 1;
    }

    /** The position of a number in the universe, from 0, unsigned. */
    long position(long value) {
        if (value < least() || value > greatest()) {
            throw new IllegalArgumentException("value must be in [" + least() + ", " + greatest()
                    + "] of a universe of " + bits + " bits, got " + value);
        }
        return value - least();
    }

    long value(long position) {
        return position + least();
    }

    /** The first difference from another shape, for messages; empty if there is none. */
    String difference(RangeShape other) {
        if (bits != other.bits) {
            return "a universe of " + bits + " bits against " + other.bits;
        }
        if (width != other.width) {
            return "width " + width + " against " + other.width;
        }
        if (depth != other.depth) {
            return "depth " + depth + " against " + other.depth;
        }
        return cells == other.cells ? "" : "cells of " + cells.bits() + " bits against " + other.cells.bits();
    }
}
