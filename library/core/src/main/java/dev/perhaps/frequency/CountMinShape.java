package dev.perhaps.frequency;

import dev.perhaps.frequency.CountMin.Sizing;
import dev.perhaps.frequency.CountMin.Update;
import dev.perhaps.io.Figures;
import java.util.Objects;

/** The settings of a Count-Min plan, each checked when it is set; 0 means "not set". */
record CountMinShape(
        double error,
        long memoryBytes,
        int exactWidth,
        double confidence,
        int exactDepth,
        CountMin.Cells cells,
        Update update,
        boolean isConcurrent) {
    private static final double DEFAULT_CONFIDENCE = 0.99;

    static CountMinShape within(double error) {
        if (!(error > 0 && error < 1)) {
            throw new IllegalArgumentException("within must be in (0, 1), got " + error);
        }
        return of(error, 0, 0);
    }

    static CountMinShape inMemory(long bytes) {
        if (bytes < Long.BYTES) {
            throw new IllegalArgumentException("memoryBytes must be at least " + Long.BYTES + " bytes, got " + bytes);
        }
        return of(0, bytes, 0);
    }

    static CountMinShape ofWidth(int width) {
        if (width < 1 || width > CellRows.MAX_WIDTH) {
            throw new IllegalArgumentException("width must be in [1, " + CellRows.MAX_WIDTH + "], got " + width);
        }
        return of(0, 0, width);
    }

    private static CountMinShape of(double error, long bytes, int width) {
        return new CountMinShape(
                error, bytes, width, DEFAULT_CONFIDENCE, 0, CountMin.Cells.BITS_32, Update.PLAIN, false);
    }

    /** This shape with the error, memory or width of another. */
    CountMinShape sized(CountMinShape size) {
        return new CountMinShape(
                size.error, size.memoryBytes, size.exactWidth, confidence, exactDepth, cells, update, isConcurrent);
    }

    CountMinShape confidence(double chance) {
        checkConfidence(chance);
        return new CountMinShape(error, memoryBytes, exactWidth, chance, 0, cells, update, isConcurrent);
    }

    static void checkConfidence(double chance) {
        if (!(chance > 0 && chance < 1)) {
            throw new IllegalArgumentException("confidence must be in (0, 1), got " + chance);
        }
    }

    CountMinShape depth(int rows) {
        if (rows < 1 || rows > CellRows.MAX_DEPTH) {
            throw new IllegalArgumentException("depth must be in [1, " + CellRows.MAX_DEPTH + "], got " + rows);
        }
        return new CountMinShape(error, memoryBytes, exactWidth, confidence, rows, cells, update, isConcurrent);
    }

    CountMinShape cells(CountMin.Cells wide) {
        Objects.requireNonNull(wide, "cells must not be null");
        return new CountMinShape(error, memoryBytes, exactWidth, confidence, exactDepth, wide, update, isConcurrent);
    }

    CountMinShape conservative() {
        return updated(Update.CONSERVATIVE, isConcurrent);
    }

    CountMinShape turnstile() {
        return updated(Update.TURNSTILE, isConcurrent);
    }

    CountMinShape concurrent() {
        return updated(update, true);
    }

    private CountMinShape updated(Update way, boolean byManyThreads) {
        if (update != Update.PLAIN && way != update || way != Update.PLAIN && byManyThreads) {
            throw new IllegalArgumentException("a sketch is conservative, turnstile or concurrent, one of them: got "
                    + (byManyThreads ? "concurrent" : update.word()) + " and " + way.word());
        }
        return new CountMinShape(error, memoryBytes, exactWidth, confidence, exactDepth, cells, way, byManyThreads);
    }

    /** ⌈ln 1/δ⌉ rows, δ being what confidence leaves. */
    static int depthFor(double confidence) {
        return (int) Math.ceil(-Math.log1p(-confidence));
    }

    /** ⌈e/ε⌉ counters per row. */
    static double widthFor(double error) {
        return Math.ceil(Math.E / error);
    }

    private int rowCount() {
        return exactDepth > 0 ? exactDepth : Math.max(1, depthFor(confidence));
    }

    /** The size it will have, or why it cannot be. */
    Sizing sizing() {
        int depth = rowCount();
        double width = exactWidth > 0 ? exactWidth : error > 0 ? widthFor(error) : widthInMemory(depth);
        if (!CellRows.possible((long) width, depth)) {
            throw new IllegalArgumentException("a sketch has at most " + Figures.count(CellRows.MAX_WIDTH)
                    + " counters in a row and " + Figures.count(CellRows.MAX_CELLS) + " in all, got " + depth
                    + " rows of " + Figures.count((long) width) + ": allow more error or less confidence");
        }
        return Sizing.of((int) width, depth, cells);
    }

    private long widthInMemory(int depth) {
        long width = memoryBytes / Long.BYTES * (Long.SIZE / cells.bits()) / depth;
        if (width < 1) {
            throw new IllegalArgumentException(
                    "memoryBytes must hold a counter in each of " + depth + " rows, got " + memoryBytes + " bytes");
        }
        return Math.min(width, Math.min(CellRows.MAX_WIDTH, CellRows.MAX_CELLS / depth));
    }

    CellRows rows() {
        Sizing sizing = sizing();
        return CellRows.empty(sizing.width(), sizing.depth(), sizing.cells());
    }
}
