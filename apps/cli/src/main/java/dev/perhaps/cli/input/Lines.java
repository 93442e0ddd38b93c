package dev.perhaps.cli.input;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Splits a stream into lines without decoding or copying them. */
public final class Lines {
    private static final int FIRST_BUFFER_BYTES = 1 << 18;
    private static final int MAX_LINE_BYTES = 1 << 30;

    private Lines() {}

    /** Takes a line, without its newline and a CR before it; the array is reused. */
    @FunctionalInterface
    public interface Sink {
        void take(byte[] bytes, int from, int to) throws IOException;
    }

    /** Takes a line and how far into the stream it begins. */
    @FunctionalInterface
    interface PlacedSink {
        void take(byte[] bytes, int from, int to, long place) throws IOException;
    }

    public static void read(String name, InputStream in, Sink sink) throws IOException {
        readPlaced(name, in, (bytes, from, to, place) -> sink.take(bytes, from, to));
    }

    static void readPlaced(String name, InputStream in, PlacedSink sink) throws IOException {
        byte[] buffer = new byte[FIRST_BUFFER_BYTES];
        long before = 0; // bytes of the stream before those in the buffer
        int start = 0; // of the line that is being read
        int end = 0; // of what has been read
        while (true) {
            if (end == buffer.length) {
                if (start > 0) {
                    System.arraycopy(buffer, start, buffer, 0, end - start);
                    before += start;
                    end -= start;
                    start = 0;
                } else if (buffer.length >= MAX_LINE_BYTES) {
                    throw new BadInput(name + ": a line is longer than 1 GiB: is it text?");
                } else {
                    buffer = Arrays.copyOf(buffer, buffer.length * 2);
                }
            }
            int count = in.read(buffer, end, buffer.length - end);
            if (count < 0) {
                break;
            }
            int scan = end;
            end += count;
            if (before == 0 && start == 0) {
                start = Texts.behindMark(buffer, 0, end);
                scan = Math.max(scan, start);
            }
            for (int at = LineBlock.newline(buffer, scan, end); at >= 0; at = LineBlock.newline(buffer, start, end)) {
                line(buffer, start, at, before, sink);
                start = at + 1;
            }
        }
        if (start < end) {
            line(buffer, start, end, before, sink);
        }
    }

    private static void line(byte[] buffer, int from, int to, long before, PlacedSink sink) throws IOException {
        int end = to > from && buffer[to - 1] == '\r' ? to - 1 : to;
        sink.take(buffer, from, end, before + from);
    }
}
