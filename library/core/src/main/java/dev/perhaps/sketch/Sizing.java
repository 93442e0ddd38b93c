package dev.perhaps.sketch;

import dev.perhaps.io.Figures;

/**
 * The size of a filter, known before it is allocated.
 *
 * @param kind the kind of filter
 * @param items the planned number of items
 * @param error the expected false positive rate when the filter holds them
 * @param bytes the memory of its arrays, equal to {@code sizeBytes()} of what is built
 * @param buildBytes additional memory while it is built from all items at once
 */
public record Sizing(Kind kind, long items, double error, long bytes, long buildBytes) {
    /** Returns the memory per item in bits, when the filter holds the items that it is planned for. */
    public double bitsPerItem() {
        return bytes * 8.0 / items;
    }

    /** Returns true if this number of items exceeds the plan by more than the error of an estimated number. */
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
