package dev.perhaps.cli;

import dev.perhaps.cli.input.Texts;
import dev.perhaps.io.Figures;
import dev.perhaps.similarity.Clusters;
import dev.perhaps.similarity.Clusters.Edge;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** What {@code perhaps dedup} found, as its files and its report tell it. */
record DedupResult(Texts texts, Clusters clusters) {
    /** What is kept, in the order in which it came. */
    void writeKept(OutputStream out) throws IOException {
        for (int document = 0; document < texts.count(); document++) {
            if (clusters.kept(document)) {
                texts.writeTo(document, out);
            }
        }
    }

    /** A line a document; a cluster is named by the document that is kept of it. */
    void writeClusters(OutputStream out) throws IOException {
        for (int document = 0; document < texts.count(); document++) {
            Optional<Edge> match = clusters.match(document);
            write(
                    out,
                    texts.name(clusters.clusterOf(document)),
                    texts.name(document),
                    clusters.kept(document) ? "kept" : "removed",
                    match.map(edge -> texts.name(edge.b())).orElse(""),
                    match.map(edge -> Double.toString(edge.jaccard())).orElse(""));
        }
    }

    /** A line an edge. */
    void writePairs(OutputStream out) throws IOException {
        Iterator<Edge> edges = clusters.edges().iterator();
        while (edges.hasNext()) {
            Edge edge = edges.next();
            write(out, texts.name(edge.a()), texts.name(edge.b()), Double.toString(edge.jaccard()));
        }
    }

    private static void write(OutputStream out, String... columns) throws IOException {
        out.write((String.join("\t", columns) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private int removed() {
        return clusters.documents() - clusters.keptCount();
    }

    List<String> report(double threshold) {
        return List.of(
                "documents  " + Figures.count(clusters.documents()),
                "kept       " + Figures.count(clusters.keptCount()),
                "removed    " + Figures.count(removed()),
                "clusters   " + Figures.count(clusters.groups()) + "  (of two documents or more)",
                "pairs      " + Figures.count(clusters.edges().count()) + "  (estimated to be missed: "
                        + Figures.percent(clusters.missedShare()) + " of all from " + threshold + " on)");
    }

    String json() throws IOException {
        return Json.object(out -> {
            out.writeNumberField("documents", clusters.documents());
            out.writeNumberField("kept", clusters.keptCount());
            out.writeNumberField("removed", removed());
            out.writeNumberField("clusters", clusters.groups());
            out.writeNumberField("pairs", clusters.edges().count());
            out.writeNumberField("missedShare", clusters.missedShare());
        });
    }
}
