package dev.perhaps.sketch;

/**
 * A structure with a concurrent form, which any number of threads may add to and query at once. Some kinds need no
 * locks for it (see the table in docs/threads.md); in others threads take turns, and every result is as in the plain
 * form. A file does not record the form: the same items give the same bytes. Opening a file gives the plain form, and
 * {@link #concurrent} turns it into the other one: {@code BloomFilter.open(file, key).concurrent()}. {@code describe()}
 * says which one it is.
 */
public interface Shareable<S> {
    /** Returns true if this is the concurrent form. */
    boolean isConcurrent();

    /**
     * Returns the concurrent form; this structure, if it is one. It takes over the content without a copy: use only the
     * returned structure afterwards.
     *
     * @throws IllegalStateException if this structure has no concurrent form, because of the way in which it is updated
     */
    S concurrent();
}
