package dev.perhaps.spark;

import dev.perhaps.membership.ExpiringBloom;
import dev.perhaps.sketch.Added;
import dev.perhaps.spark.catalyst.ColumnKey;
import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapGroupsWithStateFunction;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.streaming.GroupState;
import org.apache.spark.sql.streaming.GroupStateTimeout;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.jspecify.annotations.Nullable;
import scala.Function1;
import scala.collection.immutable.Seq;

/**
 * Returns the rows of a stream whose key did not occur within a window before them: a row whose key occurred within the
 * window is never returned, and a row whose key did not is missing with at most the planned probability. A key that
 * occurs again is remembered for another whole window. The state is one {@link ExpiringBloom} per shard, as its frame:
 * about 42 bits per key of a window at 1 %, whatever the length of keys. Time is that of a column, not of a clock.
 * Works on batches too. Immutable.
 *
 * <pre>{@code
 * Dataset<Row> fresh = UnseenRows.of(visits, "customer", "time").within(Duration.ofHours(1)).expecting(1_000_000).rows();
 * }</pre>
 */
public final class UnseenRows {
    /** The number of different keys per window of a plan that sets none. */
    public static final long DEFAULT_KEYS = 1_000_000;

    /** The default probability that a row is missing. */
    public static final double DEFAULT_FALSE_POSITIVES = 0.01;

    /** The default number of shards. */
    public static final int DEFAULT_SHARDS = 16;

    /** The largest number of shards. */
    public static final int MAX_SHARDS = 65_536;

    /** The largest filter of a shard: it is read and written whole in each batch that has rows for it. */
    private static final long MAX_SHARD_BYTES = 1L << 28;

    private final Dataset<Row> rows;
    private final Step step;

    private UnseenRows(Dataset<Row> rows, Step step) {
        step.check();
        this.rows = rows;
        this.step = step;
    }

    /**
     * Describes the rows of a stream whose key is new. A row in which the key or the time is null is always returned.
     *
     * @param key the column that is looked up, of a type that {@code perhaps_filter} takes
     * @param time the column with the time of a row, a timestamp
     */
    public static UnseenRows of(Dataset<Row> rows, String key, String time) {
        DriverSession.require("UnseenRows", rows);
        Field keyField = field(rows, key);
        Field timeField = field(rows, time);
        if (!(timeField.type instanceof TimestampType || timeField.type instanceof TimestampNTZType)) {
            throw new IllegalArgumentException(
                    "the time '" + time + "' must be a timestamp, got " + timeField.type.sql() + ": cast it");
        }
        Step step = new Step(
                keyField,
                timeField,
                ColumnKey.of(keyField.type, "", 0),
                ExpiringBloom.DEFAULT_WINDOW,
                DEFAULT_KEYS,
                DEFAULT_FALSE_POSITIVES,
                DEFAULT_SHARDS);
        return new UnseenRows(rows, step);
    }

    /**
     * The column that Spark finds by a name: its place is not that of its name, which a field of a struct may have too.
     */
    private static Field field(Dataset<Row> rows, String name) {
        Attribute found =
                rows.select(rows.col(name)).queryExecution().analyzed().output().apply(0);
        Seq<Attribute> all = rows.queryExecution().analyzed().output();
        for (int i = 0; i < all.length(); i++) {
            if (all.apply(i).exprId().equals(found.exprId())) {
                return new Field(i, found.dataType());
            }
        }
        throw new IllegalArgumentException("'" + name + "' must be a column, got a part of one: select it as a column");
    }

    /**
     * The duration for which a key is never missed (default: 1 hour); it is forgotten at most a twelfth of it later.
     */
    public UnseenRows within(Duration window) {
        return new UnseenRows(
                rows, new Step(step.key, step.time, step.columnKey, window, step.keys, step.error, step.shards));
    }

    /** The number of different keys per window, in all shards (default: 1,000,000). */
    public UnseenRows expecting(long keysPerWindow) {
        if (keysPerWindow < 1) {
            throw new IllegalArgumentException("keys per window must be at least 1, got " + keysPerWindow);
        }
        return new UnseenRows(
                rows,
                new Step(step.key, step.time, step.columnKey, step.window, keysPerWindow, step.error, step.shards));
    }

    /** The probability, in (0, 1), that a row with a new key is missing (default: 0.01). */
    public UnseenRows falsePositives(double rate) {
        return new UnseenRows(
                rows, new Step(step.key, step.time, step.columnKey, step.window, step.keys, rate, step.shards));
    }

    /** The number of filters that keys are distributed over, each the work of one task (default: 16). */
    public UnseenRows shards(int count) {
        if (count < 1 || count > MAX_SHARDS) {
            throw new IllegalArgumentException("shards must be in 1 … " + MAX_SHARDS + ", got " + count);
        }
        return new UnseenRows(
                rows, new Step(step.key, step.time, step.columnKey, step.window, step.keys, step.error, count));
    }

    /**
     * Returns the rows, with all their columns. Those of one batch are taken in the order of their time. Of a stream,
     * for queries in append mode; a watermark must be given before, and ends here.
     */
    public Dataset<Row> rows() {
        Step taken = step;
        return rows.groupByKey((MapFunction<Row, Integer>) taken::shard, Encoders.INT())
                .flatMapGroupsWithState(
                        taken,
                        OutputMode.Append(),
                        Encoders.BINARY(),
                        Encoders.row(withoutWatermark(rows.schema())),
                        GroupStateTimeout.NoTimeout());
    }

