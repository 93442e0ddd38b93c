package dev.perhaps.key;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Objects;

/** Hashes bytes as they are. */
final class BytesKey extends Xxh3Key<byte[]> implements Key.Bytes {
    static final BytesKey DEFAULT = new BytesKey(DEFAULT_SEED);

    /** A kept value longer than this is not a key any more; it also bounds what a broken file can make us allocate. */
    private static final int MAX_STORED_BYTES = 1 << 20;

    private BytesKey(long seed) {
        super(StringKey.NAME, seed);
    }

    @Override
    public long hash(byte[] value) {
        return hasher.hashBytesToLong(value, 0, value.length);
    }

    @Override
    public long hash(byte[] bytes, int from, int to) {
        Objects.checkFromToIndex(from, to, bytes.length);
        return hasher.hashBytesToLong(bytes, from, to - from);
    }

    @Override
    public BytesKey seeded(long otherSeed) {
        return new BytesKey(otherSeed);
    }

    @Override
    public void write(byte[] value, DataOutput out) throws IOException {
        if (value.length > MAX_STORED_BYTES) {
            throw new IllegalArgumentException(
                    "a kept key has at most " + MAX_STORED_BYTES + " bytes, got " + value.length);
        }
        out.writeInt(value.length);
        out.write(value);
    }

    @Override
    public byte[] read(DataInput in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > MAX_STORED_BYTES) {
            throw new IOException("a kept key has 0 to " + MAX_STORED_BYTES + " bytes, got " + length);
        }
        byte[] value = new byte[length];
        in.readFully(value);
        return value;
    }
}
