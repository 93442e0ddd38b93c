package dev.perhaps.key;

import com.dynatrace.hash4j.hashing.HashStream64;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/** Hashes bytes as they are. */
final class BytesKey extends Xxh3Key<byte[]> implements Key.Bytes {
    static final BytesKey DEFAULT = new BytesKey(DEFAULT_SEED);

    /** As many as an array holds: what could be added can be saved. */
    private static final int MAX_STORED_BYTES = Integer.MAX_VALUE - 8;

    /** The memory that is taken for a kept value before its first byte is there; a broken file may say any length. */
    private static final int FIRST_BYTES = 1 << 16;

    private BytesKey(long seed) {
        super(StringKey.NAME, seed);
    }

    @Override
    public long hash(byte[] value) {
        return hasher.hashBytesToLong(Objects.requireNonNull(value, KeyName.NO_VALUE), 0, value.length);
    }

    @Override
    public long hash(byte[] bytes, int from, int to) {
        Objects.checkFromToIndex(from, to, Objects.requireNonNull(bytes, KeyName.NO_VALUE).length);
        return hasher.hashBytesToLong(bytes, from, to - from);
    }

    /** The bytes of a buffer without an array, through a buffer of this thread. */
    long hashBuffer(ByteBuffer value) {
        byte[] scratch = StringKey.scratch();
        int length = value.remaining();
        if (length <= scratch.length) {
            value.get(value.position(), scratch, 0, length);
            return hasher.hashBytesToLong(scratch, 0, length);
        }
        HashStream64 stream = hasher.hashStream();
        for (int at = 0; at < length; at += scratch.length) {
            int count = Math.min(scratch.length, length - at);
            value.get(value.position() + at, scratch, 0, count);
            stream.putBytes(scratch, 0, count);
        }
        return stream.getAsLong();
    }

    @Override
    public BytesKey seeded(long otherSeed) {
        return new BytesKey(otherSeed);
    }

    @Override
    public void write(byte[] value, DataOutput out) throws IOException {
        out.writeInt(value.length);
        out.write(value);
    }

    @Override
    public byte[] read(DataInput in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > MAX_STORED_BYTES) {
            throw new IOException("a kept key has 0 to " + MAX_STORED_BYTES + " bytes, got " + length);
        }
        byte[] value = new byte[Math.min(length, FIRST_BYTES)];
        in.readFully(value);
        while (value.length < length) {
            int filled = value.length;
            value = Arrays.copyOf(value, (int) Math.min(length, 2L * filled));
            in.readFully(value, filled, value.length - filled);
        }
        return value;
    }
}
