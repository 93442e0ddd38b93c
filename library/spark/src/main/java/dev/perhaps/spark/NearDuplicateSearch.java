package dev.perhaps.spark;

import static org.apache.spark.sql.functions.col;

import dev.perhaps.similarity.Shingles;
import dev.perhaps.spark.duplicates.DuplicateJob;
import dev.perhaps.spark.duplicates.DuplicateSettings;
import dev.perhaps.spark.duplicates.IndexTable;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StringType;
import org.jspecify.annotations.Nullable;

/**
 * Finds near duplicates among the rows of a DataFrame. Every edge has an exact Jaccard similarity of shingle sets of at
 * least the threshold; clusters, kept documents and edges are those of {@code perhaps dedup} and of the library's
 * {@code NearDuplicates} for the same texts, whatever the partitions. Texts are read two or three times: cache what is
 * expensive to compute. For sessions in the driver's own process, not for Spark Connect. Immutable.
 *
 * <pre>{@code
 * try (NearDuplicateSearch.Result found = NearDuplicateSearch.of(pages, "url", "text").threshold(0.8).run()) {
 *     found.kept().write().parquet("kept");
 * }
 * }</pre>
 */
public final class NearDuplicateSearch {
    /** The default least similarity of near duplicates. */
    public static final double DEFAULT_THRESHOLD = 0.8;

    private static final Set<DataType> INTEGERS =
            Set.of(DataTypes.ByteType, DataTypes.ShortType, DataTypes.IntegerType, DataTypes.LongType);

    private final Dataset<Row> documents;
    private final String id;
    private final String text;
    private final DuplicateSettings settings;
    private final boolean isExact;
    private final @Nullable Dataset<Row> index;

    private NearDuplicateSearch(
            Dataset<Row> documents,
            String id,
            String text,
            DuplicateSettings settings,
            boolean isExact,
            @Nullable Dataset<Row> index) {
        this.documents = documents;
        this.id = id;
        this.text = text;
        this.settings = settings;
        this.isExact = isExact;
        this.index = index;
    }

    /**
     * Describes a search for documents with a similarity of at least {@link #DEFAULT_THRESHOLD}.
     *
     * @param documents one row per document
     * @param id the column that names a document: a string or an integer, never null, and no two alike
     * @param text the column that is compared: a string, or UTF-8 as binary; a document whose text is null is like no
     *     other
     */
    public static NearDuplicateSearch of(Dataset<Row> documents, String id, String text) {
        DriverSession.require("NearDuplicateSearch", documents);
        DataType idType =
                documents.select(documents.col(id)).schema().fields()[0].dataType();
        if (!(idType instanceof StringType) && !INTEGERS.contains(idType)) {
            throw new IllegalArgumentException(
                    "the id '" + id + "' must be a string or an integer, got " + idType.sql());
        }
        DataType textType =
                documents.select(documents.col(text)).schema().fields()[0].dataType();
        if (!(textType instanceof StringType) && !(textType instanceof BinaryType)) {
            throw new IllegalArgumentException(
                    "the text '" + text + "' must be a string or binary, got " + textType.sql());
        }
        return new NearDuplicateSearch(documents, id, text, DuplicateSettings.of(DEFAULT_THRESHOLD), false, null);
    }

    private NearDuplicateSearch with(DuplicateSettings other) {
        String checked = other.search().toString();
        assert !checked.isEmpty();
        return new NearDuplicateSearch(documents, id, text, other, isExact, index);
    }

    /** The least Jaccard similarity of near duplicates, in (0, 1] (default: 0.8). */
    public NearDuplicateSearch threshold(double jaccard) {
        return with(settings.withThreshold(jaccard));
    }

    /** The probability, in (0, 1), of finding a pair at the threshold (default: 0.99). */
    public NearDuplicateSearch recall(double chance) {
        return with(settings.withRecall(chance));
    }

    /** The number of components of a signature (default: 128). */
    public NearDuplicateSearch components(int k) {
        return with(settings.withComponents(k));
    }

    /** The shingles to compare by (default: 10 code points). */
    public NearDuplicateSearch shingles(Shingles other) {
        return with(settings.withShingles(other));
    }

