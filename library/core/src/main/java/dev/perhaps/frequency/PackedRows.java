package dev.perhaps.frequency;

import dev.perhaps.frame.FrameReader;
import dev.perhaps.frame.PayloadOutput;
import dev.perhaps.sketch.FormatException;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/** Cells of 8, 16 or 64 bits: lanes of words, one code for all widths. */
final class PackedRows extends CellRows {
    /*
     *     words    |c3 c2 c1 c0|c7 c6 c5 c4| …         16 bits: cell i is lane i mod 4 of word i / 4
     *
     * Shifts by a number that is not constant cost: adding takes about twice as long as in IntRows.
     */
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final int log2Bits;
    private final long mask;
    private final long limit;
    private final long[] words;

    private PackedRows(int width, int depth, CountMin.Cells cells, long[] words) {
        super(width, depth, cells);
        this.log2Bits = cells.log2Bits();
        this.mask = -1L >>> Long.SIZE - cells.bits();
        this.limit = cells.limit();
        this.words = words;
    }

    static PackedRows empty(int width, int depth, CountMin.Cells cells) {
        return new PackedRows(width, depth, cells, new long[(int) wordsFor(width, depth, cells)]);
    }

    @Override
    long cell(int at) {
        return words[at >>> 6 - log2Bits] >>> (at << log2Bits) & mask;
    }

    @Override
    void increase(int at, long count) {
        int index = at >>> 6 - log2Bits;
        int shift = at << log2Bits;
        long word = words[index];
        long room = limit - (word >>> shift & mask);
        words[index] = word + (Math.min(count, room) << shift);
    }

    @Override
    void increaseAtomically(int at, long count) {
        int index = at >>> 6 - log2Bits;
        int shift = at << log2Bits;
        long word;
        long more;
        do {
            word = (long) WORD.getOpaque(words, index);
            more = Math.min(count, limit - (word >>> shift & mask));
        } while (more != 0 && !WORD.weakCompareAndSet(words, index, word, word + (more << shift)));
    }

    @Override
    void decrease(int at, long count) {
        assert cell(at) >= count;
        words[at >>> 6 - log2Bits] -= count << (at << log2Bits);
    }

    @Override
    void clear() {
        Arrays.fill(words, 0);
        VarHandle.fullFence();
    }

    @Override
    PackedRows copy() {
        return new PackedRows(width, depth, cells, words.clone());
    }

    @Override
    void write(PayloadOutput out) throws IOException {
        out.longs(words);
    }

    static PackedRows read(FrameReader in, int width, int depth, CountMin.Cells cells) throws IOException {
        PackedRows rows = new PackedRows(width, depth, cells, in.longs(wordsFor(width, depth, cells)));
        int used = width * depth << cells.log2Bits() & 63;
        if (used != 0 && rows.words[rows.words.length - 1] >>> used != 0) {
            throw new FormatException("it has bits behind its last cell: it is damaged");
        }
        return rows;
    }
}
