package dev.perhaps.cli.input;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A line is a basket; its items are separated by white space, or by a separator, and then without the white space
 * around them. Bytes are not decoded. What is empty between two separators is not an item; a byte order mark at the start
 * is dropped.
 */
final class LineBaskets implements BasketForm {
    private static final byte[] WHITE_SPACE = {};

    private final byte[] separator;

    LineBaskets(@Nullable String separator) {
        if (separator != null && separator.isEmpty()) {
            throw new BadInput("--separator must be at least one character, got none");
        }
        // A tab can hardly be typed.
        this.separator =
                separator == null ? WHITE_SPACE : separator.replace("\\t", "\t").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean isByLine() {
        return true;
    }

    @Override
    public void read(String name, InputStream in, Sink sink) throws IOException {
        long[] line = {0};
        Lines.read(name, in, (bytes, start, end) -> {
            int from = line[0] == 0 ? Texts.behindMark(bytes, start, end) : start;
            line[0]++;
            int at = from;
            while (at < end) {
                int to = separator.length == 0 ? wordEnd(bytes, at, end) : separatorAt(bytes, at, end);
                item(bytes, at, to, sink);
                at = to + Math.max(1, separator.length);
            }
            sink.end(name, line[0]);
        });
    }

    private static int wordEnd(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && !Words.isSpace(bytes[at])) {
            at++;
        }
        return at;
    }

    private int separatorAt(byte[] bytes, int from, int to) {
        for (int at = from; at <= to - separator.length; at++) {
            int same = 0;
            while (same < separator.length && bytes[at + same] == separator[same]) {
                same++;
            }
            if (same == separator.length) {
                return at;
            }
        }
        return to;
    }

    private static void item(byte[] bytes, int start, int end, Sink sink) {
        int from = start;
        int to = end;
        while (from < to && Words.isSpace(bytes[from])) {
            from++;
        }
        while (from < to && Words.isSpace(bytes[to - 1])) {
            to--;
        }
        if (from < to) {
            sink.item(bytes, from, to);
        }
    }
}
