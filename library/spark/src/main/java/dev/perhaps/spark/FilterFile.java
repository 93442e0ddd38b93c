package dev.perhaps.spark;

import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BlockedBloom;
import dev.perhaps.membership.FilterPlan;
import dev.perhaps.spark.catalyst.ColumnKey;
import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/**
 * Writes a blocked Bloom filter of a column to a file of the driver, for sets that are too large for a value of SQL:
 * neither a task nor the driver holds more of the filter than a slice of about 4 MiB. The file is, byte for byte, the
 * one that {@link BlockedBloom} writes on one machine for the same values, items, rate and seed, whatever the
 * partitions. It appears whole or not at all. Nulls are not added. For sessions in the driver's own process. Immutable.
 *
 * <pre>{@code
 * FilterFile.of(visits, "customer", 1_000_000_000L).falsePositives(0.01).write(Path.of("customers.filter"));
 * }</pre>
 */
public final class FilterFile {
    /*
     * A hash belongs to one slice of the filter (BlockedBloom.Slices). Hashes travel to the task of their slice, 8
     * bytes each, in blocks per slice; the task sets the bits of a slice that fits its caches. Finished slices are kept
     * on the disks of the executors until the driver, which reads them one by one, has written them. A task that runs
     * twice sets the same bits.
     */
    private static final long SLICE_BYTES = 4 << 20;
    private static final int BLOCK_HASHES = 512;

    private final Dataset<Row> rows;
    private final String column;
    private final long items;
    private final double falsePositives;
    private final long seed;
    private final int slices;

    private FilterFile(Dataset<Row> rows, String column, long items, double falsePositives, long seed, int slices) {
        this.rows = rows;
        this.column = column;
        this.items = items;
        this.falsePositives = falsePositives;
        this.seed = seed;
        this.slices = slices;
    }

    /**
     * Describes a filter with 1 % false positives.
     *
     * @param items the number of different values that it is planned for
     */
    public static FilterFile of(Dataset<Row> rows, String column, long items) {
        DriverSession.require("FilterFile", rows);
        return new FilterFile(rows, column, items, FilterPlan.DEFAULT_FALSE_POSITIVES, Key.DEFAULT_SEED, 0);
    }

    /** The false positive rate once the planned items are in it, in (0, 1) (default: 0.01). */
    public FilterFile falsePositives(double rate) {
        return new FilterFile(rows, column, items, rate, seed, slices);
    }

    /** The seed of the hashes (default: that of the library). */
    public FilterFile seed(long other) {
        return new FilterFile(rows, column, items, falsePositives, other, slices);
    }

    /** The number of slices, 0 for the usual one. */
    FilterFile slices(int count) {
        return new FilterFile(rows, column, items, falsePositives, seed, count);
    }

    /** What a task needs in order to know the slices. */
    private record SlicePlan(DataType type, long seed, long items, double falsePositives, int count)
            implements Serializable {
        ColumnKey key() {
            return ColumnKey.of(type, "", seed);
        }

        private BlockedBloom.Plan<?> whole() {
            return BlockedBloom.expecting(items).falsePositives(falsePositives).of(key().key());
        }

        BlockedBloom.Slices<?> slices() {
            return whole().slices(count);
        }

        SlicePlan withUsualCount() {
            long bytes = whole().sizing().bytes();
            return new SlicePlan(type, seed, items, falsePositives, (int) Math.max(1, bytes / SLICE_BYTES));
        }
    }

    /**
     * Builds the filter and writes it.
     *
     * @throws IOException if the file cannot be written; nothing was computed then, or nothing is left of it
     */
    public void write(Path file) throws IOException {
        Dataset<Row> values = rows.select(rows.col(column));
        DataType type = values.schema().fields()[0].dataType();
        SlicePlan asked = new SlicePlan(type, seed, items, falsePositives, slices);
        SlicePlan plan = slices > 0 ? asked : asked.withUsualCount();
        try (BuiltSlices built = new BuiltSlices(values, plan)) {
            plan.slices().write(file, () -> built);
        }
    }

    /** The slices in order. The job runs when the first is asked for; what it keeps is dropped when this is closed. */
    private static final class BuiltSlices implements Iterator<byte[]>, AutoCloseable {
        private final Dataset<Row> values;
        private final SlicePlan plan;
        private @Nullable JavaRDD<byte[]> kept;
        private @Nullable Iterator<byte[]> left;

