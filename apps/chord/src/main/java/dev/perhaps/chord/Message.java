package dev.perhaps.chord;

import java.util.List;

/**
 * The messages between peers. A request carries a number, and its response the same number; every message names its
 * sender.
 */
public sealed interface Message {
    /** Who is around you? Answered by {@link Neighbours} or {@link NotMember}. */
    record Ask() implements Message {}

    /**
     * My predecessor and my whole successor list, as they are now.
     *
     * @param acquaintance one more member that I know, a different one each time; not a neighbour, but worth remembering
     */
    record Neighbours(Member predecessor, List<Member> successors, Member acquaintance) implements Message {
        /** Copies the list. */
        public Neighbours {
            successors = List.copyOf(successors);
            if (successors.isEmpty() || successors.size() > Settings.MAX_SUCCESSORS) {
                throw new IllegalArgumentException(
                        "a successor list has 1.." + Settings.MAX_SUCCESSORS + " members, got " + successors.size());
            }
        }
    }

    /** I am alive, but not a member of a ring: not yet, or no longer. */
    record NotMember() implements Message {}

    /** I believe that I am your predecessor. Not answered. */
    record Notify() implements Message {}

    /** I leave, and this is my predecessor. Not answered, and only a hint: peers that leave are detected by requests. */
    record Leaving(Member predecessor) implements Message {}

    /**
     * Who is responsible for this key? Answered by {@link Referral}, {@link Ownership} or {@link NotMember}.
     *
     * @param avoid members that did not respond to the sender
     * @param owner true if another peer named you as the responsible one
     */
    record Find(Id key, List<Member> avoid, boolean owner) implements Message {
        /** The largest number of members to avoid. */
        public static final int MAX_AVOIDED = 64;

        /** Copies the list. */
        public Find {
            avoid = List.copyOf(avoid);
            if (avoid.size() > MAX_AVOIDED) {
                throw new IllegalArgumentException(
                        "a lookup avoids at most " + MAX_AVOIDED + " members, got " + avoid.size());
            }
        }
    }

    /**
     * Ask this member instead.
     *
     * @param owner true if that member should be the responsible one
     */
    record Referral(Member member, boolean owner) implements Message {}

    /**
     * I am responsible for the key.
     *
     * @param predecessor where my range begins, as far as I know
     * @param presumed true if I am responsible only because my predecessor did not respond to the sender
     */
    record Ownership(Member predecessor, boolean presumed) implements Message {}
}
