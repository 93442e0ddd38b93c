package dev.perhaps.cli.input;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lines by number: in memory up to so many bytes, and beyond that in a file without a name. First all are added, by one thread;
 * then any number of threads read. The file is gone when the program ends.
 */
final class LineStore {
    private static final int BUFFER_BYTES = 1 << 20;

    /** What an array and the reference to it take beside its bytes. */
    private static final int ARRAY_BYTES = 24;

    private final long mostBytes;
    private final Path folder;
    private List<byte[]> lines = new ArrayList<>();
    /** Where each line ends, counted from the first; kept once there is a file. */
    private long[] ends = new long[0];

    private int count;
    private long bytes;
    private @Nullable FileChannel file;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);

    LineStore(long mostBytes, Path folder) {
        this.mostBytes = mostBytes;
        this.folder = folder;
    }

    void add(byte[] line) throws IOException {
        if (file == null && bytes + line.length + (count + 1L) * ARRAY_BYTES > mostBytes) {
            spill();
        }
        if (file == null) {
            lines.add(line);
            bytes += line.length;
        } else {
            append(file, line);
        }
        count++;
    }

    /** Moves what is in memory to a file, where all that follows goes too. */
    private void spill() throws IOException {
        FileChannel fresh = Spool.unnamed(folder);
        file = fresh;
        ends = new long[Math.max(1 << 10, 2 * count)];
        bytes = 0;
        int moved = count;
        count = 0;
        for (int i = 0; i < moved; i++) {
            append(fresh, lines.get(i));
            count++;
        }
        lines = List.of();
    }

    private void append(FileChannel out, byte[] line) throws IOException {
        if (buffer.remaining() < line.length) {
            flush();
        }
        if (line.length > buffer.capacity()) {
            write(out, ByteBuffer.wrap(line));
        } else {
            buffer.put(line);
        }
        bytes += line.length;
        ends = count == ends.length ? Arrays.copyOf(ends, 2 * count) : ends;
        ends[count] = bytes;
    }

    /** After the last line is added, and before any is read. */
    void flush() throws IOException {
        if (file != null) {
            write(file, buffer.flip());
            buffer.clear();
        }
    }

    private void write(FileChannel out, ByteBuffer from) throws IOException {
        try {
            while (from.hasRemaining()) {
                out.write(from);
            }
        } catch (IOException e) {
            throw new IOException(
                    "lines that memory does not hold could not be kept in " + folder + ": " + e.getMessage()
                            + ": name a folder with more room with --temp",
                    e);
        }
    }

    int count() {
        return count;
    }

    /** Bytes of all lines. */
    long bytes() {
        return bytes;
    }

    byte[] get(int number) throws IOException {
        FileChannel from = file;
        if (from == null) {
            return lines.get(number);
        }
        long start = number == 0 ? 0 : ends[number - 1];
        ByteBuffer line = ByteBuffer.allocate((int) (ends[number] - start));
        while (line.hasRemaining()) {
            if (from.read(line, start + line.position()) < 0) {
                throw new IOException("the file of lines in " + folder + " was cut short");
            }
        }
        return line.array();
    }
}
