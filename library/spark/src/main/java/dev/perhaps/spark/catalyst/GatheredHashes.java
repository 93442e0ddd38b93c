package dev.perhaps.spark.catalyst;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.key.Hashes;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.BiFunction;
import org.apache.spark.sql.vectorized.ColumnVector;

/**
 * Gathers hashes and builds the structure when all are there: for kinds that are built at once or cannot be merged, and
 * where the number of items is not known before. The hashes are sorted first, so that the result does not depend on
 * partitions. 8 bytes per hash travel, which is less than filters from six partitions on.
 */
final class GatheredHashes extends SketchState {
    private static final int LEAST_SLOTS = 64;

    /** Makes the frame of {@code distinct} different hashes; copies are among them only if they count. */
    interface Build extends BiFunction<Hashes, Long, byte[]> {}

    private final ColumnKey key;
    private final boolean copiesCount;
    private final int most;
    private final Build build;

    // A set: a power of two of slots, at most half of them used, 0 for none; the hash 0 itself is a flag. A list else.
    private long[] hashes = new long[LEAST_SLOTS];
    private int size;
    private boolean hasZero;
    private long[] read = {};

    GatheredHashes(ColumnKey key, boolean copiesCount, int most, Build build) {
        this.key = key;
        this.copiesCount = copiesCount;
        this.most = most;
        this.build = build;
    }

    @Override
    void add(Object value) {
        addHash(key.hash(value));
    }

    @Override
    void addColumn(ColumnVector column, int rows) {
        if (read.length < rows) {
            read = new long[rows];
        }
        int count = key.hashes(column, rows, read);
        for (int i = 0; i < count; i++) {
            addHash(read[i]);
        }
    }

    /** The number of hashes but 0. */
    int size() {
        return size;
    }

    private void addHash(long hash) {
        if (copiesCount) {
            if (size == hashes.length) {
                hashes = Arrays.copyOf(hashes, 2 * size);
            }
            hashes[size++] = hash;
        } else if (hash == 0) {
            hasZero = true;
        } else if (put(hashes, hash) && ++size > hashes.length / 2) {
            long[] larger = new long[2 * hashes.length];
            for (long known : hashes) {
                if (known != 0) {
                    put(larger, known);
                }
            }
            hashes = larger;
        }
        if (size > most) {
            throw new IllegalStateException("there are more than " + most
                    + (copiesCount ? " values" : " different values")
                    + ", which is the most that a filter can be sized from: give items, and the kind bloom or blocked");
        }
    }

    @CanIgnoreReturnValue
    private static boolean put(long[] slots, long hash) {
        int mask = slots.length - 1;
        // The hashes of sorted input come in the order of other tables: without a shuffle, runs would pile up.
        int at = (int) ((hash * 0x9E3779B97F4A7C15L) >>> 32) & mask;
        while (slots[at] != 0) {
            if (slots[at] == hash) {
                return false;
            }
            at = at + 1 & mask;
        }
        slots[at] = hash;
        return true;
    }

    private long[] all() {
        if (copiesCount) {
            return Arrays.copyOf(hashes, size);
        }
        long[] all = new long[size + (hasZero ? 1 : 0)];
        int at = 0;
        for (long hash : hashes) {
            if (hash != 0) {
                all[at++] = hash;
            }
        }
        return all;
    }

    @Override
    void merge(SketchState other) {
        for (long hash : ((GatheredHashes) other).all()) {
            addHash(hash);
        }
    }

    @Override
    byte[] toBytes() {
        long[] all = all();
        ByteBuffer bytes = ByteBuffer.allocate(all.length * Long.BYTES);
        bytes.asLongBuffer().put(all);
        return bytes.array();
    }

    @Override
    void load(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        while (in.hasRemaining()) {
            addHash(in.getLong());
        }
    }

    @Override
    byte[] frame() {
        long[] all = all();
        Arrays.sort(all);
        long distinct = all.length;
        for (int i = 1; i < all.length; i++) {
            distinct -= all[i] == all[i - 1] ? 1 : 0;
        }
        return build.apply(Hashes.of(all), distinct);
    }
}
