package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.net.BodyWriter;
import dev.perhaps.chord.net.Cluster;
import dev.perhaps.chord.net.Failure;
import dev.perhaps.chord.net.Frame;
import dev.perhaps.chord.net.HostPort;
import dev.perhaps.chord.net.SocketLine;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.function.IntConsumer;

/** Puts files on a ring and gets them from it, through one of its peers. Confined to one thread at a time. */
public final class FileClient implements Closeable {
    private static final int CONNECT_MILLIS = 5_000;
    private static final int ANSWER_MILLIS = 60_000;

    private final SocketLine line;

    private FileClient(SocketLine line) {
        this.line = line;
    }

    public static FileClient open(HostPort via, Cluster cluster) throws IOException {
        return new FileClient(SocketLine.open(via, cluster, CONNECT_MILLIS, ANSWER_MILLIS));
    }

    /** The id of a file: the first 160 bits of its SHA-256. */
    public static Id idOf(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            return idOf(channel);
        }
    }

    /** The id of a file that is open, which may have no name. */
    public static Id idOf(FileChannel file) throws IOException {
        MessageDigest digest = Intake.sha256();
        byte[] buffer = new byte[Shelf.CHUNK_BYTES];
        InputStream in = fromStart(file);
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            digest.update(buffer, 0, n);
        }
        return Intake.idOf(digest);
    }

    private static InputStream fromStart(FileChannel file) throws IOException {
        return Channels.newInputStream(file.position(0));
    }

    /**
     * Puts a file of this id. When it returns, so many hosts have it on disk.
     *
     * @param meter is told how many bytes have gone, each time
     */
    public void put(Path file, Id id, int replicas, IntConsumer meter) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            put(channel, id, replicas, meter);
        }
    }

    /** As {@link #put(Path, Id, int, IntConsumer)}, of a file that is open. */
    public void put(FileChannel file, Id id, int replicas, IntConsumer meter) throws IOException {
        line.send(new BodyWriter().id(id).i64(file.size()).u8(replicas).frame(Calls.PUT));
        if (!Remote.isReady(Failure.check(line.receive()))) {
            return;
        }
        InputStream in = fromStart(file);
        for (byte[] chunk = in.readNBytes(Shelf.CHUNK_BYTES);
                chunk.length > 0;
                chunk = in.readNBytes(Shelf.CHUNK_BYTES)) {
            line.send(new Frame(Calls.CHUNK, chunk));
            meter.accept(chunk.length);
        }
        line.send(new BodyWriter().frame(Calls.DONE));
        Failure.expect(Calls.STORED, line).end();
    }

    /** Lets a name stand for a file. The first who does so has it, until it is deleted. */
    public void name(String name, Id id, int replicas) throws IOException {
        check(name);
        line.send(new BodyWriter().text(name).id(id).u8(replicas).frame(Calls.NAME));
        Failure.expect(Calls.STORED, line).end();
    }

    /** Refuses a name that {@link #name} would refuse, as it is now: somebody else may be faster. */
    public void refuseTaken(String name, Id id, int replicas) throws IOException {
        check(name);
        line.send(new BodyWriter().text(name).id(id).u8(replicas).frame(Calls.FREE));
        Failure.expect(Calls.DONE, line).end();
    }

    /** Tells the ring that a peer which does not answer will not come back with what it has. */
    public void forget(HostPort peer) throws IOException {
        line.send(new BodyWriter().text(peer.toString()).frame(Calls.FORGET));
        Failure.expect(Calls.DONE, line).end();
    }

    /** What a name stands for; empty if it is certain that it stands for nothing. */
    public Optional<Id> named(String name) throws IOException {
        check(name);
        line.send(new BodyWriter().text(name).frame(Calls.NAMED));
        return Remote.entry(Entry.keyOf(name), Failure.expect(Calls.ENTRY, line))
                .filter(Entry::live)
                .map(Entry::target);
    }

    private static void check(String name) {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || bytes > Entry.MOST_NAME_BYTES) {
            throw new IllegalArgumentException("a name has 1 to " + Entry.MOST_NAME_BYTES + " bytes, got " + bytes);
        }
    }

    /** A file that is on its way to us. */
    public interface Arrival {
        long sizeBytes();

        /** Writes it, and checks that it is what it should be. */
        void writeTo(OutputStream out, IntConsumer meter) throws IOException;
    }

    /** Gets a file; empty if it is certain that there is none. If it cannot be reached, that is a {@link Failure}. */
    public Optional<Arrival> get(Id id) throws IOException {
        line.send(new BodyWriter().id(id).frame(Calls.GET));
        return Remote.entry(id, Failure.expect(Calls.ENTRY, line))
                .filter(Entry::isFile)
                .map(Coming::new);
    }

    /** Deletes a file. False if there is none. */
    public boolean delete(Id id) throws IOException {
        line.send(new BodyWriter().id(id).frame(Calls.DELETE));
        return Remote.entry(id, Failure.expect(Calls.ENTRY, line))
                .filter(Entry::live)
                .isPresent();
    }

    /** Deletes a name, not what it stands for. False if there is none. */
    public boolean deleteName(String name) throws IOException {
        check(name);
        return delete(Entry.keyOf(name));
    }

    @Override
    public void close() {
        line.close();
    }

    private final class Coming implements Arrival {
        private final Entry entry;

        Coming(Entry entry) {
            this.entry = entry;
        }

        @Override
        public long sizeBytes() {
            return entry.sizeBytes();
        }

        @Override
        public void writeTo(OutputStream out, IntConsumer meter) throws IOException {
            MessageDigest digest = Intake.sha256();
            Chunks chunks = new Chunks(entry.sizeBytes(), 0);
            Frame frame = Failure.check(line.receive());
            while (chunks.take(frame)) {
                digest.update(frame.body());
                out.write(frame.body());
                meter.accept(frame.body().length);
                frame = Failure.check(line.receive());
            }
            Id id = Intake.idOf(digest);
            if (!id.equals(entry.key())) {
                throw new IOException("the checksum does not match: " + entry.key() + " came as " + id);
            }
        }
    }
}