        BuiltSlices(Dataset<Row> values, SlicePlan plan) {
            this.values = values;
            this.plan = plan;
        }

        private Iterator<byte[]> left() {
            Iterator<byte[]> known = left;
            if (known == null) {
                JavaRDD<byte[]> built = job(values, plan).persist(StorageLevel.DISK_ONLY());
                kept = built;
                long unused = built.count(); // on all cores; the driver then only fetches
                known = built.toLocalIterator();
                left = known;
            }
            return known;
        }

        @Override
        public boolean hasNext() {
            return left().hasNext();
        }

        @Override
        public byte[] next() {
            return left().next();
        }

        @Override
        public void close() {
            if (kept != null) {
                kept.unpersist(false);
            }
        }

        /** Here, because a client of Spark Connect can load {@link FilterFile} only without a class for partitions. */
        private static JavaRDD<byte[]> job(Dataset<Row> values, SlicePlan plan) {
            return values.queryExecution()
                    .toRdd()
                    .toJavaRDD()
                    .mapPartitionsToPair(rows -> new HashBlocks(rows, plan))
                    .partitionBy(new HashPartitioner(plan.count()))
                    .mapPartitionsWithIndex(
                            (slice, blocks) -> List.of(plan.slices().build(slice, new OneReading(blocks)))
                                    .iterator(),
                            true);
        }
    }

    /** The hashes of a partition, in blocks that belong to one slice each. */
    private static final class HashBlocks implements Iterator<Tuple2<Integer, byte[]>> {
        private final Iterator<InternalRow> rows;
        private final DataType type;
        private final ColumnKey key;
        private final BlockedBloom.Slices<?> slices;
        private final long[][] blocks;
        private final int[] filled;
        private final List<Tuple2<Integer, byte[]>> ready = new ArrayList<>(1);
        private int emptied;

        HashBlocks(Iterator<InternalRow> rows, SlicePlan plan) {
            this.rows = rows;
            this.type = plan.type();
            this.key = plan.key();
            this.slices = plan.slices();
            this.blocks = new long[plan.count()][];
            this.filled = new int[plan.count()];
        }

        @Override
        public boolean hasNext() {
            while (ready.isEmpty() && rows.hasNext()) {
                InternalRow row = rows.next();
                if (!row.isNullAt(0)) {
                    add(key.hash(row.get(0, type)));
                }
            }
            while (ready.isEmpty() && emptied < blocks.length) {
                empty(emptied++);
            }
            return !ready.isEmpty();
        }

        private void add(long hash) {
            int slice = slices.sliceOf(hash);
            long[] block = blocks[slice];
            if (block == null) {
                block = new long[BLOCK_HASHES];
                blocks[slice] = block;
            }
            block[filled[slice]++] = hash;
            if (filled[slice] == BLOCK_HASHES) {
                empty(slice);
            }
        }

        private void empty(int slice) {
            if (filled[slice] > 0) {
                ByteBuffer bytes = ByteBuffer.allocate(filled[slice] * Long.BYTES);
                bytes.asLongBuffer().put(blocks[slice], 0, filled[slice]);
                filled[slice] = 0;
                ready.add(new Tuple2<>(slice, bytes.array()));
            }
        }

        @Override
        public Tuple2<Integer, byte[]> next() {
            if (!hasNext()) {
                throw new NoSuchElementException("no more hashes");
            }
            return ready.remove(0);
        }
    }

    /** Blocks of hashes as they come; they can be read once, which is all that a slice needs. */
    private record OneReading(Iterator<Tuple2<Integer, byte[]>> blocks) implements Hashes {
        @Override
        public long count() {
            throw new UnsupportedOperationException("the number of hashes is not known before they are read");
        }

        @Override
        public void replay(Sink sink) {
            long[] batch = new long[BLOCK_HASHES];
            while (blocks.hasNext()) {
                byte[] block = blocks.next()._2();
                int count = block.length / Long.BYTES;
                ByteBuffer.wrap(block).asLongBuffer().get(batch, 0, count);
                sink.take(batch, 0, count);
            }
        }
    }
}
