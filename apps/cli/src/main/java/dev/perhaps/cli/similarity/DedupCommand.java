package dev.perhaps.cli.similarity;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.engine.ActiveEngine;
import dev.perhaps.cli.engine.Engine;
import dev.perhaps.cli.engine.process.EngineOptions;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Texts;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.FileConflicts;
import dev.perhaps.cli.options.Output;
import dev.perhaps.cli.options.Overwrite;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.io.WholeFile;
import dev.perhaps.similarity.duplicates.Clusters;
import dev.perhaps.similarity.duplicates.NearDuplicates;
import dev.perhaps.similarity.index.DocumentIndex;
import dev.perhaps.similarity.index.SimilarityIndex;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps dedup}: documents without their near duplicates. */
@Workload(Workload.Kind.BULK)
@Command(
        name = "dedup",
        description = {
            "Prints documents without near duplicates: one of each cluster of similar ones.",
            "Two are similar if their runs of 10 characters have a Jaccard similarity of at least --threshold.",
            ""
        },
        footer = {
            "",
            "Matches within the input are exact; of the pairs at the threshold, 1 in 100 may be missed (see "
                    + "--recall), above it fewer. With --minimum-hits, and with an INDEX that is not --exact, "
                    + "similarities are estimates, printed as ~0.83.",
            "",
            "Examples:",
            "  perhaps dedup sentences.txt > kept.txt",
            "  perhaps dedup crawl.jsonl.zst --format jsonl:text -o kept.jsonl --report",
            "  perhaps dedup --format files src/ --threshold 0.9 --normalise",
            "  perhaps dedup new.txt --against seen.index --update -o kept.txt"
        },
        mixinStandardHelpOptions = true)
public final class DedupCommand implements Callable<Integer>, FileConflicts.ReplacesInput, EngineOptions.OnSpark {
    @Parameters(
            paramLabel = "INPUT",
            arity = "0..*",
            description =
                    "Files to read, also .gz and .zst (default: standard input). With --format files: files and folders.")
    private List<String> inputNames = new ArrayList<>();

