package dev.perhaps.membership.quotient;

import static dev.perhaps.membership.quotient.QuotientTable.BLOCK_SLOTS;
import static dev.perhaps.membership.quotient.QuotientTable.CONTINUATION;
import static dev.perhaps.membership.quotient.QuotientTable.OCCUPIED;
import static dev.perhaps.membership.quotient.QuotientTable.REMAINDERS;
import static dev.perhaps.membership.quotient.QuotientTable.SHIFTED;

import dev.perhaps.sketch.Added;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Fills an empty table with the fingerprints of other tables in one pass, in order: growing, shrinking, merging. */
public final class QuotientWeaver {
    /*
     * In ascending order, a fingerprint's slot is its quotient or the slot after the one before, whichever is later. No
     * searching, no moving on; each block is written once, when the next one begins.
     *
     *     tables ── cursors ──┐
     *                         ├─ two ascending streams ── weave ── rows of 64 remainders ── words of the block
     *     tables ── cursors ──┘
     *
     * Parts. The quotients are cut into as many stretches as there are processors, at the edges of blocks, and each is
     * woven on its own. What does not fit before the end of its stretch (the cluster that lies over the edge; at the
     * end of the table, what belongs around the circle) is left over, and added one by one at last. Since equal
     * multisets make equal words, neither the number of parts nor their order can be seen in the result.
     *
     * The innermost loop takes the smaller of two heads without a branch, and ends whenever a chunk or a block does:
     * the rare work is done outside, so that everything it needs stays in registers. Woven on one processor, a
     * fingerprint takes a third of the time of adding its key if the table fits in the cache, and a sixth if it does
     * not.
     *
     * Bender et al., "Don't thrash: how to cache your hash on flash" (2012), section 3.
     */
    private static final int SMALLEST_PART_SLOTS = 1 << 15;
    private static final int MAX_PARTS = 64;

    private final QuotientTable table;
    private final int remainderBits;
    private final long endSlot;

    // The block that is being filled: for each slot a value of r + 2 bits, continuation and shifted above the
    // remainder.
    private final byte[] remainders;
    private final long[] scratch = new long[8];
    private int block;
    private long continuation;
    private long shifted;
    private long blockEnd;

    // The word of occupied bits that is being filled. It may lie before the block, never after it.
    private long occupied;
    private long occupiedEnd;

    private long nextSlot;
    private long woven;
    private long repeated;
    private long[] leftOver = new long[BLOCK_SLOTS];
    private int leftOverCount;

    private QuotientWeaver(QuotientTable table, long from, long to) {
        this.table = table;
        this.remainderBits = table.remainderBits;
        this.remainders = BitRows.planes(remainderBits);
        this.endSlot = to;
        this.block = (int) (from >>> 6);
        this.blockEnd = Math.min(to, from + BLOCK_SLOTS);
        this.occupiedEnd = blockEnd;
        this.nextSlot = from;
    }

    /** Fills the empty {@code into} from tables of the same range; it must have room for all. */
    public static void weave(QuotientTable into, List<QuotientTable> from, boolean once) {
        int processors = Math.min(MAX_PARTS, Runtime.getRuntime().availableProcessors());
        weave(into, from, once, (int) Math.min(processors, into.slots / SMALLEST_PART_SLOTS));
    }

    /** The same in at most this number of parts, and no more than there are places to cut at. */
    public static void weave(QuotientTable into, List<QuotientTable> from, boolean once, int atMostParts) {
        assert into.used() == 0;
        int widest = into.remainderBits;
        for (QuotientTable table : from) {
            assert table.range == into.range;
            widest = Math.max(widest, table.remainderBits);
        }
        // A part begins with a block of the target and with a whole run of every source.
        long unit = (long) BLOCK_SLOTS << widest - into.remainderBits;
        long units = (into.slots + unit - 1) / unit;
        int parts = (int) Math.max(1, Math.min(units, atMostParts));
        QuotientWeaver[] weavers = new QuotientWeaver[parts];
        IntStream.range(0, parts).parallel().forEach(part -> {
            long begin = units * part / parts * unit;
            long end = Math.min(into.slots, units * (part + 1) / parts * unit);
            weavers[part] = new QuotientWeaver(into, begin, end);
            weavers[part].weave(from, once);
        });
        for (QuotientWeaver weaver : weavers) {
            into.count(weaver.woven, weaver.woven - weaver.repeated);
        }
        for (QuotientWeaver weaver : weavers) {
            for (int i = 0; i < weaver.leftOverCount; i++) {
                Added added = into.add(weaver.leftOver[i], true);
                assert added != Added.FULL;
            }
        }
        assert into.used() <= into.limit;
    }

    /** How many different fingerprints these hold together. */
    public static long countOnce(List<QuotientTable> tables) {
        QuotientSource[] cursors = tables.stream().map(QuotientCursor::new).toArray(QuotientSource[]::new);
        QuotientSource all = tree(cursors, 0, cursors.length, true);
        long[] chunk = new long[QuotientSource.CHUNK];
        long count = 0;
        for (int filled = all.fill(chunk); filled > 0; filled = all.fill(chunk)) {
            count += filled;
        }
        return count;
    }

