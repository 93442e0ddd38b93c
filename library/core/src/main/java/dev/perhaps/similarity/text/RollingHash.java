package dev.perhaps.similarity.text;

import dev.perhaps.hash.Mix;
import java.util.Arrays;

/**
 * Hashes all windows of {@code size} consecutive values, with one or two multiplications per window, whatever the size.
 */
public final class RollingHash {
    /*
     * The hash of a window v_0 … v_{n−1} is h = Σ v_i · B^(n−1−i) mod 2^64, so the next one is h·B + (v_n − v_0·B^n)
     * [1]. The values are random words, one for each letter: two windows collide with chance 2^−64, and up to 2^−56
     * where letters of one window changed places at a distance of 64. The answer is h with its high half folded down,
     * since the low bits of a sum of products depend on low bits only; structures that use the hashes multiply them by
     * their own constant (Mix).
     *
     * From ASCII, what enters and leaves stands in tables (Letters), and a window costs one product. From any other
     * values it costs two, in place; there two halves of the array roll side by side, so that the processor works on
     * one while it waits for the product of the other. The first half reads n values that the second has overwritten by
     * then; they are copied first.
     *
     * [1] Karp and Rabin, "Efficient randomized pattern-matching algorithms" (1987).
     */
    private static final long BASE = 0xF1357AEA2E62A9C5L;
    private static final long SHORT = 0x9E6C63D0876A9A47L;

    private final int size;
    private final long baseToSize;

    public RollingHash(int size) {
        this.size = size;
        long power = 1;
        for (int i = 0; i < size; i++) {
            power *= BASE;
        }
        this.baseToSize = power;
    }

    int size() {
        return size;
    }

    /** What a value adds to the sum after the window has moved past it. */
    long leaving(long value) {
        return value * baseToSize;
    }

    /** The sum of a window, one value longer: {@code extended(…extended(0, v_0)…, v_n)}. */
    public static long extended(long sum, long value) {
        return sum * BASE + value;
    }

    public static long folded(long sum) {
        return sum ^ sum >>> 32;
    }

    /**
     * The hash of values that are fewer than a window; it differs from that of any window, and depends on their number.
     */
    public static long whole(long[] values, int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum = extended(sum, values[i]);
        }
        return Mix.finish(sum + (count + 1) * SHORT);
    }

    /** Replaces {@code count} values by the hashes of their windows, and returns how many: at least one. */
    public int roll(long[] values, int count) {
        if (count < size) {
            values[0] = whole(values, count);
            return 1;
        }
        int windows = count - size + 1;
        int half = windows >>> 1;
        if (half > size) {
            rollHalves(values, windows, half);
        } else {
            roll(values, 0, windows, sum(values, 0));
        }
        return windows;
    }

    /** The hashes of {@code windows} windows of ASCII letters, the first at {@code at}. */
    public void roll(byte[] ascii, int at, int windows, Letters letters, long[] into, int from) {
        roll(ascii, at, windows, size, sum(ascii, at, letters), letters.entering, letters.leaving, into, from);
    }

    private static void roll(
            byte[] ascii,
            int at,
            int windows,
            int n,
            long sum,
            long[] entering,
            long[] leaving,
            long[] into,
            int from) {
        into[from] = folded(sum);
        for (int i = 0; i < windows - 1; i++) {
            sum = extended(sum, entering[ascii[at + n + i] & 0xFF] - leaving[ascii[at + i] & 0xFF]);
            into[from + 1 + i] = folded(sum);
        }
    }

    /** The sum of the window of ASCII letters at {@code at}. */
    public long sum(byte[] ascii, int at, Letters letters) {
        long sum = 0;
        for (int i = at; i < at + size; i++) {
            sum = extended(sum, letters.entering[ascii[i] & 0xFF]);
        }
        return sum;
    }

    private long sum(long[] values, int from) {
        long sum = 0;
        for (int i = from; i < from + size; i++) {
            sum = extended(sum, values[i]);
        }
        return sum;
    }

    private void roll(long[] values, int from, int to, long sum) {
        int n = size;
        long power = baseToSize;
        for (int i = from; i < to - 1; i++) {
            long first = values[i];
            values[i] = folded(sum);
            sum = extended(sum, values[i + n] - first * power);
        }
        values[to - 1] = folded(sum);
    }

    private void rollHalves(long[] values, int windows, int half) {
        int n = size;
        long power = baseToSize;
        long[] overwritten = Arrays.copyOfRange(values, half, half + n);
        long left = sum(values, 0);
        long right = sum(values, half);
        int both = half - n;
        for (int i = 0, j = half; i < both; i++, j++) {
            long leftFirst = values[i];
            long rightFirst = values[j];
            values[i] = folded(left);
            values[j] = folded(right);
            left = extended(left, values[i + n] - leftFirst * power);
            right = extended(right, values[j + n] - rightFirst * power);
        }
        for (int i = 0; i < n; i++) {
            long first = values[both + i];
            values[both + i] = folded(left);
            left = extended(left, overwritten[i] - first * power);
        }
        roll(values, half + both, windows, right);
    }
}
