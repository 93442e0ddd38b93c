package dev.perhaps.server.keyspace;

import dev.perhaps.guard.CacheTally;
import dev.perhaps.sketch.FormatException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * The reports of clients on a cache.
 *
 * @param falsePositives the false positive rate of the filter in front of it, if there is one
 */
public record GuardValue(CacheTally tally, double falsePositives) implements Value {
    private static final int OBJECT_BYTES = 320;

    @Override
    public ValueType type() {
        return ValueType.GUARD;
    }

    @Override
    public long sizeBytes() {
        return OBJECT_BYTES;
    }

    @Override
    public Value copy() {
        return new GuardValue(tally.copy(), falsePositives);
    }

    @Override
    public String encoding() {
        return "raw";
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        DataOutputStream data = new DataOutputStream(out);
        data.writeDouble(falsePositives);
        tally.writeTo(data);
        data.flush();
    }

    @Override
    public long fileBytes() {
        return (long) Double.BYTES + CacheTally.fileBytes();
    }

    static GuardValue readFrom(InputStream in) throws IOException {
        DataInputStream data = new DataInputStream(in);
        try {
            double falsePositives = data.readDouble();
            if (!(falsePositives >= 0 && falsePositives <= 1)) {
                throw new FormatException("a false positive rate of " + falsePositives);
            }
            return new GuardValue(CacheTally.readFrom(data), falsePositives);
        } catch (EOFException e) {
            throw new FormatException("the bytes end before the tally");
        }
    }
}
