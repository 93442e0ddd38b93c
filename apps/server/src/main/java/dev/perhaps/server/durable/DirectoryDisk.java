package dev.perhaps.server.durable;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** A directory of the file system, locked against other processes until it is closed. Only its owner may read it. */
final class DirectoryDisk implements Disk {
    static final String LOCK = "lock";

    /** Java copies what it writes to memory outside of the heap: this much at a time. */
    private static final int WRITE_BYTES = 1 << 20;

    private static final boolean IS_POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    private final Path directory;
    private final FileChannel lock;

    private DirectoryDisk(Path directory, FileChannel lock) {
        this.directory = directory;
        this.lock = lock;
    }

    /** Opens a directory, and makes it if it is not there; one that has files of others is refused as it is. */
    static DirectoryDisk open(Path directory) throws IOException {
        try {
            if (Files.exists(directory) && !Files.isDirectory(directory)) {
                throw new IOException("the data directory " + directory + " is a file: use another directory");
            }
            create(directory.toAbsolutePath());
            StateFiles.refuseForeign(names(directory));
            return lock(directory);
        } catch (FileSystemException e) {
            String reason = e.getReason() == null ? "this user may not read and write it" : e.getReason();
            throw new IOException("the data directory " + directory + " cannot be used: " + reason, e);
        }
    }

    private static DirectoryDisk lock(Path directory) throws IOException {
        FileChannel lock = FileChannel.open(
                directory.resolve(LOCK),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                attributes("rw-------"));
        boolean isLocked = false;
        try {
            isLocked = lock.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            // By this process: locks of one process do not exclude each other.
            isLocked = false;
        } finally {
            if (!isLocked) {
                lock.close();
            }
        }
        if (!isLocked) {
            throw new IOException("the data directory " + directory
                    + " is in use by another server: stop that one, or use another directory");
        }
        return new DirectoryDisk(directory, lock);
    }

    /** What was just made must be found after a crash too. */
    private static void create(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
        Path parent = directory.getParent();
        if (parent != null) {
            create(parent);
        }
        Files.createDirectory(directory, attributes("rwx------"));
        if (parent != null) {
            sync(parent);
        }
    }

    private static FileAttribute<?>[] attributes(String permissions) {
        return IS_POSIX
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    @Override
    public List<String> names() throws IOException {
        return names(directory);
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .sorted()
                    .toList();
        } catch (UncheckedIOException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public long length(String name) throws IOException {
        return Files.size(directory.resolve(name));
    }

    @Override
    public InputStream read(String name, long position) throws IOException {
        FileChannel channel = FileChannel.open(directory.resolve(name), StandardOpenOption.READ);
        channel.position(position);
        return Channels.newInputStream(channel);
    }

    @Override
    public Output create(String name) throws IOException {
        Set<OpenOption> options =
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        FileChannel channel = FileChannel.open(directory.resolve(name), options, attributes("rw-------"));
        return new Output() {
            @Override
            public void write(ByteBuffer bytes) throws IOException {
                int end = bytes.limit();
                try {
                    while (bytes.position() < end) {
                        bytes.limit(Math.min(end, bytes.position() + WRITE_BYTES));
                        channel.write(bytes);
                    }
                } finally {
                    bytes.limit(end);
                }
            }

            @Override
            public void sync() throws IOException {
                channel.force(false);
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }

    @Override
    public void sync(String name) throws IOException {
        try (FileChannel channel = FileChannel.open(directory.resolve(name), StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(
                directory.resolve(from),
                directory.resolve(to),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(directory.resolve(name));
    }

    @Override
    public void syncNames() throws IOException {
        sync(directory);
    }

    private static void sync(Path directory) throws IOException {
        if (IS_POSIX) {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }

    @Override
    public String toString() {
        return directory.toString();
    }
}
