package dev.perhaps.membership;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Objects;

/** Says whether a value is in a set: {@code false} is certain, {@code true} means "perhaps". */
public interface Filter<T> {
    /** Returns false if the value was certainly not added, and true if it perhaps was. */
    boolean mightContain(T value);

    /**
     * Looks up many values: bit i of the result is {@link #mightContain} of value number i, from 0, in the order of the
     * collection. The filters of this library look up a block of values at a time, which is faster than one by one.
     */
    default BitSet mightContainAll(Collection<? extends T> values) {
        Objects.requireNonNull(values, "values must not be null");
        BitSet answers = new BitSet(values.size());
        int i = 0;
        for (T value : values) {
            answers.set(i, mightContain(value));
            i++;
        }
        return answers;
    }

    /** Looks up many values, in the order of the array; see {@link #mightContainAll(Collection)}. */
    default BitSet mightContainAll(T[] values) {
        Objects.requireNonNull(values, "values must not be null");
        return mightContainAll(Arrays.asList(values));
    }
}
