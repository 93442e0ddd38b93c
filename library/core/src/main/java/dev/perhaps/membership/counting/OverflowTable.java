package dev.perhaps.membership.counting;

import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.frame.PayloadOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * How far the few counters that left their 2 bits are above 3: a table from position to excess in 32 bits per entry, of
 * fixed size. When it is full, it says so.
 */
public final class OverflowTable {
    /*
     * Open addressing with linear probing. The home of a position is position / reach, in the order of the positions:
     * those that overflow are random, so no hash is needed, and what a slot must say is little:
     *
     *     slot   | position mod reach: 8 bits | steps from home: 10 bits | excess: 14 bits |       excess 0 = empty
     *
     *     slots  | 3 ........ | 7 ........ | 7 +1 .... |          |       7 +1: its home is the slot before
     *
     * An entry is found from its home on, up to the first empty slot. Taking one out moves later ones of the same
     * cluster into the hole, so that nothing is ever found past an empty slot (Knuth, The Art of Computer Programming
     * 3, 6.4, algorithm R); their home is known from the slot itself.
     *
     * Full is: 15 of 16 slots taken, or an entry more than 1,023 steps from home, or an excess above 16,383. At the
     * planned load of 3/4 runs of a thousand do not happen; what matters is that each of them is noticed.
     */
    static final int MAX_REACH = 256;
    static final int MAX_SLOTS = Integer.MAX_VALUE - 8;
    public static final int MAX_EXCESS = (1 << 14) - 1;

    private static final int EXCESS_BITS = 14;
    private static final int STEP_BITS = 10;
    private static final int MAX_STEPS = (1 << STEP_BITS) - 1;
    private static final int LEAST_SLOTS = 16;
    private static final double PLANNED_LOAD = 0.75;

    private final int reach;
    private final int slots;
    private final long[] pairs;
    private int entries;

    private OverflowTable(int reach, int slots, long[] pairs, int entries) {
        this.reach = reach;
        this.slots = slots;
        this.pairs = pairs;
        this.entries = entries;
    }

    public static OverflowTable empty(Shape shape) {
        return new OverflowTable(shape.reach, shape.slots, new long[pairsFor(shape.slots)], 0);
    }

    public static OverflowTable read(FrameReader in, Shape shape) throws IOException {
        OverflowTable table = new OverflowTable(shape.reach, shape.slots, in.longs(pairsFor(shape.slots)), 0);
        for (int i = 0; i < table.slots; i++) {
            table.entries += (table.slot(i) & MAX_EXCESS) != 0 ? 1 : 0;
        }
        return table;
    }

    /** How many slots there are, and for how many neighbouring counters each is the home. */
    public record Shape(int reach, int slots) {
        /** For this number of expected entries, plus six standard deviations, among this number of counters. */
        public static Shape forEntries(double expected, long counters) {
            double entries = expected + 6 * Math.sqrt(expected) + 8;
            double needed = Math.ceil(Math.max(LEAST_SLOTS, entries / PLANNED_LOAD));
            int reach = (int) Math.max(1, Math.min(MAX_REACH, Math.floor(counters / needed)));
            double slots = Math.max(needed, Math.ceil((double) counters / reach));
            if (slots > MAX_SLOTS) {
                throw new IllegalArgumentException("an overflow table has at most " + MAX_SLOTS + " slots, and "
                        + counters + " counters need " + slots + ": plan fewer items or a lower error");
            }
            return new Shape(reach, (int) slots);
        }

        public static Shape read(Frame frame, int at, long counters) throws IOException {
            long reach = frame.parameter(at);
            long slots = frame.parameter(at + 1);
            frame.require(reach > 0 && reach <= MAX_REACH, "a reach of", reach);
            long homes = (counters + reach - 1) / reach;
            frame.require(slots >= Math.max(LEAST_SLOTS, homes) && slots <= MAX_SLOTS, "overflow slots", slots);
            return new Shape((int) reach, (int) slots);
        }

        long bytes() {
            return pairsFor(slots) * (long) Long.BYTES;
        }
    }

    private static int pairsFor(int slots) {
        return (slots >>> 1) + (slots & 1);
    }

    Shape shape() {
        return new Shape(reach, slots);
    }

    public int entries() {
        return entries;
    }

    /** How many entries it takes. */
    public int room() {
        return slots - slots / 16;
    }

    /** How far the counter is above 3; 0 if it has no entry. */
    public int get(long position) {
        int at = find(position);
        return at < 0 ? 0 : slot(at) & MAX_EXCESS;
    }

