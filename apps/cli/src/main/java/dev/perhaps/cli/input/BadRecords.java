package dev.perhaps.cli.input;

import java.util.function.Consumer;

/** Records that cannot be read: refused at once, or, where the user said so, counted, told and left out. */
public final class BadRecords {
    private static final int TOLD = 3;

    private final boolean skip;
    private final String hint;
    private final Consumer<String> tell;
    private long count;
    private long told;

    private BadRecords(boolean skip, String hint, Consumer<String> tell) {
        this.skip = skip;
        this.hint = hint;
        this.tell = tell;
    }

    /** The first bad record is the end; the hint is what else could be done. */
    public static BadRecords refused(String hint) {
        return new BadRecords(false, hint, problem -> {});
    }

    /** Bad records are skipped; the first few are reported. */
    public static BadRecords skipped(Consumer<String> tell) {
        return new BadRecords(true, "", tell);
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
        if (told < TOLD) {
            told++;
            tell.accept("skipped: " + problem + (told == TOLD ? " (further ones are only counted)" : ""));
        }
    }
}
