package dev.perhaps.server.durable;

import dev.perhaps.sketch.FormatException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** The small files of a data directory, of lines of text with a checksum at the end; each is replaced whole. */
final class StateFiles {
    /*
     *     identity    perhaps-server 1       the version of everything in the directory: a newer one is refused
     *                 seed 0123456789abcdef  of the structures whose bytes are ours
     *                 id 0123456789abcdef    is also in the log and in snapshots, so that files of others are noticed
     *                 sum 01234567
     *     users       one line per user, as ACL LIST shows it, and the sum
     */
    static final String IDENTITY = "identity";
    static final String USERS = "users";
    static final String UNFINISHED = ".unfinished";
    static final int VERSION = 1;

    /** In the top directory of a file system, which may be the data directory. */
    private static final String MOUNTED = "lost+found";

    private static final String FIRST = "perhaps-server ";
    private static final int MAX_BYTES = 64 << 20;

    /** What a data directory is. */
    record Identity(long seed, long id) {}

    private StateFiles() {}

    /** Reads what the directory is, or gives an empty one its identity. */
    static Identity identity(Disk disk) throws IOException {
        List<String> names = disk.names();
        if (names.contains(IDENTITY)) {
            return identity(read(disk, IDENTITY));
        }
        refuseForeign(names);
        SecureRandom random = new SecureRandom();
        Identity made = new Identity(random.nextLong(), random.nextLong());
        write(
                disk,
                IDENTITY,
                List.of(FIRST + VERSION, String.format("seed %016x", made.seed), String.format("id %016x", made.id)));
        return made;
    }

    /** Refuses a directory of these names that is neither empty nor one of ours. */
    static void refuseForeign(List<String> names) throws FormatException {
        for (String name : names) {
            if (!names.contains(IDENTITY)
                    && !name.equals(DirectoryDisk.LOCK)
                    && !name.equals(MOUNTED)
                    && !name.endsWith(UNFINISHED)) {
                throw new FormatException("there is no file '" + IDENTITY + "' in it, but there is '" + name
                        + "': it is damaged, or not a data directory of this server; use an empty one");
            }
        }
    }

    private static Identity identity(List<String> lines) throws FormatException {
        String first = lines.isEmpty() ? "" : lines.get(0);
        if (first.matches(FIRST + "[0-9]{1,9}") && Integer.parseInt(first.substring(FIRST.length())) > VERSION) {
            throw new FormatException("it was written by a newer version (" + first.substring(FIRST.length())
                    + ", this one reads " + VERSION + "): use that version");
        }
        List<String> checked = checked(IDENTITY, lines);
        if (checked.size() != 3
                || !checked.get(0).equals(FIRST + VERSION)
                || !checked.get(1).matches("seed [0-9a-f]{16}")
                || !checked.get(2).matches("id [0-9a-f]{16}")) {
            throw damaged(IDENTITY);
        }
        return new Identity(
                Long.parseUnsignedLong(checked.get(1).substring(5), 16),
                Long.parseUnsignedLong(checked.get(2).substring(3), 16));
    }

    /** The lines of all users, or null if none were kept. */
    static @Nullable List<String> users(Disk disk) throws IOException {
        return disk.names().contains(USERS) ? checked(USERS, read(disk, USERS)) : null;
    }

    private static FormatException damaged(String name) {
        return new FormatException(name + " is damaged: restore it from a backup");
    }

    private static List<String> read(Disk disk, String name) throws IOException {
        if (disk.length(name) > MAX_BYTES) {
            throw damaged(name);
        }
        try (InputStream in = disk.read(name, 0)) {
            return new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }

    private static List<String> checked(String name, List<String> lines) throws FormatException {
        if (lines.isEmpty()) {
            throw damaged(name);
        }
        List<String> content = lines.subList(0, lines.size() - 1);
        if (!lines.get(content.size()).equals(sum(content))) {
            throw damaged(name);
        }
        return content;
    }

    private static String sum(List<String> lines) {
        CRC32C sum = new CRC32C();
        sum.update(String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
        return String.format("sum %08x", sum.getValue());
    }

    /** Replaces a file; returns when it is on the disk. */
    static void write(Disk disk, String name, List<String> lines) throws IOException {
        String text = String.join("\n", lines) + "\n" + sum(lines) + "\n";
        try (Disk.Output out = disk.create(name + UNFINISHED)) {
            out.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
            out.sync();
        }
        disk.rename(name + UNFINISHED, name);
        disk.syncNames();
    }
}
