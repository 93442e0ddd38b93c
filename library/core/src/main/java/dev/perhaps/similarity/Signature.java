package dev.perhaps.similarity;

import java.util.Arrays;

/**
 * The values of the k functions of a family for one set, vector or text. Comparing two signatures takes k steps,
 * whatever they were computed from. Immutable. For many signatures, and for files: {@link Signatures}.
 */
public final class Signature {
    /*
     * Components lie side by side, component 0 lowest in word 0. A component has 1, 2, 4, 8, 16, 32 or 64 bits, so none
     * crosses words; what is left of the last word is 0. Lanes of b bits are compared a word at a time: xor, fold each
     * lane's bits onto its lowest one, count.
     */
    private final Family family;
    private final long[] words;

    Signature(Family family, long[] words) {
        assert words.length == family.words();
        this.family = family;
        this.words = words;
    }

    /** Returns the family that made this signature. */
    public Family family() {
        return family;
    }

    /** Returns component {@code i}, a number of {@link Family#bits} bits. */
    public long component(int i) {
        if (i < 0 || i >= family.components()) {
            throw new IndexOutOfBoundsException("component must be in [0, " + family.components() + "), got " + i);
        }
        int bits = family.bits();
        if (bits == Family.FULL_BITS) {
            return words[i];
        }
        int at = i * bits;
        return words[at >>> 6] >>> at & (1L << bits) - 1;
    }

    /**
     * Returns the number of components that are equal to those of {@code other}, which must be of a family that fits.
     */
    public int hits(Signature other) {
        return family.hits(this, other);
    }

    /** Returns the estimated similarity to {@code other}; see {@link Family#similarity}. */
    public double similarity(Signature other) {
        return family.similarity(this, other);
    }

    /** Returns the packed components. The array is not a copy and must not be changed. */
    public long[] words() {
        return words;
    }

    /** Packs values of which only the low bits count; they must be within the family's bits. */
    static long[] pack(long[] values, Family family) {
        int bits = family.bits();
        long[] packed = new long[family.words()];
        for (int i = 0; i < values.length; i++) {
            int at = i * bits;
            packed[at >>> 6] |= values[i] << at;
        }
        return packed;
    }

    /** Equal components of two signatures of one family that lie in larger arrays. */
    static int hits(long[] a, int aFrom, long[] b, int bFrom, Family family) {
        int bits = family.bits();
        int words = family.words();
        int different = 0;
        if (bits == Family.FULL_BITS) {
            for (int i = 0; i < words; i++) {
                different += a[aFrom + i] == b[bFrom + i] ? 0 : 1;
            }
            return words - different;
        }
        long lowest = Long.divideUnsigned(-1L, (1L << bits) - 1);
        for (int i = 0; i < words; i++) {
            long x = a[aFrom + i] ^ b[bFrom + i];
            for (int shift = bits >>> 1; shift > 0; shift >>>= 1) {
                x |= x >>> shift;
            }
            different += Long.bitCount(x & lowest);
        }
        return family.components() - different;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Signature that && family.fits(that.family) && Arrays.equals(words, that.words);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(words);
    }

    @Override
    public String toString() {
        return "signature of " + family;
    }
}
