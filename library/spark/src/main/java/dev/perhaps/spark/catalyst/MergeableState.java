package dev.perhaps.spark.catalyst;

import dev.perhaps.frequency.CountMin;
import dev.perhaps.frequency.Distinct;
import dev.perhaps.frequency.RangeCounts;
import dev.perhaps.membership.FilterPlan;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.sketch.Mergeable;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.util.function.Supplier;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Fills a structure that is the same whatever the order: partial ones are merged. */
final class MergeableState<S extends Sketch> extends SketchState.Batches {
    private static final Logger LOG = LoggerFactory.getLogger(MergeableState.class);

    /** What is handed to the structure for values: their hashes, or the values themselves, which are numbers. */
    private record Numbers(ColumnKey key, boolean areHashed) {
        long of(Object value) {
            return areHashed ? key.hash(value) : ColumnKey.number(value);
        }

        int of(ColumnVector column, int rows, long[] into) {
            return areHashed ? key.hashes(column, rows, into) : key.numbers(column, rows, into);
        }
    }

    interface Reader<S> {
        S read(byte[] bytes) throws IOException;
    }

    interface Sink<S> {
        void add(S sketch, long[] numbers, int count);
    }

    private final Numbers numbers;
    private final Supplier<S> empty;
    private final Reader<S> reader;
    private final Sink<S> sink;

    private @Nullable S sketch;

    private MergeableState(Numbers numbers, Supplier<S> empty, Reader<S> reader, Sink<S> sink) {
        this.numbers = numbers;
        this.empty = empty;
        this.reader = reader;
        this.sink = sink;
    }

    static Recipe filter(ColumnKey key, FilterPlan.Fillable<?> plan, Reader<HashFilter.Adds<?>> reader) {
        return () -> new MergeableState<HashFilter.Adds<?>>(
                new Numbers(key, true), plan::build, reader, (filter, hashes, count) -> {
                    if (filter.addHashes(hashes, 0, count) < count) {
                        throw new IllegalStateException("the " + filter.kind() + " filter is full: it was planned for "
                                + filter.sizing().items()
                                + " items; give more items, or none to size it from the data");
                    }
                });
    }

    static Recipe counts(ColumnKey key, CountMin.Plan<?> plan) {
        return () -> new MergeableState<CountMin<?>>(
                new Numbers(key, true),
                plan::build,
                bytes -> CountMin.fromBytes(bytes, key.key()),
                (counts, hashes, count) -> counts.addHashes(hashes, 0, count));
    }

    static Recipe distinct(ColumnKey key, Distinct.Plan<?> plan) {
        return () -> new MergeableState<Distinct<?>>(
                new Numbers(key, true),
                plan::build,
                bytes -> Distinct.fromBytes(bytes, key.key()),
                (distinct, hashes, count) -> distinct.addHashes(hashes, 0, count));
    }

    static Recipe ranges(ColumnKey key, RangeCounts.Plan plan) {
        return () -> new MergeableState<>(
                new Numbers(key, false), plan::build, RangeCounts::fromBytes, (ranges, values, count) -> {
                    for (int i = 0; i < count; i++) {
                        ranges.add(values[i]);
                    }
                });
    }

    @Override
    long number(Object value) {
        return numbers.of(value);
    }

    @Override
    int numbers(ColumnVector column, int rows, long[] into) {
        return numbers.of(column, rows, into);
    }

    private S sketch() {
        S known = sketch;
        if (known == null) {
            known = empty.get();
            sketch = known;
        }
        return known;
    }

    @Override
    void take(long[] numbers, int count) {
        sink.add(sketch(), numbers, count);
    }

    @Override
    @SuppressWarnings("unchecked") // both are of one recipe
    void mergeContent(SketchState other) {
        S that = ((MergeableState<S>) other).sketch();
        if (sketch == null) {
            sketch = that;
        } else {
            ((Mergeable<S>) sketch).merge(that);
        }
    }

    @Override
    byte[] content() {
        S known = sketch();
        if (known instanceof HashFilter<?> filter && filter.overfilled()) {
            LOG.warn(
                    "a {} filter is overfilled: planned for {} items, it holds {}, and its false positive rate is {}",
                    filter.kind(),
                    filter.sizing().items(),
                    filter.itemsNow(),
                    filter.errorNow());
        }
        return known.toBytes();
    }

    @Override
    void loadContent(byte[] bytes) throws IOException {
        sketch = reader.read(bytes);
    }
}
