package dev.perhaps.cli.input;

/** Numbers in text, read without making a string of them. */
public final class Numbers {
    /** No number, or one that a long does not hold. */
    public static final long NONE = Long.MIN_VALUE;

    private Numbers() {}

    /** The whole number that {@code [from, to)} is, with or without a sign, or {@link #NONE}. */
    public static long parse(byte[] bytes, int from, int to) {
        return places(bytes, from, to) == 0 ? parse(bytes, from, to, 0) : NONE;
    }

    /** How many decimals are written: 2 of {@code 12.50}, 0 of {@code 12}; -1 if it is not a number. */
    static int places(byte[] bytes, int from, int to) {
        int at = from < to && (bytes[from] == '-' || bytes[from] == '+') ? from + 1 : from;
        int point = -1;
        for (int i = at; i < to; i++) {
            if (bytes[i] == '.' && point < 0) {
                point = i;
            } else if (bytes[i] < '0' || bytes[i] > '9') {
                return -1;
            }
        }
        boolean hasDigits = at < to && point != to - 1;
        return !hasDigits ? -1 : point < 0 ? 0 : to - point - 1;
    }

    /**
     * The number that {@code [from, to)} is, times ten to the power of {@code places}, or {@link #NONE} if a long does not hold it.
     * Further decimals are rounded, halves away from zero. It must be a number: see {@link #places}.
     */
    static long parse(byte[] bytes, int from, int to, int places) {
        boolean negative = bytes[from] == '-';
        long value = 0; // kept negative, since there is one more of these
        int decimals = -1;
        for (int at = negative || bytes[from] == '+' ? from + 1 : from; at < to; at++) {
            if (bytes[at] == '.') {
                decimals = 0;
                continue;
            }
            int digit = bytes[at] - '0';
            if (decimals == places) {
                value = digit >= 5 ? plusDigit(value, 1, -1) : value;
                decimals++;
                break;
            }
            value = plusDigit(value, 10, -digit);
            decimals += decimals < 0 ? 0 : 1;
            if (value == 1) {
                return NONE;
            }
        }
        for (int i = Math.max(0, decimals); i < places && value != 1; i++) {
            value = plusDigit(value, 10, 0);
        }
        return value == 1 ? NONE : negative || value == Long.MIN_VALUE ? value : -value;
    }

    /** The value times a factor plus a digit, all of them 0 or less except for the factor; 1 if a long does not hold it. */
    private static long plusDigit(long value, int factor, int digit) {
        boolean fits = value >= Long.MIN_VALUE / factor && value * factor >= Long.MIN_VALUE - digit;
        return fits ? value * factor + digit : 1;
    }

    public static long powerOfTen(int exponent) {
        long power = 1;
        for (int i = 0; i < exponent; i++) {
            power *= 10;
        }
        return power;
    }

    /** The number that an IPv4 address is, or {@link #NONE}. */
    static long address(byte[] bytes, int from, int to) {
        long address = 0;
        int start = from;
        for (int part = 0; part < 4; part++) {
            int end = start;
            while (end < to && bytes[end] != '.') {
                end++;
            }
            boolean last = part == 3;
            boolean signed = start < end && (bytes[start] < '0' || bytes[start] > '9');
            long value = signed || end - start > 3 || last != (end == to) ? NONE : parse(bytes, start, end);
            if (value < 0 || value > 255) {
                return NONE;
            }
            address = address << 8 | value;
            start = end + 1;
        }
        return address;
    }
}
