package dev.perhaps.chord;

import java.util.List;
import java.util.Optional;

/**
 * The result of a lookup.
 *
 * @param owner the member that is responsible for the key; empty if no peer that knows it could be reached, which does
 *     not mean that no peer has the key
 * @param predecessor where the owner's range begins
 * @param presumed true if the owner's predecessor did not respond, and the owner is responsible only if that one is
 *     dead
 * @param hops the number of peers that were asked and responded
 * @param timeouts the number of peers that were asked and did not respond
 * @param path all peers that were asked, in this order, including the peer itself
 */
public record Answer(
        Id key,
        Optional<Member> owner,
        Optional<Member> predecessor,
        boolean presumed,
        int hops,
        int timeouts,
        List<Hop> path) {
    /** Copies the list. */
    public Answer {
        path = List.copyOf(path);
    }

    /** Returns the result of a lookup for which no peer could be asked. */
    public static Answer none(Id key) {
        return new Answer(key, Optional.empty(), Optional.empty(), false, 0, 0, List.of());
    }
}
