package dev.perhaps.similarity;

import dev.perhaps.hash.Mix;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Kind;

/**
 * Estimates the Jaccard similarity, too high or too low, from b bits per component: k·b/8 bytes per signature, 16 for k
 * = 128 and b = 1. Different components are equal in their b bits with probability 2^−b; the estimate corrects for
 * that, at the price of a larger standard error, √(P(1 − P)/k) / (1 − 2^−b) with P = J + (1 − J)/2^b. Immutable and
 * thread-safe.
 *
 * <p>{@code BitMinHash<String> small = MinHash.of(256).bits(4);} Signatures whose union can be computed: {@link
 * MinHash}.
 */
public final class BitMinHash<T> extends Family {
    /*
     * A component's bits are the low b of its full value, mixed once more [1]. The estimator's correction is that of
     * sets small against the universe of 2^64 hashes: unequal components agree in their b bits with chance 2^−b
     * exactly.
     *
     * At equal bytes: b = 1 needs 3 times the components of b = 64 at J = 0.5 for the same error, in a 21st of the
     * room.
     *
     * [1] Li and König, "b-bit minwise hashing" (2010).
     */
    private final MinHash<T> full;
    private final double alike;

    BitMinHash(MinHash<T> full, int bits) {
        super(Kind.MINHASH, full.scheme(), full.components(), checkedBits(bits), full.key());
        this.full = full;
        this.alike = Math.scalb(1.0, -bits);
    }

    private static int checkedBits(int bits) {
        if (bits < 1 || bits > 32 || Integer.bitCount(bits) != 1) {
            throw new IllegalArgumentException("bits must be 1, 2, 4, 8, 16 or 32, got " + bits);
        }
        return bits;
    }

    @Override
    public Key<T> key() {
        return full.key();
    }

    /** Returns the signature of a set; a repeated item counts once. */
    public Signature sign(Iterable<? extends T> set) {
        return shrink(full.sign(set));
    }

    /** Returns the signature of the set of hashes in {@code [from, to)}, which are hashes of this key. */
    public Signature sign(long[] hashes, int from, int to) {
        return shrink(full.sign(hashes, from, to));
    }

    /** Returns a full signature reduced to the bits of this family. */
    public Signature shrink(Signature signature) {
        full.check(signature);
        long[] values = new long[components()];
        for (int i = 0; i < values.length; i++) {
            values[i] = Mix.finish(signature.words()[i]) & (1L << bits()) - 1;
        }
        return new Signature(this, Signature.pack(values, this));
    }

    /** Returns the estimated |A ∩ B| / |A ∪ B|, at least 0. */
    public double jaccard(Signature a, Signature b) {
        return similarity(a, b);
    }

    @Override
    public double similarity(Signature a, Signature b) {
        return Math.max(0, (super.similarity(a, b) - alike) / (1 - alike));
    }

    @Override
    public double standardError(double jaccard) {
        checkShare(jaccard);
        return super.standardError(jaccard + (1 - jaccard) * alike) / (1 - alike);
    }

    @Override
    String name() {
        return full.name();
    }
}
