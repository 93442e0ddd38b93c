package dev.perhaps.server.keyspace;

import dev.perhaps.foreign.RedisBloom;
import java.io.IOException;
import java.io.OutputStream;

/** A Bloom filter. */
public record BloomValue(RedisBloom filter) implements Value {
    private static final int CHAIN_BYTES = 32;
    private static final int LINK_BYTES = 64;

    @Override
    public ValueType type() {
        return ValueType.BLOOM;
    }

    /** The sizes of the structs of the reference, which {@code BF.INFO} reports. */
    @Override
    public long sizeBytes() {
        return CHAIN_BYTES + (long) LINK_BYTES * filter.linkCount() + filter.dataBytes();
    }

    @Override
    public Value copy() {
        return new BloomValue(filter.copy());
    }

    @Override
    public String encoding() {
        return "raw";
    }

    @Override
    public ValueView view(long maxBytes) {
        return ValueView.of(filter.view(maxBytes));
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        filter.writeTo(out);
    }

    @Override
    public long fileBytes() {
        return filter.fileBytes();
    }
}
