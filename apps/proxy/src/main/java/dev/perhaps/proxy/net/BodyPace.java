package dev.perhaps.proxy.net;

import dev.perhaps.proxy.Timeouts;
import java.util.concurrent.TimeUnit;

/** Computes the timeout for the next part of a request body; clients that send too slowly are cut off. */
final class BodyPace {
    /** A client that sends a body more slowly is disconnected, after a while. */
    private static final int MIN_BYTES_PER_SECOND = 1_024;

    private final Timeouts timeouts;
    private boolean wanted;
    private long bytes;
    private long waitedNanos;
    private long sinceNanos;

    BodyPace(Timeouts timeouts) {
        this.timeouts = timeouts;
    }

    /** Prepares for a new request, parts of whose body are not wanted yet. */
    void reset() {
        wanted = false;
        bytes = 0;
        waitedNanos = 0;
    }

    boolean wanted() {
        return wanted;
    }

    /** Sets whether parts are wanted: only the time during which they are counts. */
    void want(boolean now) {
        if (wanted) {
            waitedNanos += System.nanoTime() - sinceNanos;
        }
        wanted = now;
        sinceNanos = System.nanoTime();
    }

    /** Adds the size of a part. Returns the size of the body so far. */
    long add(int pieceBytes) {
        bytes += pieceBytes;
        return bytes;
    }

    long bytes() {
        return bytes;
    }

    /** Returns how long to wait for the next part, from now on. */
    long timeoutMillis() {
        long waited = TimeUnit.NANOSECONDS.toMillis(waitedNanos + System.nanoTime() - sinceNanos);
        long allowed = timeouts.clientMillis() + 1_000 * bytes / MIN_BYTES_PER_SECOND - waited;
        return Math.max(0, Math.min(timeouts.clientMillis(), allowed));
    }
}
