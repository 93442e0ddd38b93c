package dev.perhaps.cli.membership;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.Output;
import dev.perhaps.cli.options.Overwrite;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.io.Figures;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps filter grow}: doubles the room of a filter without its keys. */
@Workload(Workload.Kind.BULK)
@Command(
        name = "grow",
        description = {
            "Doubles the capacity of a quotient filter, which doubles its error rate; the keys are not needed.",
            ""
        },
        footer = {"", "Example:", "  perhaps filter grow seen.filter"},
        mixinStandardHelpOptions = true)
final class FilterGrow implements Callable<Integer> {
    @Parameters(paramLabel = "FILTER", description = "The filter: a file, a pipe, or - for standard input.")
    @SuppressWarnings("NullAway.Init") // required
    private SketchFile file;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "OUT",
            description = "Write the result here and leave FILTER as it is (default: change it in place).")
    private @Nullable Output output;

    @Mixin
    private Overwrite overwrite = new Overwrite();

    @Override
    public Integer call() throws IOException {
        return file.edit(output, overwrite, this::grow);
    }

    private int grow(Sketch sketch, Output target) throws IOException {
        HashFilter<?> filter = Filters.of(file, sketch);
        if (!(filter instanceof HashFilter.Grows<?> grows)) {
            throw new BadInput(file + " is a " + filter.kind()
                    + ", which cannot grow without its keys: build it with --kind quotient, or scalable");
        }
        if (!grows.grow()) {
            throw new BadInput(file + " has no spare bit left to grow by: build a bigger one with --items");
        }
        target.save(filter);
        Console.say("wrote " + target + ": room for twice as many, " + Figures.bytes(filter.sizeBytes())
                + ", false positives " + Figures.percent(filter.errorNow()));
        return ExitCodes.DONE;
    }
}
