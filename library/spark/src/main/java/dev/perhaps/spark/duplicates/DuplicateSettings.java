package dev.perhaps.spark.duplicates;

import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.duplicates.DuplicateRule;
import dev.perhaps.similarity.duplicates.NearDuplicates;
import java.io.Serializable;

/** What was asked for, as tasks receive it; each makes a rule of its own from it. Immutable. */
public record DuplicateSettings(
        double threshold,
        double recall,
        int components,
        String shingles,
        long seed,
        boolean isStar,
        boolean isFirstKept)
        implements Serializable {
    private static final long serialVersionUID = 1;

    /** The defaults of the library. */
    public static DuplicateSettings of(double threshold) {
        Shingles shingles = Shingles.codePoints();
        return new DuplicateSettings(
                threshold,
                NearDuplicates.DEFAULT_RECALL,
                NearDuplicates.DEFAULT_COMPONENTS,
                shingles.key().name(),
                shingles.seed(),
                false,
                false);
    }

    public DuplicateSettings withThreshold(double other) {
        return new DuplicateSettings(other, recall, components, shingles, seed, isStar, isFirstKept);
    }

    public DuplicateSettings withRecall(double other) {
        return new DuplicateSettings(threshold, other, components, shingles, seed, isStar, isFirstKept);
    }

    public DuplicateSettings withComponents(int other) {
        return new DuplicateSettings(threshold, recall, other, shingles, seed, isStar, isFirstKept);
    }

    public DuplicateSettings withShingles(Shingles other) {
        return new DuplicateSettings(
                threshold, recall, components, other.key().name(), other.seed(), isStar, isFirstKept);
    }

    public DuplicateSettings inStars() {
        return new DuplicateSettings(threshold, recall, components, shingles, seed, true, isFirstKept);
    }

    public DuplicateSettings keepingFirst() {
        return new DuplicateSettings(threshold, recall, components, shingles, seed, isStar, true);
    }

    /** The search of the library that gives the same on one machine. */
    public NearDuplicates search() {
        NearDuplicates search = NearDuplicates.atLeast(threshold)
                .components(components)
                .recall(recall)
                .shingles(Shingles.named(shingles, seed))
                .threads(1);
        search = isStar ? search.stars() : search;
        return isFirstKept ? search.keepFirst() : search;
    }

    DuplicateRule rule() {
        return search().rule();
    }
}
