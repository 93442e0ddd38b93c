package dev.perhaps.key;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Objects;

/** Hashes a double by the permutation of its 64 bits, after −0.0 became 0.0 and every NaN the same one. */
final class DoubleKey extends NumberKey<Double> {
    static final String NAME = "float64";
    static final DoubleKey DEFAULT = new DoubleKey(DEFAULT_SEED);

    private DoubleKey(long seed) {
        super(NAME, seed);
    }

    @Override
    public long hash(Double value) {
        // Adding 0.0 turns −0.0 into 0.0 and changes no other number; doubleToLongBits has one NaN only.
        return mixer.hash(Double.doubleToLongBits(Objects.requireNonNull(value, KeyName.NO_VALUE) + 0.0));
    }

    @Override
    public DoubleKey seeded(long otherSeed) {
        return new DoubleKey(otherSeed);
    }

    @Override
    public void write(Double value, DataOutput out) throws IOException {
        out.writeDouble(value + 0.0);
    }

    @Override
    public Double read(DataInput in) throws IOException {
        return in.readDouble() + 0.0;
    }
}
