package dev.perhaps.server.keyspace;

import dev.perhaps.foreign.RedisTopK;
import java.io.IOException;
import java.io.OutputStream;

/** A top list. */
public record TopKValue(RedisTopK list) implements Value {
    private static final int OBJECT_BYTES = 64;

    @Override
    public ValueType type() {
        return ValueType.TOP_K;
    }

    @Override
    public long sizeBytes() {
        return OBJECT_BYTES + list.sizeBytes();
    }

    @Override
    public Value copy() {
        return new TopKValue(list.copy());
    }

    @Override
    public String encoding() {
        return "raw";
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        list.writeTo(out);
    }

    @Override
    public long fileBytes() {
        return list.fileBytes();
    }
}
