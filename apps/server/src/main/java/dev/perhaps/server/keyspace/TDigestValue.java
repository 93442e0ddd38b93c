package dev.perhaps.server.keyspace;

import dev.perhaps.foreign.RedisTDigest;
import java.io.IOException;
import java.io.OutputStream;

/** A t-digest. */
public record TDigestValue(RedisTDigest digest) implements Value {
    @Override
    public ValueType type() {
        return ValueType.T_DIGEST;
    }

    @Override
    public long sizeBytes() {
        return digest.sizeBytes();
    }

    @Override
    public Value copy() {
        return new TDigestValue(digest.copy());
    }

    @Override
    public String encoding() {
        return "raw";
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        digest.writeTo(out);
    }

    @Override
    public long fileBytes() {
        return digest.fileBytes();
    }
}
