package dev.perhaps.membership;

import dev.perhaps.io.FormatException;
import dev.perhaps.io.Frame;
import dev.perhaps.io.MappedLongs;
import dev.perhaps.key.Key;
import dev.perhaps.key.Mix;

/** A {@link BlockedBloom} read from its file; lines and masks are explained there. */
final class MappedBlocked<T> extends MappedFilter<T> {
    private final long mix;
    private final int first;
    private final long[] firsts;
    private final long[] seconds;

    MappedBlocked(Frame frame, Key<T> key, MappedLongs words, Sizing sizing) throws FormatException {
        super(frame, key, words, sizing);
        this.mix = Mix.salted(BlockedBloom.MIX, frame.salt());
        this.first = (int) frame.parameter(1);
        this.firsts = BlockedMasks.first(first);
        this.seconds = BlockedMasks.second(BlockedFormulas.second(first));
    }

    @Override
    public boolean mightContainHash(long hash) {
        long product = hash * mix;
        long high = BlockedBloom.high(product);
        int low = BlockedBloom.low(product, high);
        long i = BlockedBloom.firstWord(high, words.length());
        if ((BlockedBloom.firstMask(firsts, low) & ~words.get(i)) != 0) {
            return false;
        }
        return (BlockedBloom.secondMask(seconds, low) & ~words.get(i ^ BlockedBloom.toSecond(low))) == 0;
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
        return Math.round(BlockedFormulas.distinct(words.length() / BlockedBloom.LINE_WORDS, first, setBits()));
    }
}
