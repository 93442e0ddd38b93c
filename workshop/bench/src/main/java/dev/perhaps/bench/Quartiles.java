package dev.perhaps.bench;

import java.util.Arrays;

/** The median of some figures and the quartiles around it. */
public record Quartiles(double low, double median, double high) {
    public static Quartiles of(double... figures) {
        if (figures.length == 0) {
            throw new IllegalArgumentException("quartiles need at least one figure, got none");
        }
        double[] sorted = figures.clone();
        Arrays.sort(sorted);
        return new Quartiles(at(sorted, 0.25), at(sorted, 0.5), at(sorted, 0.75));
    }

    /** How many times faster the first is than the second: their times, divided round by round. */
    public static Quartiles ofRatio(double[] nanos, double[] peerNanos) {
        if (nanos.length != peerNanos.length) {
            throw new IllegalArgumentException(
                    "a ratio is taken within a round: got " + nanos.length + " rounds against " + peerNanos.length);
        }
        double[] ratios = new double[nanos.length];
        for (int round = 0; round < ratios.length; round++) {
            ratios[round] = peerNanos[round] / nanos[round];
        }
        return of(ratios);
    }

    /** True if the quartiles of a ratio include 1: the rounds show no clear difference. */
    boolean level() {
        return low <= 1 && high >= 1;
    }

    /** The figure at a share of the way through the sorted ones, on the straight line between its neighbours. */
    private static double at(double[] sorted, double share) {
        double place = share * (sorted.length - 1);
        int below = (int) place;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
    }
}
