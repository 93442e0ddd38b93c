package dev.perhaps.chord;

/** The periodic tasks of a peer. */
public enum Timer {
    /** Asks the successor who is around it. */
    STABILIZE,
    /** Looks up one finger. */
    FINGER,
    /** Looks for rings that were lost. */
    HEAL,
    /** Tries again to join. */
    JOIN
}
