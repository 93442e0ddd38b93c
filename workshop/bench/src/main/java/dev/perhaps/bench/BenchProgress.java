package dev.perhaps.bench;

import java.io.PrintStream;

/** Reports progress on standard error, with the seconds since the start. */
public final class BenchProgress {
    private final PrintStream out;
    private final long startNanos = System.nanoTime();

    public BenchProgress(PrintStream out) {
        this.out = out;
    }

    public void say(String what) {
        out.printf("%5d s  %s%n", (System.nanoTime() - startNanos) / 1_000_000_000, what);
    }
}
