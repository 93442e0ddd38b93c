package dev.perhaps.spark;

import static org.apache.spark.sql.functions.broadcast;
import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.not;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.when;

import dev.perhaps.key.Key;
import dev.perhaps.membership.BlockedBloom;
import dev.perhaps.spark.catalyst.ColumnKey;
import dev.perhaps.spark.catalyst.JoinProbe;
import dev.perhaps.spark.catalyst.ProbeCounts;
import dev.perhaps.spark.catalyst.RereadPlans;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Joins a large side with a smaller one, and shuffles only those rows of the large side that can have a partner: it
 * looks them up in a filter of the keys of the smaller side. The result is that of {@code left.join(right, keys,
 * type)}, for every type of join. It first measures a sample; if most rows have a partner, a filter would not pay, and
 * a plain join is used. Both sides are read more than once: cache what is expensive to compute. A side that may have
 * other rows each time, such as a sample, is joined plainly. For sessions in the driver's own process, not for Spark
 * Connect. Immutable.
 *
 * <pre>{@code
 * BloomJoin.Result joined = BloomJoin.of(visits, customers, "customer").type("left_anti").run();
 * System.out.println(joined.report());
 * joined.rows().write().parquet("unknown-visitors");
 * }</pre>
 */
public final class BloomJoin {
    /*
     * Rows of the left side that certainly have no partner need no shuffle. Of an inner, semi or right outer join they
     * are dropped; of a left outer, anti or full outer join they bypass the join:
     *
     *     left outer, full outer    filter(might) JOIN right   UNION ALL   filter(not might) with nulls for the right
     *     anti                      filter(might) ANTI right   UNION ALL   filter(not might)
     *
     * A key with a null in it has no partner: it is not looked up.
     *
     * The sample (JoinSample) is of up to 16 partitions: its match rate has a standard error of at most 0.8 points
     * (4,096 rows) if the order of rows within a partition does not matter; else the choice may be the slower one, and
     * the result is still right.
     *
     * The filter is built by one reading of the right side, and the join reads it again; rows that bypass the join come
     * from another reading of the left side than rows that are joined. If a reading may have other rows, a row could be
     * lost, or returned twice: then the join is a plain one.
     *
     * The branch that is joined counts what its lookups do (ProbeCounts), the one that bypasses the join does not: each
     * row of the left side counts once.
     *
     * A filter that passes 70 % saves less of the shuffle than it costs to build and ask.
     */
    private static final double MOST_PASSING = 0.7;
    static final double FALSE_POSITIVES = 0.01;
    private static final long MOST_SELF_SIZED = 1 << 24;

    /** It is a value of a column, and every executor gets it. */
    private static final long MAX_FILTER_BYTES = 1L << 30;

    private static final String RESULT_SETTING = "spark.driver.maxResultSize";
    /** What Spark puts around the bytes of a result, with a margin. */
    private static final long RESULT_RESERVE_BYTES = 1 << 20;

    private static final Set<String> DROPPING = Set.of("inner", "semi", "leftsemi", "right", "rightouter");
    private static final Set<String> ANTI = Set.of("anti", "leftanti");
    private static final Set<String> OUTER = Set.of("left", "leftouter", "full", "fullouter", "outer");

    private final Dataset<Row> left;
    private final Dataset<Row> right;
    private final List<String> keys;
    private final String type;

    private BloomJoin(Dataset<Row> left, Dataset<Row> right, List<String> keys, String type) {
        this.left = left;
        this.right = right;
        this.keys = keys;
        this.type = type;
    }

    /** The rows of a join, and its report. Thread-safe. */
    public static final class Result {
        private final Dataset<Row> rows;
        private final JoinReport before;
        private final @Nullable ProbeCounts counts;

        Result(Dataset<Row> rows, JoinReport before, @Nullable ProbeCounts counts) {
            this.rows = rows;
            this.before = before;
            this.counts = counts;
        }

        /** The rows of the join, which are computed when they are used. */
        public Dataset<Row> rows() {
            return rows;
        }

        /**
         * What was measured and decided before the join, and, once an action has computed {@link #rows}, what the
         * filter did in the last one. While an action runs it counts the tasks that are done.
         */
        public JoinReport report() {
            if (counts == null) {
                return before;
            }
            ProbeCounts.Totals totals = counts.value();
            return totals.asked() == 0 && !counts.isAskedWhilePlanning()
                    ? before
                    : before.measured(new JoinMeasurement(totals.asked(), totals.passed(), totals.shuffledBytes()));
        }

        /** Returns the report in a line. */
        @Override
        public String toString() {
            return report().toString();
        }
    }

