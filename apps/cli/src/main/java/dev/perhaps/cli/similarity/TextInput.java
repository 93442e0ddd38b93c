package dev.perhaps.cli.similarity;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.Progress;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.FileTexts;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.LineTexts;
import dev.perhaps.cli.input.Texts;
import dev.perhaps.cli.options.Amounts;
import dev.perhaps.cli.options.SkipBad;
import dev.perhaps.similarity.Documents;
import dev.perhaps.similarity.duplicates.Clusters;
import dev.perhaps.similarity.duplicates.NearDuplicates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How commands that compare texts read them. */
final class TextInput {
    /** A signature in memory. */
    private static final int SKETCH_BYTES = 540;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            completionCandidates = Formats.class,
            description = "What a document is: lines, jsonl:FIELD or files (then paths are printed) (default: lines).")
    private String format = "lines";

    @Mixin
    private SkipBad skipBad = new SkipBad();

    @Option(
            names = "--id",
            paramLabel = "FIELD",
            description = "jsonl: the field that names a document (default: FILE:LINE).")
    private @Nullable String id;

    @Option(names = "--prefix", paramLabel = "TEXT", description = "A prefix of every document name.")
    private String prefix = "";

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description = "The memory for lines and signatures, as in 2G; the rest goes to files (default: half of the"
                    + " heap).")
    private @Nullable String memory;

    @Option(
            names = "--temp",
            paramLabel = "DIR",
            description = "The folder for data that does not fit into memory; nothing is left in it (default: "
                    + "the system's).")
    private @Nullable Path temp;

    /** Returns true if documents are files, and what is printed are their paths. */
    boolean isFiles() {
        return format.equals("files");
    }

    private long memoryBytes() {
        long bytes = memory == null ? Runtime.getRuntime().maxMemory() / 2 : Amounts.bytes("--memory", memory);
        if (bytes < 1) {
            throw new BadInput("--memory must be at least 1 byte, got " + memory);
        }
        return bytes;
    }

    private Path folder() {
        Path folder = temp == null ? LineTexts.folder() : temp;
        if (!Files.isDirectory(folder)) {
            throw new BadInput(folder + ": there is no such folder, which --temp needs");
        }
        return folder;
    }

    /** Reads all documents; of folders, without what is to be written. Names are checked if they will be printed or stored. */
    Texts read(List<String> inputNames, List<Path> outputs, boolean named) throws IOException {
        Texts texts = documents(inputNames, outputs, named);
        return prefix.isEmpty() ? texts : Texts.prefixed(prefix, texts);
    }

    private Texts documents(List<String> inputNames, List<Path> outputs, boolean named) throws IOException {
        if (id != null && !format.startsWith("jsonl:")) {
            throw new BadInput(
                    "--id needs a format with fields, which '" + format + "' does not have: use --format jsonl:FIELD");
        }
        if (format.equals("files")) {
            FileTexts files = FileTexts.of(inputNames, outputs, skipBad.records());
            skipBad.report();
            return files;
        }
        LineTexts.Room room = new LineTexts.Room(memoryBytes() / 2, folder());
        LineTexts texts;
        if (format.equals("lines")) {
            texts = LineTexts.lines(room);
        } else if (format.startsWith("jsonl:") && format.length() > "jsonl:".length()) {
            texts = LineTexts.jsonl(format.substring("jsonl:".length()), id, room, skipBad.records());
        } else {
            throw new BadInput("there is no format '" + format + "' of documents: use lines, jsonl:FIELD or files");
        }
        List<Input> inputs = Input.all(inputNames);
        if (named) {
            inputs.forEach(input -> Texts.checkedName(input.path(), "the path"));
        }
        try (Progress progress = new Progress("reading", inputs)) {
            texts.read(inputs, progress);
        }
        skipBad.report();
        return texts;
    }

    /** Compares all documents, and shows the progress. */
    Clusters compare(NearDuplicates search, Texts texts) throws IOException {
        boolean isTooMuch = (long) texts.count() * SKETCH_BYTES > memoryBytes() / 2;
        NearDuplicates roomy = isTooMuch ? search.spillTo(folder()) : search;
        if (!Console.isWatched()) {
            return roomy.run(texts);
        }
        try (Progress progress = new Progress("comparing", texts.bytes())) {
            return roomy.run(new Documents() {
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

    /** The beginnings of all formats, for shells to complete. */
    static final class Formats implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return List.of("lines", "jsonl:", "files").iterator();
        }
    }
}
