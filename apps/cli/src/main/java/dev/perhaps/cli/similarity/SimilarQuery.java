package dev.perhaps.cli.similarity;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Json;
import dev.perhaps.cli.console.Progress;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Texts;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.io.Figures;
import dev.perhaps.similarity.Banding;
import dev.perhaps.similarity.index.DocumentIndex;
import dev.perhaps.similarity.index.DocumentIndex.Match;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps similar query}: which documents of an index are similar to these? */
@Workload(Workload.Kind.BULK)
@Command(
        name = "query",
        description = {"Prints the documents of an index that are similar to those in the input.", ""},
        footer = {
            "",
            "One line per match, the most similar first: document, match, Jaccard similarity; ~0.83"
                    + " is an estimate. Exit code 1 if there is no match.",
            "",
            "Example:",
            "  echo 'The quick brown fox' | perhaps similar query sentences.index -n 3"
        },
        mixinStandardHelpOptions = true)
final class SimilarQuery implements Callable<Integer> {
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

    @Mixin
    private TextInput input = new TextInput();

    @Option(
            names = "--threshold",
            paramLabel = "T",
            description = "The smallest Jaccard similarity, in (0, 1] (default: that of the index).")
    private @Nullable Double threshold;

    @Option(names = "-n", paramLabel = "N", description = "The most matches per document (default: ${DEFAULT-VALUE}).")
    private int most = 10;

    @Option(names = "--json", description = "Print one JSON object per match.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        file.refuseAsNamedInput(inputNames);
        DocumentIndex index = Indexes.map(file);
        Banding banding = index.banding();
        double least = threshold == null ? banding.threshold() : threshold;
        if (most < 1) {
            throw new BadInput("-n must be at least 1, got " + most);
        }
        if (!(least > 0 && least <= 1)) {
            throw new BadInput("threshold must be in (0, 1], got " + least);
        }
        if (least < banding.threshold()) {
            Console.warn(file + " was built for " + banding.threshold() + ": a document at " + least
                    + " is found with a probability of " + Figures.percent(banding.chance(least)));
        }
        Texts texts = input.read(inputNames, file.isStandard() ? List.of() : List.of(file.path()), true);
        boolean found = false;
        try (Progress progress = new Progress("asking", texts.bytes())) {
            for (int document = 0; document < texts.count(); document++) {
                byte[] text = texts.utf8(document);
                for (Match match : index.queryText(text, least, most)) {
                    found = true;
                    print(texts.name(document), match);
                }
                progress.read(text.length);
            }
        }
        return found ? ExitCodes.DONE : ExitCodes.NOTHING_FOUND;
    }

    private void print(String document, Match match) throws IOException {
        if (json) {
            Console.println(Json.object(out -> {
                out.writeStringField("document", document);
                out.writeStringField("match", match.name());
                out.writeNumberField("jaccard", match.jaccard());
                out.writeBooleanField("exact", match.exact());
            }));
        } else {
            Console.println(
                    document + "\t" + match.name() + "\t" + DedupResult.jaccard(match.jaccard(), match.exact()));
        }
    }
}
