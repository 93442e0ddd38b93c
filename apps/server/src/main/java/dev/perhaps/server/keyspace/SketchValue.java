package dev.perhaps.server.keyspace;

import dev.perhaps.key.Key;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** A structure of the library as a value: its bytes are the seed of its key and its frame. */
interface SketchValue extends Value {
    /** What the objects around the arrays of a structure take. */
    int OBJECT_BYTES = 128;

    /** Returns the structure. */
    Sketch sketch();

    /** Returns the seed of its key. */
    long seed();

    @Override
    default long sizeBytes() {
        return OBJECT_BYTES + sketch().sizeBytes();
    }

    @Override
    default String encoding() {
        return sketch().kind().toString();
    }

    @Override
    default void writeTo(OutputStream out) throws IOException {
        out.write(ByteBuffer.allocate(Long.BYTES).putLong(seed()).array());
        sketch().writeTo(out);
    }

    @Override
    default long fileBytes() {
        return Long.BYTES + sketch().fileBytes();
    }

    /** Reads the seed, and returns the key of the items. */
    static Key.Bytes readKey(InputStream in) throws IOException {
        byte[] seed = in.readNBytes(Long.BYTES);
        if (seed.length < Long.BYTES) {
            throw new FormatException("the bytes end after " + seed.length + " of the " + Long.BYTES + " of a seed");
        }
        return Key.bytes().seeded(ByteBuffer.wrap(seed).getLong());
    }
}
