package dev.perhaps.proxy;

/**
 * The outcome of a request to a sibling, reported by the connection to the guard that learns from it. Immutable.
 */
public sealed interface LookupOutcome {
    /**
     * What a lookup took, in nanoseconds, or in whatever unit a simulation has. A type of its own, so that it cannot be taken for
     * bytes.
     */
    record Cost(double value) {
        /** Checks that it is not negative. */
        public Cost {
            if (!(value >= 0)) {
                throw new IllegalArgumentException("a lookup costs 0 or more, got " + value);
            }
        }
    }

    /**
     * The sibling had the page, and sent it.
     *
     * @param cost until the head of its answer
     */
    record Hit(Cost cost, long bodyBytes) implements LookupOutcome {}

    /**
     * The sibling did not have the page. It may have fetched it for us.
     *
     * @param cost until the head of its answer
     */
    record Miss(Cost cost) implements LookupOutcome {}

    /**
     * It could not be asked, its answer was malformed or late, or the answer stopped half way.
     *
     * @param atNanos when, by {@link System#nanoTime}
     */
    record Failure(long atNanos) implements LookupOutcome {}

    /** It was not asked after all. */
    record Withdrawal() implements LookupOutcome {}
}
