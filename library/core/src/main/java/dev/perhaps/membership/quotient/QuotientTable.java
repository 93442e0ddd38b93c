package dev.perhaps.membership.quotient;

import dev.perhaps.sketch.Added;

/**
 * The slots of a quotient filter: a sorted multiset of fingerprints in r + 3 bits per slot. Knows nothing of keys and
 * hashes. Confined to a thread, or read by many.
 */
public final class QuotientTable extends QuotientSlots {
    /*
     * A fingerprint below `range` is split into a quotient, the slot it belongs to, and a remainder of r bits, which is
     * what is stored: f = quotient · 2^r + remainder. Equal quotients make a run, in ascending order; runs that push
     * each other on make a cluster, whose first slot is the only one that is not shifted. The table is circular.
     *
     *     quotient             1       1       1       1       3       3       (example A of the tests after six of seven)
     *     slot         0       1       2       3       4       5       6       7
     *     occupied     .       1       .       1       .       .       .       .      a run of this quotient exists
     *     continuation .       .       1       1       1       .       1       .      same run as the slot before
     *     shifted      .       .       1       1       1       1       1       .      not in the slot of its quotient
     *     remainder         000101  010101  110011  111000  000001  000011
     *
     * Where things are follows from the bits alone: the cluster of slot s begins at the last slot up to s that is not
     * shifted; the i-th occupied quotient of a cluster owns its i-th run; a run begins where continuation is 0. A slot
     * is empty iff its three bits are 0, and then its remainder is 0 too: the same multiset gives the same words,
     * whatever the order it came in.
     *
     * Layout. 64 slots make a block of r + 3 words, one word per row: three rows of metadata, then the remainders'
     * bits, the highest first. Bit j of each word belongs to slot j of the block.
     *
     *     block   |occupied|continuation|shifted|remainder bit r−1| … |remainder bit 0|
     *
     * So 64 slots are compared with a remainder in r steps, counted with one bitCount, and moved on with one shift a
     * row, without an unpredictable branch (docs/decisions/quotient-layout.md compares the other layouts).
     *
     * Lookups need no search for the run. Slots that may hold the fingerprint go from its own up to the first empty
     * one; of those, the ones with an equal remainder are few, mostly none. Such a one is in the right run iff as many
     * runs begin in the cluster up to it as there are occupied quotients up to ours.
     *
     * What stays within a block is done on its words; what reaches over its edge, and everything in the last block,
     * which may be cut short and where the circle closes, goes the slower way around the circle (QuotientSlots).
     */

    /** The rows after which a lookup looks whether any candidate is left. */
    private static final int FIRST_ROWS = 8;

    private long used;
    private long distinct;

    public QuotientTable(long range, int remainderBits) {
        this(range, remainderBits, new long[(int) wordsFor(range, remainderBits)], 0, 0);
    }

    public QuotientTable(long range, int remainderBits, long[] words, long used, long distinct) {
        super(range, remainderBits, words);
        this.used = used;
        this.distinct = distinct;
    }

    public QuotientTable copy() {
        return new QuotientTable(range, remainderBits, words.clone(), used, distinct);
    }

    /** Slots in use: fingerprints, equal ones counted each time. */
    public long used() {
        return used;
    }

    /** Different fingerprints. */
    public long distinct() {
        return distinct;
    }

    /** Takes over what a {@link QuotientWeaver} wrote into the words. */
    public void count(long moreUsed, long moreDistinct) {
        used += moreUsed;
        distinct += moreDistinct;
    }

    /** The index of the first word that a lookup of this fingerprint reads. */
    public int wordOf(long fingerprint) {
        return (int) (fingerprint >>> remainderBits >>> 6) * rows;
    }

