package dev.perhaps.io;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Writes a file completely or not at all: to a temporary file in the same folder, synced to disk, then renamed. After a
 * failure, a full disk or a kill the previous file is still there. A file that is replaced keeps its permissions and,
 * as far as this process may set them, its owner and group; the temporary file never has wider permissions. Anything
 * that is not a regular file (a device, a pipe, standard output under one of its names) is written directly.
 */
public final class WholeFile {
    /** Writes the contents. */
    @FunctionalInterface
    public interface Contents {
        void writeTo(OutputStream out) throws IOException;
    }

    private static final int BUFFER_BYTES = 1 << 16;
    /** As many symbolic links in a row as Linux follows. */
    private static final int MAX_LINKS = 40;

    private static final Set<String> STANDARD_OUTPUT = Set.of("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1");
    private static final Set<PosixFilePermission> OWNER_ONLY =
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
    private static final Set<Path> UNFINISHED = ConcurrentHashMap.newKeySet();
    private static boolean stopped;

    private WholeFile() {}

    /** Fails now if {@link #write} would fail for this path, so that no long work is wasted. */
    public static void check(Path file) throws IOException {
        if (isStandardOutput(file)) {
            return;
        }
        if (Files.isDirectory(file)) {
            throw new IOException(file + " is a directory, not a file");
        }
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new NoSuchFileException(file.toString(), null, "its folder does not exist");
        }
        if (Files.exists(file) && !Files.isWritable(file)) {
            throw new AccessDeniedException(file.toString(), null, "this user may not write it");
        }
        Path written = isDirect(file) ? file : folderOf(target(file));
        if (!isDirect(file) && !Files.isDirectory(written)) {
            throw new NoSuchFileException(
                    file.toString(), null, "it links to a folder that does not exist, " + written);
        }
        if (!Files.isWritable(written)) {
            throw new AccessDeniedException(
                    file.toString(), null, "this user may not create files in its folder, " + written);
        }
    }

    private static boolean isStandardOutput(Path file) {
        return STANDARD_OUTPUT.contains(file.toString());
    }

    /** True if the path exists and cannot be replaced by a rename. */
    private static boolean isDirect(Path file) {
        return Files.exists(file) && !Files.isRegularFile(file);
    }

    /** Follows a symbolic link, so that the file behind it is replaced, or made, and the link stays. */
    private static Path target(Path file) throws IOException {
        if (Files.exists(file)) {
            return Files.isSymbolicLink(file) ? file.toRealPath() : file.toAbsolutePath();
        }
        Path target = file.toAbsolutePath();
        for (int links = 0; Files.isSymbolicLink(target); links++) {
            if (links == MAX_LINKS) {
                throw new FileSystemLoopException(file.toString());
            }
            target = folderOf(target).resolve(Files.readSymbolicLink(target));
        }
        return target;
    }

    public static void write(Path file, Contents contents) throws IOException {
        writeAll(Map.of(file, contents));
    }

    /**
     * Writes several files that belong together: all of them are complete on disk before the first is renamed, in the
     * order of the map. A failure or a signal before that leaves all files as they were.
     */
    public static void writeAll(Map<Path, Contents> files) throws IOException {
        for (Path file : files.keySet()) {
            check(file);
        }
        Map<Path, Path> targets = new LinkedHashMap<>();
        try {
            for (Map.Entry<Path, Contents> each : files.entrySet()) {
                Path file = each.getKey();
                if (isStandardOutput(file)) {
                    // Through the open descriptor: opened again by its name, a file would be truncated first.
                    writeBuffered(file, new FileOutputStream(FileDescriptor.out), each.getValue());
                } else if (isDirect(file)) {
                    // By this name: the target of a link such as /dev/fd/63 has none.
                    try (OutputStream out = new FileOutputStream(file.toFile())) {
                        writeBuffered(file, out, each.getValue());
                    }
                } else {
                    Path target = target(file);
                    Path beside = create(target);
                    targets.put(beside, target);
                    writeBeside(file, target, beside, each.getValue());
                }
            }
            replaceAll(targets);
        } finally {
            for (Path beside : targets.keySet()) {
                Files.deleteIfExists(beside);
                UNFINISHED.remove(beside);
            }
        }
    }

    private static Path folderOf(Path target) {
        return Objects.requireNonNull(target.getParent());
    }

    private static void writeBeside(Path file, Path target, Path beside, Contents contents) throws IOException {
        // Opened, not created: what was discarded meanwhile does not come back.
        try (FileChannel channel = FileChannel.open(beside, StandardOpenOption.WRITE)) {
            writeBuffered(file, Channels.newOutputStream(channel), contents);
            channel.force(true);
        }
        if (isPosix(target) && Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            keepOwnership(target, beside);
        }
    }

    /** A signal comes before the first is renamed, or after the last. */
    private static void replaceAll(Map<Path, Path> targets) throws IOException {
        synchronized (UNFINISHED) {
            for (Map.Entry<Path, Path> each : targets.entrySet()) {
                replace(each.getKey(), each.getValue());
            }
        }
        for (Path target : targets.values()) {
            syncFolder(folderOf(target));
        }
    }

    /**
     * Deletes the temporary files of unfinished writes and refuses new ones: for a program that a signal is stopping.
     */
    public static void stop() {
        synchronized (UNFINISHED) {
            stopped = true;
            discardUnfinished();
        }
    }

    static void discardUnfinished() {
        for (Path beside : UNFINISHED) {
            try {
                Files.deleteIfExists(beside);
            } catch (IOException ignored) {
                // The program is ending; a file that cannot be deleted now stays, under a name nobody opens.
            }
        }
    }

    private static void writeBuffered(Path file, OutputStream out, Contents contents) throws IOException {
        try {
            BufferedOutputStream buffered = new BufferedOutputStream(out, BUFFER_BYTES);
            contents.writeTo(buffered);
            buffered.flush();
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    private static Path create(Path target) throws IOException {
        // A new file is as the user's mask says from the start; one that replaces another is the owner's until the end.
        FileAttribute<?>[] attributes = isPosix(target) && Files.exists(target)
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_ONLY)}
                : new FileAttribute<?>[0];
        while (true) {
            long random = ThreadLocalRandom.current().nextLong() >>> 1;
            Path beside = folderOf(target)
                    .resolve("." + target.getFileName() + "." + Long.toString(random, 36) + ".unfinished");
            try {
                synchronized (UNFINISHED) {
                    if (stopped) {
                        throw new IOException("the program is being stopped");
                    }
                    Files.createFile(beside, attributes);
                    UNFINISHED.add(beside);
                }
                return beside;
            } catch (FileAlreadyExistsException taken) {
                // another name, then
            }
        }
    }

    private static boolean isPosix(Path target) throws IOException {
        return Files.getFileStore(folderOf(target)).supportsFileAttributeView("posix");
    }

    /** Owner, group and permissions; a group that cannot be kept gets no more than everybody has. */
    private static void keepOwnership(Path target, Path beside) throws IOException {
        PosixFileAttributes old = Files.readAttributes(target, PosixFileAttributes.class);
        PosixFileAttributeView view = Files.getFileAttributeView(beside, PosixFileAttributeView.class);
        PosixFileAttributes made = view.readAttributes();
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        permissions.addAll(old.permissions());
        if (!made.group().equals(old.group()) && !permitted(() -> view.setGroup(old.group()))) {
            if (!permissions.contains(PosixFilePermission.OTHERS_READ)) {
                permissions.remove(PosixFilePermission.GROUP_READ);
            }
            if (!permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
                permissions.remove(PosixFilePermission.GROUP_WRITE);
            }
        }
        view.setPermissions(permissions);
        if (!made.owner().equals(old.owner())) {
            // Only a privileged process may give files away; another keeps what it wrote.
            permitted(() -> view.setOwner(old.owner()));
        }
    }

    private interface Change {
        void make() throws IOException;
    }

    private static boolean permitted(Change change) {
        try {
            change.make();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static void replace(Path beside, Path target) throws IOException {
        try {
            Files.move(beside, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(beside, target, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static void syncFolder(Path folder) throws IOException {
        // The rename itself must survive a power cut; where folders cannot be opened (Windows), it need not be asked
        // for.
        if (System.getProperty("os.name", "").startsWith("Windows")) {
            return;
        }
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
