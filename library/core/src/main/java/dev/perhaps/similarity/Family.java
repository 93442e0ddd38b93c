package dev.perhaps.similarity;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Kind;
import java.util.Objects;

/**
 * A family of hash functions that preserves a similarity e: a function drawn from it has the same value for x and y
 * with probability e(x, y). A signature holds the values of k functions, so the share of equal components estimates e,
 * too high or too low, with the standard error of {@link #standardError}. Immutable and thread-safe.
 *
 * <p>Sets by Jaccard: {@link MinHash}, smaller {@link BitMinHash}. Sets by their angle: {@link SimHash}. Vectors by
 * their angle: {@link Hyperplanes}. Bit vectors by Hamming distance: {@link BitSample}.
 */
public abstract sealed class Family permits MinHash, BitMinHash, AngleFamily, BitSample {
    /*
     * Pr_{h ∈ F}[h(x) = h(y)] = e(x, y)   [1]. With k independent functions the number of equal components follows
     * Binomial(k, e), its share has the mean e and the standard error √(e(1 − e)/k).
     *
     * What must be equal before two signatures may be compared stands here, and so does what the file needs to know:
     * kind, scheme (a number within the kind), components, bits per component, dimensions (0 where there are none),
     * key.
     *
     * [1] Charikar, "Similarity estimation techniques from rounding algorithms" (2002).
     */
    static final int FULL_BITS = 64;
    /** The largest number of components of a signature. */
    public static final int MAX_COMPONENTS = 1 << 14;

    private final Kind kind;
    private final int scheme;
    private final int components;
    private final int bits;
    private final Key<?> key;

    Family(Kind kind, int scheme, int components, int bits, Key<?> key) {
        this.kind = kind;
        this.scheme = scheme;
        this.components = components;
        this.bits = bits;
        this.key = key;
    }

    /**
     * Returns the argument.
     *
     * @throws IllegalArgumentException if it is not in [1, {@link #MAX_COMPONENTS}]
     */
    @CanIgnoreReturnValue
    public static int checkedComponents(int components) {
        if (components < 1 || components > MAX_COMPONENTS) {
            throw new IllegalArgumentException("components must be in [1, " + MAX_COMPONENTS + "], got " + components);
        }
        return components;
    }

    /** Returns the kind of file that signatures of this family are written as. */
    public final Kind kind() {
        return kind;
    }

    /** Returns k, the number of components of a signature. */
    public final int components() {
        return components;
    }

    /** Returns the number of bits of a component. */
    public final int bits() {
        return bits;
    }

    /** Returns the key that hashes the items or the coordinates. */
    public Key<?> key() {
        return key;
    }

    /** Returns the number of this family within its kind, as it is written to files. */
    public final int scheme() {
        return scheme;
    }

    /** Coordinates of a vector, where the family is of vectors of one length; otherwise 0. */
    long dimensions() {
        return 0;
    }

    /** Words of 8 bytes that a signature takes. */
    final int words() {
        return bits == FULL_BITS ? components : (components * bits + 63) >>> 6;
    }

    /** Returns the size of a signature in bytes. */
    public final long signatureBytes() {
        return (long) words() * Long.BYTES;
    }

    /** Returns the estimated similarity of two signatures of this family, in [0, 1]. */
    public double similarity(Signature a, Signature b) {
        return (double) hits(a, b) / components;
    }

    /**
     * Returns the standard error of {@link #similarity} if the true value is {@code similarity}: two of three estimates
     * are closer.
     */
    public double standardError(double similarity) {
        checkShare(similarity);
        return Math.sqrt(similarity * (1 - similarity) / components);
    }

    static void checkShare(double similarity) {
        if (!(similarity >= 0 && similarity <= 1)) {
            throw new IllegalArgumentException("similarity must be in [0, 1], got " + similarity);
        }
    }

    /** Returns the number of equal components of two signatures. */
    public final int hits(Signature a, Signature b) {
        check(a);
        check(b);
        return Signature.hits(a.words(), 0, b.words(), 0, this);
    }

    /** Returns true if signatures of both families can be compared. */
    public final boolean fits(Family other) {
        Objects.requireNonNull(other, "other must not be null");
        return difference(other).isEmpty();
    }

    /**
     * Checks that a signature can be compared with signatures of this family.
     *
     * @throws IllegalArgumentException naming the first difference, if it cannot
     */
    public final void check(Signature signature) {
        if (signature.family() != this) {
            String difference = difference(signature.family());
            if (!difference.isEmpty()) {
                throw new IllegalArgumentException("this signature does not fit: " + difference);
            }
        }
    }

    /** Returns the first difference from another family, for messages; empty if their signatures can be compared. */
    public final String difference(Family other) {
        if (kind != other.kind || scheme != other.scheme) {
            return name() + " against " + other.name();
        }
        if (!key().fits(other.key())) {
            return key().against(other.key());
        }
        if (components != other.components) {
            return components + " components against " + other.components;
        }
        if (bits != other.bits) {
            return bits + " bits per component against " + other.bits;
        }
        return dimensions() == other.dimensions() ? "" : dimensions() + " dimensions against " + other.dimensions();
    }

    /** Kind and scheme in words. */
    abstract String name();

    /** True if these words can be a signature of this family. */
    boolean possible(long[] words, int from) {
        int used = components * bits & 63;
        return bits == FULL_BITS || used == 0 || words[from + words() - 1] >>> used == 0;
    }

    @Override
    public String toString() {
        return name() + ", " + components + " components of " + bits + (bits == 1 ? " bit" : " bits") + ", key "
                + key().name();
    }
}
