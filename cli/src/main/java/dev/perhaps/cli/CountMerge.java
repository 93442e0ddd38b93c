package dev.perhaps.cli;

import dev.perhaps.io.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps count merge}: one sketch of what several have counted. */
@Command(
        name = "merge",
        description = {"Writes one sketch of all that was counted in sketches that were built alike.", ""},
        footer = {"", "Example:", "  perhaps count merge monday.count tuesday.count -o week.count"},
        mixinStandardHelpOptions = true)
final class CountMerge implements Callable<Integer> {
    @Parameters(paramLabel = "SKETCH", arity = "2..*", description = "The sketches' files.")
    private List<Path> files = new ArrayList<>();

    @Option(
            names = "-o",
            converter = OutputPath.class,
            paramLabel = "OUT",
            required = true,
            description = "The file to write.")
    @SuppressWarnings("NullAway.Init") // required
    private Path output;

    @Override
    public Integer call() throws IOException {
        WholeFile.check(output);
        Tally first = Tally.open(files.get(0));
        for (Path file : files.subList(1, files.size())) {
            try {
                first.merge(Tally.open(file));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(files.get(0) + " and " + file + ": " + e.getMessage(), e);
            }
        }
        first.sketch().save(output);
        first.tell(output);
        return Main.DONE;
    }
}
