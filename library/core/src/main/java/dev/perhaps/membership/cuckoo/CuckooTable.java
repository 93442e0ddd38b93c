package dev.perhaps.membership.cuckoo;

import dev.perhaps.hash.Mix;

/**
 * One table of a cuckoo filter: takes a mixed hash to its fingerprint and its two buckets. Tables of one filter are
 * numbered; table k has 2^k times the buckets of table 0, and fingerprints that are k bits longer.
 */
public final class CuckooTable extends CuckooBuckets {
    /*
     * Of the mixed hash x the low p bits are the fingerprint (0 is taken for 1, because 0 is an empty slot) and the
     * high bits are the bucket. An array of words has less than 2^37 bits, so with p ≤ 32 the two never share a bit of
     * x.
     *
     *     x   |i i i i i i i i i i i . . . . . . . . . . . . . . . . . . f f f f f f f f f f f|
     *          i = reduce(x, m)                                          f = max(1, x mod 2^p)
     *
     * The other bucket, in table 0, is j = (h(f) − i) mod m, its own inverse for every m, where the usual i ⊕ h(f)
     * needs m to be a power of two. m is even and h(f) odd: then i and j differ in parity, an item always has two
     * buckets, and small tables fill better. h(f) is the top of f · PAIR, one multiply; it covers a power of two of 0 …
     * m − 1, which fills a table as far as all of it would (measured).
     *
     * Further tables. Removal must never take what another item needs, and with several tables it is not enough that
     * each is right for itself: if A and B look alike in table 0 but not in table 1, and A is kept in table 1 and B in
     * table 0, then taking "A" out of table 0 loses B. Hence two rules: items that look alike in table k + 1 look alike
     * in table k, and removal takes from the newest table that has the fingerprint. What is taken there stood for an
     * item that looks like the removed one in all older tables too, and so is found in the entry that was left in its
     * place. The first rule holds because table k refines table k − 1:
     *
     *     fingerprint         f_k = max(1, x mod 2^(p + k)); with its low p bits made f_0 it ends in those of all before
     *     bucket of table k   i_k = i_0 · 2^k + e         e: the k bits of x after those of i_0, so i_k = reduce(x, m·2^k)
     *     its other bucket    j_k = j_0 · 2^k + (e ⊕ g)   j_0 from f_0; g: k bits, the highest from f_1, the next from f_2 …
     *
     * g is read off f_k · PAIR: bit p of that product is a mixture of the lowest p + 1 bits of f_k, which f_1 has, bit
     * p + 1 of one bit more, and so on; reversed, the k bits from p on are g. Without g the few values of a short f_0
     * would pair the many buckets of a late table too regularly for it to fill.
     *
     * Paper: Fan et al. (2014), see CuckooBuckets.
     */
    public static final int MIN_BITS = 4;
    public static final int MAX_BITS = 32;

    /**
     * Up to this number of slots the error is counted; beyond, it swings by less than a hundredth around the expected
     * one.
     */
    static final int MAX_SLOTS_TO_COUNT = 1 << 12;

    private static final long PAIR = 0x9E3779B97F4A7C15L;

    private final int number;
    private final long firstBuckets;
    private final int firstBits;
    private final int pairShift;

    public CuckooTable(int number, long firstBuckets, int slots, int firstBits, long[] words, long items) {
        super(firstBuckets << number, slots, firstBits + number, words, items);
        assert firstBuckets >= 2 && firstBuckets % 2 == 0 : firstBuckets;
        this.number = number;
        this.firstBuckets = firstBuckets;
        this.firstBits = firstBits;
        this.pairShift = Long.numberOfLeadingZeros(firstBuckets) + 1;
    }

    /** An empty table 0. */
    static CuckooTable first(long buckets, int slots, int bits) {
        return new CuckooTable(0, buckets, slots, bits, new long[(int) wordsFor(buckets, slots, bits)], 0);
    }

    /** An empty table after this one, if {@link #hasNext}. */
    public CuckooTable next() {
        long[] next = new long[(int) wordsFor(buckets << 1, slots, bits + 1)];
        return new CuckooTable(number + 1, firstBuckets, slots, firstBits, next, 0);
    }

    /** The memory of {@link #next}. */
    public long nextBytes() {
        return wordsFor(buckets << 1, slots, bits + 1) * Long.BYTES;
    }

    public boolean hasNext() {
        return bits < MAX_BITS && wordsFor(buckets << 1, slots, bits + 1) <= MAX_WORDS;
    }

    /** How many items a table after the first is for. */
    public long room() {
        return CuckooFormulas.itemsWithSpare(buckets, slots);
    }

    public CuckooTable copy() {
        return new CuckooTable(number, firstBuckets, slots, firstBits, words.clone(), items());
    }

