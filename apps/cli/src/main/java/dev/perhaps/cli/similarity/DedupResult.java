package dev.perhaps.cli.similarity;

import dev.perhaps.cli.console.Json;
import dev.perhaps.cli.input.Texts;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.io.Figures;
import dev.perhaps.similarity.Banding;
import dev.perhaps.similarity.duplicates.Clusters.Edge;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** The result of {@code perhaps dedup}, written as files and as a report. */
record DedupResult(Texts texts, DocumentClusters clusters) {
    /** Writes the documents that are kept, in the order of the input. */
    void writeKept(OutputStream out) throws IOException {
        for (int document = 0; document < texts.count(); document++) {
            if (clusters.kept(document)) {
                texts.writeTo(document, out);
            }
        }
    }

    /** Returns the name of the document with this number: one that was read, or one of the index. */
    private String name(int number) {
        return number < texts.count() ? texts.name(number) : clusters.earlierName(number);
    }

    /** Returns the similarity as text; an estimate is marked, and has only the digits that are known. */
    static String jaccard(double jaccard, boolean exact) {
        return exact ? Double.toString(jaccard) : String.format(Locale.ROOT, "~%.2f", jaccard);
    }

    /** One line per document; a cluster is named by the document that is kept of it. */
    void writeClusters(OutputStream out) throws IOException {
        for (int document = 0; document < texts.count(); document++) {
            Optional<Edge> match = clusters.match(document);
            write(
                    out,
                    name(clusters.clusterOf(document)),
                    texts.name(document),
                    clusters.kept(document) ? "kept" : "removed",
                    match.map(edge -> name(edge.b())).orElse(""),
                    match.map(edge -> jaccard(edge.jaccard(), edge.exact())).orElse(""));
        }
    }

    /** One line per edge. */
    void writePairs(OutputStream out) throws IOException {
        Iterator<Edge> edges = clusters.edges().iterator();
        while (edges.hasNext()) {
            Edge edge = edges.next();
            write(out, name(edge.a()), name(edge.b()), jaccard(edge.jaccard(), edge.exact()));
        }
    }

    private static void write(OutputStream out, String... columns) throws IOException {
        out.write((String.join("\t", columns) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private int removed() {
        return clusters.documents() - clusters.keptCount();
    }

    List<String> report(Banding banding, @Nullable SketchFile index) {
        OptionalDouble missed = clusters.missedShare();
        List<String> report = new ArrayList<>(List.of(
                "documents  " + Figures.count(clusters.documents()),
                "kept       " + Figures.count(clusters.keptCount()),
                "removed    " + Figures.count(removed())
                        + (missed.isEmpty()
                                ? ""
                                : "  (estimated to be missed: " + Figures.percent(missed.getAsDouble())
                                        + " of all to remove)"),
                "clusters   " + Figures.count(clusters.groups()) + "  (of two documents or more)",
                "pairs      " + Figures.count(clusters.edges().count()) + "  (from " + banding.threshold() + " on)"));
        if (index != null) {
            report.add("matched    " + Figures.count(clusters.matchedEarlier()) + "  (in " + index + ")");
        }
        int used = banding.bands() * banding.rows();
        report.add("bands      " + banding.bands() + " of " + banding.rows() + " components"
                + (used == banding.components() ? "" : "  (of " + banding.components() + ", " + used + " are used)"));
        return report;
    }

    String json(Banding banding, @Nullable SketchFile index) throws IOException {
        return Json.object(out -> {
            out.writeNumberField("documents", clusters.documents());
            out.writeNumberField("kept", clusters.keptCount());
            out.writeNumberField("removed", removed());
            out.writeNumberField("clusters", clusters.groups());
            out.writeNumberField("pairs", clusters.edges().count());
            OptionalDouble missed = clusters.missedShare();
            if (missed.isPresent()) {
                out.writeNumberField("missedShare", missed.getAsDouble());
            } else {
                out.writeNullField("missedShare");
            }
            if (index != null) {
                out.writeNumberField("matchedIndex", clusters.matchedEarlier());
            }
            out.writeNumberField("bands", banding.bands());
            out.writeNumberField("rows", banding.rows());
        });
    }
}
