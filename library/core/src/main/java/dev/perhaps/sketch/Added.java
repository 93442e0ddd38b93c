package dev.perhaps.sketch;

/** The result of an addition. */
public enum Added {
    /** The value was certainly not there before, and is now. */
    ADDED,
    /** The value was perhaps there already, and is there now. */
    PRESENT,
    /** The structure is full; nothing was changed. */
    FULL;

    /** Returns true if the value was certainly not there before, and is now: {@code if (seen.add(id).isNew()) …}. */
    public boolean isNew() {
        return this == ADDED;
    }
}
