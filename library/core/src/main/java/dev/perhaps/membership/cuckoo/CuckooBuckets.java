package dev.perhaps.membership.cuckoo;

import dev.perhaps.hash.Mix;
import java.util.Arrays;

/**
 * Buckets of packed fingerprints, each fingerprint in one of two buckets, and the walk that makes room by moving them.
 * {@link #other} computes the second bucket; there is no hashing here. A lookup reads two buckets without a
 * data-dependent branch. Not thread-safe while it changes.
 */
public abstract class CuckooBuckets {
    /*
     * A bucket is b slots of p bits, an empty slot is 0, and bucket i starts at bit i·b·p. With b = 4 and p = 11:
     *
     *     bit       0                   44  64               88                 128 132
     *     words    |─────────── word 0 ─────|──────────── word 1 ───────────────|──────── …
     *     buckets  |──── bucket 0 ─────|──── bucket 1 ───────|──── bucket 2 ───────|────── …
     *     slots    | s0 | s1 | s2 | s3 | s0 | s1 | s2 | s3   |
     *
     * A window is the part of a bucket that is compared at once: the whole bucket where b·p ≤ 64, else one half of it
     * (b = 4, p > 16). It may straddle two words and is put together from both without asking whether it does; a last
     * word that is always 0 stands behind the buckets, so that the second word is always there. Where b·p = 64 a bucket
     * is one word (p = 16, b = 4) and the second word is not read.
     *
     * Comparing. XOR with the fingerprint repeated in every slot makes an equal slot 0. With `ones` a 1 in every slot
     * and `tops` the highest bit of every slot, (v − ones) & ~v & tops is not 0 iff some slot of v is 0, and its lowest
     * bit belongs to the lowest such slot (a borrow runs upwards only, out of a slot that is 0). Where the slots are
     * counted and not only found, the sum that carries nothing over is taken instead.
     *
     * Making room [1]. If both buckets are full, the fingerprint takes the place of a random one in either, which goes
     * to its own other bucket, and so on, MAX_KICKS times at most. Then every swap is taken back in the opposite order:
     * other() is its own inverse and the slot of step t depends on the item and t alone, so the way back needs no
     * memory, and the table is bit for bit what it was. The choice comes from the item's own hash: same items in the
     * same order, same bytes, also if the table was saved and opened in between.
     *
     * [1] Fan, Andersen, Kaminsky and Mitzenmacher, "Cuckoo filter: practically better than Bloom" (2014). Where we
     * differ: it gives up after 500 kicks and keeps the last victim aside; 2,000 fill a table two percent further, and
     * a walk that is taken back leaves no victim.
     *
     * Not done: a search in breadth for the shortest way (fewer moves, but a queue to keep), and semi-sorted buckets
     * (one bit less per slot, at the price of a table access in every lookup).
     */
    static final int MAX_KICKS = 2_000;
    public static final int MAX_WORDS = Integer.MAX_VALUE - 8;

    // Steps of the walk: a Weyl sequence, so that the slot of step t is found without the steps before it.
    private static final long WEYL = 0x9E3779B97F4A7C15L;

    public final long buckets;
    public final int slots;
    public final int bits;
    final long mask;
    public final long[] words;

    private final int bucketBits;
    private final int windowBits;
    final long ones;
    final long tops;
    private long items;

    /** Buckets in these words, of which {@code items} slots are in use. */
    CuckooBuckets(long buckets, int slots, int bits, long[] words, long items) {
        assert words.length == wordsFor(buckets, slots, bits);
        this.buckets = buckets;
        this.slots = slots;
        this.bits = bits;
        this.mask = (1L << bits) - 1;
        this.words = words;
        this.bucketBits = slots * bits;
        int windowSlots = bucketBits <= Long.SIZE ? slots : slots / 2;
        this.windowBits = windowSlots * bits;
        long repeated = 0;
        for (int slot = 0; slot < windowSlots; slot++) {
            repeated |= 1L << (slot * bits);
        }
        this.ones = repeated;
        this.tops = repeated << (bits - 1);
        this.items = items;
    }

    /**
     * Words for this number of buckets, and the one after them; more than {@link #MAX_WORDS} is more than an array
     * holds.
     */
    public static long wordsFor(long buckets, int slots, int bits) {
        return (Math.multiplyExact(buckets, slots * bits) + Long.SIZE - 1) / Long.SIZE + 1;
    }

    /** The other bucket of a fingerprint that is in this one; the other of the other is the first again. */
    abstract long other(long bucket, long fingerprint);

    public final long items() {
        return items;
    }

    public final void clear() {
        Arrays.fill(words, 0);
        items = 0;
    }

    final double load() {
        return (double) items / ((double) buckets * slots);
    }

    /** Not 0 iff either bucket holds the fingerprint. */
    final long held(long one, long two, long fingerprint) {
        long pattern = fingerprint * ones;
        if (bucketBits == Long.SIZE) {
            return anyZero(words[(int) one] ^ pattern, words[(int) two] ^ pattern, ones) & tops;
        }
        long bitOne = one * bucketBits;
        long bitTwo = two * bucketBits;
        long held = anyZero(window(words, bitOne) ^ pattern, window(words, bitTwo) ^ pattern, ones);
        if (bucketBits > Long.SIZE) {
            long restOne = window(words, bitOne + windowBits) ^ pattern;
            long restTwo = window(words, bitTwo + windowBits) ^ pattern;
            held |= anyZero(restOne, restTwo, ones);
        }
        return held & tops;
    }

