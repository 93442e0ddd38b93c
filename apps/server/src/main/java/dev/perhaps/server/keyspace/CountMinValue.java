package dev.perhaps.server.keyspace;

import dev.perhaps.foreign.RedisCountMin;
import java.io.IOException;
import java.io.OutputStream;

/** A count-min sketch. */
public record CountMinValue(RedisCountMin sketch) implements Value {
    private static final int OBJECT_BYTES = 64;

    @Override
    public ValueType type() {
        return ValueType.COUNT_MIN;
    }

    @Override
    public long sizeBytes() {
        return OBJECT_BYTES + sketch.sizeBytes();
    }

    @Override
    public Value copy() {
        return new CountMinValue(sketch.copy());
    }

    @Override
    public String encoding() {
        return "raw";
    }

    @Override
    public ValueView view(long maxBytes) {
        return ValueView.of(sketch.view(maxBytes));
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        sketch.writeTo(out);
    }

    @Override
    public long fileBytes() {
        return sketch.fileBytes();
    }
}
