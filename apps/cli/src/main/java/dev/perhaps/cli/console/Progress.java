package dev.perhaps.cli.console;

import dev.perhaps.cli.input.Input;
import dev.perhaps.io.Figures;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;

/** Shows the progress of reading in one line on the terminal; silent if standard error is not a terminal. */
public final class Progress implements Input.Meter, Closeable {
    private static final long EVERY_NANOS = 200_000_000L;
    private static final int BAR_CELLS = 24;

    private final String doing;
    private final long totalBytes;
    private final boolean shown;
    private final long startNanos = System.nanoTime();
    private long bytes;
    private long lastNanos = startNanos;
    private boolean drawn;

    /** Progress over all these inputs; no bar is drawn where a length is not known. */
    public Progress(String doing, List<Input> inputs) {
        this(doing, totalBytes(inputs));
    }

    /** Progress over this number of bytes. */
    public Progress(String doing, long totalBytes) {
        this(doing, totalBytes, Console.isWatched());
    }

    private Progress(String doing, long totalBytes, boolean shown) {
        this.doing = doing;
        this.totalBytes = totalBytes;
        this.shown = shown;
    }

    private static long totalBytes(List<Input> inputs) {
        long total = 0;
        for (Input input : inputs) {
            total = input.bytes() < 0 || total < 0 ? -1 : total + input.bytes();
        }
        return total;
    }

    /** Shows nothing, where something else is shown already. */
    public static Progress silent() {
        return new Progress("", 0, false);
    }

    @Override
    public void read(long count) {
        bytes += count;
        if (shown) {
            long now = System.nanoTime();
            if (now - lastNanos > EVERY_NANOS) {
                lastNanos = now;
                draw((now - startNanos) / 1e9);
            }
        }
    }

    /** What is ready is shown before we wait for more: a filter in a live pipe answers at once. */
    @Override
    public void idle() {
        try {
            Console.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void draw(double seconds) {
        drawn = true;
        String rate = Figures.bytes(Math.round(bytes / seconds)) + "/s";
        if (totalBytes <= 0) {
            System.err.print("\r\033[K" + doing + "  " + Figures.bytes(bytes) + "  " + rate);
            return;
        }
        double share = Math.min(1, (double) bytes / totalBytes);
        int full = (int) (share * BAR_CELLS);
        long left = Math.round(seconds / share * (1 - share));
        System.err.print("\r\033[K" + doing + "  [" + "#".repeat(full) + ".".repeat(BAR_CELLS - full) + "] "
                + String.format(Locale.ROOT, "%3.0f %%  %s  %d:%02d left", share * 100, rate, left / 60, left % 60));
    }

    @Override
    public void close() {
        if (drawn) {
            drawn = false;
            System.err.print("\r\033[K");
        }
    }
}
