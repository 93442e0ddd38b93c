package dev.perhaps.chord;

import java.util.ArrayList;
import java.util.List;

/** A lookup in progress: the peers on its path, all peers that were asked, and those that it avoids. */
final class Lookup {
    enum Purpose {
        /** For a caller. */
        ASKED,
        /** A finger of this peer; the ticket is its number. */
        FINGER,
        /** For the place where this peer joins. */
        JOIN,
        /** For the place of this peer on the ring of a remembered member. */
        HEAL
    }

    /** A peer that was asked; {@code owner} is true if it was asked as the responsible one. */
    record Step(Member member, boolean owner) {}

    final Purpose purpose;
    final long ticket;
    final Id key;
    final List<Step> path = new ArrayList<>();
    final List<Hop> trail = new ArrayList<>();
    private List<Member> avoid = List.of();
    Step asked;
    long request = Peer.NO_REQUEST;
    int hops;
    int timeouts;
    int steps;

    Lookup(Purpose purpose, long ticket, Id key, Member start) {
        this.purpose = purpose;
        this.ticket = ticket;
        this.key = key;
        this.asked = new Step(start, false);
    }

    /** Records the outcome of asking the last peer. */
    void heard(Hop.Outcome outcome) {
        trail.add(new Hop(asked.member(), asked.owner(), outcome, request));
    }

    List<Member> avoid() {
        return avoid;
    }

    void avoid(Member member) {
        List<Member> more = new ArrayList<>(avoid);
        more.add(member);
        avoid = List.copyOf(more);
    }

    boolean avoids(Member member) {
        for (int i = 0; i < avoid.size(); i++) {
            if (avoid.get(i).is(member)) {
                return true;
            }
        }
        return false;
    }
}
