package dev.perhaps.spark;

/**
 * What the filter of a {@link BloomJoin} did in the last action that computed its rows. The tasks count; a partition of
 * a stage counts once, even if it was retried or run twice. An action that needs only some rows, such as {@code show},
 * may look up only some of the large side. If the key is a partition column of the table, Spark looks up the partitions
 * while it plans the query and reads only those that may have a partner: then all figures are 0.
 *
 * @param lookedUpRows the number of rows of the large side that were looked up
 * @param passedRows the number of those that may have a partner, and were joined
 * @param shuffledBytes the bytes that the tasks that looked up wrote for other tasks
 */
public record JoinMeasurement(long lookedUpRows, long passedRows, long shuffledBytes) {
    /** The number of rows that certainly have no partner, and were not joined. */
    public long droppedRows() {
        return lookedUpRows - passedRows;
    }

    /** The share of the rows that passed. */
    public double passing() {
        return lookedUpRows == 0 ? 0 : (double) passedRows / lookedUpRows;
    }

    /** The share of the rows that have a partner, estimated: of those without one, a known share passes. */
    public double matching() {
        double falsePositives = BloomJoin.FALSE_POSITIVES;
        return Math.max(0, (passing() - falsePositives) / (1 - falsePositives));
    }

    /**
     * Estimates the bytes that were not shuffled: those of the rows that were not joined, each as large as the mean of
     * those that were. 0 if no row passed, as nothing is known then, and if no row was shuffled.
     */
    public long savedBytes() {
        return passedRows == 0 ? 0 : Math.round((double) droppedRows() / passedRows * shuffledBytes);
    }

    /** Returns some words for people. */
    @Override
    public String toString() {
        if (lookedUpRows == 0) {
            return "Spark looked up while it planned the query, which is not measured";
        }
        return "of " + lookedUpRows + " rows " + passedRows + " passed (" + JoinReport.percent(passing()) + "), about "
                + JoinReport.percent(matching()) + " have a partner; their tasks shuffled " + shuffledBytes
                + " bytes, about " + savedBytes() + " less than without a filter";
    }
}
