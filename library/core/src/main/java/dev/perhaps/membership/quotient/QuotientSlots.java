package dev.perhaps.membership.quotient;

/**
 * The bits of a quotient filter's slots and the way around them: which cluster, which run, which slot. What is kept in
 * them is defined by {@link QuotientTable}.
 */
abstract class QuotientSlots {
    /*
     * Blocks of 64 slots, each of r + 3 words; bit j of a word belongs to slot j of its block. QuotientTable draws
     * them. The slots are a circle: behind the last one comes slot 0. Everything here goes a word at a time over as
     * many blocks as it takes. It ends because there is always an empty slot.
     */
    static final int OCCUPIED = 0;
    static final int CONTINUATION = 1;
    static final int SHIFTED = 2;
    static final int REMAINDERS = 3;

    static final int BLOCK_SLOTS = 64;
    public static final long MAX_RANGE = 1L << 62;
    public static final int MAX_REMAINDER_BITS = 60;
    public static final int MAX_WORDS = Integer.MAX_VALUE - 8;

    public final long range;
    public final int remainderBits;
    public final long slots;
    /** No more than this many slots are ever in use: 90 %. There is always an empty one, and so every search ends. */
    public final long limit;

    final int rows;
    public final long[] words;
    final int lastBlock;
    private final long lastMask;

    QuotientSlots(long range, int remainderBits, long[] words) {
        assert range > 0 && range <= MAX_RANGE : range;
        assert remainderBits > 0 && remainderBits <= MAX_REMAINDER_BITS : remainderBits;
        assert words.length == wordsFor(range, remainderBits) : words.length;
        this.range = range;
        this.remainderBits = remainderBits;
        this.slots = slotsFor(range, remainderBits);
        this.limit = limitFor(slots);
        this.rows = remainderBits + REMAINDERS;
        this.words = words;
        this.lastBlock = words.length / rows - 1;
        this.lastMask = -1L >>> -slots;
    }

    public static long slotsFor(long range, int remainderBits) {
        return (range - 1 >>> remainderBits) + 1;
    }

    public static long limitFor(long slots) {
        return slots - (slots + 9) / 10;
    }

    /** Words of such a table; more than {@link #MAX_WORDS} are not possible. */
    public static long wordsFor(long range, int remainderBits) {
        return (slotsFor(range, remainderBits) - 1 >>> 6) * (remainderBits + REMAINDERS) + remainderBits + REMAINDERS;
    }

    final int blocks() {
        return lastBlock + 1;
    }

    /** The first slot of this quotient's run, or the slot where it would begin. */
    final long runStart(long quotient) {
        long cluster = clusterStart(quotient);
        long runsBefore = cluster <= quotient
                ? occupiedIn(cluster, quotient)
                : occupiedIn(cluster, slots) + occupiedIn(0, quotient);
        int block = (int) (cluster >>> 6);
        long starts = ~words[block * rows + CONTINUATION] & valid(block) & -1L << cluster;
        int here = Long.bitCount(starts);
        while (runsBefore >= here) {
            runsBefore -= here;
            block = block == lastBlock ? 0 : block + 1;
            starts = ~words[block * rows + CONTINUATION] & valid(block);
            here = Long.bitCount(starts);
        }
        return slot(block, skip(starts, (int) runsBefore));
    }

    /** The first slot of the cluster that this slot is in; the slot itself if it is empty. */
    private long clusterStart(long slot) {
        int block = (int) (slot >>> 6);
        long unshifted = ~words[block * rows + SHIFTED] & ~(-2L << slot);
        while (unshifted == 0) {
            block = block == 0 ? lastBlock : block - 1;
            unshifted = ~words[block * rows + SHIFTED] & valid(block);
        }
        return slot(block, Long.highestOneBit(unshifted));
    }

    final long runLength(long start) {
        return distance(start, nextZero(CONTINUATION, wrap(start + 1)));
    }

