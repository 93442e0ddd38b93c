package dev.perhaps.membership.bloom;

import dev.perhaps.io.Figures;

/** How many bits (or counters) a filter of the Bloom family has, and how many of them an item sets. */
public record BloomShape(long bits, int hashes) {
    /** 2^−64: two items have the same hash as often as that, so an error below it, for each item, cannot be kept. */
    public static final double LEAST_ERROR = 0x1p-64;

    /**
     * The shape that keeps this number of items at an error, with room for the swing of a single filter.
     *
     * @param hashes exactly this number, or 0 for the best number
     * @param what what is counted, for the message: bits or counters
     * @param most as many as can be addressed
     */
    public static BloomShape forError(long items, double error, int hashes, String what, long most) {
        int k = hashes > 0 ? hashes : hashesFor(items, error);
        return addressable(items, error, k, BloomFormulas.bitsWithSpare(items, k, error), what, most);
    }

    /** The same, plus a reserve: at most one filter in a million has a higher error. */
    public static BloomShape forSure(long items, double error, long most) {
        int k = hashesFor(items, error);
        return addressable(items, error, k, BloomFormulas.bitsForSure(items, k, error), "bits", most);
    }

    /** The shape of exactly this number of bits, with this number of hashes or, if that is 0, the best number. */
    public static BloomShape ofBits(long bits, long items, int hashes) {
        return new BloomShape(bits, hashes > 0 ? Math.min(BloomKernel.MAX_HASHES, hashes) : bestFor(bits, items));
    }

    /** The number of hashes that gives the lowest error, or the fewest that bring it under {@link #LEAST_ERROR}. */
    private static int bestFor(long bits, long items) {
        int best = Math.min(BloomKernel.MAX_HASHES, BloomFormulas.hashes((double) bits / items));
        int enough = 1;
        while (enough < best && BloomFormulas.falsePositives(bits, enough, items) > LEAST_ERROR) {
            enough++;
        }
        return enough;
    }

    /** As many bits as whole words of this much memory hold, at most those of one array. */
    public static long bitsWithin(long memoryBytes) {
        return Math.min(BloomFormulas.MAX_BITS / Long.SIZE, memoryBytes / Long.BYTES) * Long.SIZE;
    }

    public static int hashesFor(double items, double error) {
        return Math.min(BloomKernel.MAX_HASHES, BloomFormulas.hashesFor(items, error));
    }

    /** Bits to the end of the last word: they are paid for anyway. */
    public static long wholeWords(double bits) {
        return Math.max(1, BloomKernel.wordsFor((long) Math.ceil(bits))) * (long) Long.SIZE;
    }

    private static BloomShape addressable(long items, double error, int hashes, double needed, String what, long most) {
        double collisions = items * LEAST_ERROR;
        if (error < collisions) {
            throw new IllegalArgumentException("falsePositives must be at least " + Figures.significant(collisions)
                    + " for " + Figures.count(items, "item") + ", got " + error
                    + ": another value has the 64-bit hash of one of them as often as that");
        }
        if (!(needed <= most)) {
            throw new IllegalArgumentException(Figures.count(items) + " items at " + Figures.percent(error) + " need "
                    + Figures.significant(needed) + " " + what + ", and one filter has at most " + Figures.count(most)
                    + ": split the set or accept a higher error");
        }
        return new BloomShape(wholeWords(needed), hashes);
    }
}
