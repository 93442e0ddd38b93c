package dev.perhaps.spark.baskets;

import dev.perhaps.similarity.baskets.CorrelatedItems;
import java.io.Serializable;

/** What was asked for, as tasks receive it; each makes a rule of its own from it. Immutable. */
public record ItemSettings(double threshold, double recall, int components) implements Serializable {
    private static final long serialVersionUID = 1;

    /** The defaults of the library. */
    public static ItemSettings of(double threshold) {
        return new ItemSettings(threshold, CorrelatedItems.DEFAULT_RECALL, CorrelatedItems.DEFAULT_COMPONENTS);
    }

    public ItemSettings withRecall(double other) {
        return new ItemSettings(threshold, other, components);
    }

    public ItemSettings withComponents(int other) {
        return new ItemSettings(threshold, recall, other);
    }

    /** The search of the library that gives the same on one machine. */
    public CorrelatedItems search() {
        return CorrelatedItems.atLeast(threshold).components(components).recall(recall);
    }

    /** Refuses what no search can have. */
    public void checkEach() {
        CorrelatedItems valid = search();
        assert valid != null;
    }

    CorrelatedItems.Rule rule() {
        return search().rule();
    }
}
