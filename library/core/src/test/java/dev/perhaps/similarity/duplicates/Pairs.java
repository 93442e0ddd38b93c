package dev.perhaps.similarity.duplicates;

import java.util.Arrays;
import java.util.SplittableRandom;

/** A random pair of sets of hashes with a known overlap. */
public final class Pairs {
    private final long[] a;
    private final long[] b;
    private final int shared;

    private Pairs(long[] a, long[] b, int shared) {
        this.a = a;
        this.b = b;
        this.shared = shared;
    }

    /** Two sets of {@code size} hashes each, of which {@code shared} are in both. */
    public static Pairs of(int size, int shared, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] a = random.longs(size).toArray();
        long[] b = Arrays.copyOf(a, size);
        for (int i = shared; i < size; i++) {
            b[i] = random.nextLong();
        }
        return new Pairs(a, b, shared);
    }

    public long[] a() {
        return a;
    }

    public long[] b() {
        return b;
    }

    public double jaccard() {
        return (double) shared / (2 * a.length - shared);
    }

    public double cosine() {
        return (double) shared / a.length;
    }
}
