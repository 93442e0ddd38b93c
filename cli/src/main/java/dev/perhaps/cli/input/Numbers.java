package dev.perhaps.cli.input;

/** Whole numbers in text, read without making a string of them. */
final class Numbers {
    /** No number, or one that a long does not hold. */
    static final long NONE = Long.MIN_VALUE;

    private Numbers() {}

    /** The number that {@code [from, to)} is, with or without a sign, or {@link #NONE}. */
    static long parse(byte[] bytes, int from, int to) {
        int at = from;
        boolean negative = at < to && bytes[at] == '-';
        if (negative || at < to && bytes[at] == '+') {
            at++;
        }
        if (at == to) {
            return NONE;
        }
        long value = 0; // kept negative, since there is one more of these
        for (; at < to; at++) {
            int digit = bytes[at] - '0';
            if (digit < 0 || digit > 9 || value < Long.MIN_VALUE / 10 || value * 10 < Long.MIN_VALUE + digit) {
                return NONE;
            }
            value = value * 10 - digit;
        }
        return negative || value == Long.MIN_VALUE ? value : -value;
    }
}
