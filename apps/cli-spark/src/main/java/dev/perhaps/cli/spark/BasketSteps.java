package dev.perhaps.cli.spark;

import static org.apache.spark.sql.functions.col;

import dev.perhaps.cli.engine.BasketSource;
import dev.perhaps.cli.engine.Engine;
import dev.perhaps.cli.input.BadRecords;
import dev.perhaps.cli.input.BasketForm;
import dev.perhaps.cli.input.BasketItems;
import dev.perhaps.spark.CorrelatedItemSearch;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.CollectionAccumulator;
import org.jspecify.annotations.Nullable;

/** The correlated items of some inputs, by the library's search on Spark. Names are bytes, as they came. */
final class BasketSteps {
    private static final StructType BASKET =
            new StructType().add("items", DataTypes.createArrayType(DataTypes.BinaryType, false), false);

    private final SparkSession session;
    private final BasketSource source;
    private final List<Split> splits;
    private final Engine.ItemSearch search;

    BasketSteps(SparkSession session, BasketSource source, List<Split> splits, Engine.ItemSearch search) {
        this.session = session;
        this.source = source;
        this.splits = splits;
        this.search = search;
    }

    /** What a task found, and the number of its baskets with an item. A task that runs again finds the same. */
    private record ReadSplit(Found found, long baskets) implements Serializable {
        private static final long serialVersionUID = 1;
    }

    Engine.ItemPairs run() {
        BasketSource source = this.source;
        CollectionAccumulator<ReadSplit> read = session.sparkContext().collectionAccumulator("baskets");
        JavaRDD<Row> rows = JavaSparkContext.fromSparkContext(session.sparkContext())
                .parallelize(splits, Math.max(1, splits.size()))
                .flatMap(split -> baskets(split, source, read));
        Dataset<Row> baskets = session.createDataFrame(rows, BASKET);
        CorrelatedItemSearch plan = CorrelatedItemSearch.of(baskets, "items")
                .threshold(search.threshold())
                .components(search.components());
        plan = search.lecture() ? plan.lecture() : plan.recall(search.recall());
        CorrelatedItemSearch.Result found = plan.run();
        Map<Integer, ReadSplit> bySplit = new TreeMap<>();
        read.value().forEach(each -> bySplit.put(each.found.split(), each));
        return new Pairs(
                found,
                bySplit.values().stream().mapToLong(ReadSplit::baskets).sum(),
                Found.all(bySplit.values().stream().map(ReadSplit::found).toList()));
    }

    /** The baskets of a split, which are held until they are on their way. */
    private static Iterator<Row> baskets(Split split, BasketSource source, CollectionAccumulator<ReadSplit> read)
            throws IOException {
        List<String> problems = new ArrayList<>();
        List<String> warnings = new ArrayList<>();
        BadRecords bad = source.bad(problems::add);
        BasketForm form = source.form(bad, warnings::add);
        List<Row> rows = new ArrayList<>();
        List<byte[]> items = new ArrayList<>();
        split.read((name, in) -> form.read(name, in, new BasketForm.Sink() {
            @Override
            public void item(byte[] bytes, int from, int to) {
                items.add(Arrays.copyOfRange(bytes, from, to));
            }

            @Override
            public void end(String input, long line) {
                if (source.inColumns()) {
                    items.forEach(item -> BasketItems.checkName(item, input, line));
                }
                if (!items.isEmpty()) {
                    rows.add(RowFactory.create((Object) items.toArray(new byte[0][])));
                }
                items.clear();
            }
        }));
        Found found = new Found(split.number(), 0, bad.count(), List.copyOf(problems), List.copyOf(warnings));
        read.add(new ReadSplit(found, rows.size()));
        return rows.iterator();
    }

    /** The pairs, held by the cluster. */
    private static final class Pairs implements Engine.ItemPairs {
        private final CorrelatedItemSearch.Result found;
        private final long baskets;
        private final Engine.Findings findings;
        private CorrelatedItemSearch.@Nullable PairCount counted;

        Pairs(CorrelatedItemSearch.Result found, long baskets, Engine.Findings findings) {
            this.found = found;
            this.baskets = baskets;
            this.findings = findings;
        }

        @Override
        public long baskets() {
            return baskets;
        }

        @Override
        public long items() {
            return found.items();
        }

        @Override
        public long count() {
            return counted().found();
        }

        @Override
        public double missedShare() {
            return counted().missedShare();
        }

        private CorrelatedItemSearch.PairCount counted() {
            if (counted == null) {
                counted = found.pairCount();
            }
            return counted;
        }

        @Override
        public Engine.Findings findings() {
            return findings;
        }

        @Override
        public void each(long most, Sink sink) throws IOException {
            Dataset<Row> sorted = found.pairs()
                    .select("a", "b", "jaccard", "support_a", "support_b", "common")
                    .orderBy(col("jaccard").desc(), col("a"), col("b"));
            try {
                Iterator<Row> pairs = (most <= Integer.MAX_VALUE ? sorted.limit((int) most) : sorted).toLocalIterator();
                while (pairs.hasNext()) {
                    Row pair = pairs.next();
                    sink.pair(
                            pair.getAs(0),
                            pair.getAs(1),
                            pair.getDouble(2),
                            pair.getInt(3),
                            pair.getInt(4),
                            pair.getInt(5));
                }
            } catch (Exception e) { // Scala declares nothing
                throw SparkEngine.failure(e);
            }
        }

        @Override
        public void close() {
            found.close();
        }
    }
}
