package dev.perhaps.cli.similarity;

import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.input.Texts;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.InfoCommand;
import dev.perhaps.cli.options.Output;
import dev.perhaps.cli.options.Overwrite;
import dev.perhaps.similarity.duplicates.NearDuplicates;
import dev.perhaps.similarity.index.SimilarityIndex;
import dev.perhaps.sketch.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps similar build}: an index of documents, with what dedup finds among them. */
@Workload(Workload.Kind.BULK)
@Command(
        name = "build",
        description = {"Builds an index of documents, with the clusters that 'perhaps dedup' finds.", ""},
        footer = {
            "",
            "About 390 bytes per document; with --exact, 8 more per different run of",
            "characters in it.",
            "",
            "Examples:",
            "  perhaps similar build crawl.jsonl --format jsonl:text --id url -o seen.index",
            "  perhaps similar build --format files docs/ --exact -o docs.index"
        },
        mixinStandardHelpOptions = true)
final class SimilarBuild implements Callable<Integer> {
    @Parameters(
            paramLabel = "INPUT",
            arity = "0..*",
            description =
                    "Files to read, also .gz and .zst (default: standard input). With --format files: files and folders.")
    private List<String> inputNames = new ArrayList<>();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "INDEX",
            required = true,
            description = "The file to write.")
    @SuppressWarnings("NullAway.Init") // required
    private Output output;

    @Mixin
    private Overwrite overwrite = new Overwrite();

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
        overwrite.check(output, Kind.SIMILAR);
        Texts texts = input.read(inputNames, List.of(output.path()), true);
        SimilarityIndex.Plan plan = search.index();
        SimilarityIndex index = (exact ? plan.exact() : plan).build();
        Indexes.add(input.compare(search, texts), index, texts);
        output.save(index);
        if (json) {
            output.report(InfoCommand.json(index));
        } else {
            Indexes.tell(output, index);
        }
        return ExitCodes.DONE;
    }
}
