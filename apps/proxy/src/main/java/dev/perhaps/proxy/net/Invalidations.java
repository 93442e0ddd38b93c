package dev.perhaps.proxy.net;

import dev.perhaps.key.Key;

/**
 * Which pages were invalidated recently, so that a response that was under way meanwhile is not stored. Never misses an
 * invalidation; says yes to another page only after more than 4,096 of them. Safe for any number of threads.
 */
final class Invalidations {
    /*
     * The hashes of the last 4,096 invalidated pages, in a ring, numbered in order. A fetch remembers the number at which it
     * began, and compares its page with those that came since: usually none. With a hash of 64 bits, two pages are
     * confused with a probability of 2⁻⁶⁴.
     */
    static final int REMEMBERED = 1 << 12;

    private final long[] hashes = new long[REMEMBERED];
    private long count;

    /** Returns the number of invalidations until now. */
    synchronized long count() {
        return count;
    }

    /** Adds a page. */
    void add(String page) {
        long hash = Key.strings().hash(page);
        synchronized (this) {
            hashes[(int) (count++ & REMEMBERED - 1)] = hash;
        }
    }

    /** Returns true if a page was, or may have been, invalidated after the first {@code since} invalidations. */
    boolean contains(String page, long since) {
        if (count() == since) {
            return false;
        }
        long hash = Key.strings().hash(page);
        synchronized (this) {
            if (count - since > REMEMBERED) {
                return true;
            }
            for (long i = since; i < count; i++) {
                if (hashes[(int) (i & REMEMBERED - 1)] == hash) {
                    return true;
                }
            }
            return false;
        }
    }
}