    /**
     * Removes a document only if it is a near duplicate of a kept one (default: keep one document per connected
     * component).
     */
    public NearDuplicateSearch stars() {
        return with(settings.inStars());
    }

    /** Keeps the document with the least id of each cluster (default: the longest). */
    public NearDuplicateSearch keepFirst() {
        return with(settings.keepingFirst());
    }

    /**
     * A new index stores the texts, so that what is compared with it is compared exactly (default: estimated from
     * signatures).
     */
    public NearDuplicateSearch exact() {
        return new NearDuplicateSearch(documents, id, text, settings, true, index);
    }

    /**
     * Also compares with documents of earlier runs: what was kept stays kept, as with the library's {@code
     * NearDuplicates.against}. The result then has more columns: see {@link Result}.
     *
     * @param table the rows of {@link Result#index} of all earlier runs, with the same settings; empty before the first
     */
    public NearDuplicateSearch against(Dataset<Row> table) {
        IndexTable.checkColumns(table, texts().schema().apply("id").dataType());
        return new NearDuplicateSearch(documents, id, text, settings, isExact, table);
    }

    private Dataset<Row> texts() {
        return documents.select(
                documents.col(id).as("id"),
                documents.col(text).cast(DataTypes.BinaryType).as("text"));
    }

    /**
     * Compares the documents; what is returned has been computed.
     *
     * @throws IllegalArgumentException if the index is of a search with other settings
     */
    public Result run() {
        DuplicateJob job = new DuplicateJob(texts(), settings, index, isExact);
        DuplicateJob.Found found = job.run();
        Dataset<Row> ids = found.clusters().where("kept").select(col("id").as("kept"));
        // By an expression, since a join by names would move the column, and knows no fields of a struct.
        Dataset<Row> kept = documents.join(ids, documents.col(id).equalTo(ids.col("kept")), "left_semi");
        return new Result(job, found, index != null, isExact, kept);
    }

    /**
     * What was found: computed, and held by the cluster until it is closed. Thread-safe.
     *
     * <p>Against an index, {@link #clusters} and {@link #edges} have more columns: {@code cluster_run},
     * {@code match_run} and {@code b_run} are the number of the run that added this document to the index, or null if
     * it is one of this run; {@code exact} is false if the similarity is an estimate.
     */
    public static final class Result implements AutoCloseable {
        private final DuplicateJob job;
        private final DuplicateJob.Found found;
        private final boolean isAgainst;
        private final boolean isExact;
        private final Dataset<Row> kept;

        private Result(
                DuplicateJob job, DuplicateJob.Found found, boolean isAgainst, boolean isExact, Dataset<Row> kept) {
            this.job = job;
            this.found = found;
            this.isAgainst = isAgainst;
            this.isExact = isExact;
            this.kept = kept;
        }

        /**
         * Returns one row per document: {@code id}, {@code cluster} (the id of the kept document of its cluster),
         * {@code kept}, {@code match} (its most similar near duplicate, or null) and their similarity {@code jaccard}.
         */
        public Dataset<Row> clusters() {
            return isAgainst ? found.clusters() : found.clusters().drop("cluster_run", "match_run", "exact");
        }

        /**
         * Returns one row per pair of near duplicates: {@code a}, {@code b}, {@code jaccard}. Of copies of one text,
         * each has an edge to the one that represents them.
         */
        public Dataset<Row> edges() {
            return isAgainst ? found.edges() : found.edges().drop("b_run", "exact");
        }

        /** Returns the rows of the documents that are kept, with all their columns. */
        public Dataset<Row> kept() {
            return kept;
        }

        /**
         * Returns the rows by which an index grows: append them to the table that this was compared with, or write them
         * as a new one. They are made when they are read, from the texts once more. A document whose text is null is in
         * no index.
         *
         * @throws IllegalArgumentException if the index has a document with one of the ids already
         */
        public Dataset<Row> index() {
            return job.added(found, isExact);
        }

        /** Frees the memory and the disk of the cluster that the result takes; it is not used afterwards. */
        @Override
        public void close() {
            found.free();
        }
    }
}
