package dev.perhaps.server.wire;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers as Redis writes them, and durations. */
public final class WireNumbers {
    private static final int MAX_DIGITS = 20;
    private static final int MAX_DOUBLE = 64;
    private static final Pattern BYTES = Pattern.compile("([0-9]{1,19})(b|k|kb|m|mb|g|gb|)");
    private static final Pattern REAL = Pattern.compile("[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?");
    private static final Pattern INFINITE = Pattern.compile("([-+]?)inf(inity)?", Pattern.CASE_INSENSITIVE);
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");

    private WireNumbers() {}

    /** A whole number as Redis reads it: digits, perhaps with a minus, without zeros before them. */
    public static OptionalLong integer(byte[] word) {
        if (word.length == 0 || word.length > MAX_DIGITS) {
            return OptionalLong.empty();
        }
        String text = new String(word, StandardCharsets.ISO_8859_1);
        int from = text.charAt(0) == '-' ? 1 : 0;
        if (from == text.length() || text.charAt(from) == '0' && text.length() > 1) {
            return OptionalLong.empty();
        }
        for (int i = from; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return OptionalLong.empty();
            }
        }
        try {
            return OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    /** A duration such as 500ms, 30s, 10m, 1h or 7d, in milliseconds. */
    public static OptionalLong millis(byte[] word) {
        Matcher matcher = DURATION.matcher(new String(word, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            return OptionalLong.empty();
        }
        long unit = switch (matcher.group(2)) {
            case "ms" -> 1;
            case "s" -> 1_000;
            case "m" -> 60_000;
            case "h" -> 3_600_000;
            default -> 86_400_000;
        };
        return OptionalLong.of(Long.parseLong(matcher.group(1)) * unit);
    }

    /** A number of bytes: digits, perhaps with a unit of 1,000 (k, m, g) or of 1,024 (kb, mb, gb). */
    public static OptionalLong bytes(byte[] word) {
        Matcher matcher = BYTES.matcher(new String(word, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            return OptionalLong.empty();
        }
        long unit = switch (matcher.group(2)) {
            case "k" -> 1_000L;
            case "kb" -> 1L << 10;
            case "m" -> 1_000_000L;
            case "mb" -> 1L << 20;
            case "g" -> 1_000_000_000L;
            case "gb" -> 1L << 30;
            default -> 1L;
        };
        try {
            return OptionalLong.of(Math.multiplyExact(Long.parseLong(matcher.group(1)), unit));
        } catch (ArithmeticException | NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    /** A number with or without a fraction and an exponent, or an infinite one; not one that is near to no double. */
    public static OptionalDouble real(byte[] word) {
        String text = new String(word, StandardCharsets.ISO_8859_1);
        if (text.isEmpty() || text.length() > MAX_DOUBLE) {
            return OptionalDouble.empty();
        }
        // What Java also takes for a number: spaces around it, and letters for its type after it.
        if (!REAL.matcher(text).matches()) {
            return !INFINITE.matcher(text).matches()
                    ? OptionalDouble.empty()
                    : OptionalDouble.of(text.charAt(0) == '-' ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY);
        }
        double value = Double.parseDouble(text);
        boolean isTooSmall = value == 0 && text.matches("[^eE]*[1-9].*");
        return Double.isInfinite(value) || isTooSmall ? OptionalDouble.empty() : OptionalDouble.of(value);
    }
}
