package dev.perhaps.spark;

import java.util.Locale;

/**
 * What {@link BloomJoin} measured and decided.
 *
 * @param isFiltered true if the left side is filtered before the join, false if the join is a plain one
 * @param reason why
 * @param sampledRows the number of rows of the left side that were looked at
 * @param matching the share of them that have a partner on the right
 * @param filterBytes the size of the filter, which is sent to every task; 0 without one
 */
public record JoinReport(boolean isFiltered, String reason, long sampledRows, double matching, long filterBytes) {
    static JoinReport unmeasured(String reason) {
        return new JoinReport(false, reason, 0, 0, 0);
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
                + (filterBytes == 0 ? "" : "; the filter has " + filterBytes + " bytes");
    }
}
