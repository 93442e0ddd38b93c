package dev.perhaps.proxy.net;

import dev.perhaps.web.LineLog;
import java.io.Closeable;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A log with one line per request, in the combined format that most tools read, followed by the source of the response
 * and its duration. Clients do not wait for it: see {@link LineLog}. Safe for any number of threads.
 *
 * <pre>{@code
 * 127.0.0.1 - - [17/Nov/2026:03:40:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "curl/8" hit 0.001
 * }</pre>
 */
public final class AccessLog implements Closeable {
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss '+0000'", Locale.US);

    private final LineLog lines;

    /**
     * What a line says.
     *
     * @param address of the client
     * @param method null if the request could not be read; so with target
     * @param bytes of the body that was sent
     * @param from where the response came from
     */
    public record Entry(
            String address,
            @Nullable String method,
            @Nullable String target,
            String version,
            int status,
            long bytes,
            @Nullable String referer,
            @Nullable String agent,
            String from,
            long micros) {}

    private AccessLog(LineLog lines) {
        this.lines = lines;
    }

    /** Appends to a file; {@code -} is standard output. */
    public static AccessLog to(String name) throws IOException {
        return new AccessLog(LineLog.to(name));
    }

    /** Lines that were not written. */
    public long dropped() {
        return lines.dropped();
    }

    /** Writes a line, soon. */
    public void add(Entry entry, long nowMillis) {
        lines.add(line(entry, nowMillis));
    }

    private static String line(Entry entry, long nowMillis) {
        StringBuilder text = new StringBuilder(160);
        text.append(entry.address).append(" - - [");
        DATE.formatTo(Instant.ofEpochMilli(nowMillis).atOffset(ZoneOffset.UTC), text);
        text.append("] \"");
        if (entry.method == null || entry.target == null) {
            text.append('-');
        } else {
            LineLog.escape(entry.method, text);
            text.append(' ');
            LineLog.escape(entry.target, text);
            text.append(' ').append(entry.version);
        }
        text.append("\" ").append(entry.status).append(' ').append(entry.bytes).append(" \"");
        LineLog.escape(entry.referer == null ? "-" : entry.referer, text);
        text.append("\" \"");
        LineLog.escape(entry.agent == null ? "-" : entry.agent, text);
        text.append("\" ").append(entry.from);
        text.append(String.format(Locale.ROOT, " %d.%06d", entry.micros / 1_000_000, entry.micros % 1_000_000));
        return text.toString();
    }

    @Override
    public void close() {
        lines.close();
    }
}
