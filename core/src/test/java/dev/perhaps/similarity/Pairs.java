package dev.perhaps.similarity;

import java.util.Arrays;
import java.util.SplittableRandom;

/** A random pair of sets of hashes with a known overlap. */
final class Pairs {
    private final long[] a;
    private final long[] b;
    private final int shared;

    private Pairs(long[] a, long[] b, int shared) {
        this.a = a;
        this.b = b;
        this.shared = shared;
    }

    /** Two sets of {@code size} hashes each, of which so many are in both. */
    static Pairs of(int size, int shared, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] a = random.longs(size).toArray();
        long[] b = Arrays.copyOf(a, size);
        for (int i = shared; i < size; i++) {
            b[i] = random.nextLong();
        }
        return new Pairs(a, b, shared);
    }

    long[] a() {
        return a;
    }

    long[] b() {
        return b;
    }

    double jaccard() {
        return (double) shared / (2 * a.length - shared);
    }

    double cosine() {
        return (double) shared / a.length;
    }
}
