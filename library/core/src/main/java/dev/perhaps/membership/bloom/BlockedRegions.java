package dev.perhaps.membership.bloom;

import dev.perhaps.membership.BlockedBloom;

/** Builds a {@link BlockedBloom} in bulk, from two ints per hash: its high and its low half. */
public final class BlockedRegions extends RegionBuild {
    private final long[] firsts;
    private final long[] seconds;
    private final long mix;

    public BlockedRegions(long[] words, long[] firsts, long[] seconds, long mix) {
        super(words, 2);
        this.firsts = firsts;
        this.seconds = seconds;
        this.mix = mix;
    }

    @Override
    void scatter(long[] hashes, int from, int to, int[] entries, int[] ends) {
        for (int n = from; n < to; n++) {
            long product = hashes[n] * mix;
            long high = BlockedKernel.high(product);
            int region = (int) (BlockedKernel.firstWord(high, words.length) >>> regionShift);
            int at = ends[region];
            entries[at] = (int) high;
            entries[at + 1] = BlockedKernel.low(product, high);
            ends[region] = at + 2;
        }
    }

    @Override
    void apply(int region, int[] entries, int from, int to) {
        for (int n = from; n < to; n += 2) {
            BlockedKernel.set(words, firsts, seconds, Integer.toUnsignedLong(entries[n]), entries[n + 1]);
        }
    }

    @Override
    void set(long[] hashes, int from, int to, long[] into) {
        for (int n = from; n < to; n++) {
            long product = hashes[n] * mix;
            long high = BlockedKernel.high(product);
            BlockedKernel.set(into, firsts, seconds, high, BlockedKernel.low(product, high));
        }
    }
}
