package dev.perhaps.membership.quotient;

import static dev.perhaps.membership.quotient.QuotientTable.CONTINUATION;
import static dev.perhaps.membership.quotient.QuotientTable.OCCUPIED;
import static dev.perhaps.membership.quotient.QuotientTable.REMAINDERS;
import static dev.perhaps.membership.quotient.QuotientTable.SHIFTED;

/**
 * Checks that the bits of a table are consistent, in one pass over the slots. A table from a file is used only after
 * this, because its search loops end only if the bits are consistent.
 */
public final class QuotientCheck {
    /*
     * The walk begins behind an empty slot, where no cluster can lie across, and goes once around the circle. Runs are
     * given to occupied quotients in order; from there on every bit has exactly one right value.
     */
    private final QuotientTable table;
    private final boolean everyCopy;
    private final byte[] remainders;
    private final long[] scratch = new long[8];

    // Occupied quotients passed whose runs have not come yet, and the quotient and remainder of the slot before.
    private long pending;
    private long quotient;
    private long remainder;
    private boolean inRun;

    private long used;
    private long distinct;

    private QuotientCheck(QuotientTable table, boolean everyCopy) {
        this.table = table;
        this.everyCopy = everyCopy;
        this.remainders = BitRows.planes(table.remainderBits);
    }

    /** What is wrong first, or an empty string. */
    public static String flaw(QuotientTable table, boolean everyCopy) {
        return new QuotientCheck(table, everyCopy).flaw();
    }

    private String flaw() {
        if (table.used() > table.limit) {
            return table.used() + " of " + table.slots + " slots in use";
        }
        int last = table.blocks() - 1;
        long inUse = 0;
        for (int block = 0; block <= last; block++) {
            inUse += Long.bitCount(table.inUse(block));
        }
        for (int row = 0; row < table.rows; row++) {
            if ((table.words[last * table.rows + row] & ~table.valid(last)) != 0) {
                return "bits behind its last slot";
            }
        }
        if (inUse != table.used()) {
            return inUse + " slots in use where its header says " + table.used();
        }
        String wrong = walk(table.nextEmpty(0));
        if (!wrong.isEmpty()) {
            return wrong;
        }
        return distinct == table.distinct() && used == inUse
                ? ""
                : distinct + " different fingerprints where its header says " + table.distinct();
    }

    private String walk(long empty) {
        quotient = empty;
        long slot = empty;
        for (long left = table.slots; left > 0; left--) {
            if ((slot & 63) == 0 || left == table.slots) {
                int base = (int) (slot >>> 6) * table.rows;
                BitRows.read(table.words, base + REMAINDERS, table.remainderBits, remainders, scratch);
            }
            String wrong = step(slot, BitRows.get(remainders, (int) slot & 63));
            if (!wrong.isEmpty()) {
                return wrong + " at slot " + slot;
            }
            slot = table.wrap(slot + 1);
        }
        return pending == 0 ? "" : "an occupied quotient without a run at slot " + empty;
    }

    private String step(long slot, long value) {
        boolean occupied = table.get(OCCUPIED, slot);
        boolean continuation = table.get(CONTINUATION, slot);
        boolean shifted = table.get(SHIFTED, slot);
        if (!occupied && !continuation && !shifted) {
            inRun = false;
            if (pending != 0) {
                return "an occupied quotient without a run";
            }
            return value == 0 ? "" : "a remainder in an empty slot";
        }
        pending += occupied ? 1 : 0;
        boolean repeated = continuation && value == remainder;
        if (continuation) {
            if (!inRun) {
                return "a continuation of no run";
            }
            if (value < remainder || repeated && !everyCopy) {
                return "a run out of order";
            }
        } else {
            if (pending == 0) {
                return "a run without a quotient";
            }
            pending--;
            quotient = table.nextOccupied(table.wrap(quotient + 1));
        }
        if (shifted != (continuation || slot != quotient)) {
            return "a wrong shifted bit";
        }
        if ((quotient << table.remainderBits | value) >= table.range) {
            return "a fingerprint out of range";
        }
        inRun = true;
        remainder = value;
        used++;
        distinct += repeated ? 0 : 1;
        return "";
    }
}