    public boolean contains(long fingerprint) {
        long[] w = words;
        long quotient = fingerprint >>> remainderBits;
        int base = (int) (quotient >>> 6) * rows;
        long home = 1L << quotient;
        long occupied = w[base];
        long continuation = w[base + CONTINUATION];
        long shifted = w[base + SHIFTED];

        long ours = occupied & home;
        long ifOurs = (ours | -ours) >> 63;
        long empty = ~(occupied | continuation | shifted) & -home;
        // From home up to the first empty slot; if there is none (0 − home), up to the end of the block.
        long hits = (empty & -empty) - home & ifOurs;
        hits = equal(w, base + REMAINDERS, base + rows, fingerprint << 64 - remainderBits, hits);
        if (base == lastBlock * rows) {
            return ours != 0 && containsAnywhere(fingerprint);
        }
        if (hits == 0) {
            return (empty | ~ifOurs) == 0 && containsAnywhere(fingerprint);
        }
        long unshifted = ~shifted & (home | home - 1);
        if (unshifted == 0) {
            return containsAnywhere(fingerprint);
        }
        // Runs are counted from the slot after the cluster's first: that one begins the first run in both counts.
        long above = -2L << 63 - Long.numberOfLeadingZeros(unshifted);
        int run = Long.bitCount(occupied & above & (home | home - 1));
        long starts = ~continuation & above;
        do {
            long hit = hits & -hits;
            if (Long.bitCount(starts & (hit | hit - 1)) == run) {
                return true;
            }
            hits ^= hit;
        } while (hits != 0);
        return empty == 0 && containsAnywhere(fingerprint);
    }

    /** Of the slots in {@code hits}, those whose remainder equals the highest bits of {@code remainder}. */
    private static long equal(long[] w, int from, int to, long remainder, long hits) {
        int enough = Math.min(to, from + FIRST_ROWS);
        int row = from;
        for (; row < enough; row++) {
            hits &= ~(w[row] ^ remainder >> 63);
            remainder <<= 1;
        }
        if (row < to && hits != 0) {
            for (; row < to; row++) {
                hits &= ~(w[row] ^ remainder >> 63);
                remainder <<= 1;
            }
        }
        return hits;
    }

    /** Adds a fingerprint; one that is there already is added again only if {@code everyCopy}. */
    public Added add(long fingerprint, boolean everyCopy) {
        if (used == limit) {
            return !everyCopy && contains(fingerprint) ? Added.PRESENT : Added.FULL;
        }
        long[] w = words;
        long quotient = fingerprint >>> remainderBits;
        int base = (int) (quotient >>> 6) * rows;
        long home = 1L << quotient;
        long occupied = w[base];
        long continuation = w[base + CONTINUATION];
        long shifted = w[base + SHIFTED];
        long inUse = occupied | continuation | shifted;
        if ((inUse & home) == 0) {
            w[base] = occupied | home;
            long bits = fingerprint << 64 - remainderBits;
            for (int row = base + REMAINDERS; row < base + rows; row++) {
                w[row] |= bits >> 63 & home;
                bits <<= 1;
            }
            used++;
            distinct++;
            return Added.ADDED;
        }
        long empty = ~inUse & -home;
        long unshifted = ~shifted & (home | home - 1);
        if (empty == 0 || unshifted == 0 || base == lastBlock * rows) {
            return addAnywhere(fingerprint, everyCopy);
        }
        long cluster = -Long.highestOneBit(unshifted);
        long starts = skip(~continuation & cluster, Long.bitCount(occupied & cluster & home - 1));
        long start = starts & -starts;
        long ours = occupied & home;
        long run = (starts ^ start) & -(starts ^ start);
        run = run - start & (ours | -ours) >> 63;
        return addInBlock(base, fingerprint, start, run, empty & -empty, everyCopy);
    }

    /** Adds to the run whose slots are {@code run} (none: a new one at {@code start}), moving on what is in the way. */
    private Added addInBlock(int base, long fingerprint, long start, long run, long end, boolean everyCopy) {
        long[] w = words;
        long bits = fingerprint << 64 - remainderBits;
        long same = run;
        long below = 0;
        for (int row = base + REMAINDERS; row < base + rows; row++) {
            long bit = bits >> 63;
            long word = w[row];
            below |= same & ~word & bit;
            same &= ~(word ^ bit);
            bits <<= 1;
        }
        if (!everyCopy && same != 0) {
            return Added.PRESENT;
        }
        // The run ascends: what is not above the new one is its beginning, and the new one goes right after it.
        long before = below | same;
        long at = before + start & ~before;
        long moved = end - at;
        long gap = moved | end;
        bits = fingerprint << 64 - remainderBits;
        for (int row = base + REMAINDERS; row < base + rows; row++) {
            long word = w[row];
            w[row] = word & ~gap | (word & moved) << 1 | bits >> 63 & at;
            bits <<= 1;
        }
        long home = 1L << (fingerprint >>> remainderBits);
        long isFirst = ~((before | -before) >> 63);
        long hadRun = (run | -run) >> 63;
        long word = w[base + CONTINUATION];
        w[base + CONTINUATION] = word & ~gap | (word & moved) << 1 | at & ~isFirst | (at & hadRun & isFirst) << 1;
        w[base + SHIFTED] = w[base + SHIFTED] & ~at | moved << 1 | at & ~home;
        w[base] |= home;
        used++;
        int fresh = 1 - (int) ((same | -same) >>> 63);
        distinct += fresh;
        return fresh == 0 ? Added.PRESENT : Added.ADDED;
    }

