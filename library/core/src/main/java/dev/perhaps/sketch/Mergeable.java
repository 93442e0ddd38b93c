package dev.perhaps.sketch;

/** A structure that can be merged with another one of the same shape. */
public interface Mergeable<S> {
    /** Returns true if {@link #merge} accepts {@code other}. */
    boolean fits(S other);

    /**
     * Merges {@code other} into this structure, as if everything that was added there had been added here.
     *
     * @throws IllegalArgumentException if they do not fit, naming the first difference; nothing is changed then
     */
    void merge(S other);
}
