package dev.perhaps.cli;

import dev.perhaps.io.Figures;
import dev.perhaps.membership.HashFilter;

/** Over-filling is told, never silent. */
final class Overfilled {
    private Overfilled() {}

    static void warn(HashFilter<?> filter) {
        if (filter.overfilled()) {
            long items = filter.itemsNow();
            Console.warn(Figures.count(items) + " items are in, planned were "
                    + Figures.count(filter.sizing().items()) + ": the error is now "
                    + Figures.percent(filter.errorNow()) + "; build again with --items " + items);
        }
    }
}
