package dev.perhaps.chord;

/**
 * A peer on the path of a lookup, and the outcome of asking it.
 *
 * @param owner true if it was asked as the presumed owner
 * @param request the number of the request; 0 if a peer asked itself
 */
public record Hop(Member member, boolean owner, Outcome outcome, long request) {
    /** The outcome of asking a peer. */
    public enum Outcome {
        /** It named another peer to ask. */
        REFERRAL,
        /** It is responsible for the key. */
        OWNER,
        /** It is responsible for the key if its predecessor is dead. */
        PRESUMED_OWNER,
        /** It is not a member, or knows only members that did not respond. */
        DEAD_END,
        /** It did not respond before the deadline. */
        TIMEOUT
    }
}
