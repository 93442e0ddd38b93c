package dev.perhaps.cli.membership;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.options.Output;
import dev.perhaps.cli.options.Overwrite;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.io.Figures;
import dev.perhaps.membership.HashFilter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What {@code merge} and {@code intersect} share: many filters of one shape become one. */
final class FilterCombine {
    @Parameters(paramLabel = "FILTER", arity = "2..*", description = "The filters' files.")
    private List<SketchFile> files = new ArrayList<>();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "OUT",
            required = true,
            description = "The file to write.")
    @SuppressWarnings("NullAway.Init") // required
    private Output output;

    @Mixin
    private Overwrite overwrite = new Overwrite();

    /** Takes another filter into the first. */
    @FunctionalInterface
    interface Step {
        void take(SketchFile firstFile, HashFilter<?> first, HashFilter<?> other);
    }

    void run(Step step) throws IOException {
        output.check();
        HashFilter<?> first = Filters.open(files.get(0));
        overwrite.check(output, first.kind());
        for (SketchFile file : files.subList(1, files.size())) {
            HashFilter<?> other = Filters.open(file);
            try {
                step.take(files.get(0), first, other);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(files.get(0) + " and " + file + ": " + e.getMessage(), e);
            }
        }
        output.save(first);
        FilterWarnings.warn(first);
        Console.say("wrote " + output + ": " + Filters.items(first) + ", false positives "
                + Figures.percent(first.errorNow()));
    }
}
