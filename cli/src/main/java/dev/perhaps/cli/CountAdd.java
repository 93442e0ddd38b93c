package dev.perhaps.cli;

import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.io.Sketch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps count add}: counts what is in the input. */
@Command(
        name = "add",
        description = {"Counts everything in the input into a sketch.", ""},
        footer = {
            "",
            "Without -o the file is changed in place: locked while it is read, and replaced whole.",
            "",
            "Example:",
            "  perhaps count add visits.count today.log"
        },
        mixinStandardHelpOptions = true)
final class CountAdd implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "SKETCH", description = "The sketch's file.")
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
            description = "Write the result here and leave SKETCH as it is; in place if not said.")
    private @Nullable Path output;

    @Option(names = "--by", paramLabel = "FIELD", description = "The field that says how much a record counts; else 1.")
    private @Nullable String weight;

    @Mixin
    private Reading reading = new Reading();

    @Override
    public Integer call() throws IOException {
        return LockedFile.edit(file, output, this::add);
    }

    private int add(Sketch sketch, Path target) throws IOException {
        Tally tally = Tally.of(file, sketch);
        KeyForm form = tally.form(reading, file, weight);
        reading.each(Input.all(inputNames), form, "counting", entry -> tally.add(entry, reading));
        tally.sketch().save(target);
        tally.tell(target);
        return Main.DONE;
    }
}
