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
 * @param rightRows the number of rows of the right side; 0 if they were not counted, as for a plain join
 * @param filterBytes the size of the filter, which is sent to every executor; 0 without one
 * @param leftBytes the size of the left side by Spark's statistics; 0 if it has none, and for a plain join
 * @param measured what the filter did, once an action has computed the rows; a plain join is not measured
 */
public record JoinReport(
        boolean isFiltered,
        String reason,
        long sampledRows,
        double matching,
        long rightRows,
        long filterBytes,
        long leftBytes,
        Optional<JoinMeasurement> measured) {
    static JoinReport unmeasured(String reason) {
        return plain(reason, 0, 0);
    }

    static JoinReport plain(String reason, long sampledRows, double matching) {
        return new JoinReport(false, reason, sampledRows, matching, 0, 0, 0, Optional.empty());
    }

    JoinReport measured(JoinMeasurement measurement) {
        return new JoinReport(
                isFiltered, reason, sampledRows, matching, rightRows, filterBytes, leftBytes, Optional.of(measurement));
    }

    /** The share of rows that a filter passes if this share has a partner. */
    static double passing(double matching) {
        return matching + (1 - matching) * BloomJoin.FALSE_POSITIVES;
    }

    /** The share of the rows that a filter should pass, by the sample. */
    public double expectedPassing() {
        return passing(matching);
    }

    /**
     * The bytes of the left side that should not be shuffled, by the sample and Spark's statistics. For files these are
     * bytes in the file, of all its columns; {@link JoinMeasurement#savedBytes} is an estimate from the bytes that were
     * shuffled. 0 without a filter, or without statistics.
     */
    public long expectedSavedBytes() {
        return isFiltered ? Math.round((1 - expectedPassing()) * leftBytes) : 0;
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
                + (isFiltered ? "; the filter of " + rightRows + " rows has " + filterBytes + " bytes" : "")
                + (leftBytes == 0
                        ? ""
                        : "; of " + leftBytes + " bytes, by Spark's statistics, about " + expectedSavedBytes()
                                + " need not be shuffled")
                + (isFiltered ? "; " + measured.map(this::compared).orElse("not run yet") : "");
    }

    private String compared(JoinMeasurement measurement) {
        return measurement + "; " + percent(expectedPassing()) + " were expected to pass";
    }
}
