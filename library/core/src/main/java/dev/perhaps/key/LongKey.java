package dev.perhaps.key;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** Hashes a long by a permutation: different longs have different hashes. */
final class LongKey extends NumberKey<Long> implements Key.Longs {
    static final String NAME = "int64";
    static final LongKey DEFAULT = new LongKey(DEFAULT_SEED);

    private LongKey(long seed) {
        super(NAME, seed);
    }

    @Override
    public long hash(long value) {
        return mixer.hash(value);
    }

    @Override
    public LongKey seeded(long otherSeed) {
        return new LongKey(otherSeed);
    }

    @Override
    public void write(Long value, DataOutput out) throws IOException {
        out.writeLong(value);
    }

    @Override
    public Long read(DataInput in) throws IOException {
        return in.readLong();
    }
}