    static long anyZero(long v, long w, long ones) {
        return (v - ones & ~v) | (w - ones & ~w);
    }

    /** The 64 bits from this bit on. */
    private static long window(long[] words, long bit) {
        int at = (int) (bit >>> 6);
        // Java shifts by the low six bits: bit by bit, and by 63 − bit after one, so that a shift by 64 gives 0.
        return words[at] >>> bit | words[at + 1] << 1 << ~bit;
    }

    /** How many copies of the fingerprint the two buckets hold; a bucket given twice counts once. */
    final int copies(long one, long two, long fingerprint) {
        return one == two ? copies(one, fingerprint) : copies(one, fingerprint) + copies(two, fingerprint);
    }

    private int copies(long bucket, long fingerprint) {
        int copies = 0;
        long bit = bucket * bucketBits;
        for (int part = 0; part < bucketBits; part += windowBits) {
            copies += zeros(window(words, bit + part) ^ (fingerprint * ones));
        }
        return copies;
    }

    /** How many slots of a window are 0. */
    private int zeros(long v) {
        long below = tops - ones;
        return Long.bitCount(~(((v & below) + below) | v) & tops);
    }

    /**
     * The lowest slot of the bucket that holds the fingerprint, or, asked for 0, that is empty; −1 if there is none.
     */
    private int slotOf(long bucket, long fingerprint) {
        long bit = bucket * bucketBits;
        for (int part = 0; part < bucketBits; part += windowBits) {
            long v = window(words, bit + part) ^ (fingerprint * ones);
            long equal = v - ones & ~v & tops;
            if (equal != 0) {
                return (part + Long.numberOfTrailingZeros(equal)) / bits;
            }
        }
        return -1;
    }

    final long fingerprintAt(long bucket, int slot) {
        return window(words, bucket * bucketBits + (long) slot * bits) & mask;
    }

    private void set(long bucket, int slot, long fingerprint) {
        long bit = bucket * bucketBits + (long) slot * bits;
        int at = (int) (bit >>> 6);
        words[at] = words[at] & ~(mask << bit) | fingerprint << bit;
        if ((bit & 63) + bits > Long.SIZE) {
            words[at + 1] = words[at + 1] & ~(mask >>> -bit) | fingerprint >>> -bit;
        }
    }

    private boolean putIfFree(long bucket, long fingerprint) {
        int slot = slotOf(bucket, 0);
        if (slot < 0) {
            return false;
        }
        set(bucket, slot, fingerprint);
        return true;
    }

    /** Stores a fingerprint in one of its two buckets; false, with nothing changed, if no room was found for it. */
    final boolean insert(long one, long two, long fingerprint, long seed) {
        if (insertIfFree(one, two, fingerprint)) {
            return true;
        }
        // Moving an item's own copies to and fro makes no room for one more.
        int places = one == two ? slots : 2 * slots;
        if (copies(one, two, fingerprint) == places || !makeRoom(one, two, fingerprint, Mix.finish(seed))) {
            return false;
        }
        items++;
        return true;
    }

    /** Stores a fingerprint in a free slot of one of its two buckets; false, with nothing changed, if there is none. */
    final boolean insertIfFree(long one, long two, long fingerprint) {
        assert fingerprint > 0 && fingerprint <= mask : fingerprint;
        if (putIfFree(one, fingerprint) || putIfFree(two, fingerprint)) {
            items++;
            return true;
        }
        return false;
    }

    private boolean makeRoom(long one, long two, long fingerprint, long random) {
        long homeless = fingerprint;
        long bucket = random < 0 ? one : two;
        for (int kick = 0; kick < MAX_KICKS; kick++) {
            homeless = swap(bucket, slotOfKick(random, kick), homeless);
            bucket = other(bucket, homeless);
            if (putIfFree(bucket, homeless)) {
                return true;
            }
        }
        for (int kick = MAX_KICKS - 1; kick >= 0; kick--) {
            bucket = other(bucket, homeless);
            homeless = swap(bucket, slotOfKick(random, kick), homeless);
        }
        assert homeless == fingerprint : "the walk was not taken back";
        return false;
    }

    private int slotOfKick(long random, int kick) {
        return (int) ((random + kick * WEYL) * WEYL >>> 62) & (slots - 1);
    }

    private long swap(long bucket, int slot, long fingerprint) {
        long before = fingerprintAt(bucket, slot);
        set(bucket, slot, fingerprint);
        return before;
    }

    /** Takes one copy of the fingerprint out of either bucket; false if neither holds one. */
    final boolean remove(long one, long two, long fingerprint) {
        long bucket = one;
        int slot = slotOf(one, fingerprint);
        if (slot < 0) {
            bucket = two;
            slot = slotOf(two, fingerprint);
        }
        if (slot < 0) {
            return false;
        }
        set(bucket, slot, 0);
        items--;
        return true;
    }

    /** Counts the slots in use, for words that were read from a file. */
    public final void recount() {
        long used = 0;
        for (long bucket = 0; bucket < buckets; bucket++) {
            used += slots - copies(bucket, 0);
        }
        items = used;
    }

    /** True if all bits behind the last bucket are 0, as they are written. */
    public final boolean endsInZeros() {
        long end = buckets * bucketBits;
        int at = (int) (end >>> 6);
        long rest = words[words.length - 1];
        return at == words.length - 1 ? rest == 0 : rest == 0 && words[at] >>> end == 0;
    }
}
