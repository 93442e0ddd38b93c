package dev.perhaps.proxy.net;

/** Finds where a head ends. */
final class HeadEnd {
    private HeadEnd() {}

    /** The result for a header with a bare CR or LF. */
    static final int BAD = -2;

    /** Where a head does not end yet. */
    static final int UNFINISHED = -1;

    /**
     * The place behind the empty line that ends a head.
     *
     * @param start of the head
     * @param from where to begin, since what is before was searched
     * @return {@link #UNFINISHED} if it is not there yet, {@link #BAD} if it never will be
     */
    static int find(byte[] bytes, int start, int from, int to) {
        for (int i = from; i < to; i++) {
            byte b = bytes[i];
            if (b == '\n') {
                if (i == start || bytes[i - 1] != '\r') {
                    return BAD;
                }
                if (i - start >= 3 && bytes[i - 2] == '\n') {
                    return i + 1; // the LF before has its CR: it was looked at
                }
            } else if (b == '\r' && i + 1 < to && bytes[i + 1] != '\n') {
                return BAD;
            }
        }
        return UNFINISHED;
    }

    /** Where to begin the next search, when all up to here was searched: a CR at the end waits for what follows it. */
    static int searched(byte[] bytes, int start, int to) {
        return to > start && bytes[to - 1] == '\r' ? to - 1 : to;
    }
}
