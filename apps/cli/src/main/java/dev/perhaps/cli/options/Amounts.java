package dev.perhaps.cli.options;

import dev.perhaps.cli.input.BadInput;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Amounts as people write them on a command line: 512M, 1.5G; 1e9, 1_000_000, 1,000,000. */
public final class Amounts {
    private static final double MAX_MILLIS = 1e15;
    private static final String SIZE_UNITS = " KMGT";
    private static final Pattern BYTES = Pattern.compile("([0-9]+(?:\\.[0-9]+)?) ?([kmgt]?)(?:i?b)?");

    private static final Pattern DURATION = Pattern.compile("([0-9]+(?:\\.[0-9]+)?) ?(ms|s|m|h|d)");

    private Amounts() {}

    /** A duration: 30s, 10m, 1.5h, 7d. */
    public static Duration duration(String option, String text) {
        Matcher matcher = DURATION.matcher(text.strip().toLowerCase(Locale.ROOT));
        double millis = 0;
        if (matcher.matches()) {
            double unit = switch (matcher.group(2)) {
                case "ms" -> 1;
                case "s" -> 1000;
                case "m" -> 60_000;
                case "h" -> 3_600_000;
                default -> 86_400_000;
            };
            millis = Double.parseDouble(matcher.group(1)) * unit;
        }
        if (millis < 1 || millis > MAX_MILLIS) {
            throw new BadInput(option + " must be a duration such as 30s, 10m, 1h or 7d, got '" + text + "'");
        }
        return Duration.ofMillis(Math.round(millis));
    }

    /** Bytes; K, M, G and T are powers of 1,024. */
    public static long bytes(String option, String text) {
        Matcher matcher = BYTES.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new BadInput(option + " must be a size such as 512M or 2G, got '" + text + "'");
        }
        double unit = Math.pow(1024, " kmgt".indexOf(matcher.group(2).isEmpty() ? " " : matcher.group(2)));
        return (long) (Double.parseDouble(matcher.group(1)) * unit);
    }

    /** The same, of at least this many bytes. */
    public static long bytes(String option, String text, long least) {
        long bytes = bytes(option, text);
        if (bytes < least) {
            throw new BadInput(option + " must be at least " + text(least) + ", got '" + text + "'");
        }
        return bytes;
    }

    /** A size as it can be typed: 64M. */
    public static String text(long bytes) {
        int unit = 0;
        long amount = bytes;
        for (; amount > 0 && amount % 1024 == 0 && unit < SIZE_UNITS.length() - 1; unit++) {
            amount /= 1024;
        }
        return unit == 0 ? Long.toString(amount) : amount + SIZE_UNITS.substring(unit, unit + 1);
    }

    /** A duration as it can be typed: 30s, 1h, 1d. */
    public static String text(Duration duration) {
        long millis = duration.toMillis();
        if (millis % 1000 != 0) {
            return millis + "ms";
        }
        long seconds = millis / 1000;
        if (seconds % 86_400 == 0) {
            return seconds / 86_400 + "d";
        }
        return seconds % 3600 == 0 ? seconds / 3600 + "h" : seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
    }

    /** A number of things without which there is nothing to do. */
    public static int atLeastOne(String option, int number) {
        if (number < 1) {
            throw new BadInput(option + " must be at least 1, got " + number);
        }
        return number;
    }

    public static long count(String option, String text) {
        String digits = text.strip().replace("_", "").replace(",", "");
        try {
            double value = Double.parseDouble(digits);
            if (value >= 1 && value <= Long.MAX_VALUE && value == Math.rint(value)) {
                return digits.matches("[0-9]+") ? Long.parseLong(digits) : (long) value;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new BadInput(
                option + " must be a whole number of at least 1, such as 1000000 or 1e6, got '" + text + "'");
    }
}
