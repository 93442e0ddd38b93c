package dev.perhaps.web;

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
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A log of lines, in a file or on standard output. A separate thread writes them; if it cannot keep up, lines are
 * dropped and counted, so that adding a line never waits. Safe for any number of threads.
 *
 * <p>{@code try (LineLog log = LineLog.to("access.log")) { log.add("GET /a 200"); }}
 */
public final class LineLog implements Closeable {
    /*
     * Rotation is done by others: they move the file away, and the next line begins a new one at its place, because the
     * file behind the name is not the one that is written to. It is opened to append, so copying and truncating works too.
     */
    private static final int MAX_WAITING_LINES = 10_000;
    private static final int MAX_FIELD_LETTERS = 2_048;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.US);
    private static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rw-r-----");

    private final @Nullable Path file;
    private final BlockingQueue<String> waiting = new ArrayBlockingQueue<>(MAX_WAITING_LINES);
    private final LongAdder dropped = new LongAdder();
    private final Thread thread = new Thread(this::write, "log");
    private OutputStream out;
    private @Nullable Object written;
    private volatile boolean closed;

    private LineLog(@Nullable Path file, OutputStream out) {
        this.file = file;
        this.out = out;
        thread.setDaemon(true);
    }

    /** Appends to a file; {@code -} is standard output. */
    public static LineLog to(String name) throws IOException {
        Path file = name.equals("-") ? null : Path.of(name);
        LineLog log = new LineLog(file, file == null ? new FileOutputStream(FileDescriptor.out) : open(file));
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

    /** Returns what identifies the file with this name; null if there is none. */
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

    /**
     * Writes a line, soon.
     *
     * @param line in ASCII, without its end: see {@link #escape}
     */
    public void add(String line) {
        if (closed || !waiting.offer(line)) {
            dropped.increment();
        }
    }

    /** Appends the time, in UTC: {@code 2026-11-17T03:40:00.000Z}. */
    public static void now(StringBuilder into) {
        TIME.formatTo(Instant.now().atOffset(ZoneOffset.UTC), into);
    }

    /** Appends a field, with what a terminal or a reader of the log could take for something else as {@code \xHH}. */
    public static void escape(String text, StringBuilder into) {
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
            if (file != null && !Objects.equals(written, key(file))) {
                out.close();
                out = open(file);
                written = key(file);
            }
            String text = String.join(System.lineSeparator(), lines) + System.lineSeparator();
            out.write(text.getBytes(StandardCharsets.US_ASCII));
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
