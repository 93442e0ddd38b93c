package dev.perhaps.chord.host;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.web.PrivateFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * The state that a peer keeps over a restart: how often it was started, and which members it knew. Only one process can
 * use it at a time.
 */
public final class PeerFolder implements Closeable {
    /*
     *     lock        held while a process uses the folder
     *     peer        three lines: the cluster's name, the number of this life, and their CRC-32C
     *     members     one line per member: id and address
     *
     * Each is replaced whole. A life is written down before the first message of it is sent. What is damaged is lost, and the
     * peer starts nevertheless: see StateFile. Without its number, a life takes one that no earlier life can have come to.
     */
    private static final int MAX_MEMBERS = 10_000;
    private static final long FIRST_UNKNOWN_LIFE = 1L << 24;

    private final FileChannel lock;
    private final long life;
    private final StateFile membersFile;
    private final List<Member> members;

    private PeerFolder(FileChannel lock, long life, StateFile membersFile) throws IOException {
        this.lock = lock;
        this.life = life;
        this.membersFile = membersFile;
        this.members = members(membersFile);
    }

    /** Makes the folder if it is not there. */
    public static PeerFolder open(Path folder, Cluster cluster, Consumer<String> log) throws IOException {
        PrivateFiles.createFolder(folder);
        FileChannel lock = PrivateFiles.open(
                folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            if (!isLocked(lock)) {
                throw new IOException(folder + ": another peer is using this folder");
            }
            cleanUnfinished(folder);
            StateFile peer = new StateFile(folder.resolve("peer"), log);
            String life = Long.toString(1 + lastLife(peer, cluster));
            peer.write(List.of(cluster.name(), life, check(cluster.name(), life)));
            return new PeerFolder(lock, Long.parseLong(life), new StateFile(folder.resolve("members"), log));
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    /** What a kill left of files that were being written. */
    private static void cleanUnfinished(Path folder) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, ".{peer,members,presence}.*.unfinished")) {
            for (Path file : all) {
                Files.deleteIfExists(file);
            }
        }
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    private static long lastLife(StateFile file, Cluster cluster) throws IOException {
        if (!file.exists()) {
            return 0;
        }
        List<String> lines = new ArrayList<>();
        if (file.read(lines::add) == 0) {
            if (lines.size() == 3 && lines.get(2).equals(check(lines.get(0), lines.get(1)))) {
                if (!lines.get(0).equals(cluster.name())) {
                    throw new IOException(file + ": this folder is of cluster '" + lines.get(0) + "', not of '"
                            + cluster.name() + "'");
                }
                return Long.parseLong(lines.get(1));
            }
            file.setAside("it is damaged");
        }
        return FIRST_UNKNOWN_LIFE + ThreadLocalRandom.current().nextLong(FIRST_UNKNOWN_LIFE);
    }

    /** Tells a damaged name of a cluster from that of another. */
    private static String check(String name, String life) {
        CRC32C crc = new CRC32C();
        crc.update((name + "\n" + life).getBytes(StandardCharsets.UTF_8));
        return Long.toHexString(crc.getValue());
    }

    /** Higher by 2^32 than in the life before. */
    long firstRequest() {
        return life << 32;
    }

    /** Whom it knew when it was opened. */
    List<Member> members() {
        return members;
    }

    private static List<Member> members(StateFile file) throws IOException {
        List<Member> members = new ArrayList<>();
        file.read(line -> {
            int space = line.indexOf(' ');
            String address = line.substring(space + 1);
            if (!HostPort.isAddress(address)) {
                throw new IllegalArgumentException("no address");
            }
            members.add(new Member(Id.fromHex(line.substring(0, space)), address));
        });
        return List.copyOf(members);
    }

    void keep(List<Member> known) throws IOException {
        membersFile.write(known.stream()
                .limit(MAX_MEMBERS)
                .map(member -> member.id() + " " + member.address())
                .toList());
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
