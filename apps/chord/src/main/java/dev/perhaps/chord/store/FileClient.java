package dev.perhaps.chord.store;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.SocketFrameStream;
import dev.perhaps.chord.wire.WireFrame;
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

    private final SocketFrameStream stream;

    private FileClient(SocketFrameStream stream) {
        this.stream = stream;
    }

    /** Connects to a peer. */
    public static FileClient open(HostPort via, Cluster cluster) throws IOException {
        return new FileClient(SocketFrameStream.open(via, cluster, CONNECT_MILLIS, ANSWER_MILLIS));
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
     * Puts a file of this id. When it returns, this number of hosts have it on disk.
     *
     * @param meter gets the number of bytes sent, each time
     */
    public void put(Path file, Id id, int replicas, IntConsumer meter) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            put(channel, id, replicas, meter);
        }
    }

    /** As {@link #put(Path, Id, int, IntConsumer)}, of a file that is open. */
    public void put(FileChannel file, Id id, int replicas, IntConsumer meter) throws IOException {
        stream.send(new FrameWriteBuffer().id(id).i64(file.size()).u8(replicas).frame(FrameTypes.PUT));
        if (!RemotePeer.isReady(Failure.check(stream.receive()))) {
            return;
        }
        InputStream in = fromStart(file);
        for (byte[] chunk = in.readNBytes(Shelf.CHUNK_BYTES);
                chunk.length > 0;
                chunk = in.readNBytes(Shelf.CHUNK_BYTES)) {
            stream.send(new WireFrame(FrameTypes.CHUNK, chunk));
            meter.accept(chunk.length);
        }
        stream.send(new FrameWriteBuffer().frame(FrameTypes.DONE));
        Failure.expect(FrameTypes.STORED, stream).end();
    }

    /** Stores a name for a file. A name that is in use can be stored again only after it was deleted. */
    public void name(String name, Id id, int replicas) throws IOException {
        check(name);
        stream.send(new FrameWriteBuffer().text(name).id(id).u8(replicas).frame(FrameTypes.NAME));
        Failure.expect(FrameTypes.STORED, stream).end();
    }

    /**
     * Throws if {@link #name} would refuse this name now. Another client may still take the name before it is stored.
     */
    public void refuseTaken(String name, Id id, int replicas) throws IOException {
        check(name);
        stream.send(new FrameWriteBuffer().text(name).id(id).u8(replicas).frame(FrameTypes.FREE));
        Failure.expect(FrameTypes.DONE, stream).end();
    }

    /** Tells the ring that a peer which does not respond will not come back with its files. */
    public void forget(HostPort peer) throws IOException {
        stream.send(new FrameWriteBuffer().text(peer.toString()).frame(FrameTypes.FORGET));
        Failure.expect(FrameTypes.DONE, stream).end();
    }

    /** Returns the file with this name; empty if it is certain that there is none. */
    public Optional<Id> named(String name) throws IOException {
        check(name);
        stream.send(new FrameWriteBuffer().text(name).frame(FrameTypes.NAMED));
        return RemotePeer.entry(StoreEntry.keyOf(name), Failure.expect(FrameTypes.ENTRY, stream))
                .filter(StoreEntry::live)
                .map(StoreEntry::target);
    }

    private static void check(String name) {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || bytes > StoreEntry.MAX_NAME_BYTES) {
            throw new IllegalArgumentException("a name has 1 to " + StoreEntry.MAX_NAME_BYTES + " bytes, got " + bytes);
        }
    }

    /** A file that is on its way to us. */
    public interface Arrival {
        /** Returns the size of the file. */
        long sizeBytes();

        /** Writes it, and checks that it is what it should be. */
        void writeTo(OutputStream out, IntConsumer meter) throws IOException;
    }

    /** Returns a file; empty if it is certain that there is none. Throws a {@link Failure} if it cannot be reached. */
    public Optional<Arrival> get(Id id) throws IOException {
        stream.send(new FrameWriteBuffer().id(id).frame(FrameTypes.GET));
        return RemotePeer.entry(id, Failure.expect(FrameTypes.ENTRY, stream))
                .filter(StoreEntry::isFile)
                .map(Coming::new);
    }

    /** Deletes a file. Returns false if there is none. */
    @CanIgnoreReturnValue
    public boolean delete(Id id) throws IOException {
        stream.send(new FrameWriteBuffer().id(id).frame(FrameTypes.DELETE));
        return RemotePeer.entry(id, Failure.expect(FrameTypes.ENTRY, stream))
                .filter(StoreEntry::live)
                .isPresent();
    }

    /** Deletes a name, but not its file. Returns false if there is none. */
    @CanIgnoreReturnValue
    public boolean deleteName(String name) throws IOException {
        check(name);
        return delete(StoreEntry.keyOf(name));
    }

    @Override
    public void close() {
        stream.close();
    }

    private final class Coming implements Arrival {
        private final StoreEntry entry;

        Coming(StoreEntry entry) {
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
            WireFrame frame = Failure.check(stream.receive());
            while (chunks.take(frame)) {
                digest.update(frame.body());
                out.write(frame.body());
                meter.accept(frame.body().length);
                frame = Failure.check(stream.receive());
            }
            Id id = Intake.idOf(digest);
            if (!id.equals(entry.key())) {
                throw new IOException("checksum mismatch: expected " + entry.key() + ", got " + id);
            }
        }
    }
}
