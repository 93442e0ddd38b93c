package dev.perhaps.similarity;

import dev.perhaps.io.Figures;
import dev.perhaps.similarity.text.SetBuilder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;

/**
 * The similarity of two texts, exact and as estimated by signatures of a given number of components: Jaccard and cosine
 * of their shingle sets and, for texts of the same length, equal bits. It shows how good the estimates are before you
 * rely on them. Takes about 24 bytes of memory per byte of text. Immutable.
 *
 * <p>{@code Comparison.of("some text".getBytes(UTF_8), "some test".getBytes(UTF_8), Shingles.codePoints(3), 128).jaccard().exact()}
 */
public final class Comparison {
    /*
     * Jaccard |A ∩ B| / |A ∪ B| by MinHash, cosine |A ∩ B| / √(|A||B|) from the angle that SimHash estimates; both of
     * sets, a shingle that comes often counts once. Hamming is of the bytes as they are, whatever the shingles even
     * out, and only defined for two vectors of one length.
     *
     * The standard error is that of the estimator where the truth is the exact value: two of three estimates are
     * closer.
     */
    private static final int WORD_BYTES = Long.BYTES;

    private final int components;
    private final int sizeA;
    private final int sizeB;
    private final int common;
    private final Estimate jaccard;
    private final Estimate cosine;
    private final Optional<Hamming> hamming;

    private Comparison(byte[] a, byte[] b, Shingles shingles, int components) {
        SetBuilder builder = new SetBuilder();
        long[] setA = set(a, shingles, builder);
        long[] setB = set(b, shingles, builder);
        this.components = components;
        this.sizeA = setA.length;
        this.sizeB = setB.length;
        double exactJaccard = SetBuilder.jaccard(setA, setB, 0);
        // J = c / (|A| + |B| − c), solved for c.
        this.common = (int) Math.round(exactJaccard * ((double) sizeA + sizeB) / (1 + exactJaccard));

        MinHash<CharSequence> minHash = MinHash.of(components).of(shingles.key());
        this.jaccard = new Estimate(
                exactJaccard,
                minHash.jaccard(minHash.sign(setA, 0, sizeA), minHash.sign(setB, 0, sizeB)),
                minHash.standardError(exactJaccard));

        SimHash<CharSequence> simHash = SimHash.of(components).of(shingles.key());
        // Rounding must not lift it above 1.
        double exactCosine = Math.min(1, common / Math.sqrt((double) sizeA * sizeB));
        this.cosine = new Estimate(
                exactCosine,
                simHash.cosine(simHash.sign(setA, 0, sizeA), simHash.sign(setB, 0, sizeB)),
                simHash.cosineError(exactCosine));

        this.hamming = a.length == b.length && a.length > 0 ? Optional.of(hamming(a, b, components)) : Optional.empty();
    }

    /**
     * An exact value and its estimate.
     *
     * @param standardError the standard error of the estimate: two of three estimates are closer to the exact value
     */
    public record Estimate(double exact, double estimate, double standardError) {}

    /**
     * The Hamming distance of two texts.
     *
     * @param bits the number of bits of each text
     * @param distance the number of bits that differ
     * @param equal the share of bits that are equal
     */
    public record Hamming(long bits, long distance, Estimate equal) {}

    /** Compares two UTF-8 texts by these shingles, and with signatures of this number of components. */
    public static Comparison of(byte[] a, byte[] b, Shingles shingles, int components) {
        Objects.requireNonNull(shingles, "shingles");
        return new Comparison(a, b, shingles, Family.checkedComponents(components));
    }

    private static long[] set(byte[] text, Shingles shingles, SetBuilder builder) {
        // Normalising can make a text longer than its bytes; the shingles then make the array themselves.
        if (shingles.isNormalising()) {
            long[] hashes = shingles.hashes(new String(text, StandardCharsets.UTF_8));
            return builder.build(hashes, hashes.length);
        }
        long[] hashes = new long[Math.max(1, text.length)];
        return builder.build(hashes, shingles.hashes(text, 0, text.length, hashes));
    }

    private static Hamming hamming(byte[] a, byte[] b, int components) {
        long distance = 0;
        for (int i = 0; i < a.length; i++) {
            distance += Integer.bitCount((a[i] ^ b[i]) & 0xFF);
        }
        long bits = (long) Byte.SIZE * a.length;
        BitSample sample = BitSample.of(components).dimensions(bits);
        double equal = 1 - (double) distance / bits;
        double estimate = sample.similarity(sample.sign(words(a)), sample.sign(words(b)));
        return new Hamming(bits, distance, new Estimate(equal, estimate, sample.standardError(equal)));
    }

    /** Bit p of the bytes, counted from the lowest of the first, is bit p mod 64 of word p / 64. */
    private static long[] words(byte[] bytes) {
        long[] words = new long[(bytes.length + WORD_BYTES - 1) / WORD_BYTES];
        for (int i = 0; i < bytes.length; i++) {
            words[i / WORD_BYTES] |= (bytes[i] & 0xFFL) << Byte.SIZE * (i % WORD_BYTES);
        }
        return words;
    }

    /** Returns the number of components of the signatures. */
    public int components() {
        return components;
    }

    /** Returns the number of distinct shingles of the first text. */
    public int sizeA() {
        return sizeA;
    }

    /** Returns the number of distinct shingles of the second text. */
    public int sizeB() {
        return sizeB;
    }

    /** Returns the number of distinct shingles that both texts have. */
    public int common() {
        return common;
    }

    /** Returns |A ∩ B| / |A ∪ B| of the shingles, estimated by {@link MinHash}. */
    public Estimate jaccard() {
        return jaccard;
    }

    /** Returns |A ∩ B| / √(|A||B|) of the shingles, estimated by {@link SimHash}. */
    public Estimate cosine() {
        return cosine;
    }

    /**
     * Returns the equal bits of the texts, estimated by {@link BitSample}; nothing if they differ in length or are
     * empty.
     */
    public Optional<Hamming> hamming() {
        return hamming;
    }

    @Override
    public String toString() {
        return "J = " + Figures.significant(jaccard.exact) + ", " + Figures.count(common) + " shingles in common of "
                + Figures.count(sizeA) + " and " + Figures.count(sizeB);
    }
}