    /** How many remainders of a run are below this one. */
    final long below(long start, long length, long remainder) {
        long low = 0;
        long high = length;
        while (low < high) {
            long middle = low + high >>> 1;
            if (remainder(wrap(start + middle)) < remainder) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Occupied quotients in [from, to). */
    private long occupiedIn(long from, long to) {
        int block = (int) (from >>> 6);
        int last = (int) (to >>> 6);
        long first = -1L << from;
        long count = 0;
        for (; block < last; block++) {
            count += Long.bitCount(words[block * rows] & first);
            first = -1;
        }
        return block > lastBlock ? count : count + Long.bitCount(words[block * rows] & first & ~(-1L << to));
    }

    /** The first occupied quotient from this one on, around the circle; there must be one. */
    final long nextOccupied(long quotient) {
        int block = (int) (quotient >>> 6);
        long found = words[block * rows] & -1L << quotient;
        while (found == 0) {
            block = block == lastBlock ? 0 : block + 1;
            found = words[block * rows];
        }
        return slot(block, found);
    }

    /** The first slot from this one on, around the circle, whose bit in this row is 0. */
    final long nextZero(int row, long slot) {
        int block = (int) (slot >>> 6);
        long found = ~words[block * rows + row] & valid(block) & -1L << slot;
        while (found == 0) {
            block = block == lastBlock ? 0 : block + 1;
            found = ~words[block * rows + row] & valid(block);
        }
        return slot(block, found);
    }

    /** The first empty slot from this one on, around the circle. */
    final long nextEmpty(long slot) {
        int block = (int) (slot >>> 6);
        long found = ~inUse(block) & valid(block) & -1L << slot;
        while (found == 0) {
            block = block == lastBlock ? 0 : block + 1;
            found = ~inUse(block) & valid(block);
        }
        return slot(block, found);
    }

    final long inUse(int block) {
        int base = block * rows;
        return words[base] | words[base + CONTINUATION] | words[base + SHIFTED];
    }

    /** The bits of a block's words that belong to slots: all, but for the last block. */
    final long valid(int block) {
        return block == lastBlock ? lastMask : -1;
    }

    private static long slot(int block, long bits) {
        return ((long) block << 6) + Long.numberOfTrailingZeros(bits);
    }

    final long wrap(long slot) {
        return slot >= slots ? slot - slots : slot;
    }

    final long distance(long from, long to) {
        return to >= from ? to - from : to - from + slots;
    }

    final boolean get(int row, long slot) {
        return (words[(int) (slot >>> 6) * rows + row] >>> slot & 1) != 0;
    }

    final void set(int row, long slot, boolean bit) {
        int at = (int) (slot >>> 6) * rows + row;
        words[at] = words[at] & ~(1L << slot) | (bit ? 1L : 0L) << slot;
    }

    final long remainder(long slot) {
        int base = (int) (slot >>> 6) * rows;
        long remainder = 0;
        for (int row = base + REMAINDERS; row < base + rows; row++) {
            remainder = remainder << 1 | words[row] >>> slot & 1;
        }
        return remainder;
    }

    final void setRemainder(long slot, long remainder) {
        for (int row = rows - 1; row >= REMAINDERS; row--) {
            set(row, slot, (remainder & 1) != 0);
            remainder >>>= 1;
        }
    }

    /**
     * Moves what is in [at, end) one slot on, into the empty slot {@code end}; the slot {@code at} is then to be
     * filled.
     */
    final void openGap(long at, long end) {
        boolean wrapped = at > end;
        int block = (int) (end >>> 6);
        int high = (int) end & 63;
        while (true) {
            boolean first = block == (int) (at >>> 6) && !wrapped;
            int low = first ? (int) at & 63 : 0;
            long gap = -1L << low & ~(-2L << high);
            int before = block == 0 ? lastBlock : block - 1;
            int top = before == lastBlock ? (int) (slots - 1) & 63 : 63;
            for (int row = CONTINUATION; row < rows; row++) {
                long word = words[block * rows + row];
                long carry = first ? 0 : words[before * rows + row] >>> top & 1;
                words[block * rows + row] = word & ~gap | word << 1 & gap & ~(1L << low) | carry << low;
            }
            words[block * rows + SHIFTED] |= gap;
            if (first) {
                return;
            }
            wrapped &= block != 0;
            block = before;
            high = top;
        }
    }

    /** Moves what is in (at, last] one slot back, over the slot {@code at}, and empties {@code last}. */
    final void closeGap(long at, long last) {
        boolean wrapped = at > last;
        int block = (int) (at >>> 6);
        int low = (int) at & 63;
        while (true) {
            boolean end = block == (int) (last >>> 6) && !wrapped;
            int high = end ? (int) last & 63 : block == lastBlock ? (int) (slots - 1) & 63 : 63;
            long gap = -1L << low & ~(-2L << high);
            int after = block == lastBlock ? 0 : block + 1;
            for (int row = CONTINUATION; row < rows; row++) {
                long word = words[block * rows + row];
                long carry = end ? 0 : words[after * rows + row] & 1;
                words[block * rows + row] = word & ~gap | word >>> 1 & gap & ~(1L << high) | carry << high;
            }
            if (end) {
                return;
            }
            wrapped &= block != lastBlock;
            block = after;
            low = 0;
        }
    }

    /** Clears the lowest {@code count} set bits: mostly few, but the number is unpredictable. */
    static long skip(long bits, int count) {
        for (int step = 0; step < 3; step++) {
            int go = -count >> 31;
            bits &= bits - 1 | ~go;
            count += go;
        }
        for (; count > 0; count--) {
            bits &= bits - 1;
        }
        return bits;
    }
}
