package dev.perhaps.spark.catalyst;

import static dev.perhaps.spark.catalyst.Parameter.needed;
import static dev.perhaps.spark.catalyst.Parameter.optional;

import dev.perhaps.Perhaps;
import dev.perhaps.frequency.CountMin;
import dev.perhaps.frequency.Distinct;
import dev.perhaps.frequency.RangeCounts;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BlockedBloom;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.CountingBloom;
import dev.perhaps.membership.CuckooFilter;
import dev.perhaps.membership.FilterPlan;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.membership.QuotientFilter;
import dev.perhaps.membership.QuotientSet;
import dev.perhaps.similarity.duplicates.NearDuplicates;
import dev.perhaps.sketch.Kind;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.jspecify.annotations.Nullable;

/** The aggregate functions: their parameters, and what they build. */
enum AggregateFunctions {
    FILTER(
            "perhaps_filter",
            List.of(
                    needed("value"),
                    optional("kind", Kind.BLOOM.word()),
                    optional("items", null),
                    optional("fpp", FilterPlan.DEFAULT_FALSE_POSITIVES),
                    optional("key", ""),
                    optional("seed", Key.DEFAULT_SEED)),
            "Returns a filter of the values: a set that never misses a value it holds, as BINARY. `kind` is bloom,"
                    + " blocked, scalable, counting, counting2, quotient, cuckoo or fuse; `items` the number of different"
                    + " values (default: counted first); `fpp` the false positive rate. Nulls are not added.",
            """
            > SELECT perhaps_might_contain(perhaps_filter(id), 7L) FROM range(100) AS t(id);
                   true
                  > SELECT length(perhaps_filter(id, kind => 'fuse', fpp => 0.001)) > 0 FROM range(100) AS t(id);
                   true""") {
        @Override
        Recipe recipe(DataType type, Arguments arguments) {
            Kind kind = filterKind(arguments.text(1));
            boolean isSized = arguments.isGiven(2);
            long items = isSized ? arguments.whole(2) : 1;
            double fpp = arguments.number(3);
            ColumnKey key = ColumnKey.of(type, arguments.text(4), arguments.whole(5));
            FilterPlan<?> plan = plan(kind, items, fpp, key.key());
            fits("filter", plan.sizing().bytes(), "a higher fpp");
            if (isSized && plan instanceof FilterPlan.Fillable<?> fillable) {
                MergeableState.Reader<HashFilter.Adds<?>> reader = reader(kind, key.key());
                if (reader != null) {
                    return MergeableState.filter(key, fillable, reader);
                }
            }
            boolean copiesCount = kind == Kind.COUNTING || kind == Kind.COUNTING2;
            int most = (int) Math.min(MOST_GATHERED_IF_SIZED, Math.max(MOST_GATHERED, isSized ? items : 0));
            return () -> new GatheredHashes(
                    key,
                    copiesCount,
                    most,
                    (hashes, distinct) -> plan(kind, isSized ? items : Math.max(1, distinct), fpp, key.key())
                            .buildFrom(hashes)
                            .toBytes());
        }
    },
    COUNT(
            "perhaps_count",
            List.of(
                    needed("value"),
                    optional("epsilon", 0.001),
                    optional("confidence", 0.99),
                    optional("key", ""),
                    optional("seed", Key.DEFAULT_SEED)),
            "Returns a Count-Min sketch of the values, as BINARY: perhaps_estimate tells how often a value came, too high"
                    + " by at most `epsilon` of the number of rows, with this `confidence`.",
            "> SELECT perhaps_estimate(perhaps_count(id % 10), 7L).estimate FROM range(100) AS t(id);\n       10") {
        @Override
        Recipe recipe(DataType type, Arguments arguments) {
            ColumnKey key = ColumnKey.of(type, arguments.text(3), arguments.whole(4));
            CountMin.Plan<?> plan = CountMin.within(arguments.number(1))
                    .confidence(arguments.number(2))
                    .of(key.key());
            fits("sketch", plan.sizing().bytes(), "a larger epsilon");
            return MergeableState.counts(key, plan);
        }
    },
    TOP(
            "perhaps_top",
            List.of(needed("value"), optional("k", 100), optional("key", ""), optional("seed", Key.DEFAULT_SEED)),
            "Returns the `k` most frequent values, as BINARY: perhaps_top_values lists them, each with two counts that its"
                    + " true count is between.",
            "> SELECT perhaps_top_values(perhaps_top(id % 3, 1))[0].value FROM range(100) AS t(id);\n       0") {
        @Override
        Recipe recipe(DataType type, Arguments arguments) {
            ColumnKey key = ColumnKey.of(type, arguments.text(2), arguments.whole(3));
            int k = arguments.wholeInt(1);
            return () -> new TopState(key, k);
        }
    },
    RANGES(
            "perhaps_ranges",
            List.of(
                    needed("value"),
                    optional("epsilon", 0.01),
                    optional("confidence", 0.99),
                    optional("bits", Long.SIZE),
                    optional("seed", Key.DEFAULT_SEED)),
            "Returns counts of ranges of whole numbers, dates (days) or timestamps (microseconds), as BINARY, for"
                    + " perhaps_range and perhaps_quantile. With `bits` below 64 the numbers"
                    + " are 0 to 2^bits - 1, and the sketch is smaller: 12 MB for 32 bits instead of 66 MB at `epsilon` 0.01.",
            "> SELECT perhaps_quantile(perhaps_ranges(id, bits => 8), 0.5) FROM range(100) AS t(id);\n       49") {
        @Override
        Recipe recipe(DataType type, Arguments arguments) {
            ColumnKey key = ColumnKey.of(type, "", arguments.whole(4));
            if (!key.isNumber()) {
                throw new IllegalArgumentException("ranges are of whole numbers, dates and timestamps, got a "
                        + ColumnKey.sql(type) + ": cast the column to BIGINT");
            }
            @SuppressWarnings("unchecked") // the key of numbers
            Key<Long> numbers = (Key<Long>) key.key();
            RangeCounts.Plan plan = RangeCounts.within(arguments.number(1))
                    .confidence(arguments.number(2))
                    .universe(arguments.wholeInt(3))
                    .of(numbers);
            fits("sketch", plan.sizing().bytes(), "a larger epsilon");
            return MergeableState.ranges(key, plan);
        }
    },
    DISTINCT(
            "perhaps_distinct",
            List.of(needed("value"), optional("error", 0.01), optional("key", ""), optional("seed", Key.DEFAULT_SEED)),
            "Returns a sketch of the number of different values, as BINARY: perhaps_distinct_estimate tells it with a"
                    + " standard error of `error`.",
            "> SELECT round(perhaps_distinct_estimate(perhaps_distinct(id % 10)).estimate) FROM range(100) AS t(id);\n"
                    + "       10.0") {
        @Override
        Recipe recipe(DataType type, Arguments arguments) {
            ColumnKey key = ColumnKey.of(type, arguments.text(2), arguments.whole(3));
            return MergeableState.distinct(
                    key, Distinct.within(arguments.number(1)).of(key.key()));
        }
    },
    MINHASH(
            "perhaps_minhash_agg",
            List.of(
                    needed("item"),
                    optional("components", NearDuplicates.DEFAULT_COMPONENTS),
                    optional("key", ""),
                    optional("seed", Key.DEFAULT_SEED)),
            "Returns the MinHash signature of the set of items, as BINARY: perhaps_jaccard compares two of them. The"
                    + " signature of a text is perhaps_minhash.",
            "> SELECT perhaps_jaccard(perhaps_minhash_agg(id), perhaps_minhash_agg(id)) FROM range(9) AS t(id);\n"
                    + "       1.0") {
        @Override
        Recipe recipe(DataType type, Arguments arguments) {
            ColumnKey key = ColumnKey.of(type, arguments.text(2), arguments.whole(3));
            int components = arguments.wholeInt(1);
            return () -> new MinHashState(key, components);
        }
    },
    MERGE(
            "perhaps_merge",
            List.of(needed("frame")),
            "Merges stored frames of one kind, key and shape: bloom, blocked, counting, counting2, quotient, count, ranges,"
                    + " top, distinct, minhash and others that can be merged. Returns null if there is none.",
            "> SELECT perhaps_might_contain(perhaps_merge(f), 7L) FROM (SELECT perhaps_filter(id, items => 10) AS f FROM"
                    + " range(10) AS t(id) GROUP BY id % 3);\n       true") {
        @Override
        Recipe recipe(DataType type, Arguments arguments) {
            if (!(type instanceof BinaryType)) {
                throw new IllegalArgumentException("frames are BINARY, got a " + ColumnKey.sql(type));
            }
            return MergeState::new;
        }
    };

