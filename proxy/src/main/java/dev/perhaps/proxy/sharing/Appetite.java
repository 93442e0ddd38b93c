package dev.perhaps.proxy.sharing;

/**
 * How often the digest of a sibling is worth fetching: at every offer as long as what it gains is more than what it costs,
 * and else at every second, fourth, … 64th. Confined to a thread, or guarded by its owner.
 */
final class Appetite {
    /*
     * The guard decides whether to ask a sibling; that a digest arrives costs all the same, and where interests have nothing in
     * common it is all that sharing costs. Gains (what a hit was cheaper than the origin, less what misses cost) and the costs
     * of fetching are summed with a memory of about the last four fetches. When gains fall behind, every second offer is
     * passed over, then three in four, and so on; when they are ahead, the steps go back. A fresh digest now and then is
     * what shows that interests have met.
     */
    private static final int MOST = 64;
    private static final double MEMORY = 0.75;

    private double gains;
    private double costs;
    private int every = 1;
    private int passed;

    /** A newer digest can be had: true if it is to be fetched now. */
    boolean takes() {
        if (++passed < every) {
            return false;
        }
        passed = 0;
        return true;
    }

    /** A digest was fetched at this cost. */
    void paid(double cost) {
        if (costs > 0) {
            every = gains < costs ? Math.min(MOST, every * 2) : Math.max(1, every / 2);
        }
        gains *= MEMORY;
        costs = costs * MEMORY + cost;
    }

    /** The sibling saved so much, or, below 0, cost so much in vain. */
    void gained(double saved) {
        gains += saved;
    }

    /** One offer in how many is taken. */
    int every() {
        return every;
    }
}