    @Mixin
    private TextInput input = new TextInput();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "KEPT",
            description = "Write the kept documents here, not to standard output.")
    private @Nullable Output kept;

    @Option(
            names = "--clusters",
            paramLabel = "TSV",
            description =
                    "Write one line per document: cluster, document, kept or removed, best match, Jaccard similarity.")
    private @Nullable Output clustersFile;

    @Option(
            names = "--pairs",
            paramLabel = "TSV",
            description = "Write one line per pair of similar documents: document, document, Jaccard similarity.")
    private @Nullable Output pairsFile;

    @Mixin
    private SearchOptions options = new SearchOptions();

    @Option(
            names = "--minimum-hits",
            paramLabel = "H",
            description = "Use the document graph of the lectures instead: signatures of 100 components, at "
                    + "least H in common.")
    private @Nullable Integer minimumHits;

    @Option(
            names = "--against",
            paramLabel = "INDEX",
            description = "Compare with the documents of an index too (see 'perhaps similar'): documents that were "
                    + "kept stay kept.")
    private @Nullable SketchFile indexFile;

    @Option(
            names = "--update",
            description = "Add the documents to INDEX, kept and removed ones; it is created if it does not exist.")
    private boolean update;

    @Option(names = "--exact", description = "A new index stores what exact matches need.")
    private boolean exact;

    @Option(
            names = "--report",
            description = "Print to standard error the number of documents kept, removed, and perhaps missed.")
    private boolean report;

    @Option(names = "--json", description = "Print the report as JSON.")
    private boolean json;

    @Mixin
    @SuppressWarnings("unused") // read before the command runs
    private EngineOptions engine = new EngineOptions();

    /** The index was not there. */
    private boolean created;

    @Override
    public Integer call() throws IOException {
        if (indexFile == null) {
            if (update || exact) {
                throw new BadInput((update ? "--update" : "--exact") + " needs an index: name it with --against INDEX");
            }
            return run(options.search(minimumHits), null);
        }
        if (minimumHits != null) {
            throw new BadInput("--minimum-hits does not work with an index: use --threshold");
        }
        if (!update) {
            indexFile.refuseAsNamedInput(inputNames);
            DocumentIndex index = Indexes.map(indexFile);
            refuseExact(index);
            return run(options.continuing(index, indexFile), null);
        }
        Path place = indexFile.path();
        Output.inPlace(place).check();
        if (!Files.exists(place)) {
            created = true;
            NearDuplicates search = options.search(null);
            SimilarityIndex.Plan plan = search.index();
            return run(search, (exact ? plan.exact() : plan).build());
        }
        SketchFile file = indexFile;
        return file.edit(null, new Overwrite(), (sketch, target) -> {
            SimilarityIndex index = Indexes.of(file, sketch);
            refuseExact(index);
            return run(options.continuing(index, file), index);
        });
    }

    @Override
    public void refuseForSpark() {
        if (minimumHits != null || indexFile != null) {
            throw new BadInput((minimumHits != null ? "--minimum-hits" : "--against")
                    + " is not for Spark: leave it out, or use --engine local");
        }
        options.refuseForSpark();
    }

    @Override
    public boolean mayReplaceInput() {
        return !input.isFiles();
    }

    private void refuseExact(DocumentIndex index) {
        if (exact && !index.isExact()) {
            throw new BadInput(
                    "--exact: " + indexFile + " was built without it: leave it out, or build the index again");
        }
    }

    /** Compares, and puts what was found into its files; into the index too, if there is one to change. */
    private int run(NearDuplicates search, @Nullable SimilarityIndex changed) throws IOException {
        List<Path> outputs = outputs();
        Texts texts = input.read(inputNames, outputs, clustersFile != null || pairsFile != null || changed != null);
        Engine other = ActiveEngine.get();
        Clusters clusters = other == null ? input.compare(search, texts) : null;
        DedupResult result = new DedupResult(
                texts,
                clusters != null
                        ? DocumentClusters.of(clusters)
                        : DocumentClusters.of(
                                Objects.requireNonNull(other).duplicates("comparing", texts, options.forEngine())));
        Map<Output, WholeFile.Contents> files = new LinkedHashMap<>();
        if (pairsFile != null) {
            files.put(pairsFile, result::writePairs);
        }
        if (clustersFile != null) {
            files.put(clustersFile, result::writeClusters);
        }
        if (kept != null) {
            files.put(kept, result::writeKept);
        }
        if (changed != null && indexFile != null && clusters != null) {
            Indexes.add(clusters, changed, texts);
            files.put(Output.inPlace(indexFile.path()), changed::writeTo);
            // Who reads our output must have it before the index says that it was seen.
            printKept(result);
            if (created && Files.exists(indexFile.path())) {
                throw new BadInput(
                        indexFile + " was created by another process in the meantime: run the command again");
            }
            Output.writeAll(files);
        } else {
            Output.writeAll(files);
            printKept(result);
        }
        if (json) {
            Console.say(result.json(search.banding(), indexFile));
        } else if (report) {
            result.report(search.banding(), indexFile).forEach(Console::say);
        }
        return ExitCodes.DONE;
    }

    private void printKept(DedupResult result) throws IOException {
        if (kept == null) {
            result.writeKept(Console.stream());
            Console.flush();
        }
    }

    /** Checks all files that will be written, so that an error is reported before the work begins. */
    private List<Path> outputs() throws IOException {
        List<Path> outputs = new ArrayList<>();
        for (Output output : new @Nullable Output[] {kept, clustersFile, pairsFile}) {
            if (output != null) {
                output.check();
                if (output.isStandard() && kept == null) {
                    throw new BadInput(
                            "the kept documents are written to standard output: name a file for them with -o FILE");
                }
                outputs.add(output.path());
            }
        }
        if (indexFile != null && !indexFile.isStandard()) {
            outputs.add(indexFile.path());
        }
        return outputs;
    }
}
