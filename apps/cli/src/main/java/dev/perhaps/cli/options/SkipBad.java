package dev.perhaps.cli.options;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.input.BadRecords;
import dev.perhaps.io.Figures;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What becomes of records that cannot be read: the first is an error or, with {@code --skip-bad}, all are skipped and counted. */
public final class SkipBad {
    @Option(
            names = "--skip-bad",
            description = "Skip records that cannot be read, and report their number; otherwise the first is an error.")
    private boolean skip;

    private @Nullable BadRecords records;

    public boolean isSkipping() {
        return skip;
    }

    /** The same for all inputs of a command. */
    public BadRecords records() {
        if (records == null) {
            records = skip ? BadRecords.skipped(Console::say) : BadRecords.refusedUnlessSkipped();
        }
        return records;
    }

    /** Counts from 0 again, since the inputs are read once more. */
    public void restart() {
        records().restart();
    }

    /** Reports how many records were skipped, if any were. */
    public void report() {
        long skipped = records().count();
        if (skipped > 0) {
            Console.warn(Figures.count(skipped) + (skipped == 1 ? " record was" : " records were") + " skipped");
        }
    }
}
