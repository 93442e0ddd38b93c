package dev.perhaps.cli.lab;

import dev.perhaps.cli.console.Console;
import dev.perhaps.lab.Conditions;
import java.io.Closeable;
import java.util.Locale;

/** Shows the progress of an experiment in one line on the terminal; silent if standard error is not a terminal. */
final class LabWatch implements Conditions.Watch, Closeable {
    private static final int BAR_CELLS = 24;

    private final String experiment;
    private final boolean shown = Console.isWatched();
    private boolean drawn;

    LabWatch(String experiment) {
        this.experiment = experiment;
    }

    @Override
    public synchronized void at(String doing, double share) {
        if (shown) {
            drawn = true;
            int full = (int) (Math.min(1, share) * BAR_CELLS);
            System.err.print("\r\033[K" + experiment + "  [" + "#".repeat(full) + ".".repeat(BAR_CELLS - full) + "] "
                    + String.format(Locale.ROOT, "%3.0f %%  %s", share * 100, doing));
        }
    }

    @Override
    public void close() {
        if (drawn) {
            System.err.print("\r\033[K");
        }
    }
}
