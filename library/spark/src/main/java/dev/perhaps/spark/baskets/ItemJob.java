package dev.perhaps.spark.baskets;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.first;
import static org.apache.spark.sql.functions.greatest;
import static org.apache.spark.sql.functions.least;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.min;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.when;

import dev.perhaps.spark.duplicates.DuplicateJob;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/** Takes the steps of the library's CorrelatedItems.Rule, each as tasks over parts of the items. Used once. */
public final class ItemJob {
    /*
     *     baskets ── hash ══▶ (item, basket) by item ── sign ══▶ groups of items that are in the same baskets
     *     groups ── bands, keys of rare ones ══▶ buckets ──▶ candidates ◀── hot buckets ◀══ signatures
     *     candidates ◀══ signatures: those with enough components in common
     *     candidates ◀══ baskets of the rarer group ◀══ baskets of the other group: counted exactly
     *
     *     ──▶ within a task, ══▶ shuffled
     *
     * Equal baskets have one hash, and how many there are of it is seen at each of their items: they need no numbers,
     * so no step looks at the order of rows, and partitions change nothing.
     */
    private static final List<String> GROUP = List.of("high", "low");
    private static final List<String> OTHER = List.of("otherHigh", "otherLow");

    private final Dataset<Row> baskets;
    private final ItemSettings settings;
    private final List<JavaRDD<?>> held = new ArrayList<>();

    /** Baskets are rows of one column, an array of the names of items as bytes, that is not null. */
    public ItemJob(Dataset<Row> baskets, ItemSettings settings) {
        this.baskets = baskets;
        this.settings = settings;
    }

    /**
     * Pairs (a, b, jaccard, support_a, support_b, common), made from edges and groups that are computed and held.
     *
     * @param edges pairs of groups with their similarity
     * @param members items with the group of each
     */
    public record Found(Dataset<Row> pairs, Dataset<Row> edges, Dataset<Row> members, List<JavaRDD<?>> held) {
        public void free() {
            held.forEach(JavaRDD::unpersist);
        }

        /**
         * The number of pairs, which need not be made for that: for each similarity those that bands found, and others.
         */
        public Dataset<Row> counts(ItemSettings settings) {
            Dataset<Row> sizes =
                    members.groupBy("high", "low").agg(count(lit(1)).as("size"));
            Dataset<Row> otherSizes = other(sizes).withColumnRenamed("size", "otherSize");
            Dataset<Row> across = join(join(edges, sizes, GROUP), otherSizes, OTHER)
                    .select(
                            col("jaccard"),
                            greatest(col("support"), col("otherSupport"))
                                    .gt(settings.rule().joined())
                                    .as("banded"),
                            col("size").multiply(col("otherSize")).as("pairs"));
            Dataset<Row> together = sizes.where("size > 1")
                    .select(
                            lit(1.0).as("jaccard"),
                            lit(false).as("banded"),
                            expr("size * (size - 1) div 2").as("pairs"));
            return across.union(together)
                    .groupBy("jaccard", "banded")
                    .agg(sum("pairs").as("pairs"));
        }
    }

    public Found run() {
        try {
            return find();
        } finally {
            held.forEach(JavaRDD::unpersist);
        }
    }

    private Dataset<Row> hold(Dataset<Row> rows) {
        return DuplicateJob.hold(rows, held);
    }

    private static Dataset<Row> map(Dataset<Row> rows, StructType type, MapPartitionsFunction<Row, Row> function) {
        return rows.mapPartitions(function, Encoders.row(type));
    }

    private static Dataset<Row> join(Dataset<Row> left, Dataset<Row> right, List<String> keys) {
        return left.join(right, CollectionConverters.asScala(keys).toSeq(), "inner");
    }

    private static Dataset<Row> byKey(Dataset<Row> rows) {
        return rows.repartition(col("key"), col("band")).sortWithinPartitions("key", "band");
    }

    private Found find() {
        ItemSettings settings = this.settings;
        boolean meetByRare = settings.rule().meetByRare();
        StructType occurrence = new StructType().add("item", "binary").add("content", "long");
        Dataset<Row> occurrences = hold(map(
                map(baskets, occurrence, ItemSteps::contents)
                        .repartition(col("item"))
                        .sortWithinPartitions("item", "content"),
                occurrence.add("baskets", "long"),
                ItemSteps::counted));
        StructType signed = group().add("item", "binary").add("rare", "binary").add("signature", "binary");
        Dataset<Row> items = hold(map(occurrences, signed, rows -> ItemSteps.signed(rows, settings)));
        Dataset<Row> groups = hold(items.groupBy("high", "low", "support")
                .agg(
                        min("item").as("item"),
                        first("rare").as("rare"),
                        first("signature").as("signature")));
        Dataset<Row> candidates = hold(candidates(groups, meetByRare));
        Dataset<Row> edges = hold(counted(candidates, groups, occurrences));
        Dataset<Row> members = hold(items.select("high", "low", "support", "item"));
        // The last two that are held are the result.
        List<JavaRDD<?>> result = held.subList(held.size() - 2, held.size());
        result.forEach(JavaRDD::count);
        List<JavaRDD<?>> ofResult = List.copyOf(result);
        result.clear();
        return new Found(together(members).union(across(edges, members)), edges, members, ofResult);
    }

