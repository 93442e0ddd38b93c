package dev.perhaps.spark;

import dev.perhaps.spark.catalyst.ColumnarCall;
import java.util.Objects;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Computes one aggregate of Perhaps over all rows of a large table from batches of a column, which takes a fraction of
 * the processor time of the same aggregate in SQL: Spark aggregates row by row. The frame is, byte for byte, that of
 * {@code rows.agg(aggregate)}; calls that SQL refuses are refused. Batches are available ({@link #isColumnar}) if the
 * value is a column of a Parquet or ORC table, or of a cached table of numbers, with no other operation in between,
 * such as a filter; otherwise rows are read. For sessions in the driver's own process. Immutable.
 *
 * <pre>{@code
 * byte[] frame = ColumnarAggregate.of(visits, PerhapsFunctions.filter(col("customer"), "blocked", 0.01, 4_000_000))
 *         .frame();
 * }</pre>
 */
public final class ColumnarAggregate {
    private final ColumnarCall call;

    private ColumnarAggregate(ColumnarCall call) {
        this.call = call;
    }

    /**
     * Plans an aggregate.
     *
     * @param aggregate a call of one aggregate of {@link PerhapsFunctions}, without {@code DISTINCT} and {@code FILTER}
     */
    public static ColumnarAggregate of(Dataset<Row> rows, Column aggregate) {
        DriverSession.require("ColumnarAggregate", Objects.requireNonNull(rows, "rows must not be null"));
        return new ColumnarAggregate(
                ColumnarCall.of(rows, Objects.requireNonNull(aggregate, "aggregate must not be null")));
    }

    /** True if the column is read in batches, false if the plan has only rows. */
    public boolean isColumnar() {
        return call.isColumnar();
    }

    /**
     * Runs the job and returns the frame.
     *
     * @throws IllegalStateException if there is none: {@code perhaps_merge} of no frames
     */
    public byte[] frame() {
        byte[] frame = call.frame();
        if (frame == null) {
            throw new IllegalStateException("there is no frame to merge: every value is null, or there are no rows");
        }
        return frame;
    }
}
