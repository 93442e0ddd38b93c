package dev.perhaps.chord.net;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.io.WholeFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** What a peer keeps over a restart: how many lives it has had, and whom it knew. One process at a time has it. */
public final class PeerFolder implements Closeable {
    /*
     *     lock        held while a process uses the folder
     *     peer        two lines: the cluster's name, and the number of this life
     *     members     a line each: id and address
     *
     * Each is replaced whole. A life is written down before the first message of it is sent.
     */
    private static final int MOST_MEMBERS = 10_000;

    private final Path folder;
    private final FileChannel lock;
    private final long life;

    private PeerFolder(Path folder, FileChannel lock, long life) {
        this.folder = folder;
        this.lock = lock;
        this.life = life;
    }

    /** Makes the folder if it is not there. */
    public static PeerFolder open(Path folder, Cluster cluster) throws IOException {
        Files.createDirectories(folder);
        FileChannel lock = FileChannel.open(
                folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            if (!isLocked(lock)) {
                throw new IOException(folder + ": another peer is using this folder");
            }
            long life = 1 + lastLife(folder.resolve("peer"), cluster);
            write(folder.resolve("peer"), List.of(cluster.name(), Long.toString(life)));
            return new PeerFolder(folder, lock, life);
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    private static long lastLife(Path file, Cluster cluster) throws IOException {
        if (!Files.exists(file)) {
            return 0;
        }
        List<String> lines = Files.readAllLines(file);
        try {
            if (!lines.get(0).equals(cluster.name())) {
                throw new IOException(
                        file + ": this folder is of cluster '" + lines.get(0) + "', not of '" + cluster.name() + "'");
            }
            return Long.parseLong(lines.get(1));
        } catch (NumberFormatException | IndexOutOfBoundsException e) {
            throw new IOException(file + ": it was not written by a peer", e);
        }
    }

    private static void write(Path file, List<String> lines) throws IOException {
        byte[] bytes = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
        WholeFile.write(file, out -> out.write(bytes));
    }

    /** Higher by 2^32 than in the life before. */
    long firstRequest() {
        return life << 32;
    }

    List<Member> members() throws IOException {
        Path file = folder.resolve("members");
        List<Member> members = new ArrayList<>();
        if (Files.exists(file)) {
            for (String line : Files.readAllLines(file)) {
                int space = line.indexOf(' ');
                if (space < 0) {
                    throw new IOException(file + ": it was not written by a peer, got '" + line + "'");
                }
                members.add(new Member(Id.fromHex(line.substring(0, space)), line.substring(space + 1)));
            }
        }
        return members;
    }

    void keep(List<Member> members) throws IOException {
        write(
                folder.resolve("members"),
                members.stream()
                        .limit(MOST_MEMBERS)
                        .map(member -> member.id() + " " + member.address())
                        .toList());
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
