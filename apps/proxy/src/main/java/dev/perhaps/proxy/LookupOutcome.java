package dev.perhaps.proxy;

/**
 * The outcome of a request to a sibling, reported by the connection to the guard that learns from it. Immutable.
 */
public sealed interface LookupOutcome {
    /**
     * The cost of a lookup, in nanoseconds or in the unit of a simulation. It has its own type, so that it cannot be
     * confused with bytes.
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
     * @param cost until the head of its response
     */
    record Hit(Cost cost, long bodyBytes) implements LookupOutcome {}

    /**
     * The sibling did not have the page. It may have fetched it for us.
     *
     * @param cost until the head of its response
     */
    record Miss(Cost cost) implements LookupOutcome {}

    /**
     * The sibling could not be reached, its response was malformed or late, or the response was aborted.
     *
     * @param atNanos when, by {@link System#nanoTime}
     */
    record Failure(long atNanos) implements LookupOutcome {}

    /** No request was sent to the sibling after all. */
    record Withdrawal() implements LookupOutcome {}
}
