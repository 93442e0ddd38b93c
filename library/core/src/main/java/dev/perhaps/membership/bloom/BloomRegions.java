package dev.perhaps.membership.bloom;

import dev.perhaps.hash.Mix;
import dev.perhaps.membership.BloomFilter;

/** The bulk build of a {@link BloomFilter}: an int a position, which is enough within a region. */
public final class BloomRegions extends RegionBuild {
    private final long mix;
    private final long bits;
    private final int hashes;

    public BloomRegions(long[] words, long mix, long bits, int hashes) {
        super(words, 1);
        this.mix = mix;
        this.bits = bits;
        this.hashes = hashes;
    }

    @Override
    void scatter(long[] all, int from, int to, Buckets into) {
        int shift = regionShift + 6;
        for (int n = from; n < to; n++) {
            long x = Mix.with(mix, all[n]);
            // The bound stays a field: as a local the compiler unrolls this short loop, and it takes 1.5 times as long.
            for (int i = 0; i < hashes; i++) {
                long position = BloomKernel.position(x, bits);
                into.put((int) (position >>> shift), (int) position);
                x *= BloomKernel.STEP;
            }
        }
    }

    @Override
    void apply(int region, int[] bucket, int count) {
        int start = region << regionShift;
        int within = (1 << regionShift) - 1;
        for (int n = 0; n < count; n++) {
            words[start + (bucket[n] >>> 6 & within)] |= 1L << bucket[n];
        }
    }
}
