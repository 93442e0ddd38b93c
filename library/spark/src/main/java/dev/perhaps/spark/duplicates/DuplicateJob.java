package dev.perhaps.spark.duplicates;

import static org.apache.spark.sql.functions.broadcast;
import static org.apache.spark.sql.functions.call_function;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.when;
import static org.apache.spark.sql.functions.xxhash64;

import dev.perhaps.Perhaps;
import dev.perhaps.key.Key;
import dev.perhaps.membership.HashFilter;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.LogicalRDD$;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/** Takes the steps of the library's DuplicateRule, each as tasks over parts of the documents. Used once. */
public final class DuplicateJob {
    /*
     *     texts ── sign ──▶ documents, by fingerprint ──▶ bands ══▶ buckets ──▶ pairs, crowds, hot members
     *                            ▲                                                │
     *                            └──────────── two more passes ◀── crowds ────────┤
     *     texts ── sign finely those of hot buckets ══▶ hot buckets ──▶ pairs ◀───┘ hot members
     *                                                ══▶ values that few share ──▶ pairs
     *     pairs ──▶ forests ══▶ one forest: components
     *     texts that have a pair ══▶ their component: exact comparison, edges, heads
     *     documents ◀── heads of their contents: clusters
     *
     *     against an index: texts of contents with an edge to it, and of all that these connect, are one component
     *
     *     ──▶ within a task, ══▶ shuffled
     *
     * Shuffled per document: the signature once, and 21 bands with a sketch of 64 bytes each (at 0.8). A text is
     * shuffled once, to its component, and only if it has a pair: a filter of such contents stands before it. Contents
     * are named by their fingerprints and documents by their ids, and no step looks at the order of rows: so partitions
     * change nothing.
     *
     * What must fit into the memory of one task: the texts of a component; 1 KB per member of a hot bucket; the ids of
     * all copies of one text; of the last forest, about 150 bytes per content that has a pair.
     */
    private static final long MAX_BROADCAST = 1 << 20;
    private static final long MOST_SELF_SIZED = 1 << 24;
    private static final int MIDDLE_FORESTS = 16;
    private static final List<String> CONTENT = List.of("high", "low");

    private final Dataset<Row> texts;
    private final DataType idType;
    private final DuplicateSettings settings;
    private final @Nullable IndexTable index;
    private final List<JavaRDD<?>> held = new ArrayList<>();
    private final List<SparkPlan> plans = new ArrayList<>();

    /** Documents are rows of an id and a text, in columns of these names; the text is binary, or null. */
    public DuplicateJob(Dataset<Row> texts, DuplicateSettings settings) {
        this(texts, settings, null, false);
    }

    /** The same, against a table of earlier documents, if there is one; it is read now, and must be of this search. */
    public DuplicateJob(
            Dataset<Row> texts, DuplicateSettings settings, @Nullable Dataset<Row> table, boolean wantsExact) {
        this.texts = texts;
        this.idType = texts.schema().apply("id").dataType();
        this.settings = settings;
        this.index = table == null ? null : IndexTable.read(table, settings, wantsExact);
    }

    /**
     * Clusters (id, cluster, kept, match, jaccard, cluster_run, match_run, exact) and edges (a, b, jaccard, b_run,
     * exact), both computed and held; the runs are null for documents of this one.
     *
     * @param links (id, run, cluster, cluster_run) of clusters of the index that are part of others now, some of them
     *     twice
     */
    public record Found(Dataset<Row> clusters, Dataset<Row> edges, Dataset<Row> links, List<JavaRDD<?>> held) {
        public void free() {
            held.forEach(JavaRDD::unpersist);
        }
    }

    /** The rows that an index takes up of this run; refused if it has one of the documents. */
    public Dataset<Row> added(Found found, boolean wantsExact) {
        DuplicateSettings settings = this.settings;
        IndexTable table = index == null ? IndexTable.none(texts.limit(0), wantsExact) : index;
        boolean isExact = table.isExact();
        Dataset<Row> present = texts.where(col("text").isNotNull());
        table.checkNew(present.select("id"));
        StructType stored = new StructType()
                .add("id", idType)
                .add("high", "long")
                .add("low", "long")
                .add("signature", "binary")
                .add("text", "binary");
        Dataset<Row> signed = map(present, stored, rows -> EarlierSteps.stored(rows, settings, isExact));
        return IndexTable.added(table, settings, signed, found.clusters, found.links);
    }

    public Found run() {
        try {
            return find();
        } finally {
            held.forEach(JavaRDD::unpersist);
        }
    }

