package dev.perhaps.cli.input;

/** Whole numbers in text, read without making a string of them. */
public final class Numbers {
    /** No number, or one that a long does not hold. */
    public static final long NONE = Long.MIN_VALUE;

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

    /** The number that this text is, or that an IPv4 address is, or {@link #NONE}. */
    public static long parseOrAddress(byte[] bytes, int from, int to) {
        long number = parse(bytes, from, to);
        if (number != NONE) {
            return number;
        }
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