    /**
     * Sets a counter's first entry, or counts its entry up; the excess before, or −1, with nothing changed, if full.
     */
    public int increment(long position) {
        int at = find(position);
        if (at < 0) {
            return insert(position, 1) ? 0 : -1;
        }
        int slot = slot(at);
        if ((slot & MAX_EXCESS) == MAX_EXCESS) {
            return -1;
        }
        put(at, slot + 1);
        return slot & MAX_EXCESS;
    }

    /** Counts an entry down, and takes it out at 0; false if there is none. */
    public boolean decrement(long position) {
        int at = find(position);
        if (at < 0) {
            return false;
        }
        int slot = slot(at);
        if ((slot & MAX_EXCESS) > 1) {
            put(at, slot - 1);
        } else {
            takeOut(at);
        }
        return true;
    }

    /** Enters a position that has no entry; false, with nothing changed, if there is no room. */
    boolean insert(long position, long excess) {
        if (entries == room() || excess > MAX_EXCESS) {
            return false;
        }
        int at = (int) (position / reach);
        int offset = (int) (position % reach);
        for (int steps = 0; steps <= MAX_STEPS; steps++) {
            if ((slot(at) & MAX_EXCESS) == 0) {
                put(at, tag(offset, steps) << EXCESS_BITS | (int) excess);
                entries++;
                return true;
            }
            at = next(at);
        }
        return false;
    }

    private int find(long position) {
        int at = (int) (position / reach);
        int offset = (int) (position % reach);
        for (int steps = 0; steps <= MAX_STEPS; steps++) {
            int slot = slot(at);
            if ((slot & MAX_EXCESS) == 0) {
                return -1;
            }
            if (slot >>> EXCESS_BITS == tag(offset, steps)) {
                return at;
            }
            at = next(at);
        }
        return -1;
    }

    private void takeOut(int at) {
        int hole = at;
        int fromHole = 0;
        for (int i = next(at); (slot(i) & MAX_EXCESS) != 0; i = next(i)) {
            fromHole++;
            int slot = slot(i);
            if (steps(slot) >= fromHole) {
                put(hole, slot - (fromHole << EXCESS_BITS));
                hole = i;
                fromHole = 0;
            }
        }
        put(hole, 0);
        entries--;
    }

    private static int tag(int offset, int steps) {
        return offset << STEP_BITS | steps;
    }

    private static int steps(int slot) {
        return slot >>> EXCESS_BITS & MAX_STEPS;
    }

    private int next(int at) {
        return at + 1 == slots ? 0 : at + 1;
    }

    private int slot(int at) {
        return (int) (pairs[at >>> 1] >>> ((at & 1) << 5));
    }

    private void put(int at, int slot) {
        int shift = (at & 1) << 5;
        pairs[at >>> 1] = pairs[at >>> 1] & ~(0xFFFFFFFFL << shift) | (slot & 0xFFFFFFFFL) << shift;
    }

    public long sum() {
        long sum = 0;
        for (int i = 0; i < slots; i++) {
            sum += slot(i) & MAX_EXCESS;
        }
        return sum;
    }

    void clear() {
        Arrays.fill(pairs, 0);
        entries = 0;
    }

    OverflowTable copy() {
        return new OverflowTable(reach, slots, pairs.clone(), entries);
    }

    long sizeBytes() {
        return pairs.length * (long) Long.BYTES;
    }

    void write(PayloadOutput payload) throws IOException {
        payload.longs(pairs);
    }

    /** Every entry is found where it stands, and belongs to a counter that says 3. */
    void check(Frame frame, CompactCounters counters) throws IOException {
        frame.require(entries <= room(), "overflow entries", entries);
        frame.require((slots & 1) == 0 || pairs[pairs.length - 1] >>> 32 == 0, "an overflow slot", slots);
        for (int i = 0; i < slots; i++) {
            int slot = slot(i);
            if ((slot & MAX_EXCESS) == 0) {
                frame.require(slot == 0, "a used empty overflow slot", i);
                continue;
            }
            int home = Math.floorMod(i - steps(slot), slots);
            int offset = slot >>> (EXCESS_BITS + STEP_BITS);
            long position = (long) home * reach + offset;
            boolean stands = offset < reach && position < counters.size && find(position) == i;
            frame.require(stands && counters.low(position) == 3, "an overflow entry that is not found, slot", i);
        }
    }
}
