package dev.perhaps.chord.store;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Lets so many bytes a second pass, on average, by making whoever brings them wait. Confined to one thread. */
final class Throttle {
    private final long bytesASecond;
    private long freeNanos = System.nanoTime();

    Throttle(long bytesASecond) {
        this.bytesASecond = bytesASecond;
    }

    void pass(int bytes) throws IOException {
        long now = System.nanoTime();
        freeNanos = Math.max(freeNanos, now) + TimeUnit.SECONDS.toNanos(bytes) / bytesASecond;
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
