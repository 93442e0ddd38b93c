package dev.perhaps.frequency;

import java.util.concurrent.atomic.AtomicLongArray;

/** A sum that any number of threads add to at once, without locks, and that never overflows. */
final class StripedTotal {
    /*
     * Sixteen sums, a cache line each, one of them chosen by the item's hash: threads with different items do not fight
     * for one line. Each is kept below 2^63 / 16, so that all together are below 2^63; one that is full passes on to the
     * next, and only if none has room is an addition refused.
     */
    private static final int STRIPES = 16;
    private static final int LINE_LONGS = 8;
    private static final long MOST = Long.MAX_VALUE / STRIPES;

    private final AtomicLongArray stripes = new AtomicLongArray(STRIPES * LINE_LONGS);

    /** A sum that starts with {@code total}, 0 or more, spread so that every stripe has the same room left. */
    static StripedTotal of(long total) {
        StripedTotal sum = new StripedTotal();
        for (int i = 0; i < STRIPES; i++) {
            sum.stripes.set(i * LINE_LONGS, total / STRIPES + (i < total % STRIPES ? 1 : 0));
        }
        return sum;
    }

    /** Adds {@code count}; false, with nothing changed, if there is no room for it. */
    boolean add(long hash, long count) {
        for (int i = 0; i < STRIPES; i++) {
            int at = ((int) hash + i & STRIPES - 1) * LINE_LONGS;
            long now = stripes.get(at);
            while (count <= MOST - now) {
                if (stripes.weakCompareAndSetPlain(at, now, now + count)) {
                    return true;
                }
                now = stripes.get(at);
            }
        }
        return false;
    }

    StripedTotal copy() {
        StripedTotal copy = new StripedTotal();
        for (int i = 0; i < stripes.length(); i++) {
            copy.stripes.set(i, stripes.get(i));
        }
        return copy;
    }

    long sum() {
        long sum = 0;
        for (int i = 0; i < STRIPES; i++) {
            sum += stripes.get(i * LINE_LONGS);
        }
        return sum;
    }
}