    private static StructType withoutWatermark(StructType schema) {
        StructType plain = new StructType();
        for (StructField field : schema.fields()) {
            plain = plain.add(new StructField(
                    field.name(),
                    field.dataType(),
                    field.nullable(),
                    new MetadataBuilder()
                            .withMetadata(field.metadata())
                            .remove("spark.watermarkDelayMs")
                            .build()));
        }
        return plain;
    }

    /** A column of a row, as Spark's expressions have its values. */
    private static final class Field implements Serializable {
        private static final long serialVersionUID = 1;

        private final int position;
        private final DataType type;
        private transient @Nullable Function1<Object, Object> converter;

        Field(int position, DataType type) {
            this.position = position;
            this.type = type;
        }

        Object value(Row row) {
            Function1<Object, Object> known = converter;
            if (known == null) {
                known = CatalystTypeConverters.createToCatalystConverter(type);
                converter = known;
            }
            return known.apply(row.get(position));
        }
    }

    /** What tasks do with the rows of a shard. */
    private static final class Step implements FlatMapGroupsWithStateFunction<Integer, Row, byte[], Row> {
        private static final long serialVersionUID = 1;

        private final Field key;
        private final Field time;
        private final ColumnKey columnKey;
        private final ColumnKey timeKey;
        private final Duration window;
        private final long keys;
        private final double error;
        private final int shards;

        Step(Field key, Field time, ColumnKey columnKey, Duration window, long keys, double error, int shards) {
            this.key = key;
            this.time = time;
            this.columnKey = columnKey;
            this.timeKey = ColumnKey.of(time.type, "", 0);
            this.window = window;
            this.keys = keys;
            this.error = error;
            this.shards = shards;
        }

        /** Of a shard: four standard deviations more than its share of keys. */
        private ExpiringBloom.Plan<?> plan() {
            double share = (double) keys / shards;
            return ExpiringBloom.expecting((long) Math.ceil(share + (shards == 1 ? 0 : 4 * Math.sqrt(share))))
                    .within(window)
                    .falsePositives(error)
                    .of(columnKey.key());
        }

        void check() {
            long bytes = plan().sizing().bytes();
            if (bytes > MAX_SHARD_BYTES) {
                throw new IllegalArgumentException("a shard would have a filter of " + bytes + " bytes, more than "
                        + MAX_SHARD_BYTES + ": take more than " + shards + " shards");
            }
        }

        private boolean isKnown(Row row) {
            return !row.isNullAt(key.position) && !row.isNullAt(time.position);
        }

        /**
         * Rows that pass anyhow are distributed too, by what they have: a row must have the same shard when it is read
         * again, which its hash in Java does not promise.
         */
        int shard(Row row) {
            long hash = !row.isNullAt(key.position)
                    ? columnKey.hash(key.value(row))
                    : row.isNullAt(time.position) ? 0 : timeKey.hashNumber((Long) time.value(row));
            return (int) Long.remainderUnsigned(hash, shards);
        }

        private long millis(Row row) {
            return Math.floorDiv((Long) time.value(row), 1_000L);
        }

        @Override
        public Iterator<Row> call(Integer shard, Iterator<Row> rows, GroupState<byte[]> state) throws IOException {
            List<Row> unseen = new ArrayList<>();
            List<Row> known = new ArrayList<>();
            rows.forEachRemaining(row -> (isKnown(row) ? known : unseen).add(row));
            if (known.isEmpty()) {
                return unseen.iterator();
            }
            ExpiringBloom<?> seen = state.exists() ? opened(state.get()) : plan().build();
            known.sort(Comparator.comparingLong(this::millis));
            for (Row row : known) {
                if (seen.addHash(columnKey.hash(key.value(row)), millis(row)) == Added.ADDED) {
                    unseen.add(row);
                }
            }
            state.update(state(seen));
            return unseen.iterator();
        }

        /** The number of shards, 4 bytes, and the frame: with another number, keys belong to other shards. */
        private byte[] state(ExpiringBloom<?> seen) {
            byte[] frame = seen.toBytes();
            return ByteBuffer.allocate(Integer.BYTES + frame.length)
                    .putInt(shards)
                    .put(frame)
                    .array();
        }

        private ExpiringBloom<?> opened(byte[] state) throws IOException {
            int shardsThen = ByteBuffer.wrap(state).getInt();
            if (shardsThen != shards) {
                throw new IllegalStateException(
                        "the checkpoint is not of " + shards + " shards: keep shards, or start with a new checkpoint");
            }
            ExpiringBloom<?> seen =
                    ExpiringBloom.fromBytes(Arrays.copyOfRange(state, Integer.BYTES, state.length), columnKey.key());
            ExpiringBloom.Plan<?> plan = plan();
            if (seen.sizing().items() != plan.sizing().items()
                    || seen.sizing().error() != plan.sizing().error()
                    || !seen.window().equals(window)) {
                throw new IllegalStateException("the checkpoint has a filter of "
                        + seen.sizing().items()
                        + " keys within " + seen.window() + " per shard, and "
                        + plan.sizing().items() + " within "
                        + window + " are asked for: keep within, expecting, falsePositives and shards, or start with"
                        + " a new checkpoint");
            }
            return seen;
        }
    }
}
