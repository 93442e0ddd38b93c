package dev.perhaps.chord.model;

import java.util.Arrays;

/** One timer per member, in a wheel of ticks: setting and taking one are O(1). Confined to one thread. */
final class TimerWheel {
    private static final int NONE = -1;

    private final int[] firstOfTick;
    private final int[] next;

    /** Timers of at most {@code ticks} − 1 from now. */
    TimerWheel(int ticks, int members) {
        this.firstOfTick = new int[Integer.highestOneBit(2 * ticks - 1)];
        this.next = new int[members];
        Arrays.fill(firstOfTick, NONE);
    }

    long bytes() {
        return Integer.BYTES * ((long) firstOfTick.length + next.length);
    }

    void set(int member, long tick) {
        int cell = cell(tick);
        next[member] = firstOfTick[cell];
        firstOfTick[cell] = member;
    }

    /** Removes and returns a timer that is due at this tick; −1 if there is none left. */
    int take(long tick) {
        int cell = cell(tick);
        int member = firstOfTick[cell];
        if (member != NONE) {
            firstOfTick[cell] = next[member];
        }
        return member;
    }

    private int cell(long tick) {
        return (int) tick & firstOfTick.length - 1;
    }
}
