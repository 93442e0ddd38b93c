package dev.perhaps.similarity.baskets;

import dev.perhaps.hash.Mix;
import dev.perhaps.similarity.MinHash;
import java.util.Arrays;

/**
 * What the first pass over baskets keeps of each item: how many baskets it is in, a fingerprint of which ones, and
 * their MinHash signature. Depends on the baskets only, not on their order or on numbers. Confined to a thread until
 * all are read.
 */
final class ItemSketches implements Baskets.Sink {
    /*
     * A basket is known by a hash of what is in it, and of how many equal ones came before: so the order of baskets and
     * of the items in them changes nothing, and two equal baskets are two.
     *
     * An item keeps the hashes of its last baskets in a list, of k at most. An item in fewer than k baskets thus has
     * the exact list of them. When the list is full it is signed as one set, the signature is united with that of all
     * before, and the list begins again:
     *
     *     item   | support | fingerprint, 128 bits | list: up to k hashes | signature of all before, or none |
     *
     * The lectures compute k values a basket, and compare them with the k of every item in it. Signing k at once takes
     * about ln k + 1 steps for an item in a basket instead of k, for the same signature.
     *
     * The fingerprint is the sum of the mixed hashes, twice: equal for items in the same baskets, else with chance
     * 2^−128.
     */
    private static final long HIGH = 0x9E3779B97F4A7C15L;
    private static final long LOW = 0xD1342543DE82EF95L;
    private static final int FIRST_LIST = 2;

    private final Baskets baskets;
    private final MinHash<?> minHash;
    private final int longest;
    private final Occurrences occurrences = new Occurrences();
    private final long[] signed;

    private int[] supports = new int[1 << 8];
    private int[] lastBaskets = new int[supports.length];
    private long[] highs = new long[supports.length];
    private long[] lows = new long[supports.length];
    private long[][] lists = new long[supports.length][];
    private long[][] signatures = new long[supports.length][];
    private int items;
    private int basketCount;
    private int[] different = new int[1 << 6];

    ItemSketches(Baskets baskets, MinHash<?> minHash) {
        this.baskets = baskets;
        this.minHash = minHash;
        this.longest = minHash.components();
        this.signed = new long[minHash.components()];
    }

    @Override
    public void take(int[] shown, int from, int to) {
        if (from == to) {
            return;
        }
        if (basketCount == Integer.MAX_VALUE) {
            throw new IllegalStateException("more than " + basketCount + " baskets: split them, or sample them first");
        }
        basketCount++;
        int count = 0;
        long content = 0;
        for (int i = from; i < to; i++) {
            int item = shown[i];
            if (item >= items) {
                room(item);
            }
            if (lastBaskets[item] != basketCount) {
                lastBaskets[item] = basketCount;
                different = count == different.length ? Arrays.copyOf(different, 2 * count) : different;
                different[count++] = item;
                content += share(baskets.hash(item));
            }
        }
        long hash = occurrences.next(content);
        for (int i = 0; i < count; i++) {
            add(different[i], hash);
        }
    }

    private void room(int item) {
        if (item >= supports.length) {
            int length = Math.max(item + 1, 2 * supports.length);
            supports = Arrays.copyOf(supports, length);
            lastBaskets = Arrays.copyOf(lastBaskets, length);
            highs = Arrays.copyOf(highs, length);
            lows = Arrays.copyOf(lows, length);
            lists = Arrays.copyOf(lists, length);
            signatures = Arrays.copyOf(signatures, length);
        }
        items = item + 1;
    }

    /** Begins with the first item again, for an engine that reads the baskets of one item after the other. */
    void restart() {
        items = 1;
        supports[0] = 0;
        highs[0] = 0;
        lows[0] = 0;
        signatures[0] = null;
    }

    /** What one item adds to the hash of the content of its basket. */
    static long share(long itemHash) {
        return Mix.finish(itemHash);
    }

    /** Adds one more basket of an item. */
    void add(int item, long hash) {
        highs[item] += Mix.finish(hash ^ HIGH);
        lows[item] += Mix.finish(hash ^ LOW);
        int listed = supports[item] % longest;
        if (supports[item] == 0) {
            lists[item] = new long[Math.min(FIRST_LIST, longest)];
        } else if (listed == 0) {
            signatures[item] = united(item, longest, signed);
        } else if (listed == lists[item].length) {
            lists[item] = Arrays.copyOf(lists[item], Math.min(longest, 2 * listed));
        }
        lists[item][listed] = hash;
        supports[item]++;
    }

    /** The signature of all before and of the first {@code listed} of the list; {@code scratch} is overwritten. */
    private long[] united(int item, int listed, long[] scratch) {
        minHash.sign(lists[item], 0, listed, scratch);
        long[] before = signatures[item];
        if (before == null) {
            return scratch.clone();
        }
        for (int i = 0; i < scratch.length; i++) {
            before[i] = Math.min(before[i], scratch[i]);
        }
        return before;
    }

    /** Baskets with at least one item. */
    int baskets() {
        return basketCount;
    }

    /** Items are 0 … this − 1; some of them may be in no basket. */
    int items() {
        return items;
    }

    long high(int item) {
        return highs[item];
    }

    long low(int item) {
        return lows[item];
    }

    int support(int item) {
        return supports[item];
    }

    /** Orders items by which baskets they are in; 0 if those are the same. */
    int compareContents(int a, int b) {
        int byHigh = Long.compare(highs[a], highs[b]);
        int byLow = byHigh != 0 ? byHigh : Long.compare(lows[a], lows[b]);
        return byLow != 0 ? byLow : Integer.compare(supports[a], supports[b]);
    }

    /**
     * The signature of an item that is in some basket, cut to 32 bits per component as in Contents; to be asked once.
     */
    int[] signature(int item, long[] scratch) {
        long[] whole = united(item, (supports[item] - 1) % longest + 1, scratch);
        int[] low = new int[whole.length];
        for (int i = 0; i < low.length; i++) {
            low[i] = (int) whole[i];
        }
        return low;
    }

    /** The hashes of the last baskets of an item: of all, the first as many as its support, if those are k at most. */
    long[] list(int item) {
        return lists[item];
    }

    /** Frees lists and signatures. */
    void forget() {
        lists = new long[0][];
        signatures = new long[0][];
    }
}
