package dev.perhaps.similarity;

import dev.perhaps.hash.Mix;
import dev.perhaps.key.Key;

/**
 * Estimates the angle between two vectors, dense or sparse, and so their cosine, too high or too low, from one bit per
 * component: a share e = 1 − φ/π of the bits is expected to be equal, with the standard error √(e(1 − e)/k). A
 * signature takes k/8 bytes; signing takes k steps of some nanoseconds per coordinate that is not 0. Immutable and
 * thread-safe.
 *
 * <p>{@code Signature signature = Hyperplanes.of(256).sign(new double[] {0.3, -1.2, 0.5});} A dense vector has the
 * signature of the sparse one with the coordinates 0, 1, 2, …. Sets without weights, much faster: {@link SimHash}.
 */
public final class Hyperplanes extends AngleFamily {
    /*
     * Bit i is [⟨z, r_i⟩ ≥ 0] for r_i with independent normal coordinates [1]. Coordinate j of r_i is not stored: it is
     * Normal.quantile of a uniform number that is hashed from (j, i), so coordinates may be any long.
     *
     * The vector is divided by its largest coordinate first: no sum overflows. Sums run in the order given, in doubles,
     * and use nothing that differs between machines.
     *
     * [1] Charikar, "Similarity estimation techniques from rounding algorithms" (2002).
     *
     * Left out: a stored matrix for dense vectors of one length, ten times faster and k·n·8 bytes.
     */
    static final int SCHEME = 1;

    private static final long MIX = 0xA3B195354A39B70DL;
    private static final long GAMMA = 0x9E3779B97F4A7C15L;

    private final Key.Longs coordinates;

    private Hyperplanes(int components, Key.Longs coordinates) {
        super(SCHEME, components, coordinates);
        this.coordinates = coordinates;
    }

    /** Returns the family with signatures of this number of bits. */
    public static Hyperplanes of(int components) {
        return new Hyperplanes(checkedComponents(components), Key.longs());
    }

    /** Returns a family with other planes. */
    public Hyperplanes seeded(long seed) {
        return new Hyperplanes(components(), coordinates.seeded(seed));
    }

    /** Returns the signature of a dense vector. */
    public Signature sign(double[] vector) {
        Sums sums = new Sums(largest(vector));
        for (int i = 0; i < vector.length; i++) {
            sums.add(i, vector[i]);
        }
        return sums.signature();
    }

    /** Returns the signature of a dense vector. */
    public Signature sign(float[] vector) {
        double[] doubles = new double[vector.length];
        for (int i = 0; i < vector.length; i++) {
            doubles[i] = vector[i];
        }
        return sign(doubles);
    }

    /**
     * Returns the signature of a sparse vector: {@code values[i]} at coordinate {@code at[i]}; values of the same
     * coordinate are added.
     */
    public Signature sign(long[] at, double[] values) {
        if (at.length != values.length) {
            throw new IllegalArgumentException(
                    "there must be as many values as coordinates, got " + values.length + " and " + at.length);
        }
        Sums sums = new Sums(largest(values));
        for (int i = 0; i < at.length; i++) {
            sums.add(at[i], values[i]);
        }
        return sums.signature();
    }

    private static double largest(double[] values) {
        double largest = 0;
        for (double value : values) {
            if (!Double.isFinite(value)) {
                throw new IllegalArgumentException("coordinates must be finite, got " + value);
            }
            largest = Math.max(largest, Math.abs(value));
        }
        if (largest == 0) {
            throw new IllegalArgumentException("a vector of zeros has no angle");
        }
        return largest;
    }

    /** The products of one vector with all k planes. */
    private final class Sums {
        private final double[] sums = new double[components()];
        private final double largest;

        Sums(double largest) {
            this.largest = largest;
        }

        void add(long coordinate, double value) {
            if (value != 0) {
                double part = value / largest;
                long x = Mix.with(MIX, coordinates.hash(coordinate));
                for (int i = 0; i < sums.length; i++) {
                    sums[i] += part * Normal.quantile(Mix.finish(x + i * GAMMA));
                }
            }
        }

        Signature signature() {
            long[] bits = new long[words()];
            for (int i = 0; i < sums.length; i++) {
                if (sums[i] >= 0) {
                    bits[i >>> 6] |= 1L << i;
                }
            }
            return new Signature(Hyperplanes.this, bits);
        }
    }

    @Override
    String name() {
        return "simhash of vectors";
    }
}
