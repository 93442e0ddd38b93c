package dev.perhaps.lab.paradox;

/**
 * The quality of yes/no results.
 *
 * @param truePositives the share of what was there that was said to be there (TPR)
 * @param falsePositives the share of what was not there that was said to be there (FPR)
 */
record Score(double truePositives, double falsePositives) {
    /** Counts answers. */
    static final class Count {
        private long there;
        private long found;
        private long absent;
        private long wrong;

        void add(boolean said, boolean truth) {
            if (truth) {
                there++;
                found += said ? 1 : 0;
            } else {
                absent++;
                wrong += said ? 1 : 0;
            }
        }

        Score score() {
            return new Score((double) found / Math.max(1, there), (double) wrong / Math.max(1, absent));
        }
    }
}
