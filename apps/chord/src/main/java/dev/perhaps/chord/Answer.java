package dev.perhaps.chord;

import java.util.List;
import java.util.Optional;

/**
 * The result of a lookup.
 *
 * @param owner who is responsible for the key; empty if nobody who knows could be reached, which is not "nobody has it"
 * @param predecessor where the owner's range begins
 * @param presumed true if the owner's predecessor did not answer, and the owner is responsible only if that one is dead
 * @param hops how many peers were asked and answered
 * @param timeouts how many were asked and did not
 * @param path all who were asked, in this order, the peer itself among them
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

    /** Nobody could be asked. */
    public static Answer none(Id key) {
        return new Answer(key, Optional.empty(), Optional.empty(), false, 0, 0, List.of());
    }
}
