package dev.perhaps.lab;

import java.util.Locale;

/** Means, deviations and how numbers are written. */
public final class NumberFormats {
    private NumberFormats() {}

    public static String format(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    public static double mean(double... values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        return sum / values.length;
    }

    /** The standard deviation of one of these, 0 for a single value. */
    public static double deviation(double... values) {
        if (values.length < 2) {
            return 0;
        }
        double mean = mean(values);
        double squares = 0;
        for (double value : values) {
            squares += (value - mean) * (value - mean);
        }
        return Math.sqrt(squares / (values.length - 1));
    }

    public static double median(double... values) {
        double[] sorted = values.clone();
        java.util.Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
