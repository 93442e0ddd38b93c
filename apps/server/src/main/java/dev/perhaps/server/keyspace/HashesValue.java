package dev.perhaps.server.keyspace;

import dev.perhaps.sketch.FormatException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Hashes of items, collected for a filter that is built from all of them at once. */
public final class HashesValue implements Value {
    /** The most hashes of one value: 1 GiB. */
    public static final int MAX_HASHES = 1 << 27;

    private static final int OBJECT_BYTES = 64;
    private static final int LEAST = 16;

    private final long seed;
    private long[] hashes = new long[LEAST];
    private int count;

    /** No hashes yet, of items that are hashed with this seed. */
    public HashesValue(long seed) {
        this.seed = seed;
    }

    /** Returns the seed of the hashes. */
    public long seed() {
        return seed;
    }

    /** Returns the number of hashes. */
    public int count() {
        return count;
    }

    /** Returns all hashes; they do not change with this value. */
    public long[] hashes() {
        return Arrays.copyOf(hashes, count);
    }

    /**
     * Returns the memory in bytes that adding this number of hashes allocates, to a value or to none; {@link Long#MAX_VALUE} if they
     * would be too many.
     */
    public static long growthBytes(@Nullable HashesValue value, int more) {
        long needed = (value == null ? 0 : value.count) + (long) more;
        if (needed > MAX_HASHES) {
            return Long.MAX_VALUE;
        }
        boolean fits = value != null && needed <= value.hashes.length;
        return fits ? 0 : OBJECT_BYTES + Long.BYTES * length(needed);
    }

    /**
     * Grows by half, so that many small additions copy little; depends on the number only, so that a value that was read again
     * grows when the one before it would have.
     */
    private static long length(long needed) {
        long length = LEAST;
        while (length < needed) {
            length += length / 2;
        }
        return Math.min(MAX_HASHES, length);
    }

    /** Adds hashes, which must not be too many. */
    public void add(long[] more) {
        int needed = Math.addExact(count, more.length);
        if (needed > hashes.length) {
            hashes = Arrays.copyOf(hashes, (int) length(needed));
        }
        System.arraycopy(more, 0, hashes, count, more.length);
        count = needed;
    }

    @Override
    public ValueType type() {
        return ValueType.HASHES;
    }

    @Override
    public long sizeBytes() {
        return OBJECT_BYTES + (long) Long.BYTES * hashes.length;
    }

    @Override
    public Value copy() {
        HashesValue copy = new HashesValue(seed);
        copy.hashes = hashes.clone();
        copy.count = count;
        return copy;
    }

    /** Shares the array: what is added later is behind the hashes that this value has now, or in another array. */
    @Override
    public Value frozen() {
        HashesValue frozen = new HashesValue(seed);
        frozen.hashes = hashes;
        frozen.count = count;
        return frozen;
    }

    @Override
    public long frozenBytes() {
        return OBJECT_BYTES;
    }

    @Override
    public String encoding() {
        return "raw";
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        DataOutputStream data = new DataOutputStream(out);
        data.writeLong(seed);
        data.writeInt(count);
        for (int i = 0; i < count; i++) {
            data.writeLong(hashes[i]);
        }
        data.flush();
    }

    @Override
    public long fileBytes() {
        return Long.BYTES + Integer.BYTES + (long) Long.BYTES * count;
    }

    static HashesValue readFrom(InputStream in, long maxBytes) throws IOException {
        DataInputStream data = new DataInputStream(in);
        try {
            HashesValue value = new HashesValue(data.readLong());
            int count = data.readInt();
            if (count < 0 || count > MAX_HASHES || Long.BYTES * length(count) > maxBytes) {
                throw new FormatException(count + " hashes do not fit");
            }
            long[] hashes = new long[(int) length(count)];
            for (int i = 0; i < count; i++) {
                hashes[i] = data.readLong();
            }
            value.hashes = hashes;
            value.count = count;
            return value;
        } catch (EOFException e) {
            throw new FormatException("the bytes end before all hashes");
        }
    }
}
