package dev.perhaps.similarity.segments;

/** A document that is being added to an index; only its state changes. */
public final class Addition {
    public final byte[] name;
    final long nameKey;
    final long high;
    final long low;
    final long length;
    public final long[] signature;
    /** Sorted; without hashes if the index is not exact. */
    public final long[] set;

    volatile long state;

    public Addition(
            byte[] name, long nameKey, long high, long low, long length, long[] signature, long[] set, long state) {
        this.name = name;
        this.nameKey = nameKey;
        this.high = high;
        this.low = low;
        this.length = length;
        this.signature = signature;
        this.set = set;
        this.state = state;
    }

    /** Sorts additions into a segment. */
    public static IndexSegment sorted(Addition[] batch, int components, int rows, boolean exact, long seed) {
        return new SegmentBuilder(batch, components, rows, exact, seed).build();
    }
}
