package dev.perhaps.spark.catalyst;

import static dev.perhaps.spark.catalyst.Parameter.needed;
import static dev.perhaps.spark.catalyst.Parameter.optional;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.frequency.Bound;
import dev.perhaps.frequency.CountMin;
import dev.perhaps.frequency.Distinct;
import dev.perhaps.frequency.RangeCounts;
import dev.perhaps.frequency.TopK;
import dev.perhaps.key.Key;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.similarity.Banding;
import dev.perhaps.similarity.Family;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.Signature;
import dev.perhaps.similarity.Signatures;
import dev.perhaps.similarity.duplicates.NearDuplicates;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.Sketch;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** The scalar functions: their parameters, results, and what they check while a query is planned. */
enum ScalarFunctions {
    MIGHT_CONTAIN(
            "perhaps_might_contain",
            List.of(needed("filter"), needed("value")),
            DataTypes.BooleanType,
            "Returns false if the value is certainly not in the filter, true if it perhaps is.",
            "> SELECT perhaps_might_contain(perhaps_filter(id), 7L) FROM range(100) AS t(id);\n       true") {
        @Override
        Object apply(ScalarCall call, Object[] arguments) {
            HashFilter<?> filter = call.filter((byte[]) arguments[0]);
            return filter.mightContainHash(call.keyIn(filter.key()).hash(arguments[1]));
        }

        @Override
        void checkFrame(ScalarCall call, byte[] frame) {
            ColumnKey.in(call.filter(frame).key(), call.type(1));
        }

        @Override
        void checkTypes(ScalarCall call, List<Expression> children) {
            value(call.type(1));
        }
    },
    ESTIMATE(
            "perhaps_estimate",
            List.of(needed("sketch"), needed("value")),
            countType(),
            "Returns how often the value came, of a frame of perhaps_count, perhaps_top or a counting filter: the estimate,"
                    + " and two counts that the true one is between, with this confidence.",
            "> SELECT perhaps_estimate(perhaps_count(id % 10), 7L).estimate FROM range(100) AS t(id);\n       10") {
        @Override
        Object apply(ScalarCall call, Object[] arguments) {
            Sketch sketch = call.sketch((byte[]) arguments[0]);
            if (sketch instanceof CountMin<?> counts) {
                long estimate = counts.estimateHash(call.keyIn(counts.key()).hash(arguments[1]));
                return counted(estimate, counts.bound());
            }
            if (sketch instanceof HashFilter.Counts<?> counts) {
                long count = counts.countHash(call.keyIn(counts.key()).hash(arguments[1]));
                return counted(count, count, count, 1 - counts.errorNow());
            }
            if (sketch instanceof TopK<?> any) {
                @SuppressWarnings("unchecked") // a kept value of this key
                TopK<Object> top = (TopK<Object>) any;
                Object kept = call.keyIn(top.key()).kept(arguments[1]);
                return counted(top.estimate(kept), top.atLeast(kept), top.atMost(kept), 1);
            }
            throw countsNothing(sketch);
        }

        @Override
        void checkFrame(ScalarCall call, byte[] frame) {
            Sketch sketch = call.sketch(frame);
            if (sketch instanceof CountMin<?> counts) {
                ColumnKey.in(counts.key(), call.type(1));
            } else if (sketch instanceof HashFilter.Counts<?> counts) {
                ColumnKey.in(counts.key(), call.type(1));
            } else if (sketch instanceof TopK<?> top) {
                ColumnKey.in(top.key(), call.type(1));
            } else {
                throw countsNothing(sketch);
            }
        }

        @Override
        void checkTypes(ScalarCall call, List<Expression> children) {
            value(call.type(1));
        }
    },
    TOP_VALUES(
            "perhaps_top_values",
            List.of(needed("top")),
            DataTypes.createArrayType(
                    struct(
                            field("value", DataTypes.StringType),
                            field("at_least", DataTypes.LongType),
                            field("at_most", DataTypes.LongType)),
                    false),
            "Returns the most frequent values of a frame of perhaps_top, the most frequent first, each with two counts that"
                    + " the true one is between. Values are strings; cast them to the type of the column.",
            "> SELECT perhaps_top_values(perhaps_top(id % 3, 1))[0].value FROM range(100) AS t(id);\n       0") {
        @Override
        Object apply(ScalarCall call, Object[] arguments) {
            TopK<?> top = top(call, (byte[]) arguments[0]);
            String part = ColumnKey.part(top.key().name());
            List<Object> rows = new ArrayList<>();
            for (TopK.Ranked<?> ranked : top.top()) {
                rows.add(
                        row(ColumnKey.text(ranked.value(), part), (Object) ranked.atLeast(), (Object) ranked.atMost()));
            }
            return new GenericArrayData(rows.toArray());
        }

        @CanIgnoreReturnValue
        private static TopK<?> top(ScalarCall call, byte[] frame) {
            Sketch sketch = call.sketch(frame);
            if (sketch instanceof TopK<?> top) {
                return top;
            }
            throw new IllegalArgumentException("the frame holds a " + sketch.kind() + ", which is not a top list");
        }

        @Override
        void checkFrame(ScalarCall call, byte[] frame) {
            top(call, frame);
        }
    },
    RANGE(
            "perhaps_range",
            List.of(needed("ranges"), needed("from"), needed("to")),
            countType(),
            "Returns how many numbers from `from` to `to`, both included, a frame of perhaps_ranges counted.",
            "> SELECT perhaps_range(perhaps_ranges(id, bits => 8), 10L, 19L).estimate FROM range(100) AS t(id);\n       10") {
        @Override
        Object apply(ScalarCall call, Object[] arguments) {
            RangeCounts ranges = ranges(call, (byte[]) arguments[0]);
            call.keyIn(ranges.key());
            return counted(
                    ranges.estimate(ColumnKey.number(arguments[1]), ColumnKey.number(arguments[2])), ranges.bound());
        }

        @Override
        void checkFrame(ScalarCall call, byte[] frame) {
            ColumnKey.in(ranges(call, frame).key(), call.type(1));
        }

        @Override
        void checkTypes(ScalarCall call, List<Expression> children) {
            for (int i = 1; i <= 2; i++) {
                if (!ColumnKey.of(call.type(i), "", 0).isNumber()) {
                    throw new IllegalArgumentException(
                            "a range is from and to a whole number, date or timestamp, got a "
                                    + ColumnKey.sql(call.type(i)));
                }
            }
            String from = ColumnKey.of(call.type(1), "", 0).key().name();
            if (!from.equals(ColumnKey.of(call.type(2), "", 0).key().name())) {
                throw new IllegalArgumentException("a range is from and to values of one type, got a "
                        + ColumnKey.sql(call.type(1)) + " and a " + ColumnKey.sql(call.type(2)) + ": cast one of them");
            }
        }
    },
    QUANTILE(
            "perhaps_quantile",
            List.of(needed("ranges"), needed("q")),
            DataTypes.LongType,
            "Returns the number below which the share `q` of the numbers lies, of a frame of perhaps_ranges; days for a"
                    + " column of dates, microseconds for timestamps.",
            "> SELECT perhaps_quantile(perhaps_ranges(id, bits => 8), 0.5) FROM range(100) AS t(id);\n       49") {
        @Override
        @Nullable
        Object apply(ScalarCall call, Object[] arguments) {
            RangeCounts ranges = ranges(call, (byte[]) arguments[0]);
            return ranges.total() == 0 ? null : (Object) ranges.quantile(number(arguments[1]));
        }

        @Override
        void checkFrame(ScalarCall call, byte[] frame) {
            ranges(call, frame);
        }

        @Override
        void checkTypes(ScalarCall call, List<Expression> children) {
            numeric("q", call.type(1));
        }
    },
    DISTINCT_ESTIMATE(
            "perhaps_distinct_estimate",
            List.of(needed("distinct")),
            struct(field("estimate", DataTypes.DoubleType), field("standard_error", DataTypes.DoubleType)),
            "Returns the number of different values of a frame of perhaps_distinct, and its standard error as a share.",
            "> SELECT round(perhaps_distinct_estimate(perhaps_distinct(id % 10)).estimate) FROM range(100) AS t(id);\n"
                    + "       10.0") {
        @Override
        Object apply(ScalarCall call, Object[] arguments) {
            Distinct<?> distinct = distinct(call, (byte[]) arguments[0]);
            return row((Object) distinct.estimate(), (Object) distinct.standardError());
        }

        @CanIgnoreReturnValue
        private static Distinct<?> distinct(ScalarCall call, byte[] frame) {
            Sketch sketch = call.sketch(frame);
            if (sketch instanceof Distinct<?> distinct) {
                return distinct;
            }
            throw new IllegalArgumentException(
                    "the frame holds a " + sketch.kind() + ", which does not count different values");
        }

        @Override
        void checkFrame(ScalarCall call, byte[] frame) {
            distinct(call, frame);
        }
    },
    MINHASH(
            "perhaps_minhash",
            List.of(
                    needed("text"),
                    optional("components", NearDuplicates.DEFAULT_COMPONENTS),
                    optional("shingle", Shingles.DEFAULT_SIZE),
                    optional("seed", Key.DEFAULT_SEED)),
            DataTypes.BinaryType,
            "Returns the MinHash signature of a text, by its runs of `shingle` characters: perhaps_jaccard compares two of"
                    + " them. The signature of a set of items is perhaps_minhash_agg.",
            "> SELECT perhaps_jaccard(perhaps_minhash('the same text'), perhaps_minhash('the same text'));\n       1.0") {
        @Override
        Object apply(ScalarCall call, Object[] arguments) {
            byte[] text = ((UTF8String) arguments[0]).getBytes();
            return Signatures.of(call.signer(
                                    (int) number(arguments[1]),
                                    (int) number(arguments[2]),
                                    ((Number) arguments[3]).longValue())
                            .sign(text, 0, text.length))
                    .toBytes();
        }

        @Override
        void check(ScalarCall call, List<Expression> children) {
            if (!(call.type(0) instanceof StringType)) {
                throw new IllegalArgumentException("a text is a STRING, got a " + ColumnKey.sql(call.type(0)));
            }
            Arguments constants = new Arguments(parameters(), children);
            call.signer(constants.wholeInt(1), constants.wholeInt(2), constants.whole(3));
        }
    },
    JACCARD(
            "perhaps_jaccard",
            List.of(needed("a"), needed("b")),
            DataTypes.DoubleType,
            "Returns the estimated Jaccard similarity of two signatures: the size of the intersection of their sets,"
                    + " divided by that of the union.",
            "> SELECT perhaps_jaccard(perhaps_minhash('the same text'), perhaps_minhash('the same text'));\n       1.0") {
        @Override
        Object apply(ScalarCall call, Object[] arguments) {
            Signature a = signature(call.sketch((byte[]) arguments[0]));
            Signature b = signature(call.other((byte[]) arguments[1]));
            return a.similarity(b);
        }

        @Override
        void checkFrame(ScalarCall call, byte[] frame) {
            signature(call.sketch(frame));
        }

        @Override
        void checkTypes(ScalarCall call, List<Expression> children) {
            frame(call.type(1));
        }
    },
    BANDS(
            "perhaps_bands",
            List.of(needed("signature"), optional("threshold", 0.8), optional("recall", NearDuplicates.DEFAULT_RECALL)),
            DataTypes.createArrayType(DataTypes.LongType, false),
            "Returns one number per band of a signature: two signatures of a similarity of at least `threshold` have one of"
                    + " them in common with probability `recall`. Explode and join by them to find candidates.",
            "> SELECT size(perhaps_bands(perhaps_minhash('some text'), 0.8)) > 1;\n       true") {
        @Override
        Object apply(ScalarCall call, Object[] arguments) {
            Signature signature = signature(call.sketch((byte[]) arguments[0]));
            Banding banding = banding(signature.family(), number(arguments[1]), number(arguments[2]));
            long[] bands = new long[banding.bands()];
            for (int band = 0; band < bands.length; band++) {
                Key.Longs key = Key.longs().seeded(band);
                for (int row = 0; row < banding.rows(); row++) {
                    bands[band] = key.hash(bands[band] ^ signature.component(band * banding.rows() + row));
                }
            }
            return new GenericArrayData(bands);
        }

        private static Banding banding(Family family, double threshold, double recall) {
            return Banding.of(family.components()).threshold(threshold).recall(recall);
        }

        @Override
        void checkFrame(ScalarCall call, byte[] frame) {
            signature(call.sketch(frame));
        }

        @Override
        void checkTypes(ScalarCall call, List<Expression> children) {
            Arguments constants = new Arguments(parameters(), children);
            Banding checked =
                    banding(MinHash.of(NearDuplicates.DEFAULT_COMPONENTS), constants.number(1), constants.number(2));
            assert checked.bands() > 0;
        }
    },
    INFO(
            "perhaps_info",
            List.of(needed("frame")),
            DataTypes.StringType,
            "Returns what a frame is, as JSON: its kind, key, size, what it was planned for and its current error. A filter"
                    + " that holds more than it was planned for has overfilled: true.",
            "> SELECT get_json_object(perhaps_info(perhaps_filter(id)), '$.kind') FROM range(100) AS t(id);\n       bloom") {
        @Override
        Object apply(ScalarCall call, Object[] arguments) {
            Description description = call.sketch((byte[]) arguments[0]).describe();
            StringBuilder json =
                    new StringBuilder("{\"kind\":\"" + description.kind().word() + "\"");
            for (Description.Fact fact : description.facts()) {
                json.append(",\"").append(fact.name()).append("\":").append(json(fact.value()));
            }
            return UTF8String.fromString(json.append('}').toString());
        }

        @Override
        void checkFrame(ScalarCall call, byte[] frame) {
            call.sketch(frame);
        }
    };

