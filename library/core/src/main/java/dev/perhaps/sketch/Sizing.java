package dev.perhaps.sketch;

import dev.perhaps.io.Figures;

/**
 * How big a filter will be, before memory is taken for it.
 *
 * @param kind what it is
 * @param items how many items it is for
 * @param error its expected error when it holds them
 * @param bytes the memory of its arrays, equal to {@code sizeBytes()} of what is built
 * @param buildBytes memory that building it from all its items takes beside that
 */
public record Sizing(Kind kind, long items, double error, long bytes, long buildBytes) {
    /** Returns the memory per item in bits, when the filter holds the items that it is planned for. */
    public double bitsPerItem() {
        return bytes * 8.0 / items;
    }

    /** True if this number of items exceeds the plan by more than an estimate of their number may vary. */
    public boolean isExceededBy(long itemsNow) {
        return itemsNow > items * 1.01 + 3 * Math.sqrt(items);
    }

    @Override
    public String toString() {
        return kind + " for " + Figures.count(items, "item") + " at " + Figures.percent(error) + ": "
                + Figures.significant(bitsPerItem()) + " bits per item, " + Figures.bytes(bytes)
                + (buildBytes > 0 ? ", and " + Figures.bytes(buildBytes) + " while it is built at once" : "");
    }
}
