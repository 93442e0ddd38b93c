package dev.perhaps.similarity.baskets;

import dev.perhaps.hash.Mix;

/**
 * Distinguishes the first, second, third … occurrence of a hash: 16 to 36 bytes per distinct hash. Not thread-safe.
 */
final class Occurrences {
    private static final long GAMMA = 0x9E3779B97F4A7C15L;
    private static final int MAX_PLACES = 1 << 30;

    /** Open addressing, at most three quarters full; a count of 0 is a free place. */
    private long[] hashes = new long[1 << 10];

    private int[] counts = new int[hashes.length];
    private int different;

    /** A hash of this hash and of how often it came before. */
    long next(long hash) {
        int at = find(hashes, counts, hash);
        if (counts[at] == 0) {
            if (different >= hashes.length / 4 * 3) {
                grow();
                at = find(hashes, counts, hash);
            }
            hashes[at] = hash;
            different++;
        }
        return hash(hash, counts[at]++);
    }

    /** The hash of a basket of this content that came as many times before. */
    static long hash(long content, int before) {
        return Mix.finish(content + before * GAMMA);
    }

    private static int find(long[] hashes, int[] counts, long hash) {
        int mask = hashes.length - 1;
        int at = (int) Mix.finish(hash) & mask;
        while (counts[at] != 0 && hashes[at] != hash) {
            at = at + 1 & mask;
        }
        return at;
    }

    private void grow() {
        if (hashes.length >= MAX_PLACES) {
            throw new IllegalStateException(
                    "more than " + different + " different baskets: split them, or sample them first");
        }
        long[] larger = new long[2 * hashes.length];
        int[] largerCounts = new int[larger.length];
        for (int i = 0; i < hashes.length; i++) {
            if (counts[i] != 0) {
                int at = find(larger, largerCounts, hashes[i]);
                larger[at] = hashes[i];
                largerCounts[at] = counts[i];
            }
        }
        hashes = larger;
        counts = largerCounts;
    }
}
