package dev.perhaps.cli.input;

import dev.perhaps.cli.input.compressed.GzipMembers;
import dev.perhaps.cli.input.compressed.ZstdFrames;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One thing to read: a file or standard input; gzip and zstd are recognised by their first bytes. */
public final class Input implements Closeable {
    /** The name of standard input where a file is expected. */
    public static final String STANDARD = "-";

    private static final int BUFFER_BYTES = 1 << 17;
    /** Java reads bytes that are no text as a replacement character, and does not find the file by it. */
    private static final String UNREADABLE_NAME =
            " (its name may hold bytes that are not UTF-8: rename it, or use < FILE)";

    private static final int ZSTD_MAGIC = 0xFD2FB528;
    /** The last four bits are free (RFC 8878). */
    private static final int ZSTD_SKIPPABLE_MAGIC = 0x184D2A50;

    private final String name;
    private final boolean standard;
    private final @Nullable Spool copy;

    private Input(String name, @Nullable Spool copy) {
        this.name = name;
        this.standard = name.equals(STANDARD);
        this.copy = copy;
    }

    /** Returns the named inputs, or standard input without names. Checks that all files exist before any is read. */
    public static List<Input> all(List<String> names) {
        List<Input> inputs = names.isEmpty()
                ? List.of(new Input(STANDARD, null))
                : names.stream().map(name -> new Input(name, null)).toList();
        for (Input input : inputs) {
            input.checkThere();
        }
        return inputs;
    }

    private void checkThere() {
        if (standard) {
            return;
        }
        requireName(name);
        Path file = Path.of(name);
        if (!Files.exists(file)) {
            throw new BadInput(name + ": there is no such file" + (name.indexOf('\uFFFD') < 0 ? "" : UNREADABLE_NAME));
        }
        if (Files.isDirectory(file)) {
            throw new BadInput(name + " is a directory: name the files in it");
        }
        if (!Files.isReadable(file)) {
            throw new BadInput(name + ": it may not be read");
        }
    }

    /** An empty name is a variable of a script that is not set: it must not mean the current folder. */
    static void requireName(String name) {
        if (name.isEmpty()) {
            throw new BadInput("an input has an empty name: name a file, or - for standard input");
        }
    }

    /** The name for messages. */
    public String name() {
        return standard ? "standard input" : name;
    }

    /** The word that names it on the command line. */
    public String path() {
        return name;
    }

    /** Returns true if it can be read a second time. */
    public boolean rereadable() {
        return copy != null || !standard && Files.isRegularFile(Path.of(name));
    }

    /** Returns this input if it can be read twice; otherwise a copy in a file that is deleted when it is closed. */
    public Input twice(Meter meter) throws IOException {
        if (rereadable()) {
            return this;
        }
        try (InputStream raw = new NamedStream(name(), new MeteredStream(raw(), meter))) {
            return new Input(name, Spool.of(name(), raw));
        }
    }

    private InputStream raw() throws IOException {
        if (copy != null) {
            return copy.stream();
        }
        return standard
                ? new FileInputStream(FileDescriptor.in)
                : new FileInputStream(Path.of(name).toFile());
    }

    /** Returns its size on disk in bytes; -1 if it has none. */
    public long bytes() {
        try {
            if (copy != null) {
                return copy.bytes();
            }
            return rereadable() ? Files.size(Path.of(name)) : -1;
        } catch (IOException e) {
            return -1;
        }
    }

    /** Opens it as text; other input is refused. {@code meter} gets the number of bytes read, before decompression. */
    public Open open(Meter meter) throws IOException {
        return open(meter, true);
    }

    /** Opens it, whatever it holds. */
    public Open openAny(Meter meter) throws IOException {
        return open(meter, false);
    }

    private Open open(Meter meter, boolean isText) throws IOException {
        InputStream raw = raw();
        BufferedInputStream in = new BufferedInputStream(new MeteredStream(raw, meter), BUFFER_BYTES);
        try {
            InputStream stream = decompressed(in);
            BufferedInputStream plain = stream == in ? in : new BufferedInputStream(stream, BUFFER_BYTES);
            if (isText) {
                refuseOthers(name, name(), plain);
            }
            boolean inPlace = stream == in && copy == null && rereadable();
            return new Open(
                    new NamedStream(name(), plain),
                    inPlace && raw instanceof FileInputStream file ? file.getChannel() : null);
        } catch (IOException e) {
            raw.close();
            throw named(name(), e);
        } catch (BadInput e) {
            raw.close();
            throw e;
        }
    }

