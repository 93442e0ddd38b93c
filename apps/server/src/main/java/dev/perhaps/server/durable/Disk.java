package dev.perhaps.server.durable;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The files of one directory, with these guarantees after a crash: bytes of a file that were written before its last
 * {@link Output#sync} are there, and so are names as of the last {@link #syncNames}. Everything later may be there
 * completely, in part or not at all, and in any order.
 */
public interface Disk extends Closeable {
    /** A file that is being written, from its beginning to its end. */
    interface Output extends Closeable {
        /** Appends all of these bytes; if it fails, the position of the buffer says how many were appended. */
        void write(ByteBuffer bytes) throws IOException;

        /** Returns when everything written so far is on the disk. After a failure nothing is known about any of it. */
        void sync() throws IOException;
    }

    /** Returns the names of all files. */
    List<String> names() throws IOException;

    /** Returns the length of a file. */
    long length(String name) throws IOException;

    /** Reads a file from this position on. */
    InputStream read(String name, long position) throws IOException;

    /** Begins a new file; one with this name is replaced. */
    Output create(String name) throws IOException;

    /** Returns when an existing file is on the disk, no matter who wrote it. */
    void sync(String name) throws IOException;

    /** Renames a file, in place of one that has the name; what is open stays open. */
    void rename(String from, String to) throws IOException;

    /** Deletes a file if it is there. */
    void delete(String name) throws IOException;

    /** Returns when the names of all files are on the disk as they are now. */
    void syncNames() throws IOException;
}
