package dev.perhaps.spark.duplicates;

import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;

import java.io.Serializable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/** Documents of earlier runs in a table: what they were searched with, and the rows that a run adds. */
public final class IndexTable {
    /*
     * One row per document: the run that added it, what its cluster is known by, its fingerprint, its signature with 16
     * bits per component, and its text if the index is exact. A row without a signature says that the cluster of its
     * document is part of another one since. Rows are only ever added. A document's number, in the words of the
     * library, is the place of (run, id).
     */
    private static final int VERSION = 1;
    private static final int MAX_JOINED = 1 << 20;

    private final Dataset<Row> rows;
    private final int runs;
    private final boolean isExact;
    private final Map<Object, Root> roots;

    private IndexTable(Dataset<Row> rows, int runs, boolean isExact, Map<Object, Root> roots) {
        this.rows = rows;
        this.runs = runs;
        this.isExact = isExact;
        this.roots = roots;
    }

    /**
     * What a cluster is known by: a document, and the run that added it. It is no record, since it is sent to tasks,
     * and Kryo, which a cluster may be set up with, cannot write records.
     */
    static final class Root implements Serializable {
        private static final long serialVersionUID = 1;

        private final int run;
        private final Object id;

        Root(int run, Object id) {
            this.run = run;
            this.id = id;
        }

        int run() {
            return run;
        }

        Object id() {
            return id;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Root that && run == that.run && id.equals(that.id);
        }

        @Override
        public int hashCode() {
            return 31 * id.hashCode() + run;
        }
    }

    /** The columns, for ids of this type. */
    static StructType type(DataType idType) {
        return new StructType()
                .add("settings", "string")
                .add("run", "int")
                .add("id", idType)
                .add("cluster_run", "int")
                .add("cluster", idType)
                .add("kept", "boolean")
                .add("high", "long")
                .add("low", "long")
                .add("signature", "binary")
                .add("text", "binary");
    }

    /** Refuses a table that has other columns. */
    public static void checkColumns(Dataset<Row> table, DataType idType) {
        Map<String, DataType> found = new HashMap<>();
        Arrays.stream(table.schema().fields()).forEach(field -> found.put(field.name(), field.dataType()));
        for (StructField field : type(idType).fields()) {
            DataType there = found.get(field.name());
            if (!field.dataType().equals(there)) {
                throw new IllegalArgumentException(
                        "the index must be a table of the rows that index() returned: its column '"
                                + field.name() + "' is "
                                + (there == null
                                        ? "missing"
                                        : there.sql() + ", not "
                                                + field.dataType().sql()));
            }
        }
    }

    /** Reads what all rows have in common; refuses a table of another search. */
    static IndexTable read(Dataset<Row> table, DuplicateSettings settings, boolean wantsExact) {
        List<Row> made =
                table.groupBy("settings").agg(max("run").as("run")).limit(2).collectAsList();
        if (made.size() > 1) {
            throw new IllegalArgumentException("the index has documents of different searches: "
                    + made.get(0).getString(0) + "; and " + made.get(1).getString(0) + ": build it again");
        }
        if (made.isEmpty()) {
            return new IndexTable(table, 0, wantsExact, new HashMap<>());
        }
        String there = Objects.toString(made.get(0).get(0));
        boolean isExact = there.equals(description(settings, true));
        if (!isExact && !there.equals(description(settings, false))) {
            throw new IllegalArgumentException("the index was made for something else: it has " + there
                    + "; this search has " + description(settings, wantsExact)
                    + ": search with the same, or build the index again");
        }
        if (wantsExact && !isExact) {
            throw new IllegalArgumentException(
                    "the index was made without exact(): leave it out, or build the index again");
        }
        return new IndexTable(table, made.get(0).getInt(1) + 1, isExact, joined(table));
    }

    private static Map<Object, Root> joined(Dataset<Row> table) {
        List<Row> links = table.where("signature IS NULL")
                .select("id", "cluster_run", "cluster")
                .limit(MAX_JOINED + 1)
                .collectAsList();
        if (links.size() > MAX_JOINED) {
            throw new IllegalArgumentException("more than " + MAX_JOINED
                    + " clusters of the index were joined since it was built: build it again");
        }
        Map<Object, Root> next = new HashMap<>();
        links.forEach(link -> next.put(link.get(0), new Root(link.getInt(1), link.get(2))));
        Map<Object, Root> roots = new HashMap<>();
        for (Object id : next.keySet()) {
            Root root = next.get(id);
            for (int steps = 0; next.containsKey(root.id); steps++) {
                if (steps > next.size()) {
                    throw new IllegalArgumentException(
                            "the index is damaged: the cluster of '" + id + "' is a part of itself: build it again");
                }
                root = next.get(root.id);
            }
            roots.put(id, root);
        }
        return roots;
    }

    private static String description(DuplicateSettings settings, boolean isExact) {
        return "version " + VERSION + ", threshold " + settings.threshold() + ", "
                + settings.rule().banding().bands() + " bands of "
                + settings.rule().banding().rows() + " rows, " + settings.components() + " components, shingles "
                + settings.shingles() + ", seed " + settings.seed() + (isExact ? ", exact" : ", estimated");
    }

    boolean isExact() {
        return isExact;
    }

    /** What became of clusters that were joined, by the document that each was known by. */
    Map<Object, Root> roots() {
        return roots;
    }

    /** One row per document. */
    Dataset<Row> documents() {
        return rows.where("signature IS NOT NULL");
    }

    /**
     * What a run adds.
     *
     * @param table what it was compared with, or null
     * @param signed (id, high, low, signature, text) of its documents
     * @param clusters (id, cluster, kept, cluster_run) of its documents
     * @param links (id, run, cluster, cluster_run) of clusters of the table that are part of others now
     */
    static Dataset<Row> added(
            IndexTable table,
            DuplicateSettings settings,
            Dataset<Row> signed,
            Dataset<Row> clusters,
            Dataset<Row> links) {
        Dataset<Row> documents = signed.join(clusters.select("id", "cluster", "kept", "cluster_run"), "id")
                .withColumn("run", lit(table.runs))
                .withColumn("cluster_run", coalesce(col("cluster_run"), lit(table.runs)));
        Dataset<Row> joined = links.distinct()
                .withColumn("kept", lit(true))
                .withColumn("high", lit(0L))
                .withColumn("low", lit(0L))
                .withColumn("signature", lit(null).cast("binary"))
                .withColumn("text", lit(null).cast("binary"));
        return documents
                .unionByName(joined)
                .withColumn("settings", lit(description(settings, table.isExact)))
                .selectExpr(type(clusters.schema().apply("id").dataType()).fieldNames());
    }

    /** An index without documents. */
    static IndexTable none(Dataset<Row> nothing, boolean isExact) {
        return new IndexTable(nothing, 0, isExact, new HashMap<>());
    }

    /** Refuses documents that are in the table already. */
    void checkNew(Dataset<Row> ids) {
        if (runs == 0) {
            return;
        }
        List<Row> known = ids.join(documents().select("id"), "id").limit(1).collectAsList();
        if (!known.isEmpty()) {
            throw new IllegalArgumentException("the index has a document '"
                    + known.get(0).get(0) + "' already: leave it out, or use another name");
        }
    }
}
