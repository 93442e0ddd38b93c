package dev.perhaps.cli.similarity;

import dev.perhaps.Perhaps;
import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Texts;
import dev.perhaps.cli.options.Output;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.similarity.duplicates.Clusters;
import dev.perhaps.similarity.index.DocumentIndex;
import dev.perhaps.similarity.index.SimilarityIndex;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that must be indexes of documents. */
final class Indexes {
    private Indexes() {}

    /** Returns an index that reads the file on demand; anything but a regular file is read completely. */
    static DocumentIndex map(SketchFile source) throws IOException {
        if (source.isStandard() || !Files.isRegularFile(source.path())) {
            return of(source, source.open());
        }
        Path file = source.path();
        Sketch.Header frame = Perhaps.look(file);
        refuseOthers(source, frame.kind());
        return SimilarityIndex.map(file, Key.named(frame.keyName(), frame.seed()));
    }

    static SimilarityIndex of(SketchFile file, Sketch sketch) {
        refuseOthers(file, sketch.kind());
        return (SimilarityIndex) sketch;
    }

    private static void refuseOthers(SketchFile file, Kind kind) {
        if (kind != Kind.SIMILAR) {
            throw new BadInput(file + ": it holds a " + kind + " sketch, not an index of documents");
        }
    }

    /** Puts what was compared into an index. */
    static void add(Clusters clusters, SimilarityIndex index, Texts texts) throws IOException {
        clusters.addTo(index, document -> Texts.checkedName(texts.name(document), "the name"));
    }

    /** Says what was written. */
    static void tell(Output file, DocumentIndex index) {
        long bytes = index.fileBytes();
        String each = index.size() == 0 ? "" : ", " + Figures.count(bytes / index.size()) + " bytes per document";
        Console.say(
                "wrote " + file + ": " + Figures.count(index.size(), "document") + ", " + Figures.bytes(bytes) + each);
    }
}
