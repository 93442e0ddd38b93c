package dev.perhaps.cli.spark;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Input;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What one task reads: an input, or the whole lines between two places in it. The splits of an input, in their order, hold every
 * record once, in the order of the input.
 *
 * @param number the position among all splits
 * @param name the name for messages
 * @param path absolute: tasks have working folders of their own
 * @param to the end of the part, or {@link #WHOLE}
 */
record Split(int number, String name, String path, long from, long to) implements Serializable {
    private static final long serialVersionUID = 1;
    private static final long WHOLE = -1;
    private static final int SCAN_BYTES = 1 << 16;
    private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    /** The splits of all inputs; what is compressed, or is not read line by line, is not divided. */
    static List<Split> of(List<String> inputs, boolean isByLine, long splitBytes) throws IOException {
        List<Split> splits = new ArrayList<>();
        for (Input input : Input.all(inputs)) {
            String name = input.path();
            if (!Files.isRegularFile(Path.of(name))) {
                throw new BadInput(name + " is not a regular file, which the tasks of Spark could read more than once:"
                        + " use --engine local");
            }
            String path = Path.of(name).toAbsolutePath().toString();
            boolean isPlain;
            // What is not text is refused here, before a job begins.
            try (Input.Open open = input.open(Input.Meter.NONE)) {
                isPlain = open.file() != null;
            }
            if (isPlain && isByLine) {
                divide(name, path, splitBytes, splits);
            } else {
                splits.add(new Split(splits.size(), name, path, 0, WHOLE));
            }
        }
        return splits;
    }

    private static void divide(String name, String path, long splitBytes, List<Split> splits) throws IOException {
        try (SeekableByteChannel file = Files.newByteChannel(Path.of(path))) {
            long size = file.size();
            long from = 0;
            do {
                long to = size - from <= splitBytes ? size : behindLine(file, from + splitBytes, size);
                String place = from == 0 ? name : name + " from byte " + from;
                splits.add(new Split(splits.size(), place, path, from, to));
                from = to;
            } while (from < size);
        }
    }

    /** The start of the first line behind a place. A byte order mark would be dropped there: such a line starts no split. */
    private static long behindLine(SeekableByteChannel file, long place, long size) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(SCAN_BYTES);
        long at = place;
        while (at < size) {
            buffer.clear();
            file.position(at);
            int count = file.read(buffer);
            if (count <= 0) {
                return size;
            }
            for (int i = 0; i < count; i++) {
                if (buffer.get(i) == '\n' && !isMark(file, at + i + 1)) {
                    return at + i + 1;
                }
            }
            at += count;
        }
        return size;
    }

    private static boolean isMark(SeekableByteChannel file, long at) throws IOException {
        ByteBuffer next = ByteBuffer.allocate(MARK.length);
        file.position(at);
        while (next.hasRemaining() && file.read(next) >= 0) {
            // Until it is full, or the file ends.
        }
        return ByteBuffer.wrap(MARK).equals(next.flip());
    }

    /** Reads an input; the name is for messages. */
    @FunctionalInterface
    interface Reader {
        void read(String name, InputStream in) throws IOException;
    }

    /** Has all records of this part read. */
    void read(Reader reader) throws IOException {
        if (to == WHOLE) {
            try (Input.Open open = Input.all(List.of(path)).get(0).open(Input.Meter.NONE)) {
                reader.read(name, open.stream());
            }
            return;
        }
        try (InputStream part = Input.range(path, from, to)) {
            reader.read(name, part);
        }
    }
}