    private final String sqlName;

    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    private final List<Parameter> parameters;

    @SuppressWarnings("ImmutableEnumChecker") // types of Spark are immutable
    private final DataType dataType;

    private final String usage;
    private final String examples;

    ScalarFunctions(String sqlName, List<Parameter> parameters, DataType dataType, String usage, String examples) {
        this.sqlName = sqlName;
        this.parameters = parameters;
        this.dataType = dataType;
        this.usage = usage;
        this.examples = examples;
    }

    /** The result for arguments that are not null. */
    abstract @Nullable Object apply(ScalarCall call, Object[] arguments);

    /** Refuses a frame of which this function cannot tell anything. */
    void checkFrame(ScalarCall call, byte[] frame) {}

    void checkTypes(ScalarCall call, List<Expression> children) {}

    /** Refuses arguments of wrong types. */
    void check(ScalarCall call, List<Expression> children) {
        frame(call.type(0));
        checkTypes(call, children);
    }

    /** Refuses a constant frame that does not fit. */
    final void checkFrame(ScalarCall call, List<Expression> children) {
        Expression frame = children.get(0);
        boolean isNull = children.size() > 1 && call.type(1) instanceof NullType;
        if (!isNull && frame.foldable() && frame.eval(null) instanceof byte[] bytes) {
            checkFrame(call, bytes);
        }
    }

