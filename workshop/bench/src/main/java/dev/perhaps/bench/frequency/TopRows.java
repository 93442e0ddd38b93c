package dev.perhaps.bench.frequency;

import dev.perhaps.bench.Entrant;
import dev.perhaps.bench.FreshClass;
import dev.perhaps.bench.Measure;
import dev.perhaps.io.Figures;
import java.util.List;

/** The rows for top lists, ours and those of other libraries, all in the same number of bytes. */
public final class TopRows {
    public static final int K = 100;

    /** The memory of the tiny list. */
    static final long TINY_BYTES = 5_120;

    static final String TOP = "top";
    static final String TINY = "tiny-top";
    static final String LONGS_SKETCH = "LongsSketch";
    static final String ITEMS_SKETCH = "ItemsSketch";
    static final String STREAM_SUMMARY = "StreamSummary";

    private TopRows() {}

    /** Tiny; a LongsSketch with a map of 1,024; one with a map of 131,072, which no cache of a core holds. */
    static List<Long> sizes() {
        return List.of(
                TINY_BYTES, 1_024L * TopLoops.LONGS_SKETCH_SLOT_BYTES, 131_072L * TopLoops.LONGS_SKETCH_SLOT_BYTES);
    }

    static List<Entrant<long[]>> of(long bytes) {
        return List.of(
                row(TOP, bytes, TopLoops.Ours.class),
                row(TINY, bytes, TopLoops.Tiny.class),
                row(LONGS_SKETCH, bytes, TopLoops.Longs.class),
                row(ITEMS_SKETCH, bytes, TopLoops.Items.class),
                row(STREAM_SUMMARY, bytes, TopLoops.Summary.class));
    }

    private static Entrant<long[]> row(String name, long bytes, Class<? extends TopList> loops) {
        return Entrant.of(name(name, bytes), FreshClass.of(loops, K, bytes)).only(Measure.ADD);
    }

    /** The name of a row among those of all sizes. */
    static String name(String row, long bytes) {
        return row + ", " + Figures.count(bytes) + " bytes";
    }
}
