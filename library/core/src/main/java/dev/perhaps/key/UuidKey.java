package dev.perhaps.key;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Objects;
import java.util.UUID;

/** Hashes a UUID as its two halves, the most significant first, each in little-endian bytes. */
final class UuidKey extends Xxh3Key<UUID> {
    static final String NAME = "uuid";
    static final UuidKey DEFAULT = new UuidKey(DEFAULT_SEED);

    private UuidKey(long seed) {
        super(NAME, seed);
    }

    @Override
    public long hash(UUID value) {
        Objects.requireNonNull(value, KeyName.NO_VALUE);
        return hasher.hashLongLongToLong(value.getMostSignificantBits(), value.getLeastSignificantBits());
    }

    @Override
    public UuidKey seeded(long otherSeed) {
        return new UuidKey(otherSeed);
    }

    @Override
    public void write(UUID value, DataOutput out) throws IOException {
        out.writeLong(value.getMostSignificantBits());
        out.writeLong(value.getLeastSignificantBits());
    }

    @Override
    public UUID read(DataInput in) throws IOException {
        return new UUID(in.readLong(), in.readLong());
    }
}
