package dev.perhaps.similarity;

import dev.perhaps.key.Key;
import java.util.Arrays;
import java.util.function.LongFunction;
import java.util.stream.Stream;

/**
 * One family of signatures, under test. The contract tests loop over all of them: a new family, or a new mode of one, is one
 * line in {@link #all}.
 *
 * @param name what the test report calls it
 * @param family the family of this seed
 * @param signing signs the part {@code [from, to)} of an array of different hashes; where vectors are signed, the vector over
 *     the whole array that is 1 in this part
 * @param truth the similarity that is estimated
 * @param biasOfOne how far the mean of estimates may be off for sets of one item; it falls with the root of their size
 */
record SimilaritySubject(String name, LongFunction<Family> family, Signing signing, Truth truth, double biasOfOne) {
    /** Signs a part of an array. */
    @FunctionalInterface
    interface Signing {
        Signature sign(Family family, long[] all, int from, int to);
    }

    /** The similarity of two sets of these sizes, among items of this number in all. */
    @FunctionalInterface
    interface Truth {
        double of(int a, int b, int shared);
    }

    static Stream<SimilaritySubject> all() {
        return Stream.of(
                new SimilaritySubject(
                        "minhash", seed -> minHash(seed, MinHash.FAST), SimilaritySubject::ofSet, Truths::jaccard, 0),
                new SimilaritySubject(
                        "minhash, classic",
                        seed -> minHash(seed, MinHash.CLASSIC),
                        SimilaritySubject::ofSet,
                        Truths::jaccard,
                        0),
                new SimilaritySubject(
                        "minhash, 4 bits",
                        seed -> minHash(seed, MinHash.FAST).bits(4),
                        (family, all, from, to) -> ((BitMinHash<?>) family).sign(all, from, to),
                        Truths::jaccard,
                        0),
                // A vote of few is not normally distributed.
                new SimilaritySubject(
                        "simhash",
                        seed -> SimHash.of(256).of(Key.longs().seeded(seed)),
                        (family, all, from, to) -> ((SimHash<?>) family).sign(all, from, to),
                        Truths::angle,
                        0.082),
                new SimilaritySubject(
                        "hyperplanes",
                        seed -> Hyperplanes.of(256).seeded(seed),
                        SimilaritySubject::ofVector,
                        Truths::angle,
                        0),
                new SimilaritySubject(
                        "bit sample",
                        seed -> BitSample.of(256).dimensions(DIMENSIONS).seeded(seed),
                        SimilaritySubject::ofBits,
                        Truths::equalBits,
                        0));
    }

    static final int DIMENSIONS = 1_024;

    private static MinHash<Long> minHash(long seed, int scheme) {
        return MinHash.of(scheme, 256, Key.longs().seeded(seed));
    }

    private static Signature ofSet(Family family, long[] all, int from, int to) {
        return ((MinHash<?>) family).sign(all, from, to);
    }

    private static Signature ofVector(Family family, long[] all, int from, int to) {
        double[] vector = new double[all.length];
        Arrays.fill(vector, from, to, 1);
        return ((Hyperplanes) family).sign(vector);
    }

    private static Signature ofBits(Family family, long[] all, int from, int to) {
        long[] bits = new long[DIMENSIONS / Long.SIZE];
        for (int i = from; i < to; i++) {
            bits[i / Long.SIZE] |= 1L << i;
        }
        return ((BitSample) family).sign(bits);
    }

    /** What the families estimate. */
    private static final class Truths {
        static double jaccard(int a, int b, int shared) {
            return (double) shared / (a + b - shared);
        }

        static double angle(int a, int b, int shared) {
            return 1 - Math.acos(Math.min(1, shared / Math.sqrt((double) a * b))) / Math.PI;
        }

        static double equalBits(int a, int b, int shared) {
            return 1 - (double) (a + b - 2 * shared) / DIMENSIONS;
        }
    }

    Signature sign(Family of, long[] all, int from, int to) {
        return signing.sign(of, all, from, to);
    }

    @Override
    public String toString() {
        return name;
    }
}
