package dev.perhaps.server.keyspace;

import dev.perhaps.sketch.FormatException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** Plain bytes; they are replaced, never changed. */
public final class StringValue implements Value {
    private static final int OBJECT_BYTES = 16;

    private final byte[] bytes;

    /** A value of these bytes, which must not be changed. */
    public StringValue(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Returns the bytes; they must not be changed. */
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public ValueType type() {
        return ValueType.STRING;
    }

    @Override
    public long sizeBytes() {
        return (long) OBJECT_BYTES + bytes.length;
    }

    @Override
    public Value copy() {
        return this;
    }

    @Override
    public long frozenBytes() {
        return 0;
    }

    @Override
    public String encoding() {
        return "raw";
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        out.write(ByteBuffer.allocate(4).putInt(bytes.length).array());
        out.write(bytes);
    }

    @Override
    public long fileBytes() {
        return 4L + bytes.length;
    }

    static StringValue readFrom(InputStream in, long maxBytes) throws IOException {
        byte[] head = in.readNBytes(4);
        int length = head.length < 4 ? -1 : ByteBuffer.wrap(head).getInt();
        if (length < 0 || length > maxBytes) {
            throw new FormatException("a string of " + length + " bytes");
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new FormatException("a string of " + length + " bytes ends after " + bytes.length);
        }
        return new StringValue(bytes);
    }
}
