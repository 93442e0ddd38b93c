package dev.perhaps.cli;

import dev.perhaps.cli.input.Texts;
import dev.perhaps.io.Figures;
import dev.perhaps.io.Sketch;
import dev.perhaps.similarity.Clusters;
import dev.perhaps.similarity.SimilarityIndex;
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

/** {@code perhaps similar add}: more documents into an index. */
@Command(
        name = "add",
        description = {"Compares documents with an index and with each other, and puts them into it.", ""},
        footer = {
            "",
            "What was kept stays kept. Without -o the file is changed in place: locked while it is read, and replaced whole.",
            "",
            "Example:",
            "  perhaps similar add seen.index today.jsonl --format jsonl:text --id url"
        },
        mixinStandardHelpOptions = true)
final class SimilarAdd implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "INDEX", description = "The index's file.")
    @SuppressWarnings("NullAway.Init") // required
    private Path file;

    @Parameters(
            index = "1..*",
            paramLabel = "INPUT",
            arity = "0..*",
            description =
                    "Files to read, also .gz and .zst; standard input if none. With --format files, files and folders.")
    private List<String> inputNames = new ArrayList<>();

    @Option(
            names = "-o",
            converter = OutputPath.class,
            paramLabel = "OUT",
            description = "Write the result here and leave INDEX as it is; in place if not said.")
    private @Nullable Path output;

    @Mixin
    private TextInput input = new TextInput();

    @Mixin
    private SearchOptions options = new SearchOptions();

    @Override
    public Integer call() throws IOException {
        return LockedFile.edit(file, output, this::add);
    }

    private int add(Sketch sketch, Path target) throws IOException {
        SimilarityIndex index = Indexes.of(file, sketch);
        var search = options.continuing(index, file);
        Texts texts = input.read(inputNames, List.of(file, target), true);
        Clusters clusters = input.compare(search, texts);
        Indexes.add(clusters, index, texts);
        index.save(target);
        Console.say("added " + Figures.count(clusters.documents(), "document") + ", kept "
                + Figures.count(clusters.keptCount()) + "; " + Figures.count(clusters.matchedEarlier())
                + " matched the index");
        Indexes.tell(target, index);
        return Main.DONE;
    }
}
