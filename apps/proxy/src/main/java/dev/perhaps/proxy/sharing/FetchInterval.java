package dev.perhaps.proxy.sharing;

/**
 * Chooses how often to fetch a sibling's digest: at the interval where staleness costs as much as fetching. Confined to a
 * thread, or guarded by its owner.
 */
final class FetchInterval {
    /*
     * The guard decides whether to ask a sibling; that its digest arrives costs nevertheless, and where interests have nothing
     * in common that is all that sharing costs. A digest of which a share x turns out to be new when it is fetched lacked x/2 of
     * what the sibling held, on average since the last time; and if the sibling gained G meanwhile, about x/2 · G was lost.
     * With fetches at every k-th offer the loss of an offer grows with k and what fetching costs falls with 1/k, so their sum
     * is least where they are equal (the square root law of ordering [1]): k is multiplied by √(cost / loss), and by no more
     * than 2 or less than 1/2 at a time. Both are summed with a memory of about the last four fetches.
     *
     * [1] Harris, "How many parts to make at once" (1913).
     */
    private static final double MAX_EVERY = 32;
    private static final double MEMORY = 0.75;

    private double gains;
    private double losses;
    private double costs;
    private double every = 1;
    private int passed;

    /** Returns true if a newer digest, which is available, is to be fetched now. */
    boolean takes() {
        if (++passed < every) {
            return false;
        }
        passed = 0;
        return true;
    }

    /** A digest was fetched at this cost, and such a share of it was new. */
    void paid(double cost, double fresh) {
        // The first one says nothing yet: it counts as just worth it.
        losses = costs == 0 ? cost : losses * MEMORY + fresh / 2 * Math.max(0, gains);
        costs = costs * MEMORY + cost;
        gains = 0;
        double change = losses * 4 <= costs ? 2 : Math.max(0.5, Math.sqrt(costs / losses));
        every = Math.min(MAX_EVERY, Math.max(1, every * change));
    }

    /** What the sibling saved or, below 0, what it wasted. */
    void gained(double saved) {
        gains += saved;
    }

    /** One offer in how many is taken. */
    double every() {
        return every;
    }
}
