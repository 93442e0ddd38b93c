package dev.perhaps.frequency;

import java.util.concurrent.atomic.AtomicLongArray;

/** A sum that any number of threads add to at once, without locks, and that never overflows. */
final class StripedTotal {
    /*
     * Sixteen sums, a cache line each, one of them chosen by the item's hash: threads with different items do not
     * contend for one cache line. Each is kept at 2^59 or less, the first below it, so that all together are at most
     * 2^63 - 1. What one has no room for goes to the next ones, and only if all are full is an addition refused, and
     * what it had put somewhere taken back: until then, others may be refused for its sake.
     */
    private static final int STRIPES = 16;
    private static final int LINE_LONGS = 8;
    private static final long MAX_PER_STRIPE = 1L << 59;

    private final AtomicLongArray stripes = new AtomicLongArray(STRIPES * LINE_LONGS);

    /** A sum that starts with {@code total}, 0 or more, of which every stripe has a sixteenth. */
    static StripedTotal of(long total) {
        StripedTotal sum = new StripedTotal();
        for (int i = 0; i < STRIPES; i++) {
            // The first one has room for one less than the others: it gets nothing of what is left over.
            sum.stripes.set(i * LINE_LONGS, total / STRIPES + (i > 0 && i <= total % STRIPES ? 1 : 0));
        }
        return sum;
    }

    /** Adds {@code count}, 0 or more; false, with nothing changed, if the sum would pass 2^63 - 1. */
    boolean add(long hash, long count) {
        int first = (int) hash & STRIPES - 1;
        long left = count - addTo(first, count);
        return left == 0 || addElsewhere(first, count - left, left);
    }

    private boolean addElsewhere(int first, long inFirst, long count) {
        long[] added = new long[STRIPES];
        added[first] = inFirst;
        long left = count;
        for (int i = 1; i < STRIPES && left > 0; i++) {
            int stripe = first + i & STRIPES - 1;
            added[stripe] = addTo(stripe, left);
            left -= added[stripe];
        }
        for (int i = 0; i < STRIPES && left > 0; i++) {
            stripes.addAndGet(i * LINE_LONGS, -added[i]);
        }
        return left == 0;
    }

    /** Adds as much of {@code count} as a stripe has room for, and returns that. */
    private long addTo(int stripe, long count) {
        int at = stripe * LINE_LONGS;
        long most = stripe == 0 ? MAX_PER_STRIPE - 1 : MAX_PER_STRIPE;
        long added;
        long now;
        do {
            now = stripes.get(at);
            added = Math.min(count, most - now);
        } while (added != 0 && !stripes.weakCompareAndSetPlain(at, now, now + added));
        return added;
    }

    void clear() {
        for (int i = 0; i < STRIPES; i++) {
            stripes.set(i * LINE_LONGS, 0);
        }
    }

    long sum() {
        long sum = 0;
        for (int i = 0; i < STRIPES; i++) {
            sum += stripes.get(i * LINE_LONGS);
        }
        return sum;
    }
}
