package dev.perhaps.server.keyspace;

import dev.perhaps.foreign.RedisCuckoo;
import java.io.IOException;
import java.io.OutputStream;

/** A cuckoo filter. */
public record CuckooValue(RedisCuckoo filter) implements Value {
    private static final int CHAIN_BYTES = 40;
    private static final int FILTER_BYTES = 16;

    @Override
    public ValueType type() {
        return ValueType.CUCKOO;
    }

    /** The sizes of the structs of the reference, which {@code CF.INFO} reports. */
    @Override
    public long sizeBytes() {
        return CHAIN_BYTES + (long) FILTER_BYTES * filter.tables() + filter.slots();
    }

    @Override
    public Value copy() {
        return new CuckooValue(filter.copy());
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
