package dev.perhaps.server.keyspace;

import dev.perhaps.frequency.Distinct;

/** A number of distinct items. */
public record DistinctValue(Distinct<byte[]> sketch) implements SketchValue {
    @Override
    public ValueType type() {
        return ValueType.DISTINCT;
    }

    @Override
    public long seed() {
        return sketch.key().seed();
    }

    @Override
    public Value copy() {
        return new DistinctValue(sketch.copy());
    }
}
