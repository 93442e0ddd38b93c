package dev.perhaps.sketch;

import dev.perhaps.io.WholeFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/** What every structure can do: say what it is and what it takes, and write itself. */
public interface Sketch {
    Kind kind();

    /** Memory of the structure's arrays, in bytes: what the plan said. */
    long sizeBytes();

    /** Length of the file that {@link #save} would write, in bytes. */
    long fileBytes();

    Description describe();

    void writeTo(OutputStream out) throws IOException;

    /**
     * The bytes that {@link #save} would write, for a cache, a message or a column of a table; the kind's {@code fromBytes} or
     * {@code Perhaps.fromBytes} reads them again.
     *
     * @throws IllegalStateException if they are more than an array can hold
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
     * True if the other one has the same kind, key, parameters and content: the same bytes in a file. Reads both whole; of one
     * that threads change meanwhile, what it finds.
     */
    default boolean contentEquals(Sketch other) {
        return SketchBytes.same(this, other);
    }

    /** Writes the file whole or not at all: what was there before stays until the new bytes are safe on disk. */
    default void save(Path file) throws IOException {
        WholeFile.write(file, this::writeTo);
    }

    /**
     * What the header of a file says about its content, read without the content: {@code Perhaps.look(file)}.
     *
     * @param kind the kind of structure
     * @param version the version of the kind's layout
     * @param keyName the name of the key that it was written with
     * @param seed the seed of that key
     * @param salt the salt of the structure's own mix, 0 where it has none
     * @param fileBytes the length of the whole file
     */
    public record Header(Kind kind, int version, String keyName, long seed, int salt, long fileBytes) {}
}
