package dev.perhaps.frame;

import dev.perhaps.sketch.Shareable;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.zip.CRC32;
import java.util.zip.CheckedOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Equality of structures in memory: two are equal if they have the same kind, key, parameters and content, which means
 * the same bytes in a file. A concurrent structure is equal only to itself; {@link #contentEquals} compares its
 * content.
 *
 * <p>Both {@code equals} and {@code hashCode} read the whole structure, and both change when something is added. Do not
 * use a structure as a key of a map, or as an element of a set, unless it never changes again.
 */
public abstract class AbstractSketch implements Sketch {
    /** For the structures of this library. */
    protected AbstractSketch() {}

    @Override
    public final boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof AbstractSketch sketch
                        && isByContent(this)
                        && isByContent(sketch)
                        && contentEquals(sketch);
    }

    @Override
    public final int hashCode() {
        return isByContent(this) ? contentHash() : System.identityHashCode(this);
    }

    /**
     * CRC-32, not the CRC-32C that frames end in: the checksum of bytes followed by their own depends on their number
     * only.
     */
    private int contentHash() {
        CRC32 crc = new CRC32();
        try {
            writeTo(new CheckedOutputStream(OutputStream.nullOutputStream(), crc));
        } catch (IOException e) {
            throw new UncheckedIOException("a " + kind() + " cannot be written: " + e.getMessage(), e);
        }
        return (int) crc.getValue();
    }

    private static boolean isByContent(AbstractSketch sketch) {
        return !(sketch instanceof Shareable<?> shareable && shareable.isConcurrent());
    }
}