    final String sqlName() {
        return sqlName;
    }

    final DataType dataType() {
        return dataType;
    }

    final List<Parameter> parameters() {
        return parameters;
    }

    final SqlFunction described() {
        return new SqlFunction(
                sqlName,
                parameters,
                usage,
                examples,
                SqlFunction.SCALARS,
                children -> new SketchFunction(this, ScalaSeqs.of(children), hasConstantFrame(children)));
    }

    /** True if the frame is a constant in the query itself, so that it is checked while the query is analyzed. */
    private static boolean hasConstantFrame(List<Expression> children) {
        return children.get(0).resolved() && children.get(0).foldable();
    }

    private static void frame(DataType type) {
        if (!(type instanceof BinaryType) && !(type instanceof NullType)) {
            throw new IllegalArgumentException("a frame of Perhaps is BINARY, got a " + ColumnKey.sql(type));
        }
    }

    private static void value(DataType type) {
        if (!(type instanceof NullType)) {
            ColumnKey key = ColumnKey.of(type, "", 0);
            assert !key.key().name().isEmpty();
        }
    }

    private static void numeric(String name, DataType type) {
        if (!(type instanceof NumericType)) {
            throw new IllegalArgumentException(
                    "the parameter '" + name + "' must be a number, got a " + ColumnKey.sql(type));
        }
    }

