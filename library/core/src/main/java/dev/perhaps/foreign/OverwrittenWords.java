package dev.perhaps.foreign;

import org.jspecify.annotations.Nullable;

/** The words of a piece of an array as they were before they changed. Not thread-safe. */
final class OverwrittenWords {
    private static final int FIRST_PLACES = 16;

    /** Places + 1, 0 where there is none; null if all words are there. */
    int @Nullable [] places = new int[FIRST_PLACES];

    long[] words = new long[FIRST_PLACES];
    int count;

    /** The index of a place, or of where it belongs. */
    static int find(int[] places, int place) {
        int at = place * 0x9E3779B1 >>> 8 & places.length - 1;
        while (places[at] != 0 && places[at] != place + 1) {
            at = at + 1 & places.length - 1;
        }
        return at;
    }

    long bytes() {
        return 8L * words.length + (places == null ? 0 : 4L * places.length);
    }

    void grow(int[] from) {
        int[] more = new int[2 * from.length];
        long[] moreWords = new long[2 * from.length];
        for (int i = 0; i < from.length; i++) {
            if (from[i] != 0) {
                int at = find(more, from[i] - 1);
                more[at] = from[i];
                moreWords[at] = words[i];
            }
        }
        places = more;
        words = moreWords;
    }
}
