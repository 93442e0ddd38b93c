package dev.perhaps.jdbc;

import java.util.List;
import java.util.SplittableRandom;

/** Lookups in stretches of equal length, each with a share of its own of what is there. */
record Phases(List<Double> shares) {
    static Phases of(Double... shares) {
        return new Phases(List.of(shares));
    }

    /** What is asked for: even numbers are there, odd ones are not. */
    int[] numbers(int lookups, int below, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int[] numbers = new int[lookups];
        for (int i = 0; i < lookups; i++) {
            double share = shares.get((int) ((long) i * shares.size() / lookups));
            numbers[i] = 2 * random.nextInt(below) + (random.nextDouble() < share ? 0 : 1);
        }
        return numbers;
    }

    double absent() {
        return 1 - shares.stream().mapToDouble(share -> share).average().orElse(0);
    }

    @Override
    public String toString() {
        return shares + " there";
    }
}
