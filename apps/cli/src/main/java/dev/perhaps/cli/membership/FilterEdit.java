package dev.perhaps.cli.membership;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.cli.options.InputHashes;
import dev.perhaps.cli.options.Output;
import dev.perhaps.cli.options.Overwrite;
import dev.perhaps.cli.options.RecordOptions;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.io.Figures;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What {@code add} and {@code remove} share: a filter is opened, changed by the input, and replaced whole. */
final class FilterEdit {
    @Parameters(
            index = "0",
            paramLabel = "FILTER",
            description = "The filter: a file, a pipe, or - for standard input.")
    @SuppressWarnings("NullAway.Init") // required
    private SketchFile file;

    @Parameters(
            index = "1..*",
            paramLabel = "INPUT",
            arity = "0..*",
            description = "Files to read, also .gz and .zst (default: standard input).")
    private List<String> inputNames = new ArrayList<>();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "OUT",
            description = "Write the result here and leave FILTER as it is (default: change it in place).")
    private @Nullable Output output;

    @Mixin
    private RecordOptions reading = new RecordOptions();

    @Mixin
    private Overwrite overwrite = new Overwrite();

    /** Changes an opened filter by batches of hashes. */
    interface Change {
        /** What this change needs of a filter, or a refusal. */
        void check(HashFilter<?> filter, SketchFile file);

        void apply(HashFilter<?> filter, long[] hashes, int from, int to);

        /** The filter as it is to be changed: at another time, for example. */
        default HashFilter<?> prepare(HashFilter<?> filter, SketchFile opened) {
            return filter;
        }
    }

    SketchFile file() {
        return file;
    }

    /** Applies the change to everything in the input; a failure half way leaves the file as it was. */
    HashFilter<?> run(String doing, Change change) throws IOException {
        file.refuseAsInput(Input.all(inputNames));
        return file.edit(output, overwrite, (sketch, target) -> edit(sketch, doing, change, target));
    }

    private HashFilter<?> edit(Sketch sketch, String doing, Change change, Output target) throws IOException {
        HashFilter<?> filter = change.prepare(Filters.of(file, sketch), file);
        KeyForm form = reading.formFor(file, filter.key());
        change.check(filter, file);
        List<Input> inputs = Input.all(inputNames);
        new InputHashes(inputs, form, reading, doing)
                .replay((hashes, from, to) -> change.apply(filter, hashes, from, to));
        reading.tellSkipped();
        target.save(filter);
        FilterWarnings.warn(filter);
        Console.say("wrote " + target + ": " + Filters.items(filter) + ", false positives "
                + Figures.percent(filter.errorNow()));
        return filter;
    }
}
