package dev.perhaps.sketch;

import java.util.Arrays;
import java.util.Objects;

/**
 * A structure that takes in one value after the other, and can be emptied: what loops, streams and tests hold if they do not
 * care which one it is. A stream is collected with {@code Perhaps.collector(plan::build)}.
 */
public interface Addable<T> extends Sketch {
    /**
     * Adds one value, as the structure's own {@code add} does.
     *
     * @return false, with nothing changed, if there is no room
     */
    boolean offer(T value);

    /**
     * Adds one value after the other, and stops at the first that there is no room for.
     *
     * @return how many were taken: fewer than there are only if the structure is full
     */
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

    /** As {@link #addAll(Iterable)}. */
    default long addAll(T[] values) {
        Objects.requireNonNull(values, "values must not be null");
        return addAll(Arrays.asList(values));
    }

    /**
     * Forgets everything, and keeps key, parameters and memory: it is then as it was built. Of a structure that threads share:
     * what they add meanwhile is forgotten or not.
     */
    void clear();
}
