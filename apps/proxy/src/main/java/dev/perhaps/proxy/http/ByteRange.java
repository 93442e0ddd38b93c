package dev.perhaps.proxy.http;

import org.jspecify.annotations.Nullable;

/**
 * One range of bytes of a body (RFC 9110, section 14).
 *
 * @param from first byte; behind the last if the body has no such bytes
 * @param to last byte, inclusive
 */
public record ByteRange(long from, long to) {
    private static final int MAX_DIGITS = 18;

    public boolean satisfiable() {
        return from <= to;
    }

    public long sizeBytes() {
        return to - from + 1;
    }

    /** Null: not one plain range of bytes, so the whole is sent, which is always right (section 14.2). */
    public static @Nullable ByteRange of(String value, long lengthBytes) {
        int dash = value.indexOf('-');
        if (!value.startsWith("bytes=") || dash < 0 || value.indexOf(',') >= 0) {
            return null;
        }
        String first = value.substring("bytes=".length(), dash).strip();
        String last = value.substring(dash + 1).strip();
        if (!digits(first) || !digits(last) || first.isEmpty() && last.isEmpty()) {
            return null;
        }
        if (first.isEmpty()) {
            long suffix = Long.parseLong(last);
            return new ByteRange(suffix == 0 ? lengthBytes : Math.max(0, lengthBytes - suffix), lengthBytes - 1);
        }
        long from = Long.parseLong(first);
        if (last.isEmpty()) {
            return new ByteRange(from, lengthBytes - 1);
        }
        long to = Long.parseLong(last);
        return to < from ? null : new ByteRange(from, Math.min(to, lengthBytes - 1));
    }

    private static boolean digits(String text) {
        return text.length() <= MAX_DIGITS && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }
}
