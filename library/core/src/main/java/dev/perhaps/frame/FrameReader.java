package dev.perhaps.frame;

import dev.perhaps.key.Key;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads a frame and its payload, and checks everything: lengths are compared with the file or the caller's limit before
 * anything is allocated, and {@link #end} compares the checksum with what was read. Not thread-safe.
 */
public final class FrameReader implements Closeable {
    private static final int CHUNK_BYTES = 1 << 18;

    private final ReadableByteChannel in;
    private final Frame frame;
    private final CRC32C crc = new CRC32C();
    private long remaining;

    private final @Nullable Path file;

    private FrameReader(ReadableByteChannel in, @Nullable Path file, Frame frame) {
        this.in = in;
        this.file = file;
        this.frame = frame;
        this.remaining = frame.payloadBytes();
    }

    /** Opens a file; one that is shorter or longer than its header says is refused. */
    public static FrameReader open(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new IOException(file + " is a directory, not a file");
        }
        boolean regular = Files.isRegularFile(file);
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        try {
            Frame frame = readHeader(channel);
            if (regular) {
                exactly(frame, channel.size());
            }
            if (!regular) {
                capped(frame, Runtime.getRuntime().maxMemory());
            }
            return new FrameReader(channel, file, frame);
        } catch (FormatException e) {
            channel.close();
            throw new FormatException(file + ": " + e.getMessage());
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Opens a stream and reads no byte beyond the frame; a payload of more than {@code maxBytes} bytes is refused. */
    public static FrameReader open(InputStream stream, long maxBytes) throws IOException {
        if (stream instanceof Opened opened) {
            return opened.reader;
        }
        ReadableByteChannel channel = Channels.newChannel(stream);
        Frame frame = readHeader(channel);
        capped(frame, maxBytes);
        return new FrameReader(channel, null, frame);
    }

    /** Opens a whole frame in memory; bytes that are fewer or more than its header says are refused. */
    public static FrameReader open(byte[] bytes) throws IOException {
        Objects.requireNonNull(bytes, "bytes must not be null");
        ReadableByteChannel channel = Channels.newChannel(new ByteArrayInputStream(bytes));
        Frame frame = readHeader(channel);
        exactly(frame, bytes.length);
        return new FrameReader(channel, null, frame);
    }

    /**
     * What {@link #open(InputStream, long)} takes for this reader: who has read the header, to see what follows, hands
     * it on to the {@code readFrom} of that kind.
     */
    public InputStream stream() {
        return new Opened(this);
    }

    /** A frame whose header was already consumed: its bytes cannot be read as those of a stream. */
    private static final class Opened extends InputStream {
        private final FrameReader reader;

        Opened(FrameReader reader) {
            this.reader = reader;
        }

        @Override
        public int read() throws IOException {
            throw new IOException("the header was already consumed: read the rest through FrameReader");
        }

        @Override
        public int read(byte[] into, int from, int count) throws IOException {
            return read();
        }
    }

    private static void exactly(Frame frame, long bytes) throws FormatException {
        long expected = frame.fileBytes();
        if (bytes != expected) {
            String how = bytes < expected ? "cut short" : "longer than it should be";
            throw new FormatException("it is " + how + ": " + bytes + " bytes where its header says " + expected);
        }
    }

    private static void capped(Frame frame, long maxBytes) throws FormatException {
        if (frame.payloadBytes() > maxBytes) {
            throw new FormatException("it holds " + frame.payloadBytes() + " bytes of payload, and at most " + maxBytes
                    + " are allowed here: raise the limit or refuse the sender");
        }
    }

    private static Frame readHeader(ReadableByteChannel in) throws IOException {
        ByteBuffer fixed = ByteBuffer.allocate(Frame.FIXED_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        fillMagic(in, fixed);
        fill(in, fixed, "in its header");
        ByteBuffer header = ByteBuffer.allocate(Frame.headerBytes(fixed)).order(ByteOrder.LITTLE_ENDIAN);
        header.put(fixed.flip());
        fill(in, header, "in its header");
        return Frame.parse(header);
    }

    public Frame frame() {
        return frame;
    }

    /** The frame, if it is of this kind and was written with a key that fits this one. */
    public Frame frame(Kind kind, Key<?> key) throws FormatException {
        if (frame.kind() != kind) {
            throw new FormatException("it holds a " + frame.kind() + ", not a " + kind);
        }
        if (!key.fits(frame.keyName(), frame.seed())) {
            throw new FormatException("it was written with key '" + frame.keyName() + "' and seed " + frame.seed()
                    + ", not with key '" + key.name() + "' and seed " + key.seed() + ": open it with that key");
        }
        return frame;
    }

    /** Reads the next {@code count} words of the payload. */
    public long[] longs(long count) throws IOException {
        long[] words = new long[length(count, Long.BYTES, "words")];
        inChunks(count * Long.BYTES, (chunk, at) -> {
            chunk.asLongBuffer().get(words, (int) (at / Long.BYTES), chunk.remaining() / Long.BYTES);
        });
        return words;
    }

    /** Reads the next {@code count} numbers of four bytes. */
    public int[] ints(long count) throws IOException {
        int[] ints = new int[length(count, Integer.BYTES, "numbers")];
        inChunks(count * Integer.BYTES, (chunk, at) -> {
            chunk.asIntBuffer().get(ints, (int) (at / Integer.BYTES), chunk.remaining() / Integer.BYTES);
        });
        return ints;
    }

    /** Takes a piece of the payload that begins {@code at} bytes after the first one. */
    private interface Taking {
        void take(ByteBuffer chunk, long at);
    }

    private void inChunks(long bytes, Taking taking) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocateDirect((int) Math.min(CHUNK_BYTES, Math.max(8, bytes)))
                .order(ByteOrder.LITTLE_ENDIAN);
        for (long at = 0; at < bytes; at += chunk.limit()) {
            chunk.clear().limit((int) Math.min(chunk.capacity(), bytes - at));
            fill(in, chunk, "in its payload");
            crc.update(chunk.flip());
            taking.take(chunk.flip(), at);
        }
        remaining -= bytes;
    }

    /** The length of an array for {@code count} elements, if that much is left and an array can be that long. */
    private int length(long count, int bytesEach, String what) throws FormatException {
        if (count < 0 || count > remaining / bytesEach) {
            throw new FormatException("its parameters ask for " + count + " " + what + " of payload where " + remaining
                    + " bytes are left: it is damaged");
        }
        if (count > Integer.MAX_VALUE - 8) {
            throw new FormatException("an array of " + count + " " + what + " is more than this program can hold");
        }
        return (int) count;
    }

    /** Reads the next {@code count} bytes of the payload. */
    public byte[] bytes(long count) throws IOException {
        if (count < 0 || count > remaining) {
            throw new FormatException("its parameters ask for " + count + " bytes of payload where " + remaining
                    + " are left: it is damaged");
        }
        if (count > Integer.MAX_VALUE - 8) {
            throw new FormatException("an array of " + count + " bytes is more than this program can hold");
        }
        byte[] bytes = new byte[(int) count];
        // In chunks: a channel reads into the heap by way of a buffer of its own, as large as what is asked for.
        for (int at = 0; at < bytes.length; at += CHUNK_BYTES) {
            int take = Math.min(CHUNK_BYTES, bytes.length - at);
            fill(in, ByteBuffer.wrap(bytes, at, take), "in its payload");
            crc.update(bytes, at, take);
        }
        remaining -= count;
        return bytes;
    }

    /** Compares the checksum with what was read; call it before using any of the content. */
    public void end() throws IOException {
        if (remaining != 0) {
            throw new FormatException(remaining + " bytes of payload are too many for its parameters: it is damaged");
        }
        ByteBuffer sum = ByteBuffer.allocate(Frame.CRC_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        fill(in, sum, "in its checksum");
        if (sum.getInt(0) != (int) crc.getValue()) {
            throw new FormatException("the payload's checksum does not fit: the file is damaged");
        }
    }

    /** Maps the payload instead of reading it; only of a file. */
    public MappedLongs map() throws IOException {
        if (file == null || !(in instanceof FileChannel channel)) {
            throw new IOException("only a file can be mapped");
        }
        return MappedLongs.of(channel, file, frame);
    }

    /**
     * Reads the magic bytes first, so that a short text is reported as another kind of file and not as a truncated one.
     */
    private static void fillMagic(ReadableByteChannel in, ByteBuffer fixed) throws IOException {
        fixed.limit(Frame.MAGIC.length);
        while (fixed.hasRemaining() && in.read(fixed) >= 0) {
            // as far as it goes
        }
        Frame.checkMagic(fixed);
        fixed.limit(fixed.capacity());
    }

    private static void fill(ReadableByteChannel in, ByteBuffer buffer, String where) throws IOException {
        while (buffer.hasRemaining()) {
            if (in.read(buffer) < 0) {
                throw new FormatException("it is cut short " + where);
            }
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
