package dev.perhaps.spark.catalyst;

import org.jspecify.annotations.Nullable;

/**
 * A parameter of a function.
 *
 * @param byDefault the value of an optional parameter that is not given; may be null
 */
record Parameter(String name, boolean isOptional, @Nullable Object byDefault) {
    static Parameter needed(String name) {
        return new Parameter(name, false, null);
    }

    static Parameter optional(String name, @Nullable Object byDefault) {
        return new Parameter(name, true, byDefault);
    }
}
