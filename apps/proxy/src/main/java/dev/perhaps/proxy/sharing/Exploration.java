package dev.perhaps.proxy.sharing;

/**
 * Which of the pages that the guard would not ask a sibling for are asked for nevertheless, if its digest perhaps has them:
 * one in a bounded number of requests, whatever was measured. Confined to a thread, or guarded by its owner.
 */
final class Exploration {
    /*
     * The guard limits its probes by what they cost. Where a sibling seemed to be much slower than the origin that limit is
     * next to nothing, and a sibling that has become quick again would never be found out. So one in 32 requests is tried at
     * first, counted per sibling, and half as many after each one that was not worth it, down to one in 2,048: a sibling
     * that takes ten times as long as the origin costs 0.5 % then. One that was worth it begins again at 32, as does a sibling
     * that comes back after a failure.
     */
    static final int FIRST_INTERVAL = 32;
    static final int MAX_INTERVAL = 2_048;

    private int interval = FIRST_INTERVAL;
    private long passed;

    /** Counts a request that the guard skips. Returns true if it is time to explore. */
    boolean isDueAfter(int siblings) {
        return ++passed >= (long) interval * siblings;
    }

    /** Counts a lookup that explores. */
    void asked() {
        passed = 0;
    }

    /** Records the outcome of exploring. */
    void ended(boolean worthIt) {
        interval = worthIt ? FIRST_INTERVAL : Math.min(MAX_INTERVAL, 2 * interval);
    }
}
