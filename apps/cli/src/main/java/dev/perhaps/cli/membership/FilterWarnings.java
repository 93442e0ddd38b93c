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
                    Figures.count(itemsRead, "item") + (itemsRead == 1 ? " was" : " were") + " read",
                    filter,
                    "build again with --items " + itemsRead + (limitedMemory ? " and a larger --memory" : ""));
        }
    }

    /** Of a filter whose items came at different times. */
    static void warn(HashFilter<?> filter) {
        if (filter.overfilled()) {
            String needed = isUncountable(filter) ? "with more --items" : "with --items " + filter.itemsNow();
            warn(Filters.items(filter) + " are in", filter, "build another from all its items " + needed);
        }
    }

    private static void warn(String items, HashFilter<?> filter, String advice) {
        Console.warn(items + ", but it was planned for "
                + Figures.count(filter.sizing().items()) + ": its error is now " + Figures.percent(filter.errorNow())
                + "; " + advice);
    }

    /** True if every bit is set: then the number of items can no longer be estimated from them. */
    static boolean isUncountable(HashFilter<?> filter) {
        return filter.isItemsEstimated() && filter.load() >= 1;
    }
}