    /** Opens the bytes of a file between two offsets; reading fails if the file has become shorter. */
    public static InputStream range(String path, long from, long to) throws IOException {
        FileInputStream file = new FileInputStream(path);
        file.getChannel().position(from);
        return new BufferedInputStream(new RangeStream(path, file, to - from), BUFFER_BYTES);
    }

    /** Checks the first bytes that are available, without waiting for more. */
    public static void refuseOthers(String path, String name, BufferedInputStream in) throws IOException {
        byte[] head = new byte[NotText.HEAD_BYTES];
        in.mark(head.length);
        int length = in.read(head, 0, head.length);
        in.reset();
        NotText.refuse(path, name, head, Math.max(0, length));
    }

    private static IOException named(String name, IOException e) {
        return new IOException(name + ": " + e.getMessage(), e);
    }

    private static InputStream decompressed(BufferedInputStream in) throws IOException {
        in.mark(Integer.BYTES);
        byte[] head = in.readNBytes(Integer.BYTES);
        in.reset();
        if (isGzip(head)) {
            return new GzipMembers(in, BUFFER_BYTES);
        }
        return isZstd(head) ? new ZstdFrames(in, BUFFER_BYTES) : in;
    }

    /** Returns true if what begins with these bytes is decompressed when it is opened. */
    static boolean isCompressed(byte[] head) {
        return isGzip(head) || isZstd(head);
    }

    private static boolean isGzip(byte[] head) {
        return head.length >= 2 && head[0] == (byte) 0x1F && head[1] == (byte) 0x8B;
    }

    private static boolean isZstd(byte[] head) {
        int magic = head.length < Integer.BYTES
                ? 0
                : ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getInt();
        // What pzstd and other parallel compressors write begins with a frame to be skipped.
        return magic == ZSTD_MAGIC || (magic & ~0xF) == ZSTD_SKIPPABLE_MAGIC;
    }

    /** Told of progress while a stream is read. */
    public interface Meter {
        /** For input that is too short for a progress bar. */
        Meter NONE = new Meter() {
            @Override
            public void read(long bytes) {}

            @Override
            public void idle() {}
        };

        void read(long bytes);

        /** Called when the next byte may be long in coming: a chance to show what is ready. */
        void idle();
    }

    /**
     * An opened input.
     *
     * @param file what the stream is read from, if it is a file that can be read again anywhere, as it is
     */
    public record Open(InputStream stream, @Nullable FileChannel file) implements Closeable {
        @Override
        public void close() throws IOException {
            stream.close();
        }
    }

    /** Says which input it was that could not be read. */
    private static final class NamedStream extends FilterInputStream {
        private final String name;

        NamedStream(String name, InputStream in) {
            super(in);
            this.name = name;
        }

        @Override
        public int read() throws IOException {
            try {
                return super.read();
            } catch (IOException e) {
                throw named(name, e);
            }
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            try {
                return super.read(into, from, length);
            } catch (IOException e) {
                throw named(name, e);
            }
        }
    }

    private static final class RangeStream extends FilterInputStream {
        private final String path;
        private long left;

        RangeStream(String path, InputStream in, long bytes) {
            super(in);
            this.path = path;
            this.left = bytes;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] into, int start, int length) throws IOException {
            if (left == 0) {
                return -1;
            }
            int count = super.read(into, start, (int) Math.min(left, length));
            if (count < 0) {
                throw new EOFException(path + " was cut short while it was read: try again when nothing changes it");
            }
            left -= count;
            return count;
        }
    }

    private static final class MeteredStream extends FilterInputStream {
        private final Meter meter;

        MeteredStream(InputStream in, Meter meter) {
            super(in);
            this.meter = meter;
        }

        @Override
        public int read() throws IOException {
            int b = super.read();
            meter.read(b < 0 ? 0 : 1);
            return b;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            if (in.available() == 0) {
                meter.idle();
            }
            int count = super.read(into, from, length);
            meter.read(Math.max(0, count));
            return count;
        }
    }

    /** Lets go of the copy, if it is one. */
    @Override
    public void close() throws IOException {
        if (copy != null) {
            copy.close();
        }
    }

    @Override
    public String toString() {
        return name();
    }
}
