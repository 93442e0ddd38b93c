package dev.perhaps.cli;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.BadRecords;
import dev.perhaps.cli.input.Fields;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What commands that read records share: how keys stand in them, and what becomes of those that cannot be read. */
final class Reading {
    @Option(
            names = "--keys",
            paramLabel = "FORM",
            description =
                    "How keys stand in the input: " + KeyForm.ALL + "; lines, or as SKETCH was built, if not said.")
    private @Nullable String keys;

    @Option(
            names = "--skip-bad",
            description = "Leave out records that cannot be read, and say how many; else the first is an error.")
    private boolean skipBad;

    private @Nullable BadRecords bad;

    /** The form that was asked for, or lines. */
    KeyForm form(@Nullable String weight, @Nullable String time) {
        return KeyForm.of(keys == null ? "lines" : keys, Key.DEFAULT_SEED, fields(weight, time));
    }

    /** The form that was asked for, if it fits the file; else the one in which the file was built. */
    KeyForm formFor(Path file, Key<?> key, @Nullable String weight) {
        if (keys == null) {
            return KeyForm.ofKeyName(key.name(), key.seed(), fields(weight, null));
        }
        KeyForm form = KeyForm.of(keys, key.seed(), fields(weight, null));
        if (!form.key().fits(key.name(), key.seed())) {
            throw new BadInput(file + " was built with keys '" + key.name() + "', which --keys " + keys
                    + " does not fit: leave --keys out");
        }
        return form;
    }

    private Fields fields(@Nullable String weight, @Nullable String time) {
        bad = badRecords();
        return new Fields(weight, time, bad);
    }

    private BadRecords badRecords() {
        return skipBad ? BadRecords.skipped(Console::say) : BadRecords.refused("; --skip-bad leaves such records out");
    }

    /** Reads all records of all inputs, with progress. */
    void each(List<Input> inputs, KeyForm form, String doing, KeyForm.Sink sink) throws IOException {
        try (Progress progress = new Progress(doing, inputs)) {
            each(inputs, form, progress, sink);
        }
    }

    void each(List<Input> inputs, KeyForm form, Progress progress, KeyForm.Sink sink) throws IOException {
        for (Input input : inputs) {
            try (Input.Open open = input.open(progress)) {
                form.read(input.name(), open.stream(), sink);
            }
        }
        progress.close();
        tellSkipped();
    }

    /** Leaves a record out, or refuses to go on. */
    void bad(String problem) {
        Objects.requireNonNull(bad, "a form is asked for before records are read")
                .take(problem);
    }

    /** Says how many records were left out, if any were. */
    void tellSkipped() {
        long skipped = bad == null ? 0 : bad.count();
        if (skipped > 0) {
            Console.warn(Figures.count(skipped) + (skipped == 1 ? " record was" : " records were") + " left out");
        }
    }
}
