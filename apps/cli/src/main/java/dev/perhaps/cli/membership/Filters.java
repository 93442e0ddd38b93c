package dev.perhaps.cli.membership;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.io.Figures;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;

/** Files that must be filters. */
final class Filters {
    private Filters() {}

    static HashFilter<?> open(SketchFile file) throws IOException {
        return of(file, file.open());
    }

    /** The number of items in it, for people; an estimate is marked. */
    static String items(HashFilter<?> filter) {
        if (FilterWarnings.isUncountable(filter)) {
            return "more items than can be estimated";
        }
        return (filter.isItemsEstimated() ? "≈ " : "") + Figures.count(filter.itemsNow(), "item");
    }

    static HashFilter<?> of(SketchFile file, Sketch sketch) {
        if (sketch instanceof HashFilter<?> filter) {
            return filter;
        }
        throw new BadInput(file + ": it holds a " + sketch.kind() + " sketch, not a filter");
    }
}
