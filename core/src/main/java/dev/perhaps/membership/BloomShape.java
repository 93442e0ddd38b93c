package dev.perhaps.membership;

import dev.perhaps.io.Figures;

/** How many bits (or counters) a filter of the Bloom family has, and how many of them an item sets. */
record BloomShape(long bits, int hashes) {
    /**
     * The shape that keeps so many items at an error, with room for the swing of a single filter.
     *
     * @param hashes exactly so many, or 0 for the best number
     * @param what what is counted, for the message: bits or counters
     * @param most as many as can be addressed
     */
    static BloomShape forError(long items, double error, int hashes, String what, long most) {
        int k = hashes > 0 ? hashes : hashesFor(items, error);
        return addressable(items, error, k, BloomFormulas.bitsWithSpare(items, k, error), what, most);
    }

    /** The same, with so much room that one filter in a million goes above the error. */
    static BloomShape forSure(long items, double error, long most) {
        int k = hashesFor(items, error);
        return addressable(items, error, k, BloomFormulas.bitsForSure(items, k, error), "bits", most);
    }

    /** The shape of exactly so many bits, with so many hashes or, if that is 0, the best number. */
    static BloomShape ofBits(long bits, long items, int hashes) {
        int best = BloomFormulas.hashes((double) bits / items);
        return new BloomShape(bits, Math.min(BloomFilter.MAX_HASHES, hashes > 0 ? hashes : best));
    }

    static int hashesFor(double items, double error) {
        return Math.min(BloomFilter.MAX_HASHES, BloomFormulas.hashesFor(items, error));
    }

    /** Bits to the end of the last word: they are paid for anyway. */
    static long wholeWords(double bits) {
        return Math.max(1, BloomFilter.wordsFor((long) Math.ceil(bits))) * (long) Long.SIZE;
    }

    private static BloomShape addressable(long items, double error, int hashes, double needed, String what, long most) {
        if (!(needed <= most)) {
            throw new IllegalArgumentException(Figures.count(items) + " items at " + Figures.percent(error) + " need "
                    + Figures.significant(needed) + " " + what + ", and one filter has at most " + Figures.count(most)
                    + ": split the set or accept a higher error");
        }
        return new BloomShape(wholeWords(needed), hashes);
    }
}
