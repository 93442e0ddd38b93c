package dev.perhaps.membership.quotient;

/** Hands out fingerprints in ascending order, a few at a time. */
interface QuotientSource {
    /** The most that are handed out at a time. */
    int CHUNK = 64;

    QuotientSource NONE = into -> 0;

    /** Puts the next fingerprints, at most {@link #CHUNK}, into the array; 0 if there are no more. */
    int fill(long[] into);

    /** The fingerprints of both, in order; if {@code once}, what both hold comes once. */
    static QuotientSource both(QuotientSource left, QuotientSource right, boolean once) {
        return new QuotientSource() {
            private final Reading a = new Reading(left);
            private final Reading b = new Reading(right);

            @Override
            public int fill(long[] into) {
                int filled = 0;
                while (filled < CHUNK && Reading.more(a, b)) {
                    long x = a.head();
                    long y = b.head();
                    into[filled++] = Math.min(x, y);
                    if (x <= y) {
                        a.at++;
                    }
                    if (y < x || once && x == y) {
                        b.at++;
                    }
                }
                return filled;
            }
        };
    }

    /** A source with the chunk that is being read. */
    final class Reading {
        /** Stands for the end: above every fingerprint. */
        static final long END = Long.MAX_VALUE;

        private final QuotientSource source;
        /** What is being read, and behind it {@link #END}. */
        final long[] chunk = new long[CHUNK + 1];

        int at;
        int count;

        Reading(QuotientSource source) {
            this.source = source;
        }

        /**
         * True if there is a fingerprint to read; at the end, one {@link #END} stands in the chunk, to compare with.
         */
        boolean more() {
            if (at == count) {
                count = source.fill(chunk);
                at = 0;
                chunk[count] = END;
                count = Math.max(1, count);
            }
            return chunk[at] != END;
        }

        /** Readies both to be compared: true if either has more. */
        static boolean more(Reading a, Reading b) {
            boolean left = a.more();
            boolean right = b.more();
            return left || right;
        }

        long head() {
            return chunk[at];
        }
    }
}
