package dev.perhaps.server.command;

import dev.perhaps.server.keyspace.SketchValue;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Sketch;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.LongUnaryOperator;
import java.util.regex.Pattern;

/**
 * The folder of files that the command line, Spark and others wrote or will read. A client gives a plain name, which is a
 * regular file in this folder and nothing else: no path, no link. Thread-safe.
 */
final class SketchFiles {
    /** A file is in memory three times while it is loaded: as it was read, as a value, and as a record of the log. */
    static final long MAX_BYTES = Math.min(256 << 20, Runtime.getRuntime().maxMemory() / 16);

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,127}");
    private static final Object SAVING = new Object();

    private final Path folder;

    private SketchFiles(Path folder) {
        this.folder = folder;
    }

    static SketchFiles of(Database database) {
        Path folder = database.files();
        if (folder == null) {
            throw new CommandError("ERR this server has no data directory, and so no folder of files");
        }
        return new SketchFiles(folder);
    }

    private Path file(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new CommandError("ERR the name of a file has 1 to 128 letters, digits, '_', '-' and '.', and begins"
                    + " with neither '.' nor '-'");
        }
        if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS) && !Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            throw new CommandError("ERR the folder of files is not a folder");
        }
        return folder.resolve(name);
    }

    /**
     * Reads a file. Its length is given to {@code memory} before a byte is read, which refuses it or returns the most memory
     * that the value may take.
     */
    SketchValue load(String name, LongUnaryOperator memory) {
        Path file = file(name);
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new CommandError("ERR no such file '" + name + "' in the folder of files");
        }
        // First, because to open a pipe would wait for its writer.
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new CommandError("ERR '" + name + "' is not a regular file");
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            long bytes = channel.size();
            if (bytes > MAX_BYTES) {
                throw new CommandError("ERR '" + name + "' has " + bytes + " bytes, more than the " + MAX_BYTES
                        + " that can be loaded");
            }
            long most = memory.applyAsLong(bytes);
            InputStream in = new BufferedInputStream(Channels.newInputStream(channel), 1 << 16);
            SketchValue value = SketchValue.readFrom(in, Math.min(bytes, most));
            if (in.read() >= 0) {
                throw new FormatException("it has more bytes than its header says");
            }
            return value;
        } catch (IOException e) {
            throw new CommandError("ERR cannot load '" + name + "': " + e.getMessage());
        }
    }

    /** Writes a file, whole or not at all; returns its length. */
    long save(Sketch sketch, String name, boolean replaces) {
        Path file = file(name);
        // One at a time: between the question whether there is a file and the answer nobody makes one.
        synchronized (SAVING) {
            boolean isThere = Files.exists(file, LinkOption.NOFOLLOW_LINKS);
            if (isThere && !replaces) {
                throw new CommandError("ERR the file '" + name + "' exists: use REPLACE");
            }
            if (isThere && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                throw new CommandError("ERR '" + name + "' is not a regular file");
            }
            try {
                create();
                sketch.save(file);
                return sketch.fileBytes();
            } catch (IOException e) {
                throw new CommandError("ERR cannot save '" + name + "': " + e.getMessage());
            }
        }
    }

    private void create() throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(folder);
            if (Files.getFileStore(folder).supportsFileAttributeView("posix")) {
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
            }
        }
    }
}
