package dev.perhaps.cli;

import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.io.Figures;
import dev.perhaps.io.Sketch;
import dev.perhaps.membership.HashFilter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What {@code add} and {@code remove} share: a filter is opened, changed by the input, and replaced whole. */
final class FilterEdit {
    @Parameters(index = "0", paramLabel = "FILTER", description = "The filter's file.")
    @SuppressWarnings("NullAway.Init") // required
    private Path file;

    @Parameters(
            index = "1..*",
            paramLabel = "INPUT",
            arity = "0..*",
            description = "Files to read, also .gz and .zst; standard input if none.")
    private List<String> inputNames = new ArrayList<>();

    @Option(
            names = "-o",
            converter = OutputPath.class,
            paramLabel = "OUT",
            description = "Write the result here and leave FILTER as it is; in place if not said.")
    private @Nullable Path output;

    @Option(
            names = "--keys",
            paramLabel = "FORM",
            description = "How keys stand in the input; as the filter was built if not said.")
    private @Nullable String keys;

    /** Changes an opened filter by batches of hashes. */
    interface Change {
        /** What this change needs of a filter, or a refusal. */
        void check(HashFilter<?> filter, Path file);

        void apply(HashFilter<?> filter, long[] hashes, int from, int to);
    }

    Path file() {
        return file;
    }

    /** Applies the change to everything in the input; a failure half way leaves the file as it was. */
    HashFilter<?> run(String doing, Change change) throws IOException {
        return LockedFile.edit(file, output, (sketch, target) -> edit(sketch, doing, change, target));
    }

    private HashFilter<?> edit(Sketch sketch, String doing, Change change, Path target) throws IOException {
        HashFilter<?> filter = Filters.of(file, sketch);
        KeyForm form = FilterCheck.form(filter.key().name(), filter.key().seed(), file, keys);
        change.check(filter, file);
        List<Input> inputs = Input.all(inputNames);
        new InputHashes(inputs, form, doing).replay((hashes, from, to) -> change.apply(filter, hashes, from, to));
        filter.save(target);
        Overfilled.warn(filter);
        Console.say("wrote " + target + ": " + Figures.count(filter.itemsNow(), "item") + ", false positives "
                + Figures.percent(filter.errorNow()));
        return filter;
    }
}
