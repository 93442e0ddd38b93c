package dev.perhaps.frequency;

/**
 * A bound of an estimate: it is above the true value by at most {@code error}, in the unit of the counts, with this
 * confidence. It is never below the true value unless the structure says so.
 *
 * @param error the largest error for the current total
 * @param confidence the probability that an estimate is within the error, in [0, 1]; 1 is a guarantee
 */
public record Bound(double error, double confidence) {
    public Bound {
        if (!(error >= 0)) {
            throw new IllegalArgumentException("error must be 0 or more, got " + error);
        }
        if (!(confidence >= 0 && confidence <= 1)) {
            throw new IllegalArgumentException("confidence must be in [0, 1], got " + confidence);
        }
    }
}
