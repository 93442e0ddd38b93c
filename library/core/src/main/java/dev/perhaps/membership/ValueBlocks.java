package dev.perhaps.membership;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;

/**
 * Batches of values: a block of them is hashed first and then looked up or added as hashes, so that values and filter
 * are waited for separately, and each for many at once.
 */
final class ValueBlocks {
    /**
     * A multiple of 64, so that the results of a block are whole words; 4 KiB of hashes stay in the first-level cache.
     */
    private static final int BLOCK = 512;

    private ValueBlocks() {}

    static <T> BitSet mightContain(HashFilter<T> filter, Collection<? extends T> values) {
        int expected = values.size();
        long[] hashes = new long[Math.min(BLOCK, expected)];
        long[] blockAnswers = new long[BLOCK / Long.SIZE];
        long[] answers = new long[words(expected)];
        int done = 0;
        int filled = 0;
        for (T value : values) {
            if (filled == hashes.length) {
                // The collection has more values than it said.
                hashes = Arrays.copyOf(hashes, BLOCK);
            }
            hashes[filled++] = filter.key().hash(value);
            if (filled == BLOCK) {
                answers = ask(filter, hashes, filled, blockAnswers, answers, done);
                done += filled;
                filled = 0;
            }
        }
        return BitSet.valueOf(ask(filter, hashes, filled, blockAnswers, answers, done));
    }

    /** Looks up one block, and returns the answers with those of the block in their place. */
    private static long[] ask(
            HashFilter<?> filter, long[] hashes, int count, long[] blockAnswers, long[] answers, int at) {
        int unused = filter.mightContainHashes(hashes, 0, count, blockAnswers);
        int words = words(count);
        int from = at / Long.SIZE;
        long[] all = from + words <= answers.length
                ? answers
                : Arrays.copyOf(answers, Math.max(from + words, 2 * answers.length));
        System.arraycopy(blockAnswers, 0, all, from, words);
        return all;
    }

    private static int words(int bits) {
        return (int) ((bits + 63L) >>> 6);
    }

    static <T> long add(HashFilter.Adds<T> filter, Iterable<? extends T> values) {
        int expected = values instanceof Collection<?> collection ? collection.size() : BLOCK;
        long[] hashes = new long[Math.max(1, Math.min(BLOCK, expected))];
        long added = 0;
        int filled = 0;
        for (T value : values) {
            hashes[filled++] = filter.key().hash(value);
            if (filled == hashes.length) {
                int taken = filter.addHashes(hashes, 0, filled);
                added += taken;
                if (taken < filled) {
                    return added;
                }
                filled = 0;
            }
        }
        return added + filter.addHashes(hashes, 0, filled);
    }
}