    /** A value of a column is an array: the rest is for the header. */
    private static final long MAX_FRAME_BYTES = Integer.MAX_VALUE - 4096L;

    /** 8 bytes each, and twice that for the table in which they are looked up. */
    private static final int MOST_GATHERED = 1 << 25;

    private static final int MOST_GATHERED_IF_SIZED = 1 << 27;

    private final String sqlName;

    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    private final List<Parameter> parameters;

    private final String usage;
    private final String examples;

    AggregateFunctions(String sqlName, List<Parameter> parameters, String usage, String examples) {
        this.sqlName = sqlName;
        this.parameters = parameters;
        this.usage = usage;
        this.examples = examples;
    }

    abstract Recipe recipe(DataType type, Arguments arguments);

    final Recipe recipe(List<Expression> children) {
        return recipe(children.get(0).dataType(), new Arguments(parameters, children));
    }

    final SqlFunction described() {
        return new SqlFunction(
                sqlName,
                parameters,
                usage,
                examples,
                SqlFunction.AGGREGATES,
                children -> new SketchAggregate(sqlName, ScalaSeqs.of(children), 0, 0));
    }

    static AggregateFunctions named(String sqlName) {
        for (AggregateFunctions function : values()) {
            if (function.sqlName.equals(sqlName)) {
                return function;
            }
        }
        throw new IllegalArgumentException("there is no aggregate " + sqlName);
    }

