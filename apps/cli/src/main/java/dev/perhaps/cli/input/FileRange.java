package dev.perhaps.cli.input;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** The bytes of a file between two places. If the file is shorter, reading fails: somebody has changed it. */
public final class FileRange extends FilterInputStream {
    private static final int BUFFER_BYTES = 1 << 17;

    private final String path;
    private long left;

    private FileRange(String path, InputStream in, long bytes) {
        super(in);
        this.path = path;
        this.left = bytes;
    }

    /** Opens the bytes from {@code from} to before {@code to}. */
    public static InputStream open(String path, long from, long to) throws IOException {
        SeekableByteChannel file = Files.newByteChannel(Path.of(path));
        file.position(from);
        return new BufferedInputStream(new FileRange(path, Channels.newInputStream(file), to - from), BUFFER_BYTES);
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
            throw new EOFException(path + " was cut short while it was read: try again when nobody changes it");
        }
        left -= count;
        return count;
    }
}
