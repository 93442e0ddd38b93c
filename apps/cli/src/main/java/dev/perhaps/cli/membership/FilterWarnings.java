package dev.perhaps.cli.membership;

import dev.perhaps.cli.console.Console;
import dev.perhaps.io.Figures;
import dev.perhaps.membership.HashFilter;

/** Warnings about filters with more items than planned. */
final class FilterWarnings {
    private FilterWarnings() {}

    /** Warns about a filter that was just built from this number of items. */
    static void warn(HashFilter<?> filter, long itemsRead, boolean limitedMemory) {
        if (filter.overfilled()) {
            warn(
                    Figures.count(itemsRead, "item") + (itemsRead == 1 ? " was" : " were") + " read, but the filter",
                    filter,
                    "build again with --items " + itemsRead + (limitedMemory ? " and a larger --memory" : ""));
        }
    }

    /** Warns about a filter whose items were added at different times. */
    static void warn(HashFilter<?> filter) {
        if (filter.overfilled()) {
            String needed = isUncountable(filter) ? "with more --items" : "with --items " + filter.itemsNow();
            warn(
                    "the filter holds " + Filters.items(filter) + " but",
                    filter,
                    "build another from all its items " + needed);
        }
    }

    private static void warn(String items, HashFilter<?> filter, String advice) {
        Console.warn(items + " was planned for " + Figures.count(filter.sizing().items())
                + "; its false positive rate is now " + Figures.percent(filter.errorNow()) + "; " + advice);
    }

    /** Returns true if every bit is set: then the number of items can no longer be estimated from them. */
    static boolean isUncountable(HashFilter<?> filter) {
        return filter.isItemsEstimated() && filter.load() >= 1;
    }
}
