package dev.perhaps.chord;

import java.util.List;

/**
 * The messages between peers. A request carries a number, and its response the same number; every message names its
 * sender.
 */
public sealed interface Message {
    /** Who is around you? Answered by {@link Around} or {@link NotMember}. */
    record Ask() implements Message {}

    /**
     * My predecessor and my whole successor list, as they are now.
     *
     * @param acquaintance one more that I know, another each time: not a neighbour, only worth remembering
     */
    record Around(Member predecessor, List<Member> successors, Member acquaintance) implements Message {
        /** Copies the list. */
        public Around {
            successors = List.copyOf(successors);
            if (successors.isEmpty() || successors.size() > Settings.MAX_SUCCESSORS) {
                throw new IllegalArgumentException(
                        "a successor list has 1.." + Settings.MAX_SUCCESSORS + " members, got " + successors.size());
            }
        }
    }

    /** I am alive, but on no ring: not yet, or no more. */
    record NotMember() implements Message {}

    /** I believe that I am your predecessor. Not answered. */
    record Notify() implements Message {}

    /** I leave, and this is my predecessor. Not answered, and only a hint: what left is found out by asking. */
    record Leaving(Member predecessor) implements Message {}

    /**
     * Who is responsible for this key? Answered by {@link Next}, {@link Mine} or {@link NotMember}.
     *
     * @param avoid members that did not answer the one who asks
     * @param owner true if the one who asks was told that you are responsible yourself
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
     * Ask this one.
     *
     * @param owner true if it should be the responsible one itself
     */
    record Next(Member member, boolean owner) implements Message {}

    /**
     * The key is mine.
     *
     * @param predecessor where my range begins, as far as I know
     * @param presumed true if it is mine only because my predecessor did not answer the one who asks
     */
    record Mine(Member predecessor, boolean presumed) implements Message {}
}
