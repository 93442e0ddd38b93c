package dev.perhaps.server.operation;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Internal errors of this program: they are logged for its operator, with at most one stack trace per second.
 * Thread-safe.
 */
public final class Failures {
    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLong nextNanos = new AtomicLong(System.nanoTime());
    private final AtomicLong untold = new AtomicLong();
    private volatile Consumer<String> complaints = line -> {};

    /** Sets who is told. */
    public void tell(Consumer<String> listener) {
        complaints = listener;
    }

    /** Tells of a command that has failed; returns the error for its client. */
    public String add(String command, Throwable cause) {
        long now = System.nanoTime();
        long next = nextNanos.get();
        if (now - next < 0 || !nextNanos.compareAndSet(next, now + EVERY_NANOS)) {
            untold.incrementAndGet();
        } else {
            StringWriter trace = new StringWriter();
            cause.printStackTrace(new PrintWriter(trace));
            long more = untold.getAndSet(0);
            complaints.accept("internal error in '" + command + "'"
                    + (more == 0 ? "" : " (and " + more + " before it that were not shown)") + ": " + trace);
        }
        return "ERR internal error in '" + command + "': see the log of the server";
    }
}
