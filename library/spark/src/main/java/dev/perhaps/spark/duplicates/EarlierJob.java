package dev.perhaps.spark.duplicates;

import static org.apache.spark.sql.functions.call_function;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;

import dev.perhaps.Perhaps;
import dev.perhaps.key.Key;
import dev.perhaps.membership.HashFilter;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/** Finds the edges of new contents to the documents of an index, by the steps of the library's DuplicateRule. */
final class EarlierJob {
    /*
     *     new documents ──▶ contents under their keys ──▶ a filter of all these keys
     *     rows of the index ──▶ under those of their keys that pass the filter ══▶ buckets ──▶ candidates
     *     candidates (with both texts, if the index is exact) ══▶ their new content ──▶ edges
     *
     *     ──▶ within a task, ══▶ shuffled
     *
     * Most rows of the index pass under no key at all: they are read and hashed, and do not travel.
     */
    private static final double FALSE_KEYS = 0.001;
    private static final long MOST_SELF_SIZED = 1 << 24;

    private final IndexTable index;
    private final DataType idType;
    private final DuplicateSettings settings;
    private final UnaryOperator<Dataset<Row>> hold;

    EarlierJob(IndexTable index, DataType idType, DuplicateSettings settings, UnaryOperator<Dataset<Row>> hold) {
        this.index = index;
        this.idType = idType;
        this.settings = settings;
        this.hold = hold;
    }

    private static Dataset<Row> map(Dataset<Row> rows, StructType type, MapPartitionsFunction<Row, Row> function) {
        return rows.mapPartitions(function, Encoders.row(type));
    }

    /**
     * The edges (high, low, run, id, root_run, root, kept, jaccard, hits, exact).
     *
     * @param documents sorted by content
     * @param texts from (high, low) of contents to (high, low, text)
     */
    Dataset<Row> edges(Dataset<Row> documents, UnaryOperator<Dataset<Row>> texts) {
        DuplicateSettings settings = this.settings;
        boolean isExact = index.isExact();
        Dataset<Row> offered = hold.apply(map(documents, meetingType(), rows -> EarlierSteps.offered(rows, settings)));
        Broadcast<byte[]> frame = broadcast(filter(offered, "key"));
        Broadcast<Map<Object, IndexTable.Root>> roots = context().broadcast(index.roots());
        Dataset<Row> members = map(index.documents(), meetingType(), rows -> {
            HashFilter<Long> keys = Perhaps.filterFromBytes(frame.value(), Key.longs());
            return EarlierSteps.indexed(rows, settings, roots.value(), keys::mightContain);
        });
        Dataset<Row> met = map(
                members.union(offered)
                        .repartition(col("key"), col("band"))
                        .sortWithinPartitions("key", "band", "isNew"),
                metType(),
                rows -> EarlierSteps.met(rows, settings));
        return map(
                (isExact ? withTexts(hold.apply(met), texts) : met)
                        .repartition(col("high"), col("low"))
                        .sortWithinPartitions("high", "low", "different", "run", "id"),
                edgeType(),
                rows -> EarlierSteps.edges(rows, settings, isExact));
    }

    /** Candidates with the texts of the index, and the texts of the new contents as rows of their own. */
    private Dataset<Row> withTexts(Dataset<Row> met, UnaryOperator<Dataset<Row>> texts) {
        Dataset<Row> compared = met.where(col("different").geq(0));
        Dataset<Row> wanted = hold.apply(compared.select("run", "id").distinct());
        Dataset<Row> earlier = index.documents()
                .select("run", "id", "text")
                .where(call_function("perhaps_might_contain", lit(filter(wanted, "id")), col("id")));
        List<String> number = List.of("run", "id");
        Dataset<Row> wantedTexts =
                earlier.join(wanted, CollectionConverters.asScala(number).toSeq(), "left_semi");
        Dataset<Row> candidates =
                met.join(wantedTexts, CollectionConverters.asScala(number).toSeq(), "left_outer");
        Dataset<Row> own = texts.apply(compared.select("high", "low").distinct())
                .withColumn("different", lit(EarlierSteps.TEXT))
                .select("high", "low", "different", "text");
        return candidates.unionByName(own, true);
    }

    private static byte[] filter(Dataset<Row> rows, String column) {
        long count = rows.count();
        return (byte[]) rows.agg(call_function(
                        "perhaps_filter",
                        col(column),
                        lit("blocked"),
                        lit(count > MOST_SELF_SIZED ? count : null),
                        lit(FALSE_KEYS)))
                .head()
                .get(0);
    }

    private JavaSparkContext context() {
        return JavaSparkContext.fromSparkContext(
                index.documents().sparkSession().sparkContext());
    }

    private Broadcast<byte[]> broadcast(byte[] frame) {
        return context().broadcast(frame);
    }

    private StructType meetingType() {
        return numbered(new StructType()
                .add("key", "long")
                .add("band", "int")
                .add("isNew", "boolean")
                .add("high", "long")
                .add("low", "long")
                .add("signature", "binary"));
    }

    private StructType metType() {
        return numbered(new StructType().add("high", "long").add("low", "long").add("different", "int"))
                .add("otherHigh", "long")
                .add("otherLow", "long");
    }

    StructType edgeType() {
        return numbered(new StructType().add("high", "long").add("low", "long"))
                .add("jaccard", "double")
                .add("hits", "int")
                .add("exact", "boolean");
    }

    private StructType numbered(StructType type) {
        return type.add("run", "int")
                .add("id", idType)
                .add("root_run", "int")
                .add("root", idType)
                .add("kept", "boolean");
    }
}
