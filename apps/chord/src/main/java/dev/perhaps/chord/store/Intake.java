package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.web.PrivateFiles;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** An entry that is being written to disk, with the content of its file. If it is closed before it is done, nothing remains. */
final class Intake implements Closeable {
    /** It is forced to disk piece by piece, so that the end of a large file does not wait for all of it on a slow disk. */
    private static final int FORCED_BYTES = 16 << 20;

    private final Shelf shelf;
    private final StoreEntry entry;
    private final boolean first;
    private final Path file;
    private final FileChannel channel;
    private final DataOutputStream out;
    private final MessageDigest digest = sha256();
    private long comeBytes;
    private long forcedBytes;
    private boolean done;

    Intake(Shelf shelf, StoreEntry entry, boolean first, Path file) throws IOException {
        this.shelf = shelf;
        this.entry = entry;
        this.first = first;
        this.file = file;
        this.channel = PrivateFiles.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        this.out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 17));
        FrameWriteBuffer body = new FrameWriteBuffer();
        entry.write(body);
        byte[] head = body.bytes();
        out.writeInt(StoredCopy.MAGIC);
        out.writeShort(head.length);
        out.write(head);
        out.writeInt(crc(head, head.length));
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no SHA-256", e);
        }
    }

    static Id idOf(MessageDigest digest) {
        return Id.of(Arrays.copyOf(digest.digest(), Id.BITS / Byte.SIZE));
    }

    static int crc(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    /** All chunks but the last are full. */
    void write(byte[] chunk) throws IOException {
        comeBytes += chunk.length;
        if (comeBytes > entry.sizeBytes()
                || chunk.length > Shelf.CHUNK_BYTES
                || chunk.length == 0
                || (comeBytes < entry.sizeBytes() && chunk.length != Shelf.CHUNK_BYTES)) {
            throw new Failure("a chunk of " + chunk.length + " bytes does not belong to " + entry.key());
        }
        digest.update(chunk);
        out.write(chunk);
        out.writeInt(crc(chunk, chunk.length));
        if (comeBytes - forcedBytes >= FORCED_BYTES) {
            out.flush();
            channel.force(false);
            forcedBytes = comeBytes;
        }
    }

    /** Checks it, forces it to disk, and puts it into its place. */
    void finish() throws IOException {
        if (comeBytes != entry.sizeBytes()) {
            throw new Failure("received only " + comeBytes + " of " + entry.sizeBytes() + " bytes of " + entry.key());
        }
        if (entry.isFile()) {
            Id id = idOf(digest);
            if (!id.equals(entry.key())) {
                throw new Failure("checksum mismatch: expected " + entry.key() + ", got " + id);
            }
        }
        out.flush();
        channel.force(true);
        channel.close();
        shelf.place(entry, first, file);
        done = true;
    }

    @Override
    public void close() throws IOException {
        shelf.underWay(entry.key(), -1);
        channel.close();
        if (!done) {
            Files.deleteIfExists(file);
            shelf.release(entry);
        }
    }
}
