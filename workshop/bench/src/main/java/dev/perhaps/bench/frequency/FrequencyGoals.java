package dev.perhaps.bench.frequency;

import static dev.perhaps.bench.frequency.CountRows.BATCHES;
import static dev.perhaps.bench.frequency.CountRows.CONSERVATIVE;
import static dev.perhaps.bench.frequency.CountRows.PLAIN;
import static dev.perhaps.bench.frequency.CountRows.SPARK;
import static dev.perhaps.bench.frequency.CountRows.STREAM_LIB;
import static dev.perhaps.bench.frequency.CountRows.name;

import dev.perhaps.bench.Fact;
import dev.perhaps.bench.Goal;
import dev.perhaps.bench.Goal.AtLeast;
import dev.perhaps.bench.Goal.Faster;
import dev.perhaps.bench.Goal.Less;
import dev.perhaps.bench.Goal.Level;
import dev.perhaps.bench.Goal.NoLess;
import dev.perhaps.bench.Goal.NoWorse;
import dev.perhaps.bench.Measure;
import java.util.ArrayList;
import java.util.List;

/** The goals of the sketches of counts. */
final class FrequencyGoals {
    private FrequencyGoals() {}

    static List<Goal> all() {
        List<Goal> goals = new ArrayList<>();
        for (CountRows.Shape shape : CountRows.shapes()) {
            goals.addAll(counting(shape));
        }
        for (long bytes : TopRows.sizes()) {
            String top = TopRows.name(TopRows.TOP, bytes);
            String peer = TopRows.name(TopRows.LONGS_SKETCH, bytes);
            goals.add(new Level(top, Measure.ADD, peer));
            goals.add(new NoLess(top, Fact.RECALL, peer));
        }
        goals.add(new AtLeast(TopRows.name(TopRows.TINY, TopRows.TINY_BYTES), Fact.RECALL, 0.9));
        return goals;
    }

    private static List<Goal> counting(CountRows.Shape shape) {
        String plain = name(PLAIN, shape);
        String conservative = name(CONSERVATIVE, shape);
        String batches = name(BATCHES, shape);
        // Where the counters are in the caches there is nothing to wait for: batches must not be slower.
        Goal inBatches = new Faster(batches, Measure.ESTIMATE, plain, shape.width() > CountRows.CACHED_WIDTH ? 1.3 : 1);
        if (shape.width() == CountRows.WIDTH_IN_MEMORY) {
            return List.of(inBatches);
        }
        return List.of(
                inBatches,
                new Faster(plain, Measure.ADD, name(SPARK, shape), 1.3),
                new Faster(plain, Measure.ESTIMATE, name(SPARK, shape), 1.3),
                new Faster(plain, Measure.ADD, name(STREAM_LIB, shape), 4),
                new NoWorse(plain, Fact.MEAN_OVER, name(SPARK, shape)),
                new NoWorse(plain, Fact.MAX_OVER, name(SPARK, shape)),
                new Less(conservative, Fact.MEAN_OVER, plain, 0.6),
                new Faster(conservative, Measure.ADD, plain, 0.5));
    }
}
