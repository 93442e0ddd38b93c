package dev.perhaps.sketch;

/**
 * A structure with a second form that any number of threads may add to and ask at once. Where it can be, it is without locks
 * (docs/threads.md has the table); else threads take turns, and every answer is as in the plain form. A file does not
 * record the form: the same items give the same bytes. What was opened is the plain form, and {@link #concurrent} gives the
 * other one: {@code BloomFilter.open(file, key).concurrent()}. {@code describe()} tells which one it is.
 */
public interface Shareable<S> {
    /** True if this is the form that threads may share. */
    boolean isConcurrent();

    /**
     * The form that any number of threads may add to and ask at once; this one, if it is. It takes over the content without
     * a copy: from here on use only what is returned.
     *
     * @throws IllegalStateException if there is no such form of this one, because of the way in which it is updated
     */
    S concurrent();
}
