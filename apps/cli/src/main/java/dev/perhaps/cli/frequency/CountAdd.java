package dev.perhaps.cli.frequency;

import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.input.Decimals;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.cli.input.Units;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.Output;
import dev.perhaps.cli.options.Overwrite;
import dev.perhaps.cli.options.RecordOptions;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps count add}: counts what is in the input. */
@Workload(Workload.Kind.BULK)
@Command(
        name = "add",
        description = {"Adds the counts of everything in the input to a sketch.", ""},
        footer = {
            "",
            "Without -o the file is changed in place: it is locked while it is read, and",
            "replaced as a whole.",
            "",
            "Example:",
            "  perhaps count add visits.count today.log"
        },
        mixinStandardHelpOptions = true)
final class CountAdd implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "SKETCH", description = "The sketch's file.")
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
            description = "Write the result here and leave SKETCH as it is (default: change it in place).")
    private @Nullable Output output;

    @Option(
            names = "--by",
            paramLabel = "FIELD",
            description =
                    "The field with the amount that a record counts, such as 3 or 12.50 (default: every record counts once).")
    private @Nullable String weight;

    @Mixin
    private DecimalsOption decimals = new DecimalsOption();

    @Mixin
    private RecordOptions reading = new RecordOptions();

    @Mixin
    private Overwrite overwrite = new Overwrite();

    @Override
    public Integer call() throws IOException {
        file.refuseAsInput(Input.all(inputNames));
        return file.edit(output, overwrite, this::add);
    }

    private int add(Sketch sketch, Output target) throws IOException {
        Tally tally = Tally.of(file, sketch);
        Units units = tally.units();
        Decimals read = decimals.of(file, Math.max(units.numbers(), units.amounts()));
        tally.reads(read, weight);
        KeyForm form = tally.form(reading, file, weight, read);
        tally.addAll(Input.all(inputNames), form, reading);
        target.save(tally.sketch());
        tally.tell(target);
        return ExitCodes.DONE;
    }
}
