package dev.perhaps.chord;

import java.util.List;

/** The inputs of a peer. They carry time and random numbers: a peer itself has neither. */
public sealed interface Event {
    /** A message came. */
    record Arrived(Member from, long request, Message message) implements Event {}

    /** A question was not answered before its deadline. That is suspicion, not death. */
    record Missed(long request) implements Event {}

    /**
     * A timer that was set has run down.
     *
     * @param noise any number; peers that get different ones do not move in step
     */
    record Fired(Timer timer, long noise) implements Event {}

    /** Begin a ring of one. */
    record BeginAsked() implements Event {}

    /** Take a place in a ring whose members are all known and all get this event: the ideal one from the first moment. */
    record PlaceAsked(List<Member> ring) implements Event {
        /** Copies the list. */
        public PlaceAsked {
            ring = List.copyOf(ring);
        }
    }

    /** Join the ring of these members; one that answers is enough. */
    record JoinAsked(List<Member> contacts) implements Event {
        /** Copies the list. */
        public JoinAsked {
            contacts = List.copyOf(contacts);
            if (contacts.isEmpty()) {
                throw new IllegalArgumentException("joining needs at least one contact");
            }
        }
    }

    /** These were members in an earlier life of this peer: it may find their ring again through them. */
    record Recalled(List<Member> members) implements Event {
        /** Copies the list. */
        public Recalled {
            members = List.copyOf(members);
        }
    }

    /** Leave the ring, once the keys are handed over. */
    record LeaveAsked() implements Event {}

    /** What {@link Effects#handOver} asked for on leaving is done. */
    record HandedOver() implements Event {}

    /**
     * Find who is responsible for a key.
     *
     * @param ticket comes back with the answer
     */
    record LookupAsked(long ticket, Id key) implements Event {}
}
