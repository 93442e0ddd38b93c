package dev.perhaps.sketch;

/** A structure that can take in another one of its own shape. */
public interface Mergeable<S> {
    /** True if {@link #merge} would accept {@code other}. */
    boolean fits(S other);

    /**
     * Takes {@code other} in, as if everything added there had been added here.
     *
     * @throws IllegalArgumentException naming the first difference, if they do not fit; nothing is changed then
     */
    void merge(S other);
}
