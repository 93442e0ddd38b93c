package dev.perhaps.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.collect_set;

import dev.perhaps.similarity.baskets.MissedPairs;
import dev.perhaps.spark.baskets.ItemJob;
import dev.perhaps.spark.baskets.ItemSettings;
import java.util.Iterator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StringType;

/**
 * Finds items that are mostly in the same baskets, the rows of a DataFrame. Pairs, their similarity and their numbers
 * of baskets are exact, and those of {@code perhaps baskets} and of the library's {@code CorrelatedItems} for the same
 * baskets, whatever the partitions. Baskets are read once. For sessions in the driver's own process, not for Spark
 * Connect. Immutable.
 *
 * <pre>{@code
 * try (CorrelatedItemSearch.Result found = CorrelatedItemSearch.of(receipts, "items").threshold(0.5).run()) {
 *     found.pairs().write().parquet("pairs");
 * }
 * }</pre>
 */
public final class CorrelatedItemSearch {
    /** The default least similarity of correlated items. */
    public static final double DEFAULT_THRESHOLD = 0.8;

    private final Dataset<Row> baskets;
    private final DataType nameType;
    private final ItemSettings settings;

    private CorrelatedItemSearch(Dataset<Row> baskets, DataType nameType, ItemSettings settings) {
        this.baskets = baskets;
        this.nameType = nameType;
        this.settings = settings;
    }

    /**
     * Describes a search for items with a similarity of at least {@link #DEFAULT_THRESHOLD}.
     *
     * @param baskets one row per basket
     * @param items the column with the items of a basket: an array of strings, or of names as binary; an item that is
     *     null is none, one that is repeated counts once, and a basket without items is none
     */
    public static CorrelatedItemSearch of(Dataset<Row> baskets, String items) {
        DriverSession.require("CorrelatedItemSearch", baskets);
        Dataset<Row> lists = baskets.select(baskets.col(items).as("items"));
        DataType type = lists.schema().fields()[0].dataType();
        if (!(type instanceof ArrayType array && isName(array.elementType()))) {
            throw new IllegalArgumentException("the items '" + items + "' must be an array of strings, got "
                    + type.sql() + ": cast it, or name the column of the basket too, if a row is one item");
        }
        return of(lists.where(col("items").isNotNull()), array.elementType());
    }

    private static boolean isName(DataType type) {
        return type instanceof StringType || type instanceof BinaryType;
    }

    /**
     * Describes a search in rows of one item each.
     *
     * @param rows one row per item of a basket, in any order
     * @param basket the column that is equal for all items of a basket; a row in which it is null is ignored
     * @param item the column with the item, a string or binary; a row in which it is null is ignored
     */
    public static CorrelatedItemSearch of(Dataset<Row> rows, String basket, String item) {
        DriverSession.require("CorrelatedItemSearch", rows);
        Dataset<Row> sold =
                rows.select(rows.col(basket).as("basket"), rows.col(item).as("item"));
        DataType type = sold.schema().fields()[1].dataType();
        if (!isName(type)) {
            throw new IllegalArgumentException(
                    "the item '" + item + "' must be a string, got " + type.sql() + ": cast it");
        }
        return of(
                sold.where(col("basket").isNotNull().and(col("item").isNotNull()))
                        .select(col("basket"), col("item").cast("binary").as("item"))
                        .groupBy("basket")
                        .agg(collect_set("item").as("items"))
                        .select("items"),
                type);
    }

    private static CorrelatedItemSearch of(Dataset<Row> lists, DataType nameType) {
        return new CorrelatedItemSearch(
                lists.select(col("items").cast("array<binary>").as("items")),
                nameType instanceof StringType ? DataTypes.StringType : nameType,
                ItemSettings.of(DEFAULT_THRESHOLD));
    }

    private CorrelatedItemSearch with(ItemSettings other) {
        other.checkEach();
        return new CorrelatedItemSearch(baskets, nameType, other);
    }

    /** The least Jaccard similarity of the sets of baskets of two items, in (0, 1] (default: 0.8). */
    public CorrelatedItemSearch threshold(double jaccard) {
        return with(settings.withThreshold(jaccard));
    }

    /** The probability, in (0, 1), of finding a pair at the threshold (default: 0.99). */
    public CorrelatedItemSearch recall(double chance) {
        return with(settings.withRecall(chance));
    }

    /** Uses the bands of the lectures' rule instead of the recall, as the library's {@code CorrelatedItems.lecture}. */
    public CorrelatedItemSearch lecture() {
        return with(settings.byTheLecture());
    }

    /** The number of components of a signature (default: 128). */
    public CorrelatedItemSearch components(int k) {
        return with(settings.withComponents(k));
    }

    /**
     * Searches; what is returned has been computed, except that pairs are made from groups of items when they are read.
     */
    public Result run() {
        return new Result(new ItemJob(baskets, settings).run(), nameType, settings);
    }

    /** What was found: held by the cluster until it is closed. Thread-safe. */
    public static final class Result implements AutoCloseable {
        private final ItemJob.Found found;
        private final DataType nameType;
        private final ItemSettings settings;

        private Result(ItemJob.Found found, DataType nameType, ItemSettings settings) {
            this.found = found;
            this.nameType = nameType;
            this.settings = settings;
        }

        /**
         * Returns one row per pair, in no order: {@code a} and {@code b}, in the order of their bytes, {@code jaccard},
         * and the number of baskets with each of them and with both: {@code support_a}, {@code support_b},
         * {@code common}.
         */
        public Dataset<Row> pairs() {
            return found.pairs().withColumn("a", col("a").cast(nameType)).withColumn("b", col("b").cast(nameType));
        }

        /** Returns the number of different items; it is counted now. */
        public long items() {
            return found.members().count();
        }

        /**
         * Counts the pairs now, without making them, and estimates how many were missed. Both numbers are those of the
         * library's {@code Correlations}.
         */
        public PairCount pairCount() {
            MissedPairs missed = settings.search().rule().missedPairs();
            long pairs = 0;
            Iterator<Row> levels = found.counts(settings)
                    .orderBy(col("jaccard").desc(), col("banded"))
                    .toLocalIterator();
            while (levels.hasNext()) {
                Row level = levels.next();
                pairs += level.getLong(2);
                if (level.getBoolean(1)) {
                    missed.add(level.getDouble(0), level.getLong(2));
                }
            }
            return new PairCount(pairs, missed.share(pairs));
        }

        /** Frees the memory and the disk of the cluster that the result takes; it is not used afterwards. */
        @Override
        public void close() {
            found.free();
        }
    }
    /**
     * The number of pairs.
     *
     * @param found all that were found
     * @param missedShare an estimate of the share of pairs at or above the threshold that were missed
     */
    public record PairCount(long found, double missedShare) {}
}
