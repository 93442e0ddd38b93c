package dev.perhaps.cli.input;

import java.util.List;
import java.util.function.Consumer;

/**
 * Handles records that cannot be read: the first one is an error or, with {@code --skip-bad}, all are counted and
 * skipped.
 */
public final class BadRecords {
    private static final int TOLD = 3;
    private static final String SKIPPED = "skipped: ";

    private final boolean skip;
    private final String hint;
    /** The prefix of messages; empty if another process prints them. */
    private final String before;

    private final Consumer<String> tell;
    private long count;
    private long told;

    private BadRecords(boolean skip, String hint, String before, Consumer<String> tell) {
        this.skip = skip;
        this.hint = hint;
        this.before = before;
        this.tell = tell;
    }

    /** The first bad record is the end; the hint is what else could be done. */
    public static BadRecords refused(String hint) {
        return new BadRecords(false, hint, "", problem -> {});
    }

    /** The first bad record is the end, unless the user says {@code --skip-bad}. */
    public static BadRecords refusedUnlessSkipped() {
        return refused("; --skip-bad skips such records");
    }

    /** Bad records are skipped; the first few are reported. */
    public static BadRecords skipped(Consumer<String> tell) {
        return new BadRecords(true, "", SKIPPED, tell);
    }

    /** Bad records are skipped; the first few are handed over as they are, for {@link #add} in another process. */
    public static BadRecords gathered(Consumer<String> problems) {
        return new BadRecords(true, "", "", problems);
    }

    /** Counts those that were skipped elsewhere, and reports the first few. */
    public void add(long skipped, List<String> problems) {
        count += skipped;
        for (String problem : problems) {
            tell(problem);
        }
    }

    /** How many were left out. */
    public long count() {
        return count;
    }

    /** Counts from 0 again, where the same inputs are read a second time; what was reported is not reported again. */
    public void restart() {
        told = count > 0 ? TOLD : told;
        count = 0;
    }

    /** Leaves a record out, for this reason, or refuses to go on. */
    public void take(String problem) {
        if (!skip) {
            throw new BadInput(problem + hint);
        }
        count++;
        tell(problem);
    }

    private void tell(String problem) {
        if (told < TOLD) {
            told++;
            boolean isLast = told == TOLD && !before.isEmpty();
            tell.accept(before + problem + (isLast ? " (further ones are only counted)" : ""));
        }
    }
}
