package dev.perhaps.cli;

import dev.perhaps.Perhaps;
import dev.perhaps.io.Description;
import dev.perhaps.io.Sketch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps filter info}: what a filter is, holds and errs. */
@Command(
        name = "info",
        description = {"Says what a filter is, how full it is and how often it errs now.", ""},
        footer = {"", "Example:", "  perhaps filter info words.filter"},
        mixinStandardHelpOptions = true)
final class FilterInfo implements Callable<Integer> {
    @Parameters(paramLabel = "FILTER", description = "The filter's file.")
    @SuppressWarnings("NullAway.Init") // required
    private Path file;

    @Option(names = "--json", description = "Print as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        Sketch sketch = Perhaps.open(file);
        Console.print(
                json ? json(sketch) + "\n" : Printable.lines(sketch.describe().toString()));
        return Main.DONE;
    }

    /** All facts as one JSON object on one line. */
    static String json(Sketch sketch) throws IOException {
        return Json.object(out -> {
            Json.field(out, "kind", sketch.kind().word());
            for (Description.Fact fact : sketch.describe().facts()) {
                Json.field(out, fact.name(), fact.value());
            }
        });
    }
}
