package dev.perhaps.chord.model;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Places on a circle of 2^64, which is as good as 2^160 for fewer than 2^32 members: no two of them coincide. */
final class Circle {
    private Circle() {}

    /** Places drawn at random, ascending as unsigned numbers. */
    static long[] places(int count, SplittableRandom random) {
        long[] places = new long[count];
        for (int i = 0; i < count; i++) {
            places[i] = random.nextLong();
        }
        Arrays.sort(places);
        return unsigned(places);
    }

    /** Turns an ascending array of signed numbers by half the circle, so that it ascends as unsigned ones. */
    private static long[] unsigned(long[] ascending) {
        for (int i = 0; i < ascending.length; i++) {
            ascending[i] ^= Long.MIN_VALUE;
        }
        return ascending;
    }

    /** The index of the first place at or after {@code key}, around the circle if need be. */
    static int successor(long[] places, long key) {
        int low = 0;
        int high = places.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Long.compareUnsigned(places[middle], key) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == places.length ? 0 : low;
    }

    /** Returns true if {@code key} lies in (from, to], where from = to is the whole circle. */
    static boolean isIn(long from, long key, long to) {
        return from == to || Long.compareUnsigned(key - from - 1, to - from - 1) <= 0;
    }

    /** True if {@code x} lies strictly between two places, where from = to is the whole circle but that place. */
    static boolean between(long from, long x, long to) {
        return x != to && x != from && isIn(from, x, to);
    }
}