    private void weave(List<QuotientTable> from, boolean once) {
        QuotientSource[] cursors = new QuotientSource[from.size()];
        for (int i = 0; i < cursors.length; i++) {
            QuotientTable source = from.get(i);
            cursors[i] = new QuotientCursor(source, quotientIn(source, nextSlot), quotientIn(source, endSlot));
        }
        if (once) {
            weave(tree(cursors, 0, cursors.length, true), QuotientSource.NONE);
        } else {
            int half = cursors.length / 2;
            weave(tree(cursors, 0, half, false), tree(cursors, half, cursors.length, false));
        }
    }

    /** The quotient in another table at which this table's quotient begins. */
    private long quotientIn(QuotientTable other, long quotient) {
        return quotient == table.slots ? other.slots : (quotient << remainderBits) >>> other.remainderBits;
    }

    private static QuotientSource tree(QuotientSource[] sources, int from, int to, boolean once) {
        if (to - from < 2) {
            return to == from ? QuotientSource.NONE : sources[from];
        }
        int middle = from + to >>> 1;
        return QuotientSource.both(tree(sources, from, middle, once), tree(sources, middle, to, once), once);
    }

    private void weave(QuotientSource left, QuotientSource right) {
        QuotientSource.Reading a = new QuotientSource.Reading(left);
        QuotientSource.Reading b = new QuotientSource.Reading(right);
        while (QuotientSource.Reading.more(a, b)) {
            weaveChunk(a, b);
            if (a.at < a.count && b.at < b.count) {
                moveOn(a, b);
            }
        }
        closeOccupied();
        closeBlock();
    }

    /** Weaves until one of the two chunks, the block or the word of occupied bits ends. */
    private void weaveChunk(QuotientSource.Reading a, QuotientSource.Reading b) {
        final byte[] into = remainders;
        final long[] x = a.chunk;
        final long[] y = b.chunk;
        final int r = remainderBits;
        final long mask = (1L << r) - 1;
        final long slotEnd = blockEnd;
        // The last fingerprint for which both chunks and the word are good.
        final long last = Math.min((occupiedEnd << r) - 1, Math.min(x[a.count - 1], y[b.count - 1]));
        int i = a.at;
        int j = b.at;
        long slot = nextSlot;
        long bits = occupied;
        long continuations = continuation;
        long shifteds = shifted;
        while (true) {
            long difference = x[i] - y[j];
            long less = difference >> 63;
            long fingerprint = y[j] + (difference & less);
            long quotient = fingerprint >>> r;
            long ahead = slot - quotient;
            ahead &= ~(ahead >> 63);
            if (fingerprint > last || quotient + ahead >= slotEnd) {
                break;
            }
            i -= (int) less;
            j += 1 + (int) less;
            long home = 1L << quotient;
            long place = 1L << quotient + ahead;
            continuations |= -(bits & home) >> 63 & place;
            shifteds |= -ahead >> 63 & place;
            bits |= home;
            slot = quotient + ahead + 1;
            BitRows.put(into, (int) (quotient + ahead) & 63, fingerprint & mask);
        }
        woven += i - a.at + j - b.at;
        a.at = i;
        b.at = j;
        nextSlot = slot;
        occupied = bits;
        continuation = continuations;
        shifted = shifteds;
    }

    /** Begins the word and the block that the next fingerprint needs, or puts it aside. */
    private void moveOn(QuotientSource.Reading a, QuotientSource.Reading b) {
        QuotientSource.Reading next = a.head() < b.head() ? a : b;
        long quotient = next.head() >>> remainderBits;
        long slot = Math.max(quotient, nextSlot);
        if (slot >= endSlot) {
            if (leftOverCount == leftOver.length) {
                leftOver = Arrays.copyOf(leftOver, 2 * leftOverCount);
            }
            leftOver[leftOverCount++] = next.head();
            next.at++;
            return;
        }
        if (quotient >= occupiedEnd) {
            closeOccupied();
            occupiedEnd = Math.min(endSlot, (quotient | 63) + 1);
        }
        if (slot >= blockEnd) {
            closeBlock();
            block = (int) (slot >>> 6);
            blockEnd = Math.min(endSlot, (slot | 63) + 1);
        }
    }

    private void closeOccupied() {
        table.words[(int) (occupiedEnd - 1 >>> 6) * table.rows + OCCUPIED] = occupied;
        occupied = 0;
    }

    private void closeBlock() {
        long[] words = table.words;
        int base = block * table.rows;
        words[base + CONTINUATION] = continuation;
        words[base + SHIFTED] = shifted;
        BitRows.write(words, base + REMAINDERS, remainderBits, remainders, scratch);
        // Equal to the slot before, in the same run: counted a row at a time. Slot 0 looks at the block before.
        long same = continuation;
        continuation = 0;
        shifted = 0;
        int before = Math.max(0, base - table.rows);
        for (int row = REMAINDERS; row < table.rows; row++) {
            long word = words[base + row];
            same &= ~(word ^ (word << 1 | words[before + row] >>> 63));
        }
        repeated += Long.bitCount(same);
    }
}
