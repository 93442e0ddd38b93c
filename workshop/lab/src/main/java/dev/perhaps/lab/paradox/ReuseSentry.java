package dev.perhaps.lab.paradox;

import dev.perhaps.hash.Mix;

/**
 * Design D2: a table of fingerprints of keys that were proven to be reused, each with a bit that says whether the key
 * is in the cache now. Most keys of a cache are never used again, and they take no space here.
 */
final class ReuseSentry implements Sentry {
    /*
     *     slots   | fingerprint, 16 bits | in the cache, 1 bit |     buckets of 4 slots; two buckets per key; 0 is empty
     *
     * A key enters at its first cache hit. Its bit is set whenever it is accessed, and cleared when it is evicted; then
     * its fingerprint stays, and waits for it to come again. If both buckets are full, one fingerprint moves to its
     * other bucket (partial-key cuckoo hashing [1], one move at most); otherwise the first one that is not in the cache
     * is replaced; otherwise the new one is rejected.
     *
     * Errors. An absent key is "yes" if it meets its fingerprint with the bit set: at most 8 slots · 2^−16 = 0.012 %. A
     * cached key is "no" if it was not accessed since it came (afterwards nobody asks for such keys, online one hit per
     * key is lost), and, once in a while, if an evicted key with the same fingerprint cleared its bit.
     *
     * [1] Fan, Andersen, Kaminsky and Mitzenmacher, "Cuckoo filter: practically better than Bloom" (2014).
     */
    static final int SLOT_BITS = 17;

    private static final int SLOTS = 4;
    private static final int EMPTY = 0;
    private static final int PRESENT = 1 << 16;
    private static final int FINGERPRINT = PRESENT - 1;

    private final int[] slots;
    private final int buckets;

    ReuseSentry(int bits) {
        buckets = bits / (SLOTS * SLOT_BITS);
        slots = new int[buckets * SLOTS];
    }

    @Override
    public boolean isWorthAsking(long hash) {
        int at = find(hash);
        return at >= 0 && (slots[at] & PRESENT) != 0;
    }

    @Override
    public void sees(long hash, boolean hit, long evicted, int cached) {
        if (evicted != AddressTrace.NONE) {
            int gone = find(evicted);
            if (gone >= 0) {
                slots[gone] &= FINGERPRINT;
            }
        }
        int at = find(hash);
        if (at >= 0) {
            slots[at] |= PRESENT;
        } else if (hit) {
            enter(hash);
        }
    }

    private void enter(long hash) {
        int fingerprint = fingerprint(hash);
        int one = bucket(hash);
        int other = other(one, fingerprint);
        int at = firstWith(one, other, EMPTY, -1);
        if (at < 0) {
            at = madeRoom(one, other);
        }
        if (at < 0) {
            at = firstWith(one, other, 0, PRESENT);
        }
        if (at >= 0) {
            slots[at] = fingerprint | PRESENT;
        }
    }

    /** Moves one fingerprint to its other bucket, if there is a free slot; returns the slot that it left, or −1. */
    private int madeRoom(int one, int theOther) {
        for (int i = 0; i < 2 * SLOTS; i++) {
            int bucket = i < SLOTS ? one : theOther;
            int at = bucket * SLOTS + i % SLOTS;
            int away = other(bucket, slots[at] & FINGERPRINT);
            int free = firstWith(away, away, EMPTY, -1);
            if (free >= 0) {
                slots[free] = slots[at];
                return at;
            }
        }
        return -1;
    }

    private int find(long hash) {
        int fingerprint = fingerprint(hash);
        int one = bucket(hash);
        return firstWith(one, other(one, fingerprint), fingerprint, FINGERPRINT);
    }

    /** The first slot of two buckets that has this value under this mask, or −1. */
    private int firstWith(int one, int other, int value, int mask) {
        for (int i = 0; i < 2 * SLOTS; i++) {
            int at = (i < SLOTS ? one : other) * SLOTS + i % SLOTS;
            if ((slots[at] & mask) == value) {
                return at;
            }
        }
        return -1;
    }

    private static int fingerprint(long hash) {
        return 1 + (int) Mix.reduce(Mix.finish(hash + 1), FINGERPRINT);
    }

    private int bucket(long hash) {
        return (int) Mix.reduce(Mix.finish(hash + 2), buckets);
    }

    /** The other bucket of a fingerprint, from either of its two: their sum is fixed. */
    private int other(int bucket, int fingerprint) {
        return Math.floorMod((int) Mix.reduce(Mix.finish(fingerprint), buckets) - bucket, buckets);
    }

    int bits() {
        return slots.length * SLOT_BITS;
    }
}
