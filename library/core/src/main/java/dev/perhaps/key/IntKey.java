package dev.perhaps.key;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Objects;

/** Hashes an int as the long of the same value: different ints have different hashes. */
final class IntKey extends NumberKey<Integer> {
    static final String NAME = "int32";
    static final IntKey DEFAULT = new IntKey(DEFAULT_SEED);

    private IntKey(long seed) {
        super(NAME, seed);
    }

    @Override
    public long hash(Integer value) {
        return mixer.hash(Objects.requireNonNull(value, KeyName.NO_VALUE));
    }

    @Override
    public IntKey seeded(long otherSeed) {
        return new IntKey(otherSeed);
    }

    @Override
    public void write(Integer value, DataOutput out) throws IOException {
        out.writeInt(value);
    }

    @Override
    public Integer read(DataInput in) throws IOException {
        return in.readInt();
    }
}
