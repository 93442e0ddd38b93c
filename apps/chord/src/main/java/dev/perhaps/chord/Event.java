package dev.perhaps.chord;

import java.util.List;

/** The inputs of a peer. They carry time and random numbers: a peer itself has neither. */
public sealed interface Event {
    /** A message was received. */
    record MessageReceived(Member from, long request, Message message) implements Event {}

    /** A request was not answered before its deadline. The peer is then suspected, but not yet considered dead. */
    record RequestTimeout(long request) implements Event {}

    /**
     * A timer that was set has expired.
     *
     * @param noise any number; peers that get different ones do not act in step
     */
    record TimerFired(Timer timer, long noise) implements Event {}

    /** Requests that the peer creates a ring with itself as the only member. */
    record CreateRequest() implements Event {}

    /** Requests that the peer takes its final place in a ring at once; all members are known, and all get this event. */
    record BootstrapRequest(List<Member> ring) implements Event {
        /** Copies the list. */
        public BootstrapRequest {
            ring = List.copyOf(ring);
        }
    }

    /** Requests that the peer joins the ring of these members; it is enough that one of them responds. */
    record JoinRequest(List<Member> contacts) implements Event {
        /** Copies the list. */
        public JoinRequest {
            contacts = List.copyOf(contacts);
            if (contacts.isEmpty()) {
                throw new IllegalArgumentException("joining needs at least one contact");
            }
        }
    }

    /** Names members that this peer knew before it was restarted, through which it may find their ring again. */
    record RememberedMembers(List<Member> members) implements Event {
        /** Copies the list. */
        public RememberedMembers {
            members = List.copyOf(members);
        }
    }

    /** Requests that the peer leaves the ring, after it has handed over its keys. */
    record LeaveRequest() implements Event {}

    /** The handover that {@link Effects#handOver} requested on leaving is complete. */
    record HandoverDone() implements Event {}

    /**
     * Requests a lookup of the member that is responsible for a key.
     *
     * @param ticket is returned with the result
     */
    record LookupRequest(long ticket, Id key) implements Event {}
}
