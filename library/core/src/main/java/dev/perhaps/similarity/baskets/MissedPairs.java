package dev.perhaps.similarity.baskets;

import dev.perhaps.similarity.Banding;

/**
 * An estimate of the pairs that bands missed, from those that they found: of pairs with a similarity that bands find
 * with the probability p, each that was found stands for 1/p. Pairs that are added in the same order give the same
 * bits. Not thread-safe.
 *
 * <p>{@code MissedPairs missed = CorrelatedItems.atLeast(0.8).rule().missedPairs();}
 */
public final class MissedPairs {
    private final Banding banding;
    private double missed;

    MissedPairs(Banding banding) {
        this.banding = banding;
    }

    /** Adds all pairs of one similarity that were found by bands, the highest similarity first. */
    public void add(double jaccard, long pairs) {
        missed += pairs * (1 / banding.chance(jaccard) - 1);
    }

    /**
     * Returns the estimated share of missed pairs, given the number of all that were found, those without bands too.
     */
    public double share(long found) {
        return missed == 0 ? 0 : missed / (missed + found);
    }
}
