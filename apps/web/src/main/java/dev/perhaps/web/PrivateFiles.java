package dev.perhaps.web;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Creates files and folders that only their owner may read and write, where the file system supports that. */
public final class PrivateFiles {
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> FOLDER = PosixFilePermissions.fromString("rwx------");

    private PrivateFiles() {}

    private static boolean hasRights(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    private static FileAttribute<?>[] attributes(Path path, Set<PosixFilePermission> rights) {
        return hasRights(path)
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(rights)}
                : new FileAttribute<?>[0];
    }

    /** Makes a folder if it is not there; one that is there stays as it is, for it may be anything. */
    public static void createFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder, attributes(folder, FOLDER));
        }
    }

    /** Creates a folder that only its owner can access, or makes an existing one so. */
    public static void ownFolder(Path folder) throws IOException {
        createFolder(folder);
        restrict(folder, FOLDER);
    }

    /** Makes an empty file if it is not there; one that is there becomes private. */
    public static void own(Path file) throws IOException {
        try {
            Files.createFile(file, attributes(file, FILE));
        } catch (FileAlreadyExistsException e) {
            restrict(file, FILE);
        }
    }

    private static void restrict(Path path, Set<PosixFilePermission> rights) throws IOException {
        if (hasRights(path) && !Files.getPosixFilePermissions(path).equals(rights)) {
            Files.setPosixFilePermissions(path, rights);
        }
    }

    /** Opens a file; one that is made by that is private. */
    public static FileChannel open(Path file, OpenOption... options) throws IOException {
        return FileChannel.open(file, Set.of(options), attributes(file, FILE));
    }

    /** Throws if other users of this machine could read or replace the secret. */
    public static void refuseOpenToAll(Path file) throws IOException {
        if (!hasRights(file)) {
            return;
        }
        Set<PosixFilePermission> rights = Files.getPosixFilePermissions(file);
        if (rights.contains(PosixFilePermission.OTHERS_READ) || rights.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new IllegalArgumentException(file + ": everybody may read or write this secret ("
                    + PosixFilePermissions.toString(rights) + "): run 'chmod 600 " + file + "'");
        }
    }
}
