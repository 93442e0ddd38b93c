package dev.perhaps.chord.net;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Lines that anybody can cause who reaches the port: a limited number per interval; the number of the others is logged. */
final class StrangerLog implements Consumer<String> {
    static final int MAX_LINES = 20;

    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Consumer<String> log;
    private final LongSupplier clock;
    private long startNanos;
    private int lines;
    private long leftOut;

    StrangerLog(Consumer<String> log, LongSupplier clock) {
        this.log = log;
        this.clock = clock;
        this.startNanos = clock.getAsLong();
    }

    @Override
    public synchronized void accept(String line) {
        flush();
        if (lines < MAX_LINES) {
            lines++;
            log.accept(line);
        } else {
            leftOut++;
        }
    }

    /** Tells what was left out, if it is time. */
    synchronized void flush() {
        long now = clock.getAsLong();
        if (now - startNanos >= WINDOW_NANOS) {
            startNanos = now;
            lines = 0;
            if (leftOut > 0) {
                log.accept(leftOut + (leftOut == 1 ? " more line" : " more lines") + " about strangers left out");
                leftOut = 0;
            }
        }
    }
}