    private Found find() {
        DuplicateSettings settings = this.settings;
        Dataset<Row> documents = hold(
                map(texts.where(col("text").isNotNull()), documentType(), rows -> ContentSteps.signed(rows, settings))
                        .repartition(col("high"), col("low"))
                        .sortWithinPartitions("high", "low"));
        Dataset<Row> pairs = hold(pairs(documents).distinct());
        Dataset<Row> earlier = index == null ? null : hold(earlier(documents, index));
        Dataset<Row> compared = hold(compared(documents, pairs, earlier));
        Dataset<Row> heads = compared.where(col("kind").equalTo(ComponentComparison.HEAD))
                .select("high", "low", "a", "b", "jaccard", "a_run", "b_run", "exact");
        Dataset<Row> clusters = map(
                byContent(join(documents.drop("signature"), heads, CONTENT, "left_outer")),
                clusterType(),
                rows -> ContentSteps.clusters(rows, settings));
        Dataset<Row> alone = texts.where(col("text").isNull())
                .select(
                        col("id"),
                        col("id").as("cluster"),
                        lit(true).as("kept"),
                        lit(null).cast(idType).as("match"),
                        lit(null).cast(DataTypes.DoubleType).as("jaccard"),
                        lit(false).as("copy"),
                        lit(null).cast(DataTypes.IntegerType).as("cluster_run"),
                        lit(null).cast(DataTypes.IntegerType).as("match_run"),
                        lit(null).cast(DataTypes.BooleanType).as("exact"));
        Dataset<Row> all = hold(clusters.union(alone));
        Dataset<Row> links = hold(compared.where(col("kind").equalTo(ComponentComparison.LINK))
                .selectExpr("a AS id", "a_run AS run", "b AS cluster", "b_run AS cluster_run"));
        Dataset<Row> edges = hold(compared.where(col("kind").equalTo(ComponentComparison.EDGE))
                .select("a", "b", "jaccard", "b_run", "exact")
                .union(all.where("copy")
                        .select(col("match"), col("id"), lit(1.0), lit(null).cast(DataTypes.IntegerType), lit(true))));
        // The last three that are held are the result.
        List<JavaRDD<?>> result = held.subList(held.size() - 3, held.size());
        result.forEach(JavaRDD::count);
        List<JavaRDD<?>> ofResult = List.copyOf(result);
        result.clear();
        return new Found(all.drop("copy"), edges, links, ofResult);
    }

    private Dataset<Row> earlier(Dataset<Row> documents, IndexTable table) {
        return new EarlierJob(table, idType, settings, this::hold)
                .edges(
                        documents,
                        contents -> textsOf(hold(representatives(documents, contents.withColumn("mark", lit(0L)))))
                                .select("high", "low", "text"));
    }

    /**
     * What later steps read more than once. Spark's own cache would do it, but the plan of a dataset then contains
     * those of all that it was made from, each as often as it is used, and becomes too large to be printed. What is
     * lost with an executor is computed again.
     */
    private Dataset<Row> hold(Dataset<Row> rows) {
        plans.add(rows.queryExecution().executedPlan());
        return hold(rows, held);
    }

    /** Holds rows until what is added to the list is given back. */
    public static Dataset<Row> hold(Dataset<Row> rows, List<JavaRDD<?>> held) {
        JavaRDD<InternalRow> kept = rows.queryExecution()
                .toRdd()
                .toJavaRDD()
                .map(InternalRow::copy)
                .persist(StorageLevel.MEMORY_AND_DISK());
        held.add(kept);
        return org.apache.spark.sql.classic.Dataset.ofRows(
                (org.apache.spark.sql.classic.SparkSession) rows.sparkSession(),
                LogicalRDD$.MODULE$.fromDataset(kept.rdd(), (org.apache.spark.sql.classic.Dataset<Row>) rows, false));
    }

    /** The plans of all steps that were taken. */
    public List<SparkPlan> plans() {
        return List.copyOf(plans);
    }

    private static Dataset<Row> map(Dataset<Row> rows, StructType type, MapPartitionsFunction<Row, Row> function) {
        return rows.mapPartitions(function, Encoders.row(type));
    }

    private static Dataset<Row> join(Dataset<Row> left, Dataset<Row> right, List<String> keys, String type) {
        return left.join(right, CollectionConverters.asScala(keys).toSeq(), type);
    }

    private static Dataset<Row> byContent(Dataset<Row> rows) {
        return rows.sortWithinPartitions("high", "low");
    }

