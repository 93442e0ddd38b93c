package dev.perhaps.cli;

import dev.perhaps.cli.input.Texts;
import dev.perhaps.io.WholeFile;
import dev.perhaps.similarity.NearDuplicates;
import dev.perhaps.similarity.SimilarityIndex;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps similar build}: an index of documents, with what dedup finds among them. */
@Command(
        name = "build",
        description = {
            "Builds an index of documents, with their clusters and which of each is kept, as dedup finds them.",
            ""
        },
        footer = {
            "",
            "About 390 bytes a document; with --exact, 8 more for each different run of characters in it.",
            "",
            "Examples:",
            "  perhaps similar build seen.index crawl.jsonl --format jsonl:text --id url",
            "  perhaps similar build docs.index --format files docs/ --exact"
        },
        mixinStandardHelpOptions = true)
final class SimilarBuild implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "INDEX", description = "The file to write.")
    @SuppressWarnings("NullAway.Init") // required
    private Path file;

    @Parameters(
            index = "1..*",
            paramLabel = "INPUT",
            arity = "0..*",
            description =
                    "Files to read, also .gz and .zst; standard input if none. With --format files, files and folders.")
    private List<String> inputNames = new ArrayList<>();

    @Mixin
    private TextInput input = new TextInput();

    @Mixin
    private SearchOptions options = new SearchOptions();

    @Option(names = "--exact", description = "Store what is needed for exact matches.")
    private boolean exact;

    @Option(names = "--json", description = "Print what was built as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        NearDuplicates search = options.search(null);
        WholeFile.check(file);
        Texts texts = input.read(inputNames, List.of(file), true);
        SimilarityIndex.Plan plan = search.index();
        SimilarityIndex index = (exact ? plan.exact() : plan).build();
        Indexes.add(input.compare(search, texts), index, texts);
        index.save(file);
        if (json) {
            Console.println(FilterInfo.json(index));
        } else {
            Indexes.tell(file, index);
        }
        return Main.DONE;
    }
}
