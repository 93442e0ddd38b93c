package dev.perhaps.bench.frequency;

import dev.perhaps.bench.Entrant;
import dev.perhaps.bench.FreshClass;
import dev.perhaps.bench.Measure;
import dev.perhaps.frequency.CountMin;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;

/** The rows for counts: Count-Min sketches, ours and those of other libraries, all of the same shape. */
final class CountRows {
    /** The number of counters per row, and the number of rows. */
    record Shape(int width, int depth) {
        @Override
        public String toString() {
            return Figures.count(width) + " × " + depth;
        }
    }

    /** The width of the shapes that the caches of a core hold. */
    static final int CACHED_WIDTH = 65_536;

    /**
     * Four rows of this width take 64 MiB, more than the last-level cache of most machines: batches are measured there.
     */
    static final int WIDTH_IN_MEMORY = 1 << 22;

    static final String PLAIN = "count";
    static final String BATCHES = "count, batches";
    static final String CONSERVATIVE = "count, conservative";
    static final String CONCURRENT = "count, concurrent";
    static final String SPARK = "Spark";
    static final String STREAM_LIB = "stream-lib";

    private CountRows() {}

    /**
     * One that the caches of a core hold, and one that they do not; four rows, and the five of 99 %. And one that no
     * cache holds.
     */
    static List<Shape> shapes() {
        return List.of(
                new Shape(CACHED_WIDTH, 4),
                new Shape(CACHED_WIDTH, 5),
                new Shape(1 << 20, 4),
                new Shape(1 << 20, 5),
                new Shape(WIDTH_IN_MEMORY, 4));
    }

    static List<Entrant<long[]>> of(Shape shape) {
        Entrant<long[]> plain = own(PLAIN, shape, CountLoops.Ours.class, plan -> plan);
        Entrant<long[]> batches = own(BATCHES, shape, CountLoops.OursInBatches.class, plan -> plan);
        if (shape.width() == WIDTH_IN_MEMORY) {
            return List.of(plain, batches);
        }
        return List.of(
                plain,
                batches,
                own(CONSERVATIVE, shape, CountLoops.Ours.class, CountMin.Plan::conservative),
                own(CONCURRENT, shape, CountLoops.Ours.class, CountMin.Plan::concurrent),
                row(SPARK, shape, FreshClass.of(CountLoops.Spark.class, shape.width(), shape.depth())),
                row(STREAM_LIB, shape, FreshClass.of(CountLoops.StreamLib.class, shape.width(), shape.depth())));
    }

    private static Entrant<long[]> own(
            String name, Shape shape, Class<? extends EventCounts> loops, UnaryOperator<CountMin.Plan<Long>> mode) {
        LongFunction<CountMin<Long>> empty = seed -> mode.apply(CountMin.ofWidth(shape.width())
                        .depth(shape.depth())
                        .of(Key.longs().seeded(seed)))
                .build();
        return row(name, shape, FreshClass.of(loops, empty));
    }

    private static Entrant<long[]> row(String name, Shape shape, FreshClass.Maker<long[]> maker) {
        return Entrant.of(name(name, shape), maker).only(Measure.ADD, Measure.ESTIMATE);
    }

    /** The name of a row among those of all shapes. */
    static String name(String row, Shape shape) {
        return row + ", " + shape;
    }
}
