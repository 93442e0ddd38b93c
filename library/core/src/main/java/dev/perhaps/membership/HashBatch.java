package dev.perhaps.membership;

import java.util.Arrays;
import java.util.Objects;

/** The start of every lookup of many hashes: {@link HashFilter#mightContainHashes}. */
final class HashBatch {
    private HashBatch() {}

    /** Checks the bounds of a batch and clears its results. */
    static void begin(long[] hashes, int from, int to, long[] answerBits) {
        Objects.checkFromToIndex(from, to, hashes.length);
        int words = (to - from + 63) >>> 6;
        if (words > answerBits.length) {
            throw new IllegalArgumentException(
                    (to - from) + " answers need " + words + " words, got " + answerBits.length);
        }
        Arrays.fill(answerBits, 0, words, 0);
    }
}
