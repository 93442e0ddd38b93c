package dev.perhaps.sketch;

/** What became of an addition. */
public enum Added {
    /** It was not there, and is now. */
    ADDED,
    /** It was perhaps there already; it is there now. */
    PRESENT,
    /** There is no room: nothing was changed. */
    FULL;

    /** True if the value was certainly not there before, and is now: {@code if (seen.add(id).isNew()) …}. */
    public boolean isNew() {
        return this == ADDED;
    }
}
