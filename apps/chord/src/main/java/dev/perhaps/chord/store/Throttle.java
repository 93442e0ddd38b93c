package dev.perhaps.chord.store;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Limits the average number of bytes per second by making the caller wait. Confined to one thread. */
final class Throttle {
    private final long bytesPerSecond;
    private long freeNanos = System.nanoTime();

    Throttle(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    void pass(int bytes) throws IOException {
        long now = System.nanoTime();
        freeNanos = Math.max(freeNanos, now) + TimeUnit.SECONDS.toNanos(bytes) / bytesPerSecond;
        long waitMillis = TimeUnit.NANOSECONDS.toMillis(freeNanos - now);
        if (waitMillis > 0) {
            try {
                Thread.sleep(waitMillis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("the peer is being stopped", e);
            }
        }
    }
}