    // From here on: anywhere in the circle, over as many blocks as it takes.

    private boolean containsAnywhere(long fingerprint) {
        long start = runStart(fingerprint >>> remainderBits);
        long length = runLength(start);
        long remainder = remainderOf(fingerprint);
        long below = below(start, length, remainder);
        return below < length && remainder(wrap(start + below)) == remainder;
    }

    public long count(long fingerprint) {
        long quotient = fingerprint >>> remainderBits;
        if (!get(OCCUPIED, quotient)) {
            return 0;
        }
        long start = runStart(quotient);
        long length = runLength(start);
        long remainder = remainderOf(fingerprint);
        return below(start, length, remainder + 1) - below(start, length, remainder);
    }

    private Added addAnywhere(long fingerprint, boolean everyCopy) {
        long quotient = fingerprint >>> remainderBits;
        long remainder = remainderOf(fingerprint);
        long start = runStart(quotient);
        boolean hadRun = get(OCCUPIED, quotient);
        long before = hadRun ? below(start, runLength(start), remainder + 1) : 0;
        boolean present = before > 0 && remainder(wrap(start + before - 1)) == remainder;
        if (present && !everyCopy) {
            return Added.PRESENT;
        }
        long at = wrap(start + before);
        openGap(at, nextEmpty(at));
        setRemainder(at, remainder);
        set(CONTINUATION, at, before > 0);
        set(SHIFTED, at, at != quotient);
        set(OCCUPIED, quotient, true);
        if (hadRun && before == 0) {
            set(CONTINUATION, wrap(at + 1), true);
        }
        used++;
        distinct += present ? 0 : 1;
        return present ? Added.PRESENT : Added.ADDED;
    }

    /** Removes one copy; false, with nothing changed, if there is none. */
    public boolean remove(long fingerprint) {
        long quotient = fingerprint >>> remainderBits;
        if (!get(OCCUPIED, quotient)) {
            return false;
        }
        long start = runStart(quotient);
        long length = runLength(start);
        long remainder = remainderOf(fingerprint);
        long below = below(start, length, remainder);
        long at = wrap(start + below);
        if (below == length || remainder(at) != remainder) {
            return false;
        }
        boolean another = below + 1 < length && remainder(wrap(at + 1)) == remainder;
        // Everything up to the next slot that is not shifted moves one back.
        long end = nextZero(SHIFTED, wrap(at + 1));
        long last = end == 0 ? slots - 1 : end - 1;
        closeGap(at, last);
        boolean runMoved = below == 0 && length > 1;
        if (length == 1) {
            set(OCCUPIED, quotient, false);
        } else if (runMoved) {
            set(CONTINUATION, at, false);
        }
        settle(at, last, quotient, runMoved);
        used--;
        distinct -= another ? 0 : 1;
        return true;
    }

    /**
     * Clears {@code shifted} where a run that moved back, into [from, to), has come home. The first such run is that of
     * {@code quotient} if {@code itself}, else of the next occupied one.
     */
    private void settle(long from, long to, long quotient, boolean itself) {
        long moved = distance(from, to);
        boolean own = itself;
        for (long start = nextZero(CONTINUATION, from);
                distance(from, start) < moved;
                start = nextZero(CONTINUATION, wrap(start + 1))) {
            quotient = own ? quotient : nextOccupied(wrap(quotient + 1));
            own = false;
            if (start == quotient) {
                set(SHIFTED, start, false);
            }
        }
    }

    private long remainderOf(long fingerprint) {
        return fingerprint & (1L << remainderBits) - 1;
    }
}
