package dev.perhaps.membership;

import dev.perhaps.frame.Frame;
import dev.perhaps.frame.MappedLongs;
import dev.perhaps.hash.Mix;
import dev.perhaps.key.Key;
import dev.perhaps.membership.fuse.FuseFormulas;
import dev.perhaps.membership.fuse.FuseShape;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Sizing;

/** A {@link FuseFilter} read from its file; the slots are explained there. */
final class MappedFuse<T> extends HashFilter.Mapped<T> {
    private final FuseShape shape;
    private final long multiplier;
    private final long items;

    MappedFuse(Frame frame, Key<T> key, MappedLongs words, Sizing sizing, FuseShape shape) throws FormatException {
        super(frame, key, words, sizing);
        this.shape = shape;
        this.multiplier = FuseShape.multiplier(frame.salt(), (int) frame.parameter(3));
        this.items = frame.parameter(4);
    }

    @Override
    public boolean mightContainHash(long hash) {
        long x = Mix.with(multiplier, hash);
        int segment = shape.segment();
        int first = FuseShape.first(x, shape.starts());
        long three = fingerprint(first)
                ^ fingerprint(FuseShape.second(x, first, segment))
                ^ fingerprint(FuseShape.third(x, first, segment));
        int fingerprint = FuseShape.fingerprint(x, shape.fingerprintBits());
        return (((int) three ^ fingerprint) & shape.mask()) == 0;
    }

    /** A fingerprint, with the bits of others above it; it may begin in one word and end in the next. */
    private long fingerprint(int slot) {
        long bit = (long) slot * shape.fingerprintBits();
        long word = words.get(bit >>> 6) >>> bit;
        int inFirst = Long.SIZE - ((int) bit & 63);
        return inFirst >= shape.fingerprintBits() ? word : word | words.get((bit >>> 6) + 1) << inFirst;
    }

    @Override
    public double load() {
        return (double) items / shape.slots();
    }

    @Override
    public double errorNow() {
        return FuseFormulas.falsePositives(shape.fingerprintBits());
    }

    @Override
    public long itemsNow() {
        return items;
    }
}
