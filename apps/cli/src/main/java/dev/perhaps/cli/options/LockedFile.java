package dev.perhaps.cli.options;

import dev.perhaps.Perhaps;
import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Sketch;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Locks a file while it is read, changed and replaced; a second process waits. */
final class LockedFile implements Closeable {
    /*
     * A file is replaced by renaming another onto it, and a lock belongs to the file, not to the name. So a process
     * that waited for the lock may hold one on a file that is no longer there: it looks again, until the name stood for
     * one file from before it was opened until after it was locked.
     *
     * On POSIX systems a process loses its lock when it closes the file, however often it had opened it. So what is
     * locked is read through the lock's own channel, and through no other.
     */
    private final Path file;
    private final FileChannel channel;

    private LockedFile(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /** Changes a structure and writes it to its target. */
    @FunctionalInterface
    public interface Edit<T> {
        T apply(Sketch sketch, Output target) throws IOException;
    }

    /** Opens the structure in a file for a change: under a lock if it is to be replaced, without if it goes to another place. */
    static <T> T edit(Path file, @Nullable Output output, Overwrite overwrite, Edit<T> edit) throws IOException {
        Output target = output == null ? Output.inPlace(file) : output;
        target.check();
        boolean inPlace = Files.exists(target.path()) && Files.exists(file) && Files.isSameFile(target.path(), file);
        if (!inPlace) {
            Sketch sketch = Perhaps.open(file);
            overwrite.check(target, sketch.kind());
            return edit.apply(sketch, target);
        }
        if (!Files.isRegularFile(file)) {
            throw new BadInput(file + " is not a regular file and cannot be replaced: use -o FILE, or -o -");
        }
        try (LockedFile lock = hold(file)) {
            return edit.apply(lock.open(), target);
        }
    }

    static LockedFile hold(Path file) throws IOException {
        while (true) {
            List<Object> before = identity(file);
            FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
            boolean held = false;
            try {
                FileLock lock = channel.tryLock();
                if (lock == null) {
                    Console.say("waiting: " + file + " is being changed by another process");
                    lock = channel.lock();
                }
                held = lock.isValid() && before.equals(identity(file));
                if (held) {
                    return new LockedFile(file, channel);
                }
            } finally {
                if (!held) {
                    channel.close();
                }
            }
        }
    }

    private static List<Object> identity(Path file) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        // Numbers of files are given out again: the times tell two of one number apart.
        return List.of(String.valueOf(attributes.fileKey()), attributes.creationTime(), attributes.lastModifiedTime());
    }

    /** Opens the structure in the file. */
    Sketch open() throws IOException {
        channel.position(0);
        try {
            return Perhaps.readFrom(Channels.newInputStream(channel), channel.size());
        } catch (FormatException e) {
            throw new FormatException(file + ": " + e.getMessage());
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
