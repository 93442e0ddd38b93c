package dev.perhaps.sketch;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.Arrays;
import java.util.Objects;

/**
 * A structure to which values can be added one by one, and which can be cleared: for code that works with any of them.
 * Collect a stream with {@code Perhaps.collector(plan::build)}.
 */
public interface Addable<T> extends Sketch {
    /**
     * Adds one value, as the structure's own {@code add} does.
     *
     * @return false, with nothing changed, if the structure is full
     */
    boolean offer(T value);

    /**
     * Adds the values in order and stops at the first one that does not fit.
     *
     * @return the number of values added, fewer than given only if the structure is full
     */
    @CanIgnoreReturnValue
    default long addAll(Iterable<? extends T> values) {
        Objects.requireNonNull(values, "values must not be null");
        long taken = 0;
        for (T value : values) {
            if (!offer(value)) {
                return taken;
            }
            taken++;
        }
        return taken;
    }

    /** Adds the values in order; see {@link #addAll(Iterable)}. */
    @CanIgnoreReturnValue
    default long addAll(T[] values) {
        Objects.requireNonNull(values, "values must not be null");
        return addAll(Arrays.asList(values));
    }

    /**
     * Removes everything; key, parameters and memory stay. Values that other threads add during the call may or may not
     * be removed.
     */
    void clear();
}
