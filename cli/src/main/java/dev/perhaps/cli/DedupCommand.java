package dev.perhaps.cli;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Texts;
import dev.perhaps.io.WholeFile;
import dev.perhaps.similarity.Clusters;
import dev.perhaps.similarity.DocumentIndex;
import dev.perhaps.similarity.NearDuplicates;
import dev.perhaps.similarity.SimilarityIndex;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps dedup}: documents without their near duplicates. */
@Command(
        name = "dedup",
        description = {
            "Prints documents without their near duplicates: of each cluster of documents that are nearly the same, one.",
            "Two are nearly the same if the runs of 10 characters in them have a Jaccard similarity of at least --threshold.",
            ""
        },
        footer = {
            "",
            "A match is always exact; of the pairs at the threshold, 1 in 100 may be missed (--recall), above it fewer.",
            "",
            "Examples:",
            "  perhaps dedup sentences.txt > kept.txt",
            "  perhaps dedup crawl.jsonl.zst --format jsonl:text -o kept.jsonl --clusters clusters.tsv --report",
            "  perhaps dedup --format files src/ --threshold 0.9 --normalise",
            "  perhaps dedup today.jsonl --format jsonl:text --id url --against seen.index --update -o new.jsonl"
        },
        mixinStandardHelpOptions = true)
final class DedupCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "INPUT",
            arity = "0..*",
            description =
                    "Files to read, also .gz and .zst; standard input if none. With --format files, files and folders.")
    private List<String> inputNames = new ArrayList<>();

    @Mixin
    private TextInput input = new TextInput();

    @Option(
            names = "-o",
            converter = OutputPath.class,
            paramLabel = "KEPT",
            description = "Write what is kept here, not to standard output.")
    private @Nullable Path kept;

    @Option(
            names = "--clusters",
            paramLabel = "TSV",
            description =
                    "Write a line a document: cluster, document, kept or removed, the document it matched, Jaccard.")
    private @Nullable Path clustersFile;

    @Option(
            names = "--pairs",
            paramLabel = "TSV",
            description =
                    "Write a line for each two that were found to be nearly the same: document, document, Jaccard.")
    private @Nullable Path pairsFile;

    @Mixin
    private SearchOptions options = new SearchOptions();

    @Option(
            names = "--minimum-hits",
            paramLabel = "H",
            description = "Draw the lectures' document graph instead: sketches of 100 components, H of them in common.")
    private @Nullable Integer minimumHits;

    @Option(
            names = "--against",
            paramLabel = "INDEX",
            description =
                    "Compare with the documents of an index too (see 'perhaps similar'): what was kept stays kept.")
    private @Nullable Path indexFile;

    @Option(
            names = "--update",
            description = "Put the documents into INDEX too, kept and removed ones; it is made if it is not there.")
    private boolean update;

    @Option(names = "--exact", description = "An index that is made stores what is needed for exact matches.")
    private boolean exact;

    @Option(names = "--report", description = "Say on standard error how many were kept, removed, and perhaps missed.")
    private boolean report;

    @Option(names = "--json", description = "The report as JSON.")
    private boolean json;

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
            throw new BadInput("--minimum-hits draws no graph against an index: use --threshold");
        }
        if (!update) {
            DocumentIndex index = Indexes.map(indexFile);
            refuseExact(index);
            return run(options.continuing(index, indexFile), null);
        }
        WholeFile.check(indexFile);
        if (!Files.exists(indexFile)) {
            created = true;
            NearDuplicates search = options.search(null);
            SimilarityIndex.Plan plan = search.index();
            return run(search, (exact ? plan.exact() : plan).build());
        }
        Path file = indexFile;
        return LockedFile.edit(file, null, (sketch, target) -> {
            SimilarityIndex index = Indexes.of(file, sketch);
            refuseExact(index);
            return run(options.continuing(index, file), index);
        });
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
        Clusters clusters = input.compare(search, texts);
        DedupResult result = new DedupResult(texts, clusters);
        Map<Path, WholeFile.Contents> files = new LinkedHashMap<>();
        if (pairsFile != null) {
            files.put(pairsFile, result::writePairs);
        }
        if (clustersFile != null) {
            files.put(clustersFile, result::writeClusters);
        }
        if (kept != null) {
            files.put(kept, result::writeKept);
        }
        if (changed != null && indexFile != null) {
            Indexes.add(clusters, changed, texts);
            files.put(indexFile, changed::writeTo);
            // Who reads our output must have it before the index says that it was seen.
            printKept(result);
            if (created && Files.exists(indexFile)) {
                throw new BadInput(indexFile + " was made by another process meanwhile: run this again");
            }
            WholeFile.writeAll(files);
        } else {
            WholeFile.writeAll(files);
            printKept(result);
        }
        if (json) {
            Console.say(result.json(search.banding(), indexFile));
        } else if (report) {
            result.report(search.banding(), indexFile).forEach(Console::say);
        }
        return Main.DONE;
    }

    private void printKept(DedupResult result) throws IOException {
        if (kept == null) {
            result.writeKept(Console.stream());
            Console.flush();
        }
    }

    /** All files that will be written; what would fail then is told now. */
    private List<Path> outputs() throws IOException {
        List<Path> outputs = new ArrayList<>();
        List<Path> places = new ArrayList<>();
        for (Path output : new @Nullable Path[] {kept, clustersFile, pairsFile, indexFile}) {
            if (output != null) {
                WholeFile.check(output);
                Path place = output.toAbsolutePath().normalize();
                if (places.contains(place)) {
                    throw new BadInput(output + " is named for two outputs: each needs a file of its own");
                }
                outputs.add(output);
                places.add(place);
            }
        }
        return outputs;
    }
}
