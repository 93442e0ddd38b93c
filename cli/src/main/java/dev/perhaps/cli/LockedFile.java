package dev.perhaps.cli;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;

/** Holds a file for itself while it is read, changed and replaced; whoever comes second waits. */
final class LockedFile implements Closeable {
    /*
     * A file is replaced by renaming another onto it, and a lock belongs to the file, not to the name. So whoever waited
     * for the lock may hold one on a file that is no longer there: it looks again, until name and lock are of one file.
     */
    private final FileChannel channel;

    private LockedFile(FileChannel channel) {
        this.channel = channel;
    }

    static LockedFile hold(Path file) throws IOException {
        while (true) {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
            boolean held = false;
            try {
                Object before = identity(file);
                FileLock lock = channel.tryLock();
                if (lock == null) {
                    Console.say("waiting: " + file + " is being changed by another process");
                    lock = channel.lock();
                }
                held = lock.isValid() && Objects.equals(before, identity(file));
                if (held) {
                    return new LockedFile(channel);
                }
            } finally {
                if (!held) {
                    channel.close();
                }
            }
        }
    }

    private static Object identity(Path file) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        Object key = attributes.fileKey();
        return key == null ? attributes.creationTime() : key;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
