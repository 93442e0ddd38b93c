package dev.perhaps.similarity.search;

import java.util.Arrays;

/** Sorts keys, unsigned, and carries their values along; stable, in time linear in their number. Not thread-safe. */
public final class RadixSort {
    private static final int BITS = 11;
    private static final int CELLS = 1 << BITS;

    private final int[] starts = new int[CELLS];
    private long[] keys;
    private int[] values;
    private long[] otherKeys;
    private int[] otherValues;

    public RadixSort(int count) {
        this.keys = new long[count];
        this.values = new int[count];
        this.otherKeys = new long[count];
        this.otherValues = new int[count];
    }

    /** To be filled before {@link #sort}; ask again afterwards. */
    public long[] keys() {
        return keys;
    }

    public int[] values() {
        return values;
    }

    public void sort() {
        for (int shift = 0; shift < 64; shift += BITS) {
            pass(shift);
        }
    }

    /** A run of equal keys, {@code [from, to)}. */
    @FunctionalInterface
    public interface Run {
        void found(int from, int to);
    }

    /** All runs of equal keys, once sorted. */
    public void forEachRun(Run run) {
        int from = 0;
        for (int to = 1; to <= keys.length; to++) {
            if (to == keys.length || keys[to] != keys[from]) {
                run.found(from, to);
                from = to;
            }
        }
    }

    private void pass(int shift) {
        int count = keys.length;
        Arrays.fill(starts, 0);
        for (long key : keys) {
            starts[(int) (key >>> shift) & CELLS - 1]++;
        }
        int start = 0;
        for (int cell = 0; cell < CELLS; cell++) {
            int size = starts[cell];
            if (size == count) {
                return;
            }
            starts[cell] = start;
            start += size;
        }
        for (int i = 0; i < count; i++) {
            int at = starts[(int) (keys[i] >>> shift) & CELLS - 1]++;
            otherKeys[at] = keys[i];
            otherValues[at] = values[i];
        }
        long[] sortedKeys = otherKeys;
        otherKeys = keys;
        keys = sortedKeys;
        int[] sortedValues = otherValues;
        otherValues = values;
        values = sortedValues;
    }
}
