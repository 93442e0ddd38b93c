package dev.perhaps.membership.bloom;

import dev.perhaps.hash.Mix;
import dev.perhaps.membership.BlockedBloom;

/**
 * The patterns that a {@link BlockedBloom} puts into its words: for each of the two words of a lookup, and for each
 * number of bits, a table of 2,048 masks (16 KiB). They never change, on any machine: docs/format.md defines how they
 * are generated.
 */
public final class BlockedMasks {
    /*
     * A mask from a table costs one load; made of shifts, it costs five instructions a bit on Java 17 (BlockedBloom has
     * the figures). The idea is of Putze, Sanders and Singler, "Cache-, hash- and space-efficient Bloom filters"
     * (2007).
     *
     * A table has few of all masks, so two keys of one word share their mask once in 2,048 times; BlockedFormulas
     * counts that in. What would do harm beyond it is a position that is in more masks than others: it is set more
     * often and asked more often (measured with masks drawn at random: 4 % more errors). So positions are dealt like
     * cards, 64 at a time, and occur equally often.
     *
     * The first and the second word have tables of their own: a mask of one is not found among those of the other.
     */
    static final int ROWS = 2048;
    public static final int MAX_BITS = 6;

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private static final long[][] FIRST = tables(1);
    private static final long[][] SECOND = tables(2);

    private BlockedMasks() {}

    /** The masks of the first word that have this number of bits. */
    public static long[] first(int bits) {
        return FIRST[bits];
    }

    /** The masks of the second word that have this number of bits. */
    public static long[] second(int bits) {
        return SECOND[bits];
    }

    private static long[][] tables(int word) {
        long[][] tables = new long[MAX_BITS + 1][];
        for (int bits = 1; bits <= MAX_BITS; bits++) {
            tables[bits] = table(16L * word + bits, bits);
        }
        return tables;
    }

    private static long[] table(long seed, int bits) {
        long state = seed;
        long[] masks = new long[ROWS];
        int[] cards = new int[Long.SIZE];
        for (int row = 0; row < ROWS; ) {
            for (int n = 0; n < cards.length; n++) {
                cards[n] = n;
            }
            for (int n = cards.length - 1; n > 0; n--) {
                state += GOLDEN;
                int other = (int) ((Mix.finish(state) >>> 32) * (n + 1) >>> 32);
                int card = cards[n];
                cards[n] = cards[other];
                cards[other] = card;
            }
            for (int dealt = 0; dealt + bits <= cards.length && row < ROWS; dealt += bits) {
                for (int n = dealt; n < dealt + bits; n++) {
                    masks[row] |= 1L << cards[n];
                }
                row++;
            }
        }
        return masks;
    }
}
