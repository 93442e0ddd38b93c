package dev.perhaps.cli;

import dev.perhaps.Perhaps;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Texts;
import dev.perhaps.io.Figures;
import dev.perhaps.io.Frame;
import dev.perhaps.io.Kind;
import dev.perhaps.io.Sketch;
import dev.perhaps.key.Key;
import dev.perhaps.similarity.Clusters;
import dev.perhaps.similarity.DocumentIndex;
import dev.perhaps.similarity.MappedIndex;
import dev.perhaps.similarity.SimilarityIndex;
import java.io.IOException;
import java.nio.file.Path;

/** Files that must be indexes of documents. */
final class Indexes {
    private Indexes() {}

    /** Answers from the file, without reading it first. */
    static MappedIndex map(Path file) throws IOException {
        Frame frame = Perhaps.look(file);
        refuseOthers(file, frame.kind());
        return SimilarityIndex.map(file, Key.named(frame.keyName(), frame.seed()));
    }

    static SimilarityIndex of(Path file, Sketch sketch) {
        refuseOthers(file, sketch.kind());
        return (SimilarityIndex) sketch;
    }

    private static void refuseOthers(Path file, Kind kind) {
        if (kind != Kind.SIMILAR) {
            throw new BadInput(file + ": it holds a " + kind + ", which is no index of documents");
        }
    }

    /** Puts what was compared into an index. */
    static void add(Clusters clusters, SimilarityIndex index, Texts texts) throws IOException {
        clusters.addTo(index, document -> Texts.checkedName(texts.name(document), "the name"));
    }

    /** Says what was written. */
    static void tell(Path file, DocumentIndex index) {
        long bytes = index.fileBytes();
        String each = index.size() == 0 ? "" : ", " + Figures.count(bytes / index.size()) + " bytes a document";
        Console.say(
                "wrote " + file + ": " + Figures.count(index.size(), "document") + ", " + Figures.bytes(bytes) + each);
    }
}
