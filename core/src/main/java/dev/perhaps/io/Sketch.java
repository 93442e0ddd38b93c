package dev.perhaps.io;

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

    /** Writes the file whole or not at all: what was there before stays until the new bytes are safe on disk. */
    default void save(Path file) throws IOException {
        WholeFile.write(file, this::writeTo);
    }
}