    /**
     * Describes an inner join.
     *
     * @param left the large side
     * @param right the smaller side, whose keys the filter holds
     * @param keys the columns of both sides that must be equal
     */
    public static BloomJoin of(Dataset<Row> left, Dataset<Row> right, String... keys) {
        if (keys.length == 0) {
            throw new IllegalArgumentException("a join needs at least one key, got none");
        }
        DriverSession.require("BloomJoin", left);
        return new BloomJoin(left, right, List.of(keys), "inner");
    }

    /** The type of the join, as Spark names it: inner, left_semi, left_anti, left, right or full (default: inner). */
    public BloomJoin type(String name) {
        String plain = plain(name);
        if (!DROPPING.contains(plain) && !ANTI.contains(plain) && !OUTER.contains(plain)) {
            throw new IllegalArgumentException("there is no join of type '" + name
                    + "' with keys: use inner, left_semi, left_anti, left, right or full");
        }
        return new BloomJoin(left, right, keys, name);
    }

    private static String plain(String type) {
        return type.toLowerCase(Locale.ROOT).replace("_", "");
    }

    /** Measures, builds the filter where it pays, and returns the join, whose rows are computed when they are used. */
    public Result run() {
        String refusal = refusal();
        if (!refusal.isEmpty()) {
            return plainly(JoinReport.unmeasured(refusal));
        }
        List<Row> sample = JoinSample.of(left.select(keyColumns(left)));
        if (sample.isEmpty()) {
            return plainly(JoinReport.unmeasured("the sample of the left side has no rows"));
        }
        double matching = matching(sample);
        double passing = JoinReport.passing(matching);
        if (passing > MOST_PASSING) {
            return plainly(JoinReport.plain(
                    "a filter would pass " + JoinReport.percent(passing) + " of the rows", sample.size(), matching));
        }
        long rows = right.count();
        String excess =
                excess(rows, left.sparkSession().sparkContext().getConf().getSizeAsBytes(RESULT_SETTING, "1g"));
        if (!excess.isEmpty()) {
            return plainly(JoinReport.plain(excess, sample.size(), matching));
        }
        byte[] filter = filter(rows);
        JoinReport report = new JoinReport(
                true,
                "a filter passes " + JoinReport.percent(passing) + " of the rows",
                sample.size(),
                matching,
                rows,
                filter.length,
                RereadPlans.expectedBytes(left).orElse(0),
                Optional.empty());
        ProbeCounts counts = ProbeCounts.of(left.sparkSession().sparkContext());
        return new Result(filtered(filter, counts), report, counts);
    }

    private Result plainly(JoinReport report) {
        return new Result(join(left), report, null);
    }

    private Dataset<Row> join(Dataset<Row> someLeft) {
        return someLeft.join(right, CollectionConverters.asScala(keys).toSeq(), type);
    }

    /** Why there can be no filter, or an empty string. */
    private String refusal() {
        String difference = difference("right", right);
        if (difference.isEmpty() && (left.isStreaming() || !DROPPING.contains(plain(type)))) {
            difference = difference("left", left);
        }
        return difference.isEmpty() ? refusalOfKeys() : difference;
    }

    private static String difference(String name, Dataset<Row> side) {
        String cause = RereadPlans.difference(side);
        return cause.isEmpty()
                ? ""
                : "the " + name + " side may have other rows when it is read again (" + cause
                        + "): use checkpoint() to keep its rows";
    }

    /** Why values of these columns cannot be looked up, or an empty string. */
    private String refusalOfKeys() {
        for (String key : keys) {
            int onLeft = places(left, key).length;
            int onRight = places(right, key).length;
            if (onLeft != 1 || onRight != 1) {
                return "columns with the name " + key + ": " + onLeft + " on the left, " + onRight + " on the right";
            }
            try {
                String one = ColumnKey.of(
                                left.schema().fields()[place(left, key)].dataType(), "", 0)
                        .key()
                        .name();
                String other = ColumnKey.of(
                                right.schema().fields()[place(right, key)].dataType(), "", 0)
                        .key()
                        .name();
                if (!one.equals(other)) {
                    return "the column " + key + " has the key '" + one + "' on the left and '" + other
                            + "' on the right: cast one side to use a filter";
                }
            } catch (IllegalArgumentException e) {
                return "the column " + key + ": " + e.getMessage();
            }
        }
        return "";
    }

