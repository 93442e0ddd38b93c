package dev.perhaps.cli.frequency;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Json;
import dev.perhaps.cli.engine.process.EngineOptions;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.InputHashes;
import dev.perhaps.cli.options.Output;
import dev.perhaps.cli.options.Overwrite;
import dev.perhaps.cli.options.RecordOptions;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.frequency.Distinct;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Kind;
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

/** {@code perhaps distinct}: how many different items there are. */
@Workload(Workload.Kind.BULK)
@Command(
        name = "distinct",
        description = {"Estimates the number of different items, in 64 KiB of memory.", ""},
        footer = {
            "",
            "The estimate is off by less than its standard error in 2 of 3 cases, and by less",
            "than three times that and one item in 997 of 1,000.",
            "",
            "Examples:",
            "  perhaps distinct access.log --format word:1",
            "  perhaps distinct monday.log -o monday.distinct",
            "  perhaps distinct tuesday.log --with monday.distinct"
        },
        mixinStandardHelpOptions = true)
public final class DistinctCommand implements Callable<Integer> {
    private static final double USUAL_ERROR = 0.0031;

    @Parameters(
            paramLabel = "INPUT",
            arity = "0..*",
            description =
                    "Files to read, also .gz and .zst (default: standard input, or nothing if there is a --with).")
    private List<String> inputNames = new ArrayList<>();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "SKETCH",
            description = "Save the count here, for --with.")
    private @Nullable Output output;

    @Option(
            names = "--with",
            paramLabel = "SKETCH",
            description = "Count together with the items that were saved here; repeatable.")
    private List<SketchFile> others = new ArrayList<>();

    @Option(
            names = "--error",
            paramLabel = "E",
            description = "The highest standard error, as a share (default: ${DEFAULT-VALUE}).")
    private double error = USUAL_ERROR;

    @Option(names = "--json", description = "Print as JSON.")
    private boolean json;

    @Mixin
    private RecordOptions reading = new RecordOptions();

    @Mixin
    private Overwrite overwrite = new Overwrite();

    @Mixin
    @SuppressWarnings("unused") // read before the command runs
    private EngineOptions engine = new EngineOptions();

    @Override
    public Integer call() throws IOException {
        if (!(error > 0 && error < 1)) {
            throw new BadInput("--error must be in (0, 1), got " + error);
        }
        if (output != null) {
            overwrite.check(output, Kind.DISTINCT);
        }
        KeyForm form = reading.form();
        Distinct<?> distinct = Distinct.within(error).of(form.key()).build();
        for (SketchFile other : others) {
            merge(distinct, other);
        }
        InputHashes items = new InputHashes(
                inputNames.isEmpty() && !others.isEmpty() ? List.of() : Input.all(inputNames),
                form,
                reading,
                "counting");
        items.addTo(distinct, Distinct::addHashes);
        reading.tellSkipped();
        if (output != null) {
            output.save(distinct);
            Console.say("wrote " + output + ": " + Figures.bytes(distinct.fileBytes()));
        }
        print(distinct, items.count());
        return ExitCodes.DONE;
    }

    @SuppressWarnings("unchecked") // what does not fit is refused
    private static <T> void merge(Distinct<T> distinct, SketchFile file) throws IOException {
        Sketch sketch = file.open();
        if (!(sketch instanceof Distinct<?> other)) {
            throw new BadInput(file + " is a " + sketch.kind() + ", not a saved distinct count");
        }
        Key<?> key = other.key();
        if (!distinct.key().fits(key.name(), key.seed())) {
            throw new BadInput(file + " was built with keys '" + key.name() + "', which '"
                    + distinct.key().name() + "' does not fit");
        }
        if (!distinct.fits((Distinct<T>) other)) {
            throw new BadInput(file + " was saved with a standard error of " + other.standardError() + ": use --error "
                    + other.standardError());
        }
        distinct.merge((Distinct<T>) other);
    }

    private void print(Distinct<?> distinct, long items) throws IOException {
        long estimated = Math.round(distinct.estimate());
        // There cannot be more different items than items, where all of them were read now.
        long estimate = others.isEmpty() ? Math.min(estimated, items) : estimated;
        if (json) {
            report(Json.object(out -> {
                out.writeNumberField("distinct", estimate);
                out.writeNumberField("standardError", distinct.standardError());
                out.writeNumberField("items", items);
            }));
            return;
        }
        report("different  " + Console.estimate(estimate) + "  (± " + Figures.percent(distinct.standardError())
                + ", one standard error)");
        report("items      " + Console.count(items) + "  (read now)");
    }

    private void report(String line) throws IOException {
        if (output != null) {
            output.report(line);
        } else {
            Console.println(line);
        }
    }
}
