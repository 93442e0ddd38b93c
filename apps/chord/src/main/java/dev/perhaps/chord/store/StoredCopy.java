package dev.perhaps.chord.store;

import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.wire.BadFrame;
import dev.perhaps.chord.wire.FrameReadBuffer;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;

/** An entry on disk, opened for reading; every chunk is checked before it is returned. */
final class StoredCopy implements Closeable {
    static final int MAGIC = 0x50525346;

    private static final int MAX_HEAD_BYTES = 4_096;

    private final Path file;
    private final FileChannel channel;
    private final DataInputStream in;
    private final StoreEntry entry;
    private final int headBytes;
    private long leftBytes;

    private StoredCopy(Path file, FileChannel channel) throws IOException {
        this.file = file;
        this.channel = channel;
        this.in = Shelf.stream(channel);
        if (in.readInt() != MAGIC) {
            throw new Damaged(file + " has an invalid header");
        }
        headBytes = in.readUnsignedShort();
        if (headBytes > MAX_HEAD_BYTES) {
            throw new Damaged(file + " has a header of " + headBytes + " bytes");
        }
        byte[] head = in.readNBytes(headBytes);
        if (in.readInt() != Intake.crc(head, head.length)) {
            throw new Damaged(file + " has a header with a wrong checksum");
        }
        entry = StoreEntry.read(new FrameReadBuffer(head));
        leftBytes = entry.sizeBytes();
    }

    /** The disk does not give back what was written to it. */
    static final class Damaged extends IOException {
        Damaged(String message) {
            super(message);
        }
    }

    static StoredCopy open(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        try {
            return new StoredCopy(file, channel);
        } catch (EOFException | BadFrame e) {
            channel.close();
            throw new Damaged(file + " has an invalid header: " + e.getMessage());
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    StoreEntry entry() {
        return entry;
    }

    /** How long the file must be. */
    long fileBytes() {
        long chunks = (entry.sizeBytes() + Shelf.CHUNK_BYTES - 1) / Shelf.CHUNK_BYTES;
        return Integer.BYTES + Short.BYTES + headBytes + Integer.BYTES + entry.sizeBytes() + chunks * Integer.BYTES;
    }

    /** Skips the given number of chunks, all of which must exist. */
    void skip(long chunks) throws IOException {
        if (chunks < 0 || chunks > (entry.sizeBytes() + Shelf.CHUNK_BYTES - 1) / Shelf.CHUNK_BYTES) {
            throw new Failure("there is no chunk " + chunks + " of " + entry.key());
        }
        if (chunks * Shelf.CHUNK_BYTES >= entry.sizeBytes()) {
            leftBytes = 0;
            return;
        }
        skipBytes(chunks * (Shelf.CHUNK_BYTES + Integer.BYTES));
        leftBytes -= chunks * Shelf.CHUNK_BYTES;
    }

    private void skipBytes(long bytes) throws IOException {
        try {
            in.skipNBytes(bytes);
        } catch (EOFException e) {
            throw new Damaged(file + " is truncated");
        }
    }

    boolean hasNext() {
        return leftBytes > 0;
    }

    byte[] next() throws IOException {
        int length = (int) Math.min(Shelf.CHUNK_BYTES, leftBytes);
        byte[] chunk = read(length);
        byte[] crc = read(Integer.BYTES);
        if (crc.length < Integer.BYTES || ByteBuffer.wrap(crc).getInt() != Intake.crc(chunk, chunk.length)) {
            throw new Damaged(file + " has a chunk with a wrong checksum");
        }
        leftBytes -= length;
        return chunk;
    }

    /** What a disk cannot read any more is damaged, too. */
    private byte[] read(int length) throws IOException {
        try {
            return in.readNBytes(length);
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            throw new Damaged(file + " cannot be read: " + e.getMessage());
        }
    }

    /** Reads the copy to its end, and checks its content; the meter gets the number of bytes read. */
    void verify(Meter meter) throws IOException {
        MessageDigest digest = Intake.sha256();
        while (hasNext()) {
            byte[] chunk = next();
            digest.update(chunk);
            meter.read(chunk.length);
        }
        if (channel.size() != fileBytes()
                || entry.isFile() && !Intake.idOf(digest).equals(entry.key())) {
            throw new Damaged(file + " does not match its id");
        }
    }

    /** Gets the number of bytes read, and may block. */
    @FunctionalInterface
    interface Meter {
        void read(int bytes) throws IOException;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
