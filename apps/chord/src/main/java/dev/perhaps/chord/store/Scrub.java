package dev.perhaps.chord.store;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Reads all copies of a peer again, slowly, and finds those that the disk does not give back as they were written, also if
 * nobody asks for them. Runs on a thread of its own.
 */
final class Scrub implements Runnable {
    /*
     * A damaged file is set aside; those who also have it notice in their next round that it is missing here, and send it.
     * A name or a mark is in memory, and is written again. Files that cannot be opened for other reasons, such as too many
     * open ones, are left alone.
     */
    private static final long NEVER = -1;

    private final Shelf shelf;
    private final Throttle throttle;
    private final long everyMillis;
    private final Consumer<String> log;
    private final AtomicLong damaged = new AtomicLong();
    private volatile long endNanos;
    private volatile boolean isEnded;

    Scrub(Shelf shelf, long bytesPerSecond, long everyMillis, Consumer<String> log) {
        this.shelf = shelf;
        this.throttle = new Throttle(bytesPerSecond);
        this.everyMillis = everyMillis;
        this.log = log;
    }

    /** How many damaged copies were found since the start. */
    long damaged() {
        return damaged.get();
    }

    /** How many hours ago all copies were last read; -1 if they were not since the start. */
    long ageHours() {
        return isEnded ? TimeUnit.NANOSECONDS.toHours(System.nanoTime() - endNanos) : NEVER;
    }

    @Override
    public void run() {
        try {
            while (true) {
                long start = System.nanoTime();
                pass();
                endNanos = System.nanoTime();
                isEnded = true;
                long tookMillis = TimeUnit.NANOSECONDS.toMillis(endNanos - start);
                Thread.sleep(Math.max(1, everyMillis - tookMillis));
            }
        } catch (InterruptedException e) {
            // The peer is being stopped.
            assert everyMillis > 0;
        }
    }

    private void pass() throws InterruptedException {
        for (StoreEntry entry : shelf.all()) {
            try {
                check(entry);
            } catch (IOException | RuntimeException e) {
                log.accept("scrub: " + entry.key() + ": " + e.getMessage());
            }
            if (Thread.interrupted()) {
                throw new InterruptedException("stopped");
            }
        }
    }

    private void check(StoreEntry entry) throws IOException {
        try (StoredCopy copy = shelf.open(entry.key())) {
            copy.verify(throttle::pass);
            if (copy.entry().equals(entry)) {
                return;
            }
            // Either it has been replaced since, or the disk has another than we believe.
            if (!entry.equals(shelf.get(entry.key()))) {
                return;
            }
        } catch (StoredCopy.Damaged | NoSuchFileException e) {
            if (!entry.equals(shelf.get(entry.key()))) {
                return;
            }
            log.accept("scrub: " + e.getMessage());
        }
        damaged.incrementAndGet();
        if (entry.isFile()) {
            shelf.setAside(entry.key());
        } else {
            try (Intake again = shelf.take(entry, false)) {
                again.finish();
            }
        }
    }
}