    private static double number(Object value) {
        return value instanceof Decimal decimal ? decimal.toDouble() : ((Number) value).doubleValue();
    }

    @CanIgnoreReturnValue
    private static RangeCounts ranges(ScalarCall call, byte[] frame) {
        Sketch sketch = call.sketch(frame);
        if (sketch instanceof RangeCounts ranges) {
            return ranges;
        }
        throw new IllegalArgumentException(
                "the frame holds a " + sketch.kind() + ", which does not count ranges: use perhaps_ranges");
    }

    @CanIgnoreReturnValue
    private static Signature signature(Sketch sketch) {
        if (sketch instanceof Signatures signatures && signatures.count() == 1) {
            return signatures.get(0);
        }
        throw new IllegalArgumentException("the frame holds a " + sketch.kind() + ", which is not one signature");
    }

    private static IllegalArgumentException countsNothing(Sketch sketch) {
        return new IllegalArgumentException("the frame holds a " + sketch.kind()
                + ", which does not count single values: use perhaps_count, perhaps_top or a counting filter");
    }

    private static InternalRow counted(long estimate, Bound bound) {
        return counted(estimate, Math.max(0, estimate - (long) Math.ceil(bound.error())), estimate, bound.confidence());
    }

    private static InternalRow counted(long estimate, long atLeast, long atMost, double confidence) {
        return row((Object) estimate, (Object) atLeast, (Object) atMost, (Object) confidence);
    }

    private static InternalRow row(Object... values) {
        return new GenericInternalRow(values);
    }

    private static StructType countType() {
        return struct(
                field("estimate", DataTypes.LongType),
                field("at_least", DataTypes.LongType),
                field("at_most", DataTypes.LongType),
                field("confidence", DataTypes.DoubleType));
    }

    private static StructType struct(StructField... fields) {
        return new StructType(fields);
    }

    private static StructField field(String name, DataType type) {
        return new StructField(name, type, false, Metadata.empty());
    }

    private static String json(Object value) {
        if (!(value instanceof String text)) {
            return value.toString();
        }
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append("\\u%04x".formatted((int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
