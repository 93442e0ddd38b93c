package dev.perhaps.cli;

import dev.perhaps.io.Sketch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps count info}: what a sketch is, holds and errs. */
@Command(
        name = "info",
        description = {"Says what a sketch is, how much it has counted and how far it errs now.", ""},
        footer = {"", "Example:", "  perhaps count info visits.count"},
        mixinStandardHelpOptions = true)
final class CountInfo implements Callable<Integer> {
    @Parameters(paramLabel = "SKETCH", description = "The sketch's file.")
    @SuppressWarnings("NullAway.Init") // required
    private Path file;

    @Option(names = "--json", description = "Print as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        Sketch sketch = Tally.open(file).sketch();
        Console.print(
                json
                        ? FilterInfo.json(sketch) + "\n"
                        : Printable.lines(sketch.describe().toString()));
        return Main.DONE;
    }
}