    private long bucket(long x) {
        return Mix.reduce(x, buckets);
    }

    private long fingerprint(long x) {
        return atLeastOne(x & mask);
    }

    private static long atLeastOne(long fingerprint) {
        return fingerprint | (fingerprint - 1 >>> 63);
    }

    @Override
    long other(long bucket, long fingerprint) {
        if (number == 0) {
            return reflected(fingerprint * PAIR >>> pairShift, bucket);
        }
        long low = (1L << firstBits) - 1;
        long refined = fingerprint | atLeastOne(fingerprint & low);
        long g = Long.reverse(refined * PAIR >>> firstBits) >>> -number;
        long h = (refined & low) * PAIR >>> pairShift;
        return reflected(h, bucket >>> number) << number | (bucket ^ g) & (1L << number) - 1;
    }

    /** (h − i) mod m with h made odd, without a branch. */
    private long reflected(long h, long i) {
        long j = (h | 1) - i;
        return j + (firstBuckets & j >> 63);
    }

    boolean contains(long x) {
        return found(x) != 0;
    }

    /** Not 0 iff x is perhaps here: the result before any branch on it. */
    public long found(long x) {
        long fingerprint = fingerprint(x);
        long one = bucket(x);
        return held(one, other(one, fingerprint), fingerprint);
    }

    /** Asks up to 64 hashes, mixed with the filter's constant: bit i is the answer for {@code asked[from + i]}. */
    public long found64(long mix, long[] asked, int from, int count) {
        if (number == 0 && slots * bits == Long.SIZE) {
            return foundInWords(words, buckets, mask, pairShift, ones, tops, mix, asked, from, count);
        }
        long answers = 0;
        for (int i = 0; i < count; i++) {
            long found = found(Mix.with(mix, asked[from + i]));
            answers |= (found | -found) >>> 63 << i;
        }
        return answers;
    }

    /**
     * {@link #found} of a first table whose buckets are words, on locals only: fewer instructions between two loads.
     */
    private static long foundInWords(
            long[] words,
            long buckets,
            long mask,
            int pairShift,
            long ones,
            long tops,
            long mix,
            long[] asked,
            int from,
            int count) {
        long answers = 0;
        for (int i = 0; i < count; i++) {
            long x = Mix.with(mix, asked[from + i]);
            long fingerprint = atLeastOne(x & mask);
            long one = Mix.reduce(x, buckets);
            long two = (fingerprint * PAIR >>> pairShift | 1) - one;
            two += buckets & two >> 63;
            long pattern = fingerprint * ones;
            long found = anyZero(words[(int) one] ^ pattern, words[(int) two] ^ pattern, ones) & tops;
            answers |= (found | -found) >>> 63 << i;
        }
        return answers;
    }

    /** Stores one more copy; false, with nothing changed, if there is no room. */
    public boolean add(long x) {
        long fingerprint = fingerprint(x);
        long one = bucket(x);
        return insert(one, other(one, fingerprint), fingerprint, x);
    }

    /** Stores one more copy if a slot of its two buckets is free, and moves nothing. */
    public boolean addWithoutMoving(long x) {
        long fingerprint = fingerprint(x);
        long one = bucket(x);
        return insertIfFree(one, other(one, fingerprint), fingerprint);
    }

    /** True if all slots of its two buckets hold copies of it: one more would fit nowhere, whatever is moved. */
    public boolean isFullOf(long x) {
        return copies(x) == 2 * slots;
    }

    public boolean remove(long x) {
        long fingerprint = fingerprint(x);
        long one = bucket(x);
        return remove(one, other(one, fingerprint), fingerprint);
    }

    public int copies(long x) {
        long fingerprint = fingerprint(x);
        long one = bucket(x);
        return copies(one, other(one, fingerprint), fingerprint);
    }

    /** The chance that an item which is not here looks like one that is: exact in small tables, expected in others. */
    public double error(boolean eachOnce) {
        if (buckets * slots <= MAX_SLOTS_TO_COUNT) {
            return countedError();
        }
        return eachOnce
                ? CuckooFormulas.falsePositivesOfSet(buckets, bits, items())
                : CuckooFormulas.falsePositives(buckets, bits, items());
    }

    /** Every fingerprint, however many copies there are, is met by what hashes to it and to either of its buckets. */
    private double countedError() {
        double sum = 0;
        for (long bucket = 0; bucket < buckets; bucket++) {
            for (int slot = 0; slot < slots; slot++) {
                long fingerprint = fingerprintAt(bucket, slot);
                if (fingerprint != 0) {
                    double hashesToIt = fingerprint == 1 ? 2 : 1;
                    sum += hashesToIt / copies(bucket, other(bucket, fingerprint), fingerprint);
                }
            }
        }
        return Math.scalb(2 * sum / buckets, -bits);
    }
}