    private static Kind filterKind(String word) {
        for (Kind kind : Perhaps.filterKinds()) {
            // Items of an expiring filter have a time, and a column of keys has none.
            if (kind.word().equals(word) && kind != Kind.EXPIRING) {
                return kind;
            }
        }
        throw new IllegalArgumentException("there is no filter of kind '" + word + "' in SQL: use "
                + String.join(
                        ", ",
                        Perhaps.filterKinds().stream()
                                .filter(kind -> kind != Kind.EXPIRING)
                                .map(Kind::word)
                                .toList()));
    }

    /** The plan of a set of keys; only counting filters count copies. */
    static FilterPlan<?> plan(Kind kind, long items, double fpp, Key<?> key) {
        FilterPlan<String> plan = Perhaps.planFilter(kind, items);
        if (plan instanceof CuckooFilter.Plan<String> cuckoo) {
            plan = cuckoo.asSet();
        } else if (plan instanceof QuotientFilter.Plan<String> quotient) {
            plan = quotient.asSet();
        }
        return plan.falsePositives(fpp).of(key);
    }

    /** Reads a partial filter of a kind that can be merged; null if it cannot. */
    private static MergeableState.@Nullable Reader<HashFilter.Adds<?>> reader(Kind kind, Key<?> key) {
        return switch (kind) {
            case BLOOM -> bytes -> BloomFilter.fromBytes(bytes, key);
            case BLOCKED -> bytes -> BlockedBloom.fromBytes(bytes, key);
            case COUNTING, COUNTING2 -> bytes -> CountingBloom.fromBytes(bytes, key);
            case QUOTIENT -> bytes -> QuotientSet.fromBytes(bytes, key);
            default -> null;
        };
    }

    private static void fits(String what, long bytes, String allow) {
        if (bytes > MAX_FRAME_BYTES) {
            throw new IllegalArgumentException(
                    "a " + what + " of " + bytes + " bytes does not fit into a column, which holds" + " at most "
                            + MAX_FRAME_BYTES + ": allow " + allow + ", or group by a part of the key");
        }
    }
}
