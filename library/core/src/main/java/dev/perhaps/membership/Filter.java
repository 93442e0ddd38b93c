package dev.perhaps.membership;

/** Says whether a value is in a set: {@code false} is certain, {@code true} means "perhaps". */
public interface Filter<T> {
    /** Returns false if the value was certainly not added, and true if it perhaps was. */
    boolean mightContain(T value);
}
