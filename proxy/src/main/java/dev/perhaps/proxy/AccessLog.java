package dev.perhaps.proxy;

import java.io.Closeable;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * One line per request, in the combined format that most tools read, with where the answer came from and how long it took
 * behind it. Lines are written by a thread of their own; if it cannot keep up, lines are dropped and counted, and clients do
 * not wait. Safe for any number of threads.
 *
 * <pre>{@code
 * 127.0.0.1 - - [17/Nov/2026:03:40:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "curl/8" hit 0.001
 * }</pre>
 */
public final class AccessLog implements Closeable {
    /*
     * Rotation is done by others: they move the file away, and within a second a new one is begun at its place, because the
     * file behind the name is not the one that is written to. It is opened to append, so copying and truncating works too.
     */
    private static final int MAX_WAITING_LINES = 10_000;
    private static final int MAX_FIELD_LETTERS = 2_048;
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss '+0000'", Locale.US);
    private static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rw-r-----");

    private final @Nullable Path file;
    private final BlockingQueue<String> waiting = new ArrayBlockingQueue<>(MAX_WAITING_LINES);
    private final LongAdder dropped = new LongAdder();
    private final Thread thread = new Thread(this::write, "access log");
    private OutputStream out;
    private @Nullable Object written;
    private volatile boolean closed;

    /**
     * What a line says.
     *
     * @param address of the client
     * @param method null if the request could not be read; so with target
     * @param bytes of the body that was sent
     * @param from where the answer came from
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

    private AccessLog(@Nullable Path file, OutputStream out) {
        this.file = file;
        this.out = out;
        thread.setDaemon(true);
    }

    /** Appends to a file; {@code -} is standard output. */
    public static AccessLog to(String name) throws IOException {
        boolean standard = name.equals("-");
        Path file = standard ? null : Path.of(name);
        AccessLog log = new AccessLog(file, file == null ? new FileOutputStream(FileDescriptor.out) : open(file));
        log.written = file == null ? null : key(file);
        log.thread.start();
        return log;
    }

    private static OutputStream open(Path file) throws IOException {
        boolean fresh = !Files.exists(file);
        OpenOption[] options = {StandardOpenOption.CREATE, StandardOpenOption.APPEND};
        OutputStream out = Files.newOutputStream(file, options);
        if (fresh && Files.getFileStore(file).supportsFileAttributeView("posix")) {
            Files.setPosixFilePermissions(file, PRIVATE); // who asks for what is not for everybody
        }
        return out;
    }

    /** What tells the file behind a name from another one; null if there is none. */
    private static @Nullable Object key(Path file) {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        } catch (IOException e) {
            return null;
        }
    }

    /** Lines that were not written. */
    public long dropped() {
        return dropped.sum();
    }

    /** Writes a line, soon. */
    public void add(Entry entry, long nowMillis) {
        if (closed || !waiting.offer(line(entry, nowMillis))) {
            dropped.increment();
        }
    }

    static String line(Entry entry, long nowMillis) {
        StringBuilder text = new StringBuilder(160);
        text.append(entry.address).append(" - - [");
        DATE.formatTo(Instant.ofEpochMilli(nowMillis).atOffset(ZoneOffset.UTC), text);
        text.append("] \"");
        if (entry.method == null || entry.target == null) {
            text.append('-');
        } else {
            escape(entry.method, text);
            text.append(' ');
            escape(entry.target, text);
            text.append(' ').append(entry.version);
        }
        text.append("\" ").append(entry.status).append(' ').append(entry.bytes).append(" \"");
        escape(entry.referer == null ? "-" : entry.referer, text);
        text.append("\" \"");
        escape(entry.agent == null ? "-" : entry.agent, text);
        text.append("\" ").append(entry.from);
        text.append(String.format(Locale.ROOT, " %d.%06d%n", entry.micros / 1_000_000, entry.micros % 1_000_000));
        return text.toString();
    }

    /** What a terminal or a reader of the log could take for something else, as \xHH. */
    private static void escape(String text, StringBuilder into) {
        int length = Math.min(text.length(), MAX_FIELD_LETTERS);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c < ' ' || c > '~' || c == '"' || c == '\\') {
                into.append(String.format(Locale.ROOT, "\\x%02x", (int) c));
            } else {
                into.append(c);
            }
        }
        into.append(length < text.length() ? "..." : "");
    }

    private void write() {
        List<String> lines = new ArrayList<>();
        boolean interrupted = false;
        while (!interrupted || !waiting.isEmpty()) {
            try {
                String first = interrupted ? waiting.poll() : waiting.poll(1, TimeUnit.SECONDS);
                if (first != null) {
                    lines.add(first);
                    waiting.drainTo(lines);
                }
            } catch (InterruptedException e) {
                interrupted = true; // closed: what waits is still written
            }
            if (!lines.isEmpty()) {
                append(lines);
                lines.clear();
            }
        }
    }

    private void append(List<String> lines) {
        try {
            if (file != null && !java.util.Objects.equals(written, key(file))) {
                out.close();
                out = open(file);
                written = key(file);
            }
            out.write(String.join("", lines).getBytes(StandardCharsets.US_ASCII));
            out.flush();
        } catch (IOException e) {
            dropped.add(lines.size()); // a full disk, say: the next lines are tried again
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
            if (file != null) {
                out.close();
            }
        } catch (IOException e) {
            dropped.increment();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
