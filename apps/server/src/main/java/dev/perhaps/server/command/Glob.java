package dev.perhaps.server.command;

/** Patterns as Redis has them: {@code * ? [a-z] [^a]} and a backslash before what is meant literally. */
final class Glob {
    private final byte[] pattern;
    private final long maxSteps;
    private long steps;

    /** A pattern that is matched with many texts, in at most this number of steps. */
    Glob(byte[] pattern, long maxSteps) {
        this.pattern = pattern;
        this.maxSteps = maxSteps;
    }

    /** Returns the number of steps that all texts have taken. */
    long steps() {
        return steps;
    }

    /** Returns true if the whole text matches; refuses to take more steps, over all texts, than it may. */
    boolean matches(byte[] text) {
        int p = 0;
        int t = 0;
        int star = -1;
        int resume = 0;
        long taken = steps;
        while (t < text.length) {
            if (++taken > maxSteps) {
                throw new CommandError("ERR to match this pattern takes more than " + maxSteps
                        + " steps: use fewer stars, or SCAN with a smaller COUNT");
            }
            boolean isStar = p < pattern.length && pattern[p] == '*';
            if (!isStar && p < pattern.length && pattern[p] == '[') {
                taken += pattern.length - p;
            }
            int next = p < pattern.length && !isStar ? one(pattern, p, text[t]) : -1;
            if (next >= 0) {
                p = next;
                t++;
            } else if (isStar) {
                star = p++;
                resume = t;
            } else if (star >= 0) {
                // Only the last star matters: what came before it has matched.
                p = star + 1;
                t = ++resume;
            } else {
                steps = taken;
                return false;
            }
        }
        steps = taken;
        while (p < pattern.length && pattern[p] == '*') {
            p++;
        }
        return p == pattern.length;
    }

    /** Returns true if the whole text matches. It takes at most pattern times text steps. */
    static boolean matches(byte[] pattern, byte[] text) {
        return new Glob(pattern, Long.MAX_VALUE).matches(text);
    }

    /** The place after the part of the pattern that matches this byte, or -1. */
    private static int one(byte[] pattern, int at, byte b) {
        return switch (pattern[at]) {
            case '?' -> at + 1;
            case '\\' -> at + 1 < pattern.length ? (pattern[at + 1] == b ? at + 2 : -1) : b == '\\' ? at + 1 : -1;
            case '[' -> set(pattern, at + 1, b);
            default -> pattern[at] == b ? at + 1 : -1;
        };
    }

    private static int set(byte[] pattern, int from, byte b) {
        int at = from;
        boolean isNot = at < pattern.length && pattern[at] == '^';
        if (isNot) {
            at++;
        }
        boolean found = false;
        while (at < pattern.length && pattern[at] != ']') {
            if (pattern[at] == '\\' && at + 1 < pattern.length) {
                found |= pattern[at + 1] == b;
                at += 2;
            } else if (at + 2 < pattern.length && pattern[at + 1] == '-' && pattern[at + 2] != ']') {
                int low = Math.min(pattern[at] & 0xff, pattern[at + 2] & 0xff);
                int high = Math.max(pattern[at] & 0xff, pattern[at + 2] & 0xff);
                found |= (b & 0xff) >= low && (b & 0xff) <= high;
                at += 3;
            } else {
                found |= pattern[at++] == b;
            }
        }
        return found != isNot ? Math.min(at + 1, pattern.length) : -1;
    }
}
