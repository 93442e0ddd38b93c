package dev.perhaps.frequency;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A list of counted values to be loaded into a table: read from a file, or merged from two tables. */
final class Entries {
    private long[] hashes;
    private long[] counts;
    private long[] errs;
    private @Nullable Object[] values;
    private int size;

    Entries(int expected) {
        hashes = new long[expected];
        counts = new long[expected];
        errs = new long[expected];
        values = new Object[expected];
    }

    void add(long hash, Object value, long count, long err) {
        if (size == hashes.length) {
            int more = Math.max(16, size * 2);
            hashes = Arrays.copyOf(hashes, more);
            counts = Arrays.copyOf(counts, more);
            errs = Arrays.copyOf(errs, more);
            values = Arrays.copyOf(values, more);
        }
        set(size++, hash, value, count, err);
    }

    private void set(int i, long hash, Object value, long count, long err) {
        hashes[i] = hash;
        values[i] = value;
        counts[i] = count;
        errs[i] = err;
    }

    int size() {
        return size;
    }

    long hash(int i) {
        return hashes[i];
    }

    Object value(int i) {
        return Objects.requireNonNull(values[i]);
    }

    long count(int i) {
        return counts[i];
    }

    long err(int i) {
        return errs[i];
    }

    /** If there are more than {@code most}, drops all up to the count that is too many; returns that count, or 0. */
    long keepLargest(int most) {
        if (size <= most) {
            return 0;
        }
        long[] sorted = Arrays.copyOf(counts, size);
        Arrays.sort(sorted);
        long bound = sorted[size - most - 1];
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (counts[i] > bound) {
                set(kept++, hashes[i], value(i), counts[i], errs[i]);
            }
        }
        Arrays.fill(values, kept, size, null);
        size = kept;
        return bound;
    }

    /** Puts the largest counts first; equal ones stay in their order. For few entries: it inserts one by one. */
    void sortLargestFirst() {
        for (int i = 1; i < size; i++) {
            long hash = hashes[i];
            Object value = value(i);
            long count = counts[i];
            long err = errs[i];
            int at = i;
            for (; at > 0 && counts[at - 1] < count; at--) {
                set(at, hashes[at - 1], value(at - 1), counts[at - 1], errs[at - 1]);
            }
            set(at, hash, value, count, err);
        }
    }
}
