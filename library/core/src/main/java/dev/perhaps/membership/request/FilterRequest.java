package dev.perhaps.membership.request;

import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Sizing;
import java.util.Objects;

/** The settings of a plan, each checked when it is set; 0 means "not set". */
public record FilterRequest<T>(long items, double error, long memoryBytes, Key<T> key, int salt) {
    private static final double DEFAULT_ERROR = 0.01;

    public static FilterRequest<String> forItems(long items) {
        if (items < 1) {
            throw new IllegalArgumentException("items must be at least 1, got " + items);
        }
        return new FilterRequest<>(items, 0, 0, Key.strings(), 0);
    }

    public FilterRequest<T> falsePositives(double rate) {
        if (!(rate > 0 && rate < 1)) {
            throw new IllegalArgumentException("falsePositives must be in (0, 1), got " + rate);
        }
        return new FilterRequest<>(items, rate, memoryBytes, key, salt);
    }

    public FilterRequest<T> memoryBytes(long max) {
        if (max < Long.BYTES) {
            throw new IllegalArgumentException("memoryBytes must be at least " + Long.BYTES + ", got " + max);
        }
        return new FilterRequest<>(items, error, max, key, salt);
    }

    public <U> FilterRequest<U> of(Key<U> otherKey) {
        return new FilterRequest<>(
                items, error, memoryBytes, Objects.requireNonNull(otherKey, "key must not be null"), salt);
    }

    public FilterRequest<T> salt(int own) {
        return new FilterRequest<>(items, error, memoryBytes, key, own);
    }

    /** How two salts differ, for messages. */
    public static String salts(int one, int other) {
        return "salt " + one + " against salt " + other + ", build both with the same salt to combine them";
    }

    /** True if only a memory limit was set: then it determines the error. */
    public boolean byMemory() {
        return memoryBytes > 0 && error == 0;
    }

    public double errorOrDefault() {
        return error > 0 ? error : DEFAULT_ERROR;
    }

    /**
     * The sizing, if it keeps within the memory that was allowed; its error includes values that have the hash of an
     * item.
     */
    public Sizing within(Sizing sizing) {
        if (memoryBytes > 0 && sizing.bytes() > memoryBytes) {
            throw new IllegalArgumentException("a " + sizing.kind() + " for " + Figures.count(items) + " items at "
                    + Figures.percent(errorOrDefault()) + " takes " + sizing.bytes() + " bytes, and at most "
                    + memoryBytes + " are allowed: allow more memory or a higher error");
        }
        double error = Math.max(sizing.error(), items * 0x1p-64);
        return new Sizing(sizing.kind(), sizing.items(), error, sizing.bytes(), sizing.buildBytes());
    }
}
