package dev.perhaps.cli.input;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A copy on disk of what can be read only once. The file is deleted as soon as it is open, so that nothing is left however the program ends. */
final class Spool implements Closeable {
    private static final int BUFFER_BYTES = 1 << 17;

    private final FileChannel channel;

    private Spool(FileChannel channel) {
        this.channel = channel;
    }

    /** Returns the folder for files that are deleted when the program ends. */
    static Path folder() {
        return Path.of(System.getProperty("java.io.tmpdir", "."));
    }

    /** A new file to write and read, without a name. */
    static FileChannel unnamed(Path folder) throws IOException {
        Path file = Files.createTempFile(folder, "perhaps-", ".spool");
        // Systems that cannot take the name from an open file delete it when it is closed.
        return FileChannel.open(
                file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
    }

    static Spool of(String name, InputStream in) throws IOException {
        Path folder = folder();
        FileChannel channel = unnamed(folder);
        try {
            byte[] buffer = new byte[BUFFER_BYTES];
            int count = in.read(buffer);
            while (count >= 0) {
                write(name, folder, channel, ByteBuffer.wrap(buffer, 0, count));
                count = in.read(buffer);
            }
            return new Spool(channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static void write(String name, Path folder, FileChannel channel, ByteBuffer bytes) throws IOException {
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException e) {
            throw new IOException(name + " is read twice, and its copy in " + folder + " failed: " + e.getMessage(), e);
        }
    }

    long bytes() throws IOException {
        return channel.size();
    }

    /** All of it from the start; closing this stream leaves the copy. */
    InputStream stream() {
        return new InputStream() {
            private long at;

            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
            }

            @Override
            public int read(byte[] into, int from, int length) throws IOException {
                int count = channel.read(ByteBuffer.wrap(into, from, length), at);
                at += Math.max(0, count);
                return count;
            }

            @Override
            public int available() throws IOException {
                return (int) Math.min(Integer.MAX_VALUE, channel.size() - at);
            }
        };
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
