package dev.perhaps.cli;

import dev.perhaps.Perhaps;
import dev.perhaps.similarity.SimilarityIndex;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps similar info}: what an index is and holds. */
@Command(
        name = "info",
        description = {"Reads an index whole, and says what it was built for and what it holds.", ""},
        footer = {"", "Example:", "  perhaps similar info seen.index"},
        mixinStandardHelpOptions = true)
final class SimilarInfo implements Callable<Integer> {
    @Parameters(paramLabel = "INDEX", description = "The index's file.")
    @SuppressWarnings("NullAway.Init") // required
    private Path file;

    @Option(names = "--json", description = "Print as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        SimilarityIndex index = Indexes.of(file, Perhaps.open(file));
        Console.print(
                json
                        ? FilterInfo.json(index) + "\n"
                        : Printable.lines(index.describe().toString()));
        return Main.DONE;
    }
}