    /** All pairs to compare, some of them twice. */
    private Dataset<Row> pairs(Dataset<Row> documents) {
        Dataset<Row> met = hold(met(documents, 0, 0));
        Dataset<Row> crowd = met.where(col("kind").equalTo(BucketSteps.CROWD))
                .select("high", "low")
                .distinct();
        Dataset<Row> again = hold(met(byContent(join(documents, crowd, CONTENT, "left_semi")), 1, 2));
        Dataset<Row> all = met.union(again);
        Dataset<Row> pairs = all.where(col("kind").equalTo(BucketSteps.PAIR))
                .select(
                        col("high"),
                        col("low"),
                        col("otherHigh"),
                        col("otherLow"),
                        lit(false).as("chosen"));
        Dataset<Row> members = all.where(col("kind").geq(BucketSteps.HOT));
        return members.isEmpty() ? pairs : pairs.union(hotPairs(documents, members));
    }

    private Dataset<Row> met(Dataset<Row> documents, int firstPass, int lastPass) {
        DuplicateSettings settings = this.settings;
        Dataset<Row> bands =
                map(documents, bandType(), rows -> ContentSteps.bands(rows, settings, firstPass, lastPass));
        return map(
                bands.repartition(col("key")).sortWithinPartitions("key", "band"),
                metType(),
                rows -> BucketSteps.met(rows, settings));
    }

    private Dataset<Row> hotPairs(Dataset<Row> documents, Dataset<Row> members) {
        DuplicateSettings settings = this.settings;
        Dataset<Row> contents = members.groupBy("high", "low")
                .agg(max(when(col("kind").equalTo(BucketSteps.CUT), 1L).otherwise(0L))
                        .as("mark"));
        Dataset<Row> fine = hold(map(
                textsOf(hold(representatives(documents, contents))),
                fineType(),
                rows -> ContentSteps.fine(rows, settings)));
        Dataset<Row> buckets = join(members.select("kind", "key", "band", "high", "low"), fine, CONTENT, "inner")
                .select(
                        col("key"),
                        col("band"),
                        col("high"),
                        col("low"),
                        when(col("kind").equalTo(BucketSteps.CUT), col("signature"))
                                .as("signature"),
                        col("fine"))
                .repartition(col("key"), col("band"))
                .sortWithinPartitions("key", "band");
        Dataset<Row> hot = map(buckets, pairType(), rows -> BucketSteps.hotPairs(rows, settings));
        Dataset<Row> cut = fine.where(col("mark").equalTo(1L));
        return cut.isEmpty() ? hot : hot.union(rarePairs(cut));
    }

    private Dataset<Row> rarePairs(Dataset<Row> cut) {
        DuplicateSettings settings = this.settings;
        Dataset<Row> sharing = map(
                        map(cut.select("high", "low", "values"), valueType(), BucketSteps::values)
                                .repartition(col("value"))
                                .sortWithinPartitions("value"),
                        pairType(),
                        BucketSteps::sharing)
                .distinct();
        Dataset<Row> one = cut.select("high", "low", "fine");
        Dataset<Row> other = cut.select(
                col("high").as("otherHigh"),
                col("low").as("otherLow"),
                col("fine").as("otherFine"));
        return map(
                join(join(sharing, one, CONTENT, "inner"), other, List.of("otherHigh", "otherLow"), "inner"),
                pairType(),
                rows -> BucketSteps.close(rows, settings));
    }

    /** Of contents with a mark the document that stands for each: (high, low, id, mark). */
    private Dataset<Row> representatives(Dataset<Row> documents, Dataset<Row> marks) {
        DuplicateSettings settings = this.settings;
        return map(
                byContent(join(documents.drop("signature"), marks, CONTENT, "inner")),
                new StructType()
                        .add("high", "long")
                        .add("low", "long")
                        .add("id", idType)
                        .add("mark", "long"),
                rows -> ContentSteps.representatives(rows, settings));
    }

    /** The texts of these documents, with their marks: a text that is not wanted does not leave its task. */
    private Dataset<Row> textsOf(Dataset<Row> wanted) {
        DuplicateSettings settings = this.settings;
        long count = wanted.count();
        Dataset<Row> filter = wanted.agg(call_function(
                "perhaps_filter", col("high"), lit("blocked"), lit(count > MOST_SELF_SIZED ? count : null), lit(0.01)));
        Broadcast<byte[]> frame = JavaSparkContext.fromSparkContext(
                        texts.sparkSession().sparkContext())
                .broadcast((byte[]) filter.head().get(0));
        Dataset<Row> likely = map(
                texts.where(col("text").isNotNull()),
                new StructType()
                        .add("high", "long")
                        .add("low", "long")
                        .add("id", idType)
                        .add("text", "binary"),
                rows -> {
                    HashFilter<Long> high = Perhaps.filterFromBytes(frame.value(), Key.longs());
                    return ContentSteps.wanted(rows, settings, high::mightContain);
                });
        return join(likely, count <= MAX_BROADCAST ? broadcast(wanted) : wanted, List.of("high", "low", "id"), "inner");
    }