    private Dataset<Row> candidates(Dataset<Row> groups, boolean meetByRare) {
        ItemSettings settings = this.settings;
        StructType place = new StructType().add("key", "long").add("band", "int");
        StructType kind = new StructType().add("kind", "int");
        StructType member = merged(place, group());
        Dataset<Row> met = hold(map(
                byKey(map(groups, member.add("sketch", "binary"), rows -> ItemSteps.bands(rows, settings))),
                merged(merged(kind, place), pair()),
                rows -> MeetingSteps.met(rows, settings)));
        Dataset<Row> toCheck = pairsOf(met, MeetingSteps.PAIR);
        Dataset<Row> hot = met.where(col("kind").equalTo(MeetingSteps.HOT)).select("key", "band", "high", "low");
        if (!hot.isEmpty()) {
            Dataset<Row> signatures = groups.select("high", "low", "support", "signature");
            Dataset<Row> buckets =
                    join(hot, signatures, GROUP).select("key", "band", "high", "low", "support", "signature");
            toCheck = toCheck.union(map(byKey(buckets), pair(), rows -> MeetingSteps.hotPairs(rows, settings)));
            if (meetByRare) {
                Dataset<Row> values =
                        map(join(hot.select("high", "low").distinct(), signatures, GROUP), member, ItemSteps::values);
                toCheck = toCheck.union(map(byKey(values), pair(), rows -> MeetingSteps.sharing(rows, settings)));
            }
        }
        Dataset<Row> one = groups.select("high", "low", "signature");
        Dataset<Row> other = other(one).withColumnRenamed("signature", "otherSignature");
        Dataset<Row> checked = map(
                join(join(toCheck.distinct(), one, GROUP), other, OTHER),
                pair(),
                rows -> ItemSteps.checked(rows, settings));
        return checked.union(pairsOf(met, MeetingSteps.JOINED).distinct());
    }

    private static Dataset<Row> pairsOf(Dataset<Row> met, int kind) {
        return met.where(col("kind").equalTo(kind))
                .select("high", "low", "support", "otherHigh", "otherLow", "otherSupport");
    }

    private static Dataset<Row> other(Dataset<Row> groups) {
        return groups.withColumnRenamed("high", "otherHigh").withColumnRenamed("low", "otherLow");
    }

    /** Candidates with the number of baskets that both are in, if their similarity is at least the threshold. */
    private Dataset<Row> counted(Dataset<Row> candidates, Dataset<Row> groups, Dataset<Row> occurrences) {
        Dataset<Row> wanted = candidates
                .select("high", "low")
                .union(candidates.select("otherHigh", "otherLow"))
                .distinct();
        Dataset<Row> representatives = join(groups.select("high", "low", "item"), wanted, GROUP);
        Dataset<Row> baskets =
                hold(join(occurrences, representatives, List.of("item")).select("high", "low", "content", "baskets"));
        Dataset<Row> rarer = join(candidates, baskets, GROUP);
        Column[] pair = {col("high"), col("low"), col("support"), col("otherHigh"), col("otherLow"), col("otherSupport")
        };
        Column union = col("support").cast("long").plus(col("otherSupport")).minus(col("common"));
        return join(rarer, other(baskets.drop("baskets")), List.of("otherHigh", "otherLow", "content"))
                .groupBy(pair)
                .agg(sum("baskets").as("common"))
                .withColumn("jaccard", col("common").cast("double").divide(union.cast("double")))
                .where(col("jaccard").geq(settings.threshold()));
    }

    /** Pairs of items that are in the same baskets. */
    private static Dataset<Row> together(Dataset<Row> members) {
        Dataset<Row> others =
                members.select(col("high"), col("low"), col("item").as("b"));
        return join(members.withColumnRenamed("item", "a"), others, GROUP)
                .where("a < b")
                .select(
                        col("a"),
                        col("b"),
                        lit(1.0).as("jaccard"),
                        col("support").as("support_a"),
                        col("support").as("support_b"),
                        col("support").as("common"));
    }

    /** Pairs of items of different groups, in the order of their names. */
    private static Dataset<Row> across(Dataset<Row> edges, Dataset<Row> members) {
        Dataset<Row> one = members.select("high", "low", "item");
        Dataset<Row> other = other(one).withColumnRenamed("item", "otherItem");
        Column isFirst = col("item").lt(col("otherItem"));
        return join(join(edges, one, GROUP), other, OTHER)
                .select(
                        least(col("item"), col("otherItem")).as("a"),
                        greatest(col("item"), col("otherItem")).as("b"),
                        col("jaccard"),
                        when(isFirst, col("support"))
                                .otherwise(col("otherSupport"))
                                .as("support_a"),
                        when(isFirst, col("otherSupport"))
                                .otherwise(col("support"))
                                .as("support_b"),
                        col("common").cast("int").as("common"));
    }

    private static StructType group() {
        return new StructType().add("high", "long").add("low", "long").add("support", "int");
    }

    private static StructType pair() {
        return group().add("otherHigh", "long").add("otherLow", "long").add("otherSupport", "int");
    }

    private static StructType merged(StructType first, StructType second) {
        StructType all = first;
        for (var field : second.fields()) {
            all = all.add(field);
        }
        return all;
    }
}
