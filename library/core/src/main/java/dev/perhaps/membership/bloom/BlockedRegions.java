package dev.perhaps.membership.bloom;

import dev.perhaps.membership.BlockedBloom;

/** The bulk build of a {@link BlockedBloom}: two ints a hash, its high and its low half. */
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
    void scatter(long[] hashes, int from, int to, Buckets into) {
        for (int n = from; n < to; n++) {
            long product = hashes[n] * mix;
            long high = BlockedKernel.high(product);
            long word = BlockedKernel.firstWord(high, words.length);
            into.put((int) (word >>> regionShift), (int) high, BlockedKernel.low(product, high));
        }
    }

    @Override
    void apply(int region, int[] bucket, int count) {
        for (int n = 0; n < count; n += 2) {
            BlockedKernel.set(words, firsts, seconds, Integer.toUnsignedLong(bucket[n]), bucket[n + 1]);
        }
    }
}
