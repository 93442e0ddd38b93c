package dev.perhaps.similarity.search;

import dev.perhaps.hash.Mix;
import java.util.stream.IntStream;

/**
 * Under which keys contents meet, and what becomes of a bucket of a certain size: pure functions, for one machine
 * (Candidates) and for many (DuplicateRule) alike.
 */
public final class Buckets {
    /** All pairs of buckets of up to this number of contents are looked at. */
    public static final int HOT = 64;

    /** Passes over the bands; the first is for all contents, the others for those that met enough in it. */
    public static final int PASSES = 3;

    private static final int CROWD = 3;
    private static final int RARE = 32;
    private static final long GAMMA = 0x9E3779B97F4A7C15L;

    private Buckets() {}

    /** The rows of a band; each pass shares all rows among its bands in another way. */
    public static int[] rows(int pass, int band, int bands, int rows) {
        return IntStream.range(0, rows)
                .map(j -> pass == 0 ? band * rows + j : j * bands + (band + (pass - 1) * j) % bands)
                .toArray();
    }

    /** The key of a content for some of its rows: those with equal keys are in one bucket. */
    public static long key(int[] signature, int[] rowsOfKey) {
        long key = 0;
        for (int row : rowsOfKey) {
            key = Mix.finish((key ^ signature[row]) + GAMMA);
        }
        return key;
    }

    /** The first component by which the members of a large bucket are ordered. */
    public static int orderedFrom(int pass, int band, int rows) {
        return pass == 0 ? (band + 1) * rows : band * rows + rows / 2;
    }

    /** True if the members of a bucket of the first pass are banded again. */
    public static boolean isCrowd(int size) {
        return size >= CROWD;
    }

    /** True if the last pass, which passes hot buckets over. */
    public static boolean isLast(int pass) {
        return pass == PASSES - 1;
    }

    /** True if so few contents have a value that all of their pairs are looked at. */
    public static boolean areFew(int size) {
        return size <= RARE;
    }
}
