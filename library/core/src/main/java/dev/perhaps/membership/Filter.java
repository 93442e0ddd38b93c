package dev.perhaps.membership;

/** Answers whether a value is in a set: {@code false} is certain, {@code true} means perhaps. */
public interface Filter<T> {
    boolean mightContain(T value);
}
