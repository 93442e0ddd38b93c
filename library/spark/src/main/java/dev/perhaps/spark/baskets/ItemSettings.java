package dev.perhaps.spark.baskets;

import dev.perhaps.similarity.baskets.CorrelatedItems;
import java.io.Serializable;

/** What was asked for, as tasks receive it; each makes a rule of its own from it. Immutable. */
public record ItemSettings(double threshold, double recall, int components, boolean isLecture) implements Serializable {
    private static final long serialVersionUID = 1;

    /** The defaults of the library. */
    public static ItemSettings of(double threshold) {
        return new ItemSettings(threshold, CorrelatedItems.DEFAULT_RECALL, CorrelatedItems.DEFAULT_COMPONENTS, false);
    }

    public ItemSettings withRecall(double other) {
        return new ItemSettings(threshold, other, components, false);
    }

    public ItemSettings withThreshold(double other) {
        return new ItemSettings(other, recall, components, isLecture);
    }

    public ItemSettings byTheLecture() {
        return new ItemSettings(threshold, recall, components, true);
    }

    public ItemSettings withComponents(int other) {
        return new ItemSettings(threshold, recall, other, isLecture);
    }

    /** The search of the library that gives the same on one machine. */
    public CorrelatedItems search() {
        CorrelatedItems search = CorrelatedItems.atLeast(threshold).components(components);
        return isLecture ? search.lecture() : search.recall(recall);
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
