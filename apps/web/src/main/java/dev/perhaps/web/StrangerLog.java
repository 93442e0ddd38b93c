package dev.perhaps.web;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A log for lines that others can cause: escaped, cut to a maximum length, and limited to a number per interval. The
 * number of lines left out is logged too. Safe for any number of threads.
 */
public final class StrangerLog implements Consumer<String> {
    static final int MAX_LINES = 20;

    private static final int MAX_LETTERS = 500;
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Consumer<String> log;
    private final LongSupplier clock;
    private long startNanos;
    private int lines;
    private long leftOut;

    /** Passes lines on to a log. */
    public StrangerLog(Consumer<String> log) {
        this(log, System::nanoTime);
    }

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
            boolean tooLong = line.length() > MAX_LETTERS;
            log.accept(tooLong ? SafeText.of(line.substring(0, MAX_LETTERS)) + "..." : SafeText.of(line));
        } else {
            leftOut++;
        }
    }

    /** Logs how many lines were left out, if the interval is over. */
    public synchronized void flush() {
        long now = clock.getAsLong();
        if (now - startNanos >= INTERVAL_NANOS) {
            startNanos = now;
            lines = 0;
            if (leftOut > 0) {
                log.accept(leftOut + (leftOut == 1 ? " more line" : " more lines") + " like these left out");
                leftOut = 0;
            }
        }
    }
}
