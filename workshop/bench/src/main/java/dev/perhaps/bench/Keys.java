package dev.perhaps.bench;

import dev.perhaps.hash.Mix;
import java.util.function.IntFunction;
import java.util.function.LongFunction;

/**
 * The keys of a run: keys to add, a part of them in another order to look up, and keys that are never added. All are
 * distinct, and the same in every run.
 *
 * @param <K> an array of keys
 */
public record Keys<K>(K added, int items, K asked, int asks, K absent, int absentees) {
    /*
     * Key i is an avalanche of i: a bijection, so keys of different numbers differ. Keys are asked in steps of about
     * 0.618 n with no common divisor with n, which visits each once in an order that has nothing to do with that of
     * adding. The keys to look up are in their own array and are read in order, as if they had just arrived.
     */
    /** This number of absent keys measures an error of 0.1 % to within 1 % of its value. */
    public static final int ABSENTEES = 10_000_000;

    private static final int MAX_ASKS = 1_000_000;
    private static final double GOLDEN = 0.6180339887498949;

    /** {@code absentees} is larger than the asks of a timed run where a small error is to be measured well. */
    public static Keys<long[]> longs(int items, int absentees) {
        int asks = Math.min(items, MAX_ASKS);
        long[] asked = new long[asks];
        long step = stepThrough(items);
        for (int i = 0; i < asks; i++) {
            asked[i] = Mix.finish(i * step % items);
        }
        return new Keys<>(consecutive(0, items), items, asked, asks, consecutive(items, absentees), absentees);
    }

    /** Strings of 20 characters. */
    public static Keys<String[]> strings(int items, int absentees) {
        int asks = Math.min(items, MAX_ASKS);
        long step = stepThrough(items);
        return new Keys<>(
                fill(items, String[]::new, Keys::string),
                items,
                fill(asks, String[]::new, i -> string(i * step % items)),
                asks,
                fill(absentees, String[]::new, i -> string(items + i)),
                absentees);
    }

    private static long[] consecutive(long first, int count) {
        long[] keys = new long[count];
        for (int i = 0; i < count; i++) {
            keys[i] = Mix.finish(first + i);
        }
        return keys;
    }

    private static <T> T[] fill(int count, IntFunction<T[]> array, LongFunction<T> key) {
        T[] keys = array.apply(count);
        for (int i = 0; i < count; i++) {
            keys[i] = key.apply(i);
        }
        return keys;
    }

    /** The number's avalanche in 16 hexadecimal digits, with a prefix as keys often have. */
    private static String string(long i) {
        String digits = Long.toHexString(Mix.finish(i));
        return "key:" + "0".repeat(16 - digits.length()) + digits;
    }

    private static long stepThrough(int items) {
        long step = Math.max(1, Math.round(items * GOLDEN));
        while (divisor(step, items) != 1) {
            step++;
        }
        return step;
    }

    private static long divisor(long a, long b) {
        return b == 0 ? a : divisor(b, a % b);
    }
}
