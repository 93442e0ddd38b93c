package dev.perhaps.cli.similarity;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.input.Texts;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.Output;
import dev.perhaps.cli.options.Overwrite;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.io.Figures;
import dev.perhaps.similarity.duplicates.Clusters;
import dev.perhaps.similarity.index.SimilarityIndex;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps similar add}: more documents into an index. */
@Workload(Workload.Kind.BULK)
@Command(
        name = "add",
        description = {"Adds documents to an index, compared with it and with each other.", ""},
        footer = {
            "",
            "Kept documents stay kept. Without -o the file is changed in place: it is locked",
            "while it is read, and replaced as a whole.",
            "",
            "Example:",
            "  perhaps similar add seen.index new.jsonl --format jsonl:text --id url"
        },
        mixinStandardHelpOptions = true)
final class SimilarAdd implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "INDEX", description = "The index's file.")
    @SuppressWarnings("NullAway.Init") // required
    private SketchFile file;

    @Parameters(
            index = "1..*",
            paramLabel = "INPUT",
            arity = "0..*",
            description =
                    "Files to read, also .gz and .zst (default: standard input). With --format files: files and folders.")
    private List<String> inputNames = new ArrayList<>();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "OUT",
            description = "Write the result here and leave INDEX as it is (default: change it in place).")
    private @Nullable Output output;

    @Mixin
    private TextInput input = new TextInput();

    @Mixin
    private SearchOptions options = new SearchOptions();

    @Mixin
    private Overwrite overwrite = new Overwrite();

    @Override
    public Integer call() throws IOException {
        file.refuseAsNamedInput(inputNames);
        return file.edit(output, overwrite, this::add);
    }

    private int add(Sketch sketch, Output target) throws IOException {
        SimilarityIndex index = Indexes.of(file, sketch);
        var search = options.continuing(index, file);
        Texts texts = input.read(
                inputNames, file.isStandard() ? List.of(target.path()) : List.of(file.path(), target.path()), true);
        Clusters clusters = input.compare(search, texts);
        Indexes.add(clusters, index, texts);
        target.save(index);
        Console.say("added " + Figures.count(clusters.documents(), "document") + ", kept "
                + Figures.count(clusters.keptCount()) + "; " + Figures.count(clusters.matchedEarlier())
                + " matched the index");
        Indexes.tell(target, index);
        return ExitCodes.DONE;
    }
}
