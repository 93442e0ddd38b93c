package dev.perhaps.membership;

import dev.perhaps.key.Key;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Batches of values: a block of them is hashed first and then looked up or added as hashes, so that values and filter
 * are waited for separately, and each for many at once.
 */
final class ValueBlocks {
    /*
     * A string that is not in a cache is waited for twice: for the object, and for its characters. The processor looks a
     * few hundred instructions ahead, which is the work of about two strings. So the strings of a group are touched one
     * after the other, some time before they are hashed, and their misses overlap. (A filter of 1 million strings of 20
     * characters: FIGURES)
     *
     *     block    | hashed | hashed | hashing | touched | touching |        |        |    GROUP values in each
     */

    /**
     * A multiple of 64, so that the results of a block are whole words; 4 KiB of hashes stay in the first-level cache.
     */
    private static final int BLOCK = 512;

    /** The number of values that are touched in one go. */
    private static final int GROUP = 8;

    /** How far ahead of the value that is hashed. */
    private static final int AHEAD = 16;

    private ValueBlocks() {}

    static <T> BitSet mightContain(HashFilter<T> filter, Collection<? extends T> values) {
        int expected = values.size();
        @Nullable String[] block = new @Nullable String[Math.min(BLOCK, expected)];
        long[] hashes = new long[block.length];
        long[] blockAnswers = new long[BLOCK / Long.SIZE];
        long[] answers = new long[words(expected)];
        int done = 0;
        int filled = 0;
        for (T value : values) {
            if (filled == block.length) {
                // The collection has more values than it said.
                block = Arrays.copyOf(block, BLOCK);
                hashes = Arrays.copyOf(hashes, BLOCK);
            }
            put(filter.key(), value, block, hashes, filled++);
            if (filled == BLOCK) {
                hash(filter.key(), block, filled, hashes);
                answers = ask(filter, hashes, filled, blockAnswers, answers, done);
                done += filled;
                filled = 0;
            }
        }
        hash(filter.key(), block, filled, hashes);
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
        @Nullable String[] block = new @Nullable String[Math.max(1, Math.min(BLOCK, expected))];
        long[] hashes = new long[block.length];
        long added = 0;
        int filled = 0;
        for (T value : values) {
            put(filter.key(), value, block, hashes, filled++);
            if (filled == block.length) {
                hash(filter.key(), block, filled, hashes);
                int taken = filter.addHashes(hashes, 0, filled);
                added += taken;
                if (taken < filled) {
                    return added;
                }
                filled = 0;
            }
        }
        hash(filter.key(), block, filled, hashes);
        return added + filter.addHashes(hashes, 0, filled);
    }

    /** Keeps a string to be hashed later, and hashes any other value at once: it may be changed before the next one. */
    private static <T> void put(Key<T> key, T value, @Nullable String[] block, long[] hashes, int place) {
        if (value instanceof String text) {
            block[place] = text;
        } else {
            block[place] = null;
            hashes[place] = key.hash(value);
        }
    }

    @SuppressWarnings("unchecked") // values of the key that are strings
    private static <T> void hash(Key<T> key, @Nullable String[] block, int count, long[] hashes) {
        int touched = touch(block, 0, Math.min(count, AHEAD));
        for (int from = 0; from < count; from += GROUP) {
            int to = Math.min(count, from + GROUP);
            touched |= touch(block, from + AHEAD, Math.min(count, to + AHEAD));
            for (int i = from; i < to; i++) {
                if (block[i] != null) {
                    hashes[i] = key.hash((T) block[i]);
                }
            }
        }
        if (touched < 0) {
            throw new AssertionError("lengths are not negative"); // without a use, the loads might be left out
        }
    }

    /** Reads the lengths of strings, which are beside their characters. */
    private static int touch(@Nullable String[] block, int from, int to) {
        int touched = 0;
        for (int i = from; i < to; i++) {
            String text = block[i];
            touched |= text == null ? 0 : text.length();
        }
        return touched;
    }
}