    /** Where the columns with the name of a key are: a join by names takes a name as it is, dots and all. */
    private static int[] places(Dataset<Row> side, String key) {
        boolean isCaseSensitive =
                Boolean.parseBoolean(side.sparkSession().conf().get("spark.sql.caseSensitive"));
        String[] names = side.columns();
        return IntStream.range(0, names.length)
                .filter(i -> isCaseSensitive ? names[i].equals(key) : names[i].equalsIgnoreCase(key))
                .toArray();
    }

    private static int place(Dataset<Row> side, String key) {
        return places(side, key)[0];
    }

    private Column[] keyColumns(Dataset<Row> side) {
        return keys.stream()
                .map(key -> side.col("`" + side.columns()[place(side, key)].replace("`", "``") + "`"))
                .toArray(Column[]::new);
    }

    /** The share of the sampled rows that have a partner. */
    private double matching(List<Row> sample) {
        Dataset<Row> sampled = left.sparkSession()
                .createDataFrame(sample, left.select(keyColumns(left)).schema());
        Dataset<Row> found =
                semiJoin(right.select(keyColumns(right)), sampled.distinct()).distinct();
        return semiJoin(sampled, found).count() / (double) sample.size();
    }

    /** Spark compares, since rows of Java with equal binary values are not equal. */
    private Dataset<Row> semiJoin(Dataset<Row> some, Dataset<Row> partners) {
        return some.join(broadcast(partners), CollectionConverters.asScala(keys).toSeq(), "left_semi");
    }

    /** What is hashed: the column, or of several a struct, which is null if one of them is. */
    private Column key(Dataset<Row> side) {
        if (keys.size() == 1) {
            return keyColumns(side)[0];
        }
        Column complete = lit(true);
        for (Column column : keyColumns(side)) {
            complete = complete.and(column.isNotNull());
        }
        return when(complete, struct(keyColumns(side)));
    }

    /**
     * Why a filter of this number of keys cannot be sent to the driver and the tasks, or an empty string.
     *
     * @param maxResultBytes what the driver takes from all tasks of a job, 0 for anything
     */
    static String excess(long rows, long maxResultBytes) {
        try {
            long bytes = BlockedBloom.expecting(Math.max(1, rows))
                    .falsePositives(FALSE_POSITIVES)
                    .of(Key.longs())
                    .sizing()
                    .bytes();
            String filter = "the filter of " + rows + " rows would have " + bytes + " bytes, ";
            if (bytes > MAX_FILTER_BYTES) {
                return filter + "more than the " + MAX_FILTER_BYTES + " that a filter of a join may have";
            }
            return maxResultBytes > 0 && bytes > maxResultBytes - RESULT_RESERVE_BYTES
                    ? filter + "more than " + RESULT_SETTING + " allows (" + maxResultBytes + ")"
                    : "";
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private byte[] filter(long rows) {
        Column filter = rows <= MOST_SELF_SIZED
                ? PerhapsFunctions.filter(key(right), "blocked", FALSE_POSITIVES)
                : PerhapsFunctions.filter(key(right), "blocked", FALSE_POSITIVES, rows);
        return (byte[]) right.agg(filter).head().get(0);
    }

    private Dataset<Row> filtered(byte[] filter, ProbeCounts counts) {
        Dataset<Row> joined = join(left.filter(JoinProbe.counted(filter, key(left), counts)));
        if (DROPPING.contains(plain(type))) {
            return joined;
        }
        Column might = coalesce(PerhapsFunctions.mightContain(lit(filter), key(left)), lit(false));
        // By their places: two columns that are no keys may have one name.
        String[] places = IntStream.range(0, left.columns().length)
                .mapToObj(BloomJoin::placeName)
                .toArray(String[]::new);
        Dataset<Row> alone = left.filter(not(might)).toDF(places);
        return joined.union(alone.select(bypassing(joined.schema())));
    }

    private static String placeName(int place) {
        return "place" + place;
    }

    /** The columns of the join for rows without a partner: the keys, the rest of the left, nulls for the right. */
    private Column[] bypassing(StructType schema) {
        List<Column> columns = new ArrayList<>();
        List<Integer> keyPlaces = keys.stream().map(key -> place(left, key)).toList();
        keyPlaces.forEach(place -> columns.add(col(placeName(place))));
        for (int place = 0; place < left.columns().length; place++) {
            if (!keyPlaces.contains(place)) {
                columns.add(col(placeName(place)));
            }
        }
        while (columns.size() < schema.length()) {
            columns.add(lit(null));
        }
        for (int i = 0; i < columns.size(); i++) {
            StructField field = schema.fields()[i];
            columns.set(i, columns.get(i).cast(field.dataType()).as(field.name()));
        }
        return columns.toArray(new Column[0]);
    }
}
