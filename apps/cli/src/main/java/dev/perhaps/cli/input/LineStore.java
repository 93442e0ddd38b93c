package dev.perhaps.cli.input;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lines by number: in memory up to a number of bytes; beyond that in the files they came from, or, if those cannot be
 * read again, in one without a name. First all are added, by one thread; then any number of threads read. The nameless
 * file is gone when the program ends.
 */
final class LineStore {
    private static final int BUFFER_BYTES = 1 << 20;

    /** What an array, the reference to it and its place take beside its bytes. */
    private static final int ARRAY_BYTES = 36;

    private final long mostBytes;
    private final Path folder;
    private @Nullable List<byte[]> lines = new ArrayList<>();
    private long[] starts = new long[1 << 10];
    private int[] lengths = new int[1 << 10];
    private int count;
    private long bytes;
    /** Which lines are in which file: from each of these numbers on, in the file beside it; null for the nameless one. */
    private final List<Integer> firsts = new ArrayList<>();

    private final List<@Nullable FileChannel> files = new ArrayList<>();
    private @Nullable FileChannel nameless;
    private long namelessBytes;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);

    LineStore(long mostBytes, Path folder) {
        this.mostBytes = mostBytes;
        this.folder = folder;
    }

    /** Adds a line at this offset of a file that can be read again; {@code file} is null if there is no such file. */
    void add(byte[] line, @Nullable FileChannel file, long place) throws IOException {
        if (files.isEmpty() || files.get(files.size() - 1) != file) {
            firsts.add(count);
            files.add(file);
        }
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, 2 * count);
            lengths = Arrays.copyOf(lengths, 2 * count);
        }
        starts[count] = place;
        lengths[count] = line.length;
        count++;
        bytes += line.length;
        if (lines != null) {
            lines.add(line);
            if (bytes + (long) count * ARRAY_BYTES > mostBytes) {
                spill(lines);
            }
        } else if (file == null) {
            append(count - 1, line);
        }
    }

    /** Releases the lines in memory; those that cannot be read again are written to the unnamed file. */
    private void spill(List<byte[]> kept) throws IOException {
        for (int i = 0; i < count; i++) {
            if (file(i) == null) {
                append(i, kept.get(i));
            }
        }
        lines = null;
    }

    private @Nullable FileChannel file(int number) {
        int at = Collections.binarySearch(firsts, number);
        return files.get(at < 0 ? -at - 2 : at);
    }

    private void append(int number, byte[] line) throws IOException {
        FileChannel out = nameless;
        if (out == null) {
            out = Spool.unnamed(folder);
            nameless = out;
        }
        if (buffer.remaining() < line.length) {
            flush();
        }
        if (line.length > buffer.capacity()) {
            write(out, ByteBuffer.wrap(line));
        } else {
            buffer.put(line);
        }
        starts[number] = namelessBytes;
        namelessBytes += line.length;
    }

    /** After the last line is added, and before any is read. */
    void flush() throws IOException {
        if (nameless != null) {
            write(nameless, buffer.flip());
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
        if (lines != null) {
            return lines.get(number);
        }
        FileChannel own = file(number);
        FileChannel from =
                Objects.requireNonNull(own == null ? nameless : own, "a line that is not in memory is in a file");
        ByteBuffer line = ByteBuffer.allocate(lengths[number]);
        while (line.hasRemaining()) {
            if (from.read(line, starts[number] + line.position()) < 0) {
                throw new IOException(
                        own == null
                                ? "the file of lines in " + folder + " was cut short"
                                : "an input was cut short while it was compared: try again when nothing changes it");
            }
        }
        return line.array();
    }
}
