package dev.perhaps.membership.bloom;

import dev.perhaps.hash.Mix;
import dev.perhaps.membership.BloomFilter;

/** Builds a {@link BloomFilter} in bulk, from one int per position, which is enough within a region. */
public final class BloomRegions extends RegionBuild {
    private final long mix;
    private final long bits;
    private final int hashes;

    public BloomRegions(long[] words, long mix, long bits, int hashes) {
        super(words, hashes);
        this.mix = mix;
        this.bits = bits;
        this.hashes = hashes;
    }

    @Override
    void scatter(long[] all, int from, int to, int[] entries, int[] ends) {
        int shift = regionShift + 6;
        for (int n = from; n < to; n++) {
            long x = Mix.with(mix, all[n]);
            for (int i = 0; i < hashes; i++) {
                long position = BloomKernel.position(x, bits);
                int region = (int) (position >>> shift);
                int at = ends[region];
                entries[at] = (int) position;
                ends[region] = at + 1;
                x *= BloomKernel.STEP;
            }
        }
    }

    @Override
    void apply(int region, int[] entries, int from, int to) {
        int start = region << regionShift;
        int within = (1 << regionShift) - 1;
        for (int n = from; n < to; n++) {
            words[start + (entries[n] >>> 6 & within)] |= 1L << entries[n];
        }
    }

    @Override
    void set(long[] all, int from, int to, long[] into) {
        for (int n = from; n < to; n++) {
            BloomKernel.set(into, bits, hashes, Mix.with(mix, all[n]));
        }
    }
}
