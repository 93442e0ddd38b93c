package dev.perhaps.chord;

/** What a peer does from time to time. */
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
