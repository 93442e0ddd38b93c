package dev.perhaps.membership.quotient;

import static dev.perhaps.membership.quotient.QuotientTable.CONTINUATION;
import static dev.perhaps.membership.quotient.QuotientTable.REMAINDERS;

import java.util.NoSuchElementException;
import java.util.PrimitiveIterator;

/**
 * Walks the fingerprints of a table in ascending order, a block of slots at a time. The table must not change
 * meanwhile.
 */
public final class QuotientCursor implements QuotientSource, PrimitiveIterator.OfLong {
    /*
     * Slots are walked in their order, from the first run's first slot around the circle. Every slot in use whose
     * continuation bit is 0 begins the next run, and runs come in the order of the occupied bits: so the quotients of
     * the coming runs are listed, a word of occupied bits at a time, and a slot's fingerprint is the quotient at the
     * number of runs begun so far, next to the remainder of its own.
     */
    private final QuotientTable table;
    private final byte[] remainders;
    private final long[] scratch = new long[8];

    // Where the walk is, and how many slots are left of it.
    private long slot;
    private long left;

    // Quotients of the current run and of those to come, each shifted to its place in the fingerprint.
    private final long[] quotients = new long[3 * BitRows.VALUES];
    private int listed = 1;
    private int current;
    private int occupiedBlock;
    private long occupied;

    private final long[] ready = new long[CHUNK];
    private int readyAt;
    private int readyCount;

    /** All fingerprints whose quotient is in [from, to). */
    public QuotientCursor(QuotientTable table, long from, long to) {
        this.table = table;
        this.remainders = BitRows.planes(table.remainderBits);
        if (table.used() == 0 || from >= to) {
            return;
        }
        long first = table.nextOccupied(from);
        if (first < from || first >= to) {
            return;
        }
        slot = table.runStart(first);
        long after = table.nextOccupied(to == table.slots ? 0 : to);
        left = after == first ? table.slots : table.distance(slot, table.runStart(after));
        occupiedBlock = (int) (first >>> 6);
        occupied = table.words[occupiedBlock * table.rows] & -1L << first;
    }

    public QuotientCursor(QuotientTable table) {
        this(table, 0, table.slots);
    }

    @Override
    public int fill(long[] into) {
        int filled = 0;
        while (filled == 0 && left > 0) {
            int block = (int) (slot >>> 6);
            int base = block * table.rows;
            long here = table.valid(block) & -1L << slot;
            if (left < Long.bitCount(here)) {
                here &= ~(-1L << slot + left);
            }
            left -= Long.bitCount(here);
            slot = table.wrap(slot + Long.bitCount(here));

            long inUse = table.inUse(block) & here;
            long starts = inUse & ~table.words[base + CONTINUATION];
            BitRows.read(table.words, base + REMAINDERS, table.remainderBits, remainders, scratch);
            list(Long.bitCount(starts));
            filled = join(inUse, starts, remainders, quotients, current, into);
            current += Long.bitCount(starts);
        }
        return filled;
    }

    private static int join(long inUse, long starts, byte[] remainders, long[] quotients, int current, long[] into) {
        int filled = 0;
        while (inUse != 0) {
            int begun = Long.bitCount(starts & (inUse ^ inUse - 1));
            into[filled++] = quotients[current + begun] | BitRows.get(remainders, Long.numberOfTrailingZeros(inUse));
            inUse &= inUse - 1;
        }
        return filled;
    }

    /** Makes sure that {@code more} quotients after the current one are listed. */
    private void list(int more) {
        if (current + more < listed) {
            return;
        }
        System.arraycopy(quotients, current, quotients, 0, listed - current);
        listed -= current;
        current = 0;
        while (more >= listed) {
            long high = (long) occupiedBlock << 6;
            for (long bits = occupied; bits != 0; bits &= bits - 1) {
                quotients[listed++] = high + Long.numberOfTrailingZeros(bits) << table.remainderBits;
            }
            occupiedBlock++;
            occupied = occupiedBlock < table.blocks() ? table.words[occupiedBlock * table.rows] : 0;
        }
    }

    @Override
    public boolean hasNext() {
        if (readyAt == readyCount) {
            readyCount = fill(ready);
            readyAt = 0;
        }
        return readyCount > 0;
    }

    @Override
    public long nextLong() {
        if (!hasNext()) {
            throw new NoSuchElementException("all fingerprints were handed out");
        }
        return ready[readyAt++];
    }
}
