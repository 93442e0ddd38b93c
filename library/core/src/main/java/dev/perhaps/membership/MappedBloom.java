package dev.perhaps.membership;

import dev.perhaps.frame.Frame;
import dev.perhaps.frame.MappedLongs;
import dev.perhaps.hash.Mix;
import dev.perhaps.key.Key;
import dev.perhaps.membership.bloom.BloomFormulas;
import dev.perhaps.membership.bloom.BloomKernel;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Sizing;

/** A {@link BloomFilter} read from its file; the positions are explained there. */
final class MappedBloom<T> extends HashFilter.Mapped<T> {
    private final long mix;
    private final long bits;
    private final int hashes;

    MappedBloom(Frame frame, Key<T> key, MappedLongs words, Sizing sizing) throws FormatException {
        super(frame, key, words, sizing);
        this.mix = Mix.salted(BloomKernel.MIX, frame.salt());
        this.bits = frame.parameter(0);
        this.hashes = (int) frame.parameter(1);
    }

    @Override
    public boolean mightContainHash(long hash) {
        long x = Mix.with(mix, hash);
        for (int i = 0; i < hashes; i++) {
            long position = BloomKernel.position(x, bits);
            if ((words.get(position >>> 6) >>> position & 1) == 0) {
                return false;
            }
            x *= BloomKernel.STEP;
        }
        return true;
    }

    @Override
    public double load() {
        return (double) setBits() / bits;
    }

    @Override
    public double errorNow() {
        return Math.pow(load(), hashes);
    }

    @Override
    public long itemsNow() {
        return Math.round(BloomFormulas.distinct(bits, hashes, setBits()));
    }

    @Override
    public boolean isItemsEstimated() {
        return true;
    }
}
