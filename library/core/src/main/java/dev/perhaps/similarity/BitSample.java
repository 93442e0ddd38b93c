package dev.perhaps.similarity;

import dev.perhaps.hash.Mix;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Kind;

/**
 * Estimates the Hamming distance of two bit vectors of the same length n, too high or too low, from k sampled bits: a
 * sampled bit is equal with probability e = 1 − H/n, with the standard error √(e(1 − e)/k). A signature takes k/8
 * bytes; signing and comparing take k and k/64 steps for any length of the vectors. Immutable and thread-safe.
 *
 * <p>{@code Signature signature = BitSample.of(128).dimensions(1_000_000).sign(words);} signs a vector of a million
 * bits. Vectors of numbers: {@link Hyperplanes}.
 */
public final class BitSample extends Family {
    /*
     * The family of the n projections on one coordinate [1]. Function i projects on coordinate reduce(mixed hash of i,
     * n); coordinates are drawn with replacement, so k may be above n and the equal bits follow Binomial(k, e).
     *
     * [1] Indyk and Motwani, "Approximate nearest neighbors: towards removing the curse of dimensionality" (1998).
     */
    static final int SCHEME = 0;

    private static final long MIX = 0x8CB92BA72F3D8DD7L;
    private static final long MAX_DIMENSIONS = 64L * (Integer.MAX_VALUE - 8);

    private final Key.Longs functions;
    private final long dimensions;
    private final long[] sampled;

    private BitSample(int components, long dimensions, Key.Longs functions) {
        super(Kind.BIT_SAMPLE, SCHEME, components, 1, functions);
        this.functions = functions;
        this.dimensions = dimensions;
        this.sampled = new long[components];
        for (int i = 0; i < components; i++) {
            sampled[i] = Mix.reduce(Mix.with(MIX, functions.hash(i)), dimensions);
        }
    }

    /** Starts a family with signatures of this number of bits. */
    public static Sampler of(int components) {
        return new Sampler(checkedComponents(components));
    }

    /** The number of sampled bits of a family whose vectors' length is not given yet. */
    public record Sampler(int components) {
        /** Returns the family for vectors of this number of bits. */
        public BitSample dimensions(long dimensions) {
            if (dimensions < 1 || dimensions > MAX_DIMENSIONS) {
                throw new IllegalArgumentException(
                        "dimensions must be in [1, " + MAX_DIMENSIONS + "], got " + dimensions);
            }
            return new BitSample(checkedComponents(components), dimensions, Key.longs());
        }
    }

    /** Returns a family that samples other coordinates. */
    public BitSample seeded(long seed) {
        return new BitSample(components(), dimensions, functions.seeded(seed));
    }

    @Override
    public long dimensions() {
        return dimensions;
    }

    /** Returns the signature of a vector whose bit p is bit p mod 64 of word p / 64. */
    public Signature sign(long[] vector) {
        long needed = (dimensions + 63) >>> 6;
        if (vector.length != needed) {
            throw new IllegalArgumentException(
                    "a vector of " + dimensions + " bits has " + needed + " words, got " + vector.length);
        }
        long[] bits = new long[words()];
        for (int i = 0; i < sampled.length; i++) {
            long p = sampled[i];
            bits[i >>> 6] |= (vector[(int) (p >>> 6)] >>> p & 1) << i;
        }
        return new Signature(this, bits);
    }

    /** Returns the estimated number of bits that differ. */
    public double hamming(Signature a, Signature b) {
        return dimensions * (1 - similarity(a, b));
    }

    /** Returns the standard error of {@link #hamming} if the true distance is {@code distance}. */
    public double hammingError(double distance) {
        if (!(distance >= 0 && distance <= dimensions)) {
            throw new IllegalArgumentException("distance must be in [0, " + dimensions + "], got " + distance);
        }
        return dimensions * standardError(1 - distance / dimensions);
    }

    @Override
    String name() {
        return "bit sample";
    }
}
