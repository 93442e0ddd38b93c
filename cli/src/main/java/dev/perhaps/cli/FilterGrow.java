package dev.perhaps.cli;

import dev.perhaps.Perhaps;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.io.Figures;
import dev.perhaps.io.Sketch;
import dev.perhaps.io.WholeFile;
import dev.perhaps.membership.HashFilter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps filter grow}: doubles the room of a filter without its keys. */
@Command(
        name = "grow",
        description = {"Doubles the room of a quotient filter, without its keys. Each doubling doubles its error.", ""},
        footer = {"", "Example:", "  perhaps filter grow seen.filter"},
        mixinStandardHelpOptions = true)
final class FilterGrow implements Callable<Integer> {
    @Parameters(paramLabel = "FILTER", description = "The filter's file.")
    @SuppressWarnings("NullAway.Init") // required
    private Path file;

    @Option(
            names = "-o",
            converter = OutputPath.class,
            paramLabel = "OUT",
            description = "Write the result here and leave FILTER as it is; in place if not said.")
    private @Nullable Path output;

    @Override
    public Integer call() throws IOException {
        if (output != null) {
            WholeFile.check(output);
            grow(Perhaps.open(file), output);
            return Main.DONE;
        }
        try (LockedFile lock = LockedFile.hold(file)) {
            grow(lock.open(), file);
        }
        return Main.DONE;
    }

    private void grow(Sketch sketch, Path target) throws IOException {
        HashFilter<?> filter = Filters.of(file, sketch);
        if (!(filter instanceof HashFilter.Grows<?> grows)) {
            throw new BadInput(file + " is a " + filter.kind()
                    + ", which cannot grow without its keys: build it with --kind quotient, or scalable");
        }
        if (!grows.grow()) {
            throw new BadInput(file + " has no spare bit left to grow by: build a bigger one with --items");
        }
        filter.save(target);
        Console.say("wrote " + target + ": room for twice as many, " + Figures.bytes(filter.sizeBytes())
                + ", false positives " + Figures.percent(filter.errorNow()));
    }
}
