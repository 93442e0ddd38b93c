package dev.perhaps.membership;

import dev.perhaps.frame.Frame;
import dev.perhaps.frame.MappedLongs;
import dev.perhaps.hash.Mix;
import dev.perhaps.key.Key;
import dev.perhaps.membership.bloom.BlockedFormulas;
import dev.perhaps.membership.bloom.BlockedKernel;
import dev.perhaps.membership.bloom.BlockedMasks;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Sizing;

/** A {@link BlockedBloom} read from its file; lines and masks are explained there. */
final class MappedBlocked<T> extends HashFilter.Mapped<T> {
    private final long mix;
    private final int first;
    private final long[] firsts;
    private final long[] seconds;

    MappedBlocked(Frame frame, Key<T> key, MappedLongs words, Sizing sizing) throws FormatException {
        super(frame, key, words, sizing);
        this.mix = Mix.salted(BlockedKernel.MIX, frame.salt());
        this.first = (int) frame.parameter(1);
        this.firsts = BlockedMasks.first(first);
        this.seconds = BlockedMasks.second(BlockedFormulas.second(first));
    }

    @Override
    public boolean mightContainHash(long hash) {
        long product = hash * mix;
        long high = BlockedKernel.high(product);
        int low = BlockedKernel.low(product, high);
        long i = BlockedKernel.firstWord(high, words.length());
        if ((BlockedKernel.firstMask(firsts, low) & ~words.get(i)) != 0) {
            return false;
        }
        return (BlockedKernel.secondMask(seconds, low) & ~words.get(i ^ BlockedKernel.toSecond(low))) == 0;
    }

    @Override
    public double load() {
        return (double) setBits() / (words.length() * Long.SIZE);
    }

    @Override
    public double errorNow() {
        BlockedFormulas.LineErrors errors = new BlockedFormulas.LineErrors(first);
        for (long i = 0; i < words.length(); i++) {
            errors.next(Long.bitCount(words.get(i)));
        }
        return errors.mean();
    }

    @Override
    public long itemsNow() {
        return Math.round(BlockedFormulas.distinct(words.length() / BlockedKernel.LINE_WORDS, first, setBits()));
    }

    @Override
    public boolean isItemsEstimated() {
        return true;
    }
}
