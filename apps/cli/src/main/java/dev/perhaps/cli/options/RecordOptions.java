package dev.perhaps.cli.options;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.Progress;
import dev.perhaps.cli.engine.Engine;
import dev.perhaps.cli.engine.RecordSource;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.BadRecords;
import dev.perhaps.cli.input.Decimals;
import dev.perhaps.cli.input.Fields;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.cli.input.TableOptions;
import dev.perhaps.key.Key;
import java.io.IOException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of all commands that read records: the format of keys, and how bad records are handled. */
public final class RecordOptions {
    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            completionCandidates = Formats.class,
            description = "What a key is: " + KeyForm.ALL
                    + ". A COLUMN is a name or a position from 1; name=1 is a column named 1; a,b is both"
                    + " columns as one key (default: the format of the file if it has one, otherwise lines).")
    private @Nullable String format;

    @Option(names = "--no-header", description = "csv, tsv: the first row is data, not a header.")
    private boolean noHeader;

    @Option(
            names = "--delimiter",
            paramLabel = "C",
            description = "csv: what separates columns, such as ';' or '\\t' (default: ,).")
    private @Nullable String delimiter;

    @Mixin
    private SkipBad skipBad = new SkipBad();

    /** Returns the form of {@code --format}, or lines. */
    public KeyForm form() {
        return form(null, null, Decimals.none());
    }

    /** The same, with fields to read beside the key. */
    public KeyForm form(@Nullable String weight, @Nullable String time, Decimals decimals) {
        return KeyForm.of(format == null ? "lines" : format, Key.DEFAULT_SEED, fields(weight, time, decimals));
    }

    /** Returns true if a format was given, rather than left to the sketch or the default. */
    public boolean hasFormat() {
        return format != null;
    }

    /**
     * Returns the form of {@code --format}, which must fit the file; without it, the one in which the file was built.
     */
    public KeyForm formFor(SketchFile file, Key<?> key) {
        return formFor(file, key, null, Decimals.none());
    }

    /** The same, with the field that says how much a record counts. */
    public KeyForm formFor(SketchFile file, Key<?> key, @Nullable String weight, Decimals decimals) {
        String keyName = key.name();
        long seed = key.seed();
        Fields fields = fields(weight, null, decimals);
        if (format == null) {
            return KeyForm.ofKeyName(keyName, seed, fields);
        }
        KeyForm form = KeyForm.of(format, seed, fields);
        if (!form.key().fits(keyName, seed)) {
            throw new BadInput(file + " was built with keys '" + keyName + "', which --format " + format
                    + " does not fit: leave --format out");
        }
        return form;
    }

    private Fields fields(@Nullable String weight, @Nullable String time, Decimals decimals) {
        TableOptions table = new TableOptions(!noHeader, delimiter, Console::warn);
        return new Fields(weight, time, skipBad.records(), table, decimals);
    }

    /** What to read, for another process that reads it. */
    public RecordSource source(List<Input> inputs, @Nullable String weight, Decimals decimals) {
        return new RecordSource(
                inputs.stream().map(Input::path).toList(),
                format == null ? "lines" : format,
                weight,
                decimals,
                !noHeader,
                delimiter,
                skipBad.isSkipping());
    }

    /** Reports what another process found while it read: records that it skipped, and what may be a mistake. */
    public void found(Engine.Findings findings) {
        findings.warnings().forEach(Console::warn);
        skipBad.records().add(findings.skipped(), findings.problems());
    }

    /** What becomes of records that cannot be read. */
    public BadRecords badRecords() {
        return skipBad.records();
    }

    /** Skipped records are counted from 0 again, since the inputs are read once more. */
    public void restart() {
        skipBad.restart();
    }

    /** Reads all records of all inputs, with progress. */
    public void each(List<Input> inputs, KeyForm form, String doing, KeyForm.Sink sink) throws IOException {
        try (Progress progress = new Progress(doing, inputs)) {
            each(inputs, form, progress, sink);
        }
    }

    public void each(List<Input> inputs, KeyForm form, Progress progress, KeyForm.Sink sink) throws IOException {
        for (Input input : inputs) {
            form.read(input, progress, sink);
        }
        progress.close();
        tellSkipped();
    }

    /** Says how many records were left out, if any were. */
    public void tellSkipped() {
        skipBad.report();
    }

    /** The beginnings of all formats, for shells to complete. */
    static final class Formats implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(KeyForm.ALL.split(", ", -1))
                    .map(form -> form.replaceFirst(":.*", ":"))
                    .iterator();
        }
    }
}
