package dev.perhaps.frequency;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A list of counted values on their way into a table: read from a file, or put together from two tables. */
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

    /** Drops the smallest counts beyond so many entries, and answers the largest of those dropped, or 0. */
    long keepLargest(int most) {
        if (size <= most) {
            return 0;
        }
        long[] sorted = Arrays.copyOf(counts, size);
        Arrays.sort(sorted);
        long last = sorted[size - most];
        int ties = 0;
        for (int i = size - most; i < size && sorted[i] == last; i++) {
            ties++;
        }
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (counts[i] > last || counts[i] == last && ties-- > 0) {
                set(kept++, hashes[i], value(i), counts[i], errs[i]);
            }
        }
        assert kept == most;
        Arrays.fill(values, kept, size, null);
        size = kept;
        return sorted[sorted.length - most - 1];
    }
}
