package dev.perhaps.frequency;

import dev.perhaps.frame.FrameReader;
import dev.perhaps.frame.PayloadOutput;
import dev.perhaps.hash.Mix;
import dev.perhaps.sketch.FormatException;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/** Cells of 32 bits, without a sign, made for speed. */
final class IntRows extends CellRows {
    /*
     * The first four rows stand in a row of statements and not in a loop: their addresses are known at once, and the
     * four cells are fetched together (w = 65,536, d = 4: 9 ns to add where a loop takes 13). Minimum and maximum are
     * taken of ints with the sign bit turned, for those are instructions, where of longs they are branches: 10 ns to
     * ask, 30 with branches.
     */
    private static final long LIMIT = 0xFFFF_FFFFL;
    private static final int SIGN = Integer.MIN_VALUE;
    private static final int UNROLLED = 4;

    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(int[].class);

    private final int[] ints;

    private IntRows(int width, int depth, int[] ints) {
        super(width, depth, CountMin.Cells.BITS_32);
        this.ints = ints;
    }

    static IntRows empty(int width, int depth) {
        return new IntRows(width, depth, new int[width * depth]);
    }

    @Override
    long cell(int at) {
        return ints[at] & LIMIT;
    }

    @Override
    void increase(int at, long count) {
        increase(ints, at, count);
    }

    private static void increase(int[] ints, int at, long count) {
        long sum = (ints[at] & LIMIT) + count;
        ints[at] = sum > LIMIT || sum < 0 ? (int) LIMIT : (int) sum;
    }

    @Override
    void increaseAtomically(int at, long count) {
        int now;
        int more;
        do {
            now = (int) CELL.getOpaque(ints, at);
            long sum = (now & LIMIT) + count;
            more = sum > LIMIT || sum < 0 ? (int) LIMIT : (int) sum;
        } while (more != now && !CELL.weakCompareAndSet(ints, at, now, more));
    }

    @Override
    void decrease(int at, long count) {
        assert cell(at) >= count;
        ints[at] -= (int) count;
    }

    @Override
    long min(long x) {
        return min(ints, width, depth, x);
    }

    /*
     * One hash after the other: no branch depends on a cell, so a core waits for the cells of many hashes at once as it
     * is. Passes over parts of the batch (the first four rows, then the others; or two rows at a time) read and write
     * the estimates once more, and took 1.2 to 1.5 times as long with 5 to 7 rows.
     */
    @Override
    void minAll(long mix, long[] hashes, int from, int to, long[] least) {
        minAll(ints, width, depth, mix, hashes, from, to, least);
    }

    private static void minAll(
            int[] ints, int width, int depth, long mix, long[] hashes, int from, int to, long[] least) {
        for (int i = from; i < to; i++) {
            least[i - from] = min(ints, width, depth, Mix.with(mix, hashes[i]));
        }
    }

    private static long min(int[] ints, int width, int depth, long x) {
        int min = Integer.MAX_VALUE;
        int row = 0;
        int left = depth;
        if (depth >= UNROLLED) {
            long y = next(x);
            int first = Math.min(ints[high(x, width)] ^ SIGN, ints[width + low(x, width)] ^ SIGN);
            int second = Math.min(ints[2 * width + high(y, width)] ^ SIGN, ints[3 * width + low(y, width)] ^ SIGN);
            min = Math.min(first, second);
            x = next(y);
            row = UNROLLED * width;
            left -= UNROLLED;
        }
        for (; left >= 2; left -= 2) {
            int pair = Math.min(ints[row + high(x, width)] ^ SIGN, ints[row + width + low(x, width)] ^ SIGN);
            min = Math.min(min, pair);
            x = next(x);
            row += 2 * width;
        }
        if (left == 1) {
            min = Math.min(min, ints[row + high(x, width)] ^ SIGN);
        }
        return (min ^ SIGN) & LIMIT;
    }

    @Override
    void add(long x, long count) {
        add(ints, width, depth, x, count);
    }

    private static void add(int[] ints, int width, int depth, long x, long count) {
        int row = 0;
        int left = depth;
        if (depth >= UNROLLED) {
            long y = next(x);
            increase(ints, high(x, width), count);
            increase(ints, width + low(x, width), count);
            increase(ints, 2 * width + high(y, width), count);
            increase(ints, 3 * width + low(y, width), count);
            x = next(y);
            row = UNROLLED * width;
            left -= UNROLLED;
        }
        for (; left >= 2; left -= 2) {
            increase(ints, row + high(x, width), count);
            increase(ints, row + width + low(x, width), count);
            x = next(x);
            row += 2 * width;
        }
        if (left == 1) {
            increase(ints, row + high(x, width), count);
        }
    }

    @Override
    void raise(long x, long least) {
        raise(ints, width, depth, x, (int) Math.min(LIMIT, least) ^ SIGN);
    }

    private static void raise(int[] ints, int width, int depth, long x, int least) {
        int row = 0;
        int left = depth;
        if (depth >= UNROLLED) {
            long y = next(x);
            raise(ints, high(x, width), least);
            raise(ints, width + low(x, width), least);
            raise(ints, 2 * width + high(y, width), least);
            raise(ints, 3 * width + low(y, width), least);
            x = next(y);
            row = UNROLLED * width;
            left -= UNROLLED;
        }
        for (; left >= 2; left -= 2) {
            raise(ints, row + high(x, width), least);
            raise(ints, row + width + low(x, width), least);
            x = next(x);
            row += 2 * width;
        }
        if (left == 1) {
            raise(ints, row + high(x, width), least);
        }
    }

    /** Writes even if nothing changes: a branch would be mispredicted half of the time. */
    private static void raise(int[] ints, int at, int least) {
        ints[at] = Math.max(ints[at] ^ SIGN, least) ^ SIGN;
    }

    @Override
    void clear() {
        Arrays.fill(ints, 0);
        VarHandle.fullFence();
    }

    @Override
    IntRows copy() {
        return new IntRows(width, depth, ints.clone());
    }

    @Override
    void write(PayloadOutput out) throws IOException {
        out.ints(ints);
        if ((ints.length & 1) != 0) {
            out.bytes(new byte[Integer.BYTES]);
        }
    }

    static IntRows read(FrameReader in, int width, int depth) throws IOException {
        int[] ints = in.ints((long) width * depth);
        if ((ints.length & 1) != 0 && in.ints(1)[0] != 0) {
            throw new FormatException("it has bits behind its last cell: it is damaged");
        }
        return new IntRows(width, depth, ints);
    }
}
