package dev.perhaps.sketch;

import dev.perhaps.io.WholeFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/** What all structures have in common: they describe themselves, state their size, and can be written. */
public interface Sketch {
    /** Returns the kind of structure, which is written to its file. */
    Kind kind();

    /** Returns the memory of the structure's arrays in bytes, as the plan stated it. */
    long sizeBytes();

    /** Returns the length in bytes of the file that {@link #save} would write. */
    long fileBytes();

    /** Returns parameters, size, load and current error, for programs and for people. */
    Description describe();

    /** Writes the structure as one frame (docs/format.md); the stream is neither flushed nor closed. */
    void writeTo(OutputStream out) throws IOException;

    /**
     * Returns the bytes that {@link #save} would write, for a cache, a message or a database column. The {@code
     * fromBytes} of the class, or {@code Perhaps.fromBytes}, reads them.
     *
     * @throws IllegalStateException if the bytes do not fit into an array
     */
    default byte[] toBytes() {
        long length = fileBytes();
        if (length > Integer.MAX_VALUE - 8) {
            throw new IllegalStateException(
                    "a " + kind() + " of " + length + " bytes does not fit into an array: save it to a file");
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream((int) length);
        try {
            writeTo(out);
        } catch (IOException e) {
            throw SketchBytes.unwritable(this, e);
        }
        return out.toByteArray();
    }

    /**
     * Returns true if the other structure has the same kind, key, parameters and content: the same bytes in a file. It
     * reads both completely; the result is undefined if a structure changes during the call.
     */
    default boolean contentEquals(Sketch other) {
        return SketchBytes.same(this, other);
    }

    /** Writes a file completely or not at all: the previous file stays until the new one is on disk. */
    default void save(Path file) throws IOException {
        WholeFile.write(file, this::writeTo);
    }

    /**
     * The header of a file, which is read without its content: {@code Perhaps.look(file)}.
     *
     * @param kind the kind of structure
     * @param version the version of the kind's layout
     * @param keyName the name of the key that it was written with
     * @param seed the seed of that key
     * @param salt the salt of the structure, 0 if it has none
     * @param fileBytes the length of the whole file in bytes
     */
    public record Header(Kind kind, int version, String keyName, long seed, int salt, long fileBytes) {}
}
