package dev.perhaps.chord.wire;

import dev.perhaps.chord.cluster.Failure;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** The latest time of a response, by a monotonic clock. Immutable. */
public final class Deadline {
    private static final Deadline NONE = new Deadline(false, 0);

    private final boolean limited;
    private final long nanos;

    private Deadline(boolean limited, long nanos) {
        this.limited = limited;
        this.nanos = nanos;
    }

    /** Nobody waits: each step takes as long as it may. */
    public static Deadline none() {
        return NONE;
    }

    public static Deadline after(long millis) {
        return since(System.nanoTime(), millis);
    }

    static Deadline since(long startNanos, long millis) {
        return new Deadline(true, startNanos + TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** Returns the time that a step may take, at most this number of milliseconds. Fails if no time is left. */
    public int millis(int most) throws IOException {
        if (!limited) {
            return most;
        }
        long left = TimeUnit.NANOSECONDS.toMillis(nanos - System.nanoTime());
        if (left <= 0) {
            throw new Failure("the other peers did not respond before the timeout of the caller");
        }
        return (int) Math.min(most, left);
    }

    /** The end of the first of several equal parts of the remaining time. */
    public Deadline part(int parts) {
        if (!limited) {
            return this;
        }
        long now = System.nanoTime();
        return new Deadline(true, now + (nanos - now) / parts);
    }
}
