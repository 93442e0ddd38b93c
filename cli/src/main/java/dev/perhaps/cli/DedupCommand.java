package dev.perhaps.cli;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.FileTexts;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.LineTexts;
import dev.perhaps.cli.input.Texts;
import dev.perhaps.io.WholeFile;
import dev.perhaps.similarity.Clusters;
import dev.perhaps.similarity.Documents;
import dev.perhaps.similarity.NearDuplicates;
import dev.perhaps.similarity.Shingles;
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
            "  perhaps dedup --format files src/ --threshold 0.9 --normalise"
        },
        mixinStandardHelpOptions = true)
final class DedupCommand implements Callable<Integer> {
    /** A signature in memory. */
    private static final int SKETCH_BYTES = 540;

    /** Which document of a cluster is kept. */
    enum Keep {
        LONGEST,
        FIRST
    }

    @Parameters(
            paramLabel = "INPUT",
            arity = "0..*",
            description =
                    "Files to read, also .gz and .zst; standard input if none. With --format files, files and folders.")
    private List<String> inputNames = new ArrayList<>();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description =
                    "What a document is: lines, jsonl:FIELD or files (then paths are printed); lines if not said.")
    private String format = "lines";

    @Option(
            names = "--id",
            paramLabel = "FIELD",
            description = "Of jsonl, the field that names a document; FILE:LINE if not said.")
    private @Nullable String id;

    @Option(names = "-o", paramLabel = "KEPT", description = "Write what is kept here, not to standard output.")
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

    @Option(
            names = "--threshold",
            paramLabel = "T",
            description = "The least Jaccard similarity, in (0, 1]; 0.8 if not said.")
    private double threshold = 0.8;

    @Option(
            names = "--recall",
            paramLabel = "R",
            description = "The chance to find a pair at the threshold, in (0, 1); 0.99 if not said.")
    private double recall = 0.99;

    @Option(names = "--shingle", paramLabel = "N", description = "Compare runs of so many characters; 10 if not said.")
    private int shingle = Shingles.DEFAULT_SIZE;

    @Option(
            names = "--normalise",
            description = "Compare as if case, runs of white space and composed letters made no difference.")
    private boolean normalise;

    @Option(
            names = "--keep",
            paramLabel = "WHICH",
            description = "Which document of a cluster is kept: longest, or first; longest if not said.")
    private Keep keep = Keep.LONGEST;

    @Option(names = "--jobs", paramLabel = "N", description = "Threads; one a processor if not said.")
    private @Nullable Integer jobs;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description =
                    "Keep this much of lines and signatures in memory, as in 2G, and the rest in files; half of the heap"
                            + " if not said.")
    private @Nullable String memory;

    @Option(
            names = "--temp",
            paramLabel = "DIR",
            description = "The folder for what memory does not hold; the system's if not said. Nothing is left in it.")
    private @Nullable Path temp;

    @Option(names = "--report", description = "Say on standard error how many were kept, removed, and perhaps missed.")
    private boolean report;

    @Option(names = "--json", description = "The report as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        NearDuplicates search = search();
        List<Path> outputs = outputs();
        checkRoom();
        try (Texts texts = texts(outputs)) {
            write(new DedupResult(texts, compare(roomy(search, texts.count()), texts)));
        }
        return Main.DONE;
    }

    private void checkRoom() {
        if (memoryBytes() < 1) {
            throw new BadInput("--memory must be at least 1 byte, got " + memory);
        }
        if (!Files.isDirectory(folder())) {
            throw new BadInput(folder() + ": there is no such folder, which --temp needs");
        }
    }

    /** Signatures go where they have room. */
    private NearDuplicates roomy(NearDuplicates search, int documents) {
        return (long) documents * SKETCH_BYTES > memoryBytes() / 2 ? search.spillTo(folder()) : search;
    }

    private long memoryBytes() {
        return memory == null ? Runtime.getRuntime().maxMemory() / 2 : Amounts.bytes("--memory", memory);
    }

    private Path folder() {
        return temp == null ? LineTexts.folder() : temp;
    }

    private void write(DedupResult result) throws IOException {
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
        WholeFile.writeAll(files);
        if (kept == null) {
            result.writeKept(Console.stream());
            Console.flush();
        }
        if (json) {
            Console.say(result.json());
        } else if (report) {
            result.report(threshold).forEach(Console::say);
        }
    }

    private NearDuplicates search() {
        Shingles shingles = Shingles.codePoints(shingle);
        NearDuplicates search =
                NearDuplicates.atLeast(threshold).recall(recall).shingles(normalise ? shingles.normalised() : shingles);
        search = keep == Keep.FIRST ? search.keepFirst() : search;
        return jobs == null ? search : search.threads(jobs);
    }

    /** All files that will be written; what would fail then is told now. */
    private List<Path> outputs() throws IOException {
        List<Path> outputs = new ArrayList<>();
        List<Path> places = new ArrayList<>();
        for (Path output : new @Nullable Path[] {kept, clustersFile, pairsFile}) {
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

    private Texts texts(List<Path> outputs) throws IOException {
        if (id != null && !format.startsWith("jsonl:")) {
            throw new BadInput("--id names a field, which '" + format + "' has not: use --format jsonl:FIELD");
        }
        if (format.equals("files")) {
            return FileTexts.of(inputNames, outputs);
        }
        LineTexts.Room room = new LineTexts.Room(memoryBytes() / 2, folder());
        LineTexts texts;
        if (format.equals("lines")) {
            texts = LineTexts.lines(room);
        } else if (format.startsWith("jsonl:") && format.length() > "jsonl:".length()) {
            texts = LineTexts.jsonl(format.substring("jsonl:".length()), id, room);
        } else {
            throw new BadInput("there is no format '" + format + "': use lines, jsonl:FIELD or files");
        }
        List<Input> inputs = Input.all(inputNames);
        if (clustersFile != null || pairsFile != null) {
            inputs.forEach(input -> Texts.checkedName(input.path(), "the path"));
        }
        try (Progress progress = new Progress("reading", inputs)) {
            texts.read(inputs, progress);
        }
        return texts;
    }

    private static Clusters compare(NearDuplicates search, Texts texts) throws IOException {
        if (!Console.isWatched()) {
            return search.run(texts);
        }
        try (Progress progress = new Progress("comparing", texts.bytes())) {
            return search.run(new Documents() {
                @Override
                public int count() {
                    return texts.count();
                }

                @Override
                public byte[] utf8(int document) throws IOException {
                    byte[] text = texts.utf8(document);
                    synchronized (progress) {
                        progress.read(text.length);
                    }
                    return text;
                }

                @Override
                public int compare(int a, int b) {
                    return texts.compare(a, b);
                }
            });
        }
    }
}
