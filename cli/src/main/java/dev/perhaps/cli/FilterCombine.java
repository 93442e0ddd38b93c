package dev.perhaps.cli;

import dev.perhaps.io.Figures;
import dev.perhaps.io.WholeFile;
import dev.perhaps.membership.HashFilter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What {@code merge} and {@code intersect} share: many filters of one shape become one. */
final class FilterCombine {
    @Parameters(paramLabel = "FILTER", arity = "2..*", description = "The filters' files.")
    private List<Path> files = new ArrayList<>();

    @Option(
            names = "-o",
            converter = OutputPath.class,
            paramLabel = "OUT",
            required = true,
            description = "The file to write.")
    @SuppressWarnings("NullAway.Init") // required
    private Path output;

    /** Takes another filter into the first. */
    @FunctionalInterface
    interface Step {
        void take(Path firstFile, HashFilter<?> first, HashFilter<?> other);
    }

    void run(Step step) throws IOException {
        WholeFile.check(output);
        HashFilter<?> first = Filters.open(files.get(0));
        for (Path file : files.subList(1, files.size())) {
            HashFilter<?> other = Filters.open(file);
            try {
                step.take(files.get(0), first, other);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(files.get(0) + " and " + file + ": " + e.getMessage(), e);
            }
        }
        first.save(output);
        Overfilled.warn(first);
        Console.say("wrote " + output + ": " + Figures.count(first.itemsNow(), "item") + ", false positives "
                + Figures.percent(first.errorNow()));
    }
}
