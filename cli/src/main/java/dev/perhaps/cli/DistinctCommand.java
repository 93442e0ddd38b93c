package dev.perhaps.cli;

import dev.perhaps.Perhaps;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.frequency.Distinct;
import dev.perhaps.io.Figures;
import dev.perhaps.io.WholeFile;
import dev.perhaps.key.Key;
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

/** {@code perhaps distinct}: how many different items there are. */
@Command(
        name = "distinct",
        description = {"Estimates how many different items there are, in 64 KiB of memory however many come.", ""},
        footer = {
            "",
            "The estimate is off by less than its standard error in two of three cases, and by less than three times",
            "that and one item in 997 of 1,000.",
            "",
            "Examples:",
            "  perhaps distinct access.log --keys word:1",
            "  perhaps distinct monday.log -o monday.distinct",
            "  perhaps distinct tuesday.log --with monday.distinct"
        },
        mixinStandardHelpOptions = true)
final class DistinctCommand implements Callable<Integer> {
    private static final double USUAL_ERROR = 0.0031;

    @Parameters(
            paramLabel = "INPUT",
            arity = "0..*",
            description = "Files to read, also .gz and .zst; standard input if none, and nothing to count --with.")
    private List<String> inputNames = new ArrayList<>();

    @Option(
            names = "-o",
            converter = OutputPath.class,
            paramLabel = "SKETCH",
            description = "Save the count here, for --with.")
    private @Nullable Path output;

    @Option(
            names = "--with",
            paramLabel = "SKETCH",
            description = "Count together with what was saved here; repeatable.")
    private List<Path> others = new ArrayList<>();

    @Option(
            names = "--error",
            paramLabel = "E",
            description = "The highest standard error, as a share; 0.0031 if not said.")
    private double error = USUAL_ERROR;

    @Option(names = "--json", description = "Print as JSON.")
    private boolean json;

    @Mixin
    private Reading reading = new Reading();

    @Override
    public Integer call() throws IOException {
        if (!(error > 0 && error < 1)) {
            throw new BadInput("--error must be in (0, 1), got " + error);
        }
        if (output != null) {
            WholeFile.check(output);
        }
        KeyForm form = reading.form(null, null);
        Distinct<?> distinct = Distinct.within(error).of(form.key()).build();
        for (Path other : others) {
            merge(distinct, other);
        }
        InputHashes items = new InputHashes(
                inputNames.isEmpty() && !others.isEmpty() ? List.of() : Input.all(inputNames), form, "counting");
        items.replay(distinct::addHashes);
        reading.tellSkipped();
        if (output != null) {
            distinct.save(output);
            Console.say("wrote " + output + ": " + Figures.bytes(distinct.fileBytes()));
        }
        print(distinct, items.count());
        return Main.DONE;
    }

    @SuppressWarnings("unchecked") // what does not fit is refused
    private static <T> void merge(Distinct<T> distinct, Path file) throws IOException {
        if (!(Perhaps.open(file) instanceof Distinct<?> other)) {
            throw new BadInput(file + " is a " + Perhaps.look(file).kind() + ", not a saved distinct count");
        }
        Key<?> key = other.key();
        if (!distinct.key().fits(key.name(), key.seed())) {
            throw new BadInput(file + " was built with keys '" + key.name() + "', which '"
                    + distinct.key().name() + "' does not fit");
        }
        if (!distinct.fits((Distinct<T>) other)) {
            throw new BadInput(file + " was saved with a standard error of " + other.standardError() + ": say --error "
                    + other.standardError());
        }
        distinct.merge((Distinct<T>) other);
    }

    private void print(Distinct<?> distinct, long items) throws IOException {
        long estimate = Math.round(distinct.estimate());
        if (json) {
            Console.println(Json.object(out -> {
                out.writeNumberField("distinct", estimate);
                out.writeNumberField("standardError", distinct.standardError());
                out.writeNumberField("items", items);
            }));
            return;
        }
        Console.println("different  " + Figures.count(estimate) + "  (± " + Figures.percent(distinct.standardError())
                + ", one standard error)");
        Console.println("items      " + Figures.count(items) + "  (read now)");
    }
}
