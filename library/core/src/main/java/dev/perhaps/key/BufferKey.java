package dev.perhaps.key;

import java.nio.ByteBuffer;
import java.util.Objects;

/** Hashes the bytes of a buffer from its position to its limit, and leaves both where they are. */
record BufferKey(BytesKey bytes) implements Key<ByteBuffer> {
    static final BufferKey DEFAULT = new BufferKey(BytesKey.DEFAULT);

    @Override
    public long hash(ByteBuffer value) {
        Objects.requireNonNull(value, KeyName.NO_VALUE);
        if (value.hasArray()) {
            int from = value.arrayOffset() + value.position();
            return bytes.hash(value.array(), from, from + value.remaining());
        }
        return bytes.hashBuffer(value);
    }

    @Override
    public String name() {
        return bytes.name();
    }

    @Override
    public long seed() {
        return bytes.seed();
    }

    @Override
    public BufferKey seeded(long seed) {
        return new BufferKey(bytes.seeded(seed));
    }

    @Override
    public String toString() {
        return name();
    }
}
