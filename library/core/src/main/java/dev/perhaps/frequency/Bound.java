package dev.perhaps.frequency;

/**
 * How far an estimate may be above the truth: by at most {@code error}, in the unit of the counts, with this confidence.
 * Below the truth it never is, where a structure says no more.
 *
 * @param error the most by which an answer is too high, as much as was counted by now
 * @param confidence the chance that an answer keeps to it, in [0, 1]; 1 is a guarantee
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
