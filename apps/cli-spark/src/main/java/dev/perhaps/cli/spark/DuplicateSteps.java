package dev.perhaps.cli.spark;

import dev.perhaps.cli.engine.Engine;
import dev.perhaps.cli.input.TextPart;
import dev.perhaps.cli.input.Texts;
import dev.perhaps.spark.NearDuplicateSearch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * The near duplicates among texts, by the library's search on Spark. Its ids are the ranks of documents in the order in which
 * they would be kept, so that the choice among equal documents is that of one machine.
 */
final class DuplicateSteps {
    private static final StructType DOCUMENT =
            new StructType().add("id", DataTypes.LongType, false).add("text", DataTypes.BinaryType, false);

    private final SparkSession session;
    private final Texts texts;
    private final Engine.DuplicateSearch search;
    /** The documents by their rank. */
    private final int[] sorted;

    DuplicateSteps(SparkSession session, Texts texts, Engine.DuplicateSearch search) {
        this.session = session;
        this.texts = texts;
        this.search = search;
        this.sorted = IntStream.range(0, texts.count())
                .boxed()
                // Where the first is kept, it is the first of the inputs, whatever its name.
                .sorted(search.keepsFirst() ? Integer::compare : texts::compare)
                .mapToInt(Integer::intValue)
                .toArray();
    }

    Engine.Duplicates run() {
        int[] ranks = new int[sorted.length];
        for (int rank = 0; rank < sorted.length; rank++) {
            ranks[sorted[rank]] = rank;
        }
        JavaSparkContext context = JavaSparkContext.fromSparkContext(session.sparkContext());
        Broadcast<int[]> rankOf = context.broadcast(ranks);
        List<TextPart> parts = texts.parts();
        JavaRDD<Row> rows =
                context.parallelize(parts, Math.max(1, parts.size())).flatMap(part -> documents(part, rankOf.value()));
        Dataset<Row> documents = session.createDataFrame(rows, DOCUMENT);
        NearDuplicateSearch near = NearDuplicateSearch.of(documents, "id", "text")
                .threshold(search.threshold())
                .recall(search.recall())
                .components(search.components())
                .shingles(search.shingles());
        near = search.stars() ? near.stars() : near;
        near = search.keepsFirst() ? near.keepFirst() : near;
        try (NearDuplicateSearch.Result found = near.run()) {
            return duplicates(found);
        }
    }

    private static Iterator<Row> documents(TextPart part, int[] ranks) throws IOException {
        List<Row> rows = new ArrayList<>();
        part.read((document, utf8) -> rows.add(RowFactory.create((long) ranks[document], utf8)));
        return rows.iterator();
    }

    private Engine.Duplicates duplicates(NearDuplicateSearch.Result found) {
        int[] clusters = new int[sorted.length];
        int[] matches = new int[sorted.length];
        double[] similarities = new double[sorted.length];
        Iterator<Row> rows =
                found.clusters().select("id", "cluster", "match", "jaccard").toLocalIterator();
        while (rows.hasNext()) {
            Row row = rows.next();
            int document = document(row, 0);
            clusters[document] = document(row, 1);
            matches[document] = row.isNullAt(2) ? -1 : document(row, 2);
            similarities[document] = row.isNullAt(3) ? 0 : row.getDouble(3);
        }
        int[] pairs = new int[1 << 10];
        double[] pairSimilarities = new double[1 << 9];
        int count = 0;
        Iterator<Row> edges =
                found.edges().select("a", "b", "jaccard").orderBy("a", "b").toLocalIterator();
        while (edges.hasNext()) {
            Row row = edges.next();
            if (count == pairSimilarities.length) {
                pairs = Arrays.copyOf(pairs, 4 * count);
                pairSimilarities = Arrays.copyOf(pairSimilarities, 2 * count);
            }
            pairs[2 * count] = document(row, 0);
            pairs[2 * count + 1] = document(row, 1);
            pairSimilarities[count++] = row.getDouble(2);
        }
        return new Engine.Duplicates(
                clusters,
                matches,
                similarities,
                Arrays.copyOf(pairs, 2 * count),
                Arrays.copyOf(pairSimilarities, count));
    }

    private int document(Row row, int column) {
        return sorted[Math.toIntExact(row.getLong(column))];
    }
}
