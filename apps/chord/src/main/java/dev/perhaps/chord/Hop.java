package dev.perhaps.chord;

/**
 * A peer on the path of a lookup, and its response.
 *
 * @param owner true if it was asked as the presumed owner
 * @param request the number of the request; 0 if a peer asked itself
 */
public record Hop(Member member, boolean owner, Said said, long request) {
    /** What a peer said. */
    public enum Said {
        /** Ask this other one. */
        NEXT,
        /** The key is mine. */
        MINE,
        /** The key is mine if my predecessor is dead. */
        PRESUMED,
        /** Nothing that leads on: it is not a member, or knows only members that did not answer. */
        NO_WAY,
        /** Nothing, before the deadline. */
        NOTHING
    }
}