    /** Edges, and for each content that has a pair the document that is kept of its cluster. */
    private Dataset<Row> compared(Dataset<Row> documents, Dataset<Row> pairs, @Nullable Dataset<Row> earlier) {
        DuplicateSettings settings = this.settings;
        StructType pairType = pairType();
        Dataset<Row> connected = earlier == null ? pairs : pairs.union(toClusters(earlier));
        Dataset<Row> forest =
                map(map(connected, pairType, Forest::reduced).repartition(MIDDLE_FORESTS), pairType, Forest::reduced);
        Dataset<Row> components = hold(map(
                forest.repartition(1),
                new StructType().add("high", "long").add("low", "long").add("mark", "long"),
                Forest::components));
        Dataset<Row> wanted = hold(representatives(documents, components));
        Dataset<Row> contents = textsOf(wanted)
                .select(
                        col("mark"),
                        col("high"),
                        col("low"),
                        lit(null).cast("long").as("otherHigh"),
                        lit(null).cast("long").as("otherLow"),
                        lit(null).cast("boolean").as("chosen"),
                        col("id"),
                        col("text"));
        Dataset<Row> marked = join(pairs, components, CONTENT, "inner")
                .select(
                        col("mark"),
                        col("high"),
                        col("low"),
                        col("otherHigh"),
                        col("otherLow"),
                        col("chosen"),
                        lit(null).cast(idType).as("id"),
                        lit(null).cast("binary").as("text"));
        Dataset<Row> all = contents.union(marked);
        if (earlier != null) {
            Dataset<Row> edges = join(earlier, components, CONTENT, "inner")
                    .select(
                            col("mark"),
                            col("high"),
                            col("low"),
                            struct("run", "id", "root_run", "root", "kept", "jaccard", "hits", "exact")
                                    .as("edge"));
            all = all.unionByName(edges, true);
        }
        boolean hasEarlier = earlier != null;
        return map(
                all.repartition(col("mark")).sortWithinPartitions("mark"),
                new StructType()
                        .add("kind", "int")
                        .add("high", "long")
                        .add("low", "long")
                        .add("a", idType)
                        .add("b", idType)
                        .add("jaccard", "double")
                        .add("a_run", "int")
                        .add("b_run", "int")
                        .add("exact", "boolean"),
                rows -> new ComponentComparison(rows, settings, hasEarlier));
    }

    /**
     * Pairs of contents with the clusters of the index that they have edges to: these have fingerprints too, of their
     * names.
     */
    private static Dataset<Row> toClusters(Dataset<Row> earlier) {
        return earlier.select(
                        col("high"),
                        col("low"),
                        xxhash64(col("root")).as("otherHigh"),
                        xxhash64(lit("cluster"), col("root")).as("otherLow"),
                        lit(false).as("chosen"))
                .distinct();
    }

    private StructType documentType() {
        return new StructType()
                .add("high", "long")
                .add("low", "long")
                .add("id", idType)
                .add("length", "long")
                .add("signature", "binary");
    }

    private static StructType bandType() {
        return new StructType()
                .add("key", "long")
                .add("band", "int")
                .add("high", "long")
                .add("low", "long")
                .add("sketch", "binary");
    }

    private static StructType metType() {
        return new StructType()
                .add("kind", "int")
                .add("key", "long")
                .add("band", "int")
                .add("high", "long")
                .add("low", "long")
                .add("otherHigh", "long")
                .add("otherLow", "long");
    }

    private static StructType pairType() {
        return new StructType()
                .add("high", "long")
                .add("low", "long")
                .add("otherHigh", "long")
                .add("otherLow", "long")
                .add("chosen", "boolean");
    }

    private static StructType fineType() {
        return new StructType()
                .add("high", "long")
                .add("low", "long")
                .add("mark", "long")
                .add("signature", "binary")
                .add("fine", "binary")
                .add("values", "binary");
    }

    private static StructType valueType() {
        return new StructType().add("value", "int").add("high", "long").add("low", "long");
    }

    private StructType clusterType() {
        return new StructType()
                .add("id", idType)
                .add("cluster", idType)
                .add("kept", "boolean")
                .add("match", idType)
                .add("jaccard", "double")
                .add("copy", "boolean")
                .add("cluster_run", "int")
                .add("match_run", "int")
                .add("exact", "boolean");
    }
}
