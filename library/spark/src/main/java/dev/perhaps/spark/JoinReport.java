package dev.perhaps.spark;

import java.util.Locale;
import java.util.Optional;

/**
 * What {@link BloomJoin} measured and decided before a join, and what it measured during the join.
 *
 * @param isFiltered true if the left side is filtered before the join, false if the join is a plain one
 * @param reason the reason, in a sentence
 * @param sampledRows the number of rows of the left side in the sample
 * @param matching the share of them that have a partner on the right
 * @param filterBytes the size of the filter, which is sent to every task; 0 without one
 * @param measured what the filter did, once an action has computed the rows; a plain join is not measured
 */
public record JoinReport(
        boolean isFiltered,
        String reason,
        long sampledRows,
        double matching,
        long filterBytes,
        Optional<JoinMeasurement> measured) {
    static JoinReport unmeasured(String reason) {
        return new JoinReport(false, reason, 0, 0, 0, Optional.empty());
    }

    JoinReport measured(JoinMeasurement measurement) {
        return new JoinReport(isFiltered, reason, sampledRows, matching, filterBytes, Optional.of(measurement));
    }

    /** The share of rows that a filter passes if this share has a partner. */
    static double passing(double matching) {
        return matching + (1 - matching) * BloomJoin.FALSE_POSITIVES;
    }

    /** The share of the rows that a filter should pass, by the sample. */
    public double expectedPassing() {
        return passing(matching);
    }

    static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }

    /** Returns one line for people. */
    @Override
    public String toString() {
        return (isFiltered ? "filtered join: " : "plain join: ")
                + reason
                + (sampledRows == 0
                        ? ""
                        : "; of " + sampledRows + " sampled rows " + percent(matching) + " have a partner")
                + (filterBytes == 0 ? "" : "; the filter has " + filterBytes + " bytes")
                + (isFiltered ? "; " + measured.map(this::compared).orElse("not run yet") : "");
    }

    private String compared(JoinMeasurement measurement) {
        return measurement + "; " + percent(expectedPassing()) + " were expected to pass";
    }
}
