package dev.perhaps.chord.model;

import java.util.Arrays;

/**
 * The members that are alive, by place or drawn at random: the truth that lookups are compared with. Each takes one
 * step on average. Confined to one thread.
 */
final class LiveMembers {
    /*
     * The circle is cut into about as many cells as there are members, and each cell has a list of its live ones; the owner
     * of a key is the first in its cell at or after it, or the first of the next cell that has any. Beside it, the live
     * ones in an array without gaps, to draw one by lot.
     */
    private static final int NONE = -1;

    private final long[] places;
    private final int shift;
    private final int[] firstOfCell;
    private final int[] nextInCell;
    private final int[] all;
    private final int[] at;
    private int count;

    /** Nobody yet; members are numbered below {@code places.length}, and a cell is for about one of {@code usual}. */
    LiveMembers(long[] places, int usual) {
        int bits = Math.max(1, Integer.SIZE - Integer.numberOfLeadingZeros(usual - 1));
        this.places = places;
        this.shift = Long.SIZE - bits;
        this.firstOfCell = new int[1 << bits];
        this.nextInCell = new int[places.length];
        this.all = new int[places.length];
        this.at = new int[places.length];
        Arrays.fill(firstOfCell, NONE);
        Arrays.fill(at, NONE);
    }

    long bytes() {
        return Integer.BYTES * ((long) firstOfCell.length + nextInCell.length + all.length + at.length);
    }

    int count() {
        return count;
    }

    boolean has(int member) {
        return at[member] != NONE;
    }

    /** Returns the live member with this number, which is below {@link #count}. */
    int byLot(int number) {
        return all[number];
    }

    void add(int member) {
        int cell = cell(places[member]);
        nextInCell[member] = firstOfCell[cell];
        firstOfCell[cell] = member;
        at[member] = count;
        all[count++] = member;
    }

    void remove(int member) {
        int cell = cell(places[member]);
        if (firstOfCell[cell] == member) {
            firstOfCell[cell] = nextInCell[member];
        } else {
            int before = firstOfCell[cell];
            while (nextInCell[before] != member) {
                before = nextInCell[before];
            }
            nextInCell[before] = nextInCell[member];
        }
        int last = all[--count];
        all[at[member]] = last;
        at[last] = at[member];
        at[member] = NONE;
    }

    /** The first live member at or after a key. */
    int owner(long key) {
        int cell = cell(key);
        int found = least(cell, key);
        while (found == NONE) {
            cell = cell + 1 & firstOfCell.length - 1;
            found = least(cell, (long) cell << shift);
        }
        return found;
    }

    private int cell(long key) {
        return (int) (key >>> shift);
    }

    private int least(int cell, long from) {
        int least = NONE;
        for (int member = firstOfCell[cell]; member != NONE; member = nextInCell[member]) {
            if (Long.compareUnsigned(places[member], from) >= 0
                    && (least == NONE || Long.compareUnsigned(places[member], places[least]) < 0)) {
                least = member;
            }
        }
        return least;
    }
}
