package dev.perhaps.spark;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.functions;

/**
 * The functions {@code perhaps_*} as columns. They only refer to the functions by name, so they work with a session in
 * this process and with Spark Connect, where the jar is on the server. Optional parameters have the defaults of SQL;
 * {@code describe function extended perhaps_filter} prints them. Thread-safe.
 *
 * <pre>{@code
 * Row row = orders.agg(PerhapsFunctions.filter(col("customer"))).head();
 * Dataset<Row> known = visits.filter(PerhapsFunctions.mightContain(lit(row.get(0)), col("customer")));
 * }</pre>
 */
public final class PerhapsFunctions {
    private PerhapsFunctions() {}

    /** Returns {@code perhaps_filter}: a Bloom filter of the values, sized from the data, with 1 % false positives. */
    public static Column filter(Column value) {
        return call("perhaps_filter", value);
    }

    /** Returns {@code perhaps_filter} of this kind and false positive rate, sized from the data. */
    public static Column filter(Column value, String kind, double falsePositives) {
        return call("perhaps_filter", value, functions.lit(kind), functions.lit(null), functions.lit(falsePositives));
    }

    /** Returns {@code perhaps_filter} of this kind, planned for {@code items} different values. */
    public static Column filter(Column value, String kind, double falsePositives, long items) {
        return call("perhaps_filter", value, functions.lit(kind), functions.lit(items), functions.lit(falsePositives));
    }

    /** Returns {@code perhaps_count}: how often each value occurs, too high by at most this share of the rows. */
    public static Column count(Column value, double epsilon, double confidence) {
        return call("perhaps_count", value, functions.lit(epsilon), functions.lit(confidence));
    }

    /** Returns {@code perhaps_top}: the k most frequent values. */
    public static Column top(Column value, int k) {
        return call("perhaps_top", value, functions.lit(k));
    }

    /** Returns {@code perhaps_ranges}: counts of ranges of numbers, and quantiles. */
    public static Column ranges(Column value, double epsilon, double confidence) {
        return call("perhaps_ranges", value, functions.lit(epsilon), functions.lit(confidence));
    }

    /** Returns {@code perhaps_distinct}: the number of different values, with this standard error. */
    public static Column distinct(Column value, double standardError) {
        return call("perhaps_distinct", value, functions.lit(standardError));
    }

    /** Returns {@code perhaps_minhash_agg}: the signature of a set of items. */
    public static Column minHashOfItems(Column item, int components) {
        return call("perhaps_minhash_agg", item, functions.lit(components));
    }

    /** Returns {@code perhaps_minhash}: the signature of a text. */
    public static Column minHashOfText(Column text, int components) {
        return call("perhaps_minhash", text, functions.lit(components));
    }

    /** Returns {@code perhaps_merge}: the union of frames. */
    public static Column merge(Column frame) {
        return call("perhaps_merge", frame);
    }

    /** Returns {@code perhaps_might_contain}: false if the value is certainly not in the filter. */
    public static Column mightContain(Column filter, Column value) {
        return call("perhaps_might_contain", filter, value);
    }

    /** Returns {@code perhaps_estimate}: how often the value occurs, with its bounds. */
    public static Column estimate(Column sketch, Column value) {
        return call("perhaps_estimate", sketch, value);
    }

    /** Returns {@code perhaps_top_values}: the most frequent values with their bounds. */
    public static Column topValues(Column top) {
        return call("perhaps_top_values", top);
    }

    /** Returns {@code perhaps_range}: how many numbers lie from one to another, with bounds. */
    public static Column range(Column ranges, Column from, Column to) {
        return call("perhaps_range", ranges, from, to);
    }

    /** Returns {@code perhaps_quantile}: the number below which this share lies. */
    public static Column quantile(Column ranges, double q) {
        return call("perhaps_quantile", ranges, functions.lit(q));
    }

    /** Returns {@code perhaps_distinct_estimate}: the number of different values and its standard error. */
    public static Column distinctEstimate(Column distinct) {
        return call("perhaps_distinct_estimate", distinct);
    }

    /** Returns {@code perhaps_jaccard}: the estimated similarity of two signatures. */
    public static Column jaccard(Column a, Column b) {
        return call("perhaps_jaccard", a, b);
    }

    /** Returns {@code perhaps_bands}: one number per band; similar signatures have at least one in common. */
    public static Column bands(Column signature, double threshold) {
        return call("perhaps_bands", signature, functions.lit(threshold));
    }

    /** Returns {@code perhaps_info}: what a frame is, as JSON. */
    public static Column info(Column frame) {
        return call("perhaps_info", frame);
    }

    private static Column call(String function, Column... arguments) {
        return functions.call_function(function, arguments);
    }
}
