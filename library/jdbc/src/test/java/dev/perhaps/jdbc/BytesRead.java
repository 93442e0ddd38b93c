package dev.perhaps.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The bytes that this thread has read from files, as the kernel counts them, less those of reading this count. SQLite,
 * without a memory map, reads one page per call and so a page's bytes for every page that is not in its cache.
 */
final class BytesRead {
    private static final Path COUNTERS = Path.of("/proc/thread-self/io");
    private static final int TRIES = 1_000;

    private final double bytesOfReading;
    private long readings;

    @SuppressWarnings("CheckReturnValue") // the reading itself is measured
    BytesRead() {
        long before = raw();
        for (int i = 0; i < TRIES - 1; i++) {
            raw();
        }
        bytesOfReading = (double) (raw() - before) / TRIES;
    }

    long now() {
        return raw() - Math.round(++readings * bytesOfReading);
    }

    private static long raw() {
        try {
            String line = Files.readAllLines(COUNTERS).get(0);
            return Long.parseLong(line.substring("rchar: ".length()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
