package dev.perhaps.chord;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** All lookups that a peer has started. They are iterative: the peers on the path keep no state about them. */
final class Lookups {
    /*
     * Iterative: the one who asks goes from peer to peer, so it sees who does not answer, and can go round.
     *
     *     self ──→ x ──→ y ──→ p ──→ s        p: "the key is behind me, so s should have it"
     *                                s: the key is in (predecessor, s]: "mine"
     *                                   or not: "ask my predecessor", one step back
     *
     * The owner check is the last line: a successor that p knows may no longer, or not yet, be responsible, and says so.
     *
     * A peer that misses the deadline is avoided for the rest of the lookup, and the one that named it is asked again; if
     * that one does not answer either, the one before it. An owner whose predecessor is avoided answers "mine, presumed".
     * After MAX_STEPS, or if too many do not answer, the lookup ends without an answer: not reachable, which is not the
     * same as not there.
     */
    static final int MAX_STEPS = 200;
    static final int MAX_AT_ONCE = 4_096;

    private final Peer peer;
    private final List<Lookup> active = new ArrayList<>();

    Lookups(Peer peer) {
        this.peer = peer;
    }

    boolean awaits(long request) {
        return find(request) >= 0;
    }

    private int find(long request) {
        for (int i = 0; i < active.size(); i++) {
            if (active.get(i).request == request) {
                return i;
            }
        }
        return -1;
    }

    boolean isUnderWay(Lookup.Purpose purpose) {
        for (int i = 0; i < active.size(); i++) {
            if (active.get(i).purpose == purpose) {
                return true;
            }
        }
        return false;
    }

    /** Forgets lookups without an answer. */
    void abandon(Lookup.Purpose purpose) {
        active.removeIf(lookup -> lookup.purpose == purpose);
    }

    /** Looks a key up from here. */
    void start(Lookup.Purpose purpose, long ticket, Id key) {
        Lookup lookup = new Lookup(purpose, ticket, key, peer.self());
        if (active.size() >= MAX_AT_ONCE) {
            end(lookup, Optional.empty(), Optional.empty(), false);
            return;
        }
        active.add(lookup);
        here(lookup, false);
    }

    /** Looks this peer's own place up, as seen from a contact. */
    void startAt(Member contact, Lookup.Purpose purpose) {
        Lookup lookup = new Lookup(purpose, 0, peer.self().id(), contact);
        active.add(lookup);
        ask(lookup, contact, false);
    }

    void answered(Member from, long request, Message message) {
        int at = find(request);
        if (at >= 0 && active.get(at).asked.member().is(from)) {
            Lookup lookup = active.get(at);
            lookup.hops++;
            follow(lookup, message);
        }
    }

    void missed(long request) {
        int at = find(request);
        if (at >= 0) {
            Lookup lookup = active.get(at);
            lookup.timeouts++;
            peer.suspect(lookup.asked.member());
            lookup.heard(Hop.Outcome.TIMEOUT);
            back(lookup);
        }
    }

    private void follow(Lookup lookup, Message message) {
        if (message instanceof Message.Ownership owned) {
            active.remove(lookup);
            lookup.heard(owned.presumed() ? Hop.Outcome.PRESUMED_OWNER : Hop.Outcome.OWNER);
            end(lookup, Optional.of(lookup.asked.member()), Optional.of(owned.predecessor()), owned.presumed());
        } else if (message instanceof Message.Referral next
                && !next.member().isNobody()
                && !lookup.avoids(next.member())) {
            lookup.heard(Hop.Outcome.REFERRAL);
            lookup.path.add(lookup.asked);
            go(lookup, next.member(), next.owner());
        } else {
            lookup.heard(Hop.Outcome.DEAD_END);
            back(lookup);
        }
    }

    private void go(Lookup lookup, Member member, boolean owner) {
        if (++lookup.steps > MAX_STEPS) {
            active.remove(lookup);
            end(lookup, Optional.empty(), Optional.empty(), false);
        } else if (!member.is(peer.self())) {
            ask(lookup, member, owner);
        } else if (lookup.purpose == Lookup.Purpose.JOIN || lookup.purpose == Lookup.Purpose.HEAL) {
            // The peer that was asked knows this peer already.
            active.remove(lookup);
            end(lookup, Optional.of(member), Optional.empty(), false);
        } else {
            here(lookup, owner);
        }
    }

    private void here(Lookup lookup, boolean owner) {
        lookup.asked = new Lookup.Step(peer.self(), owner);
        lookup.request = Peer.NO_REQUEST;
        follow(lookup, peer.route(lookup.key, lookup.avoid(), owner));
    }

    private void ask(Lookup lookup, Member member, boolean owner) {
        lookup.asked = new Lookup.Step(member, owner);
        lookup.request = peer.nextRequest();
        Message find = new Message.Find(lookup.key, lookup.avoid(), owner);
        peer.effects().ask(member, lookup.request, find, peer.settings().deadlineMillis(), false);
    }

    /** Avoids the peer that was asked last, which led nowhere, and asks the one before it again. */
    private void back(Lookup lookup) {
        lookup.avoid(lookup.asked.member());
        if (lookup.path.isEmpty() || lookup.avoid().size() > Message.Find.MAX_AVOIDED) {
            active.remove(lookup);
            end(lookup, Optional.empty(), Optional.empty(), false);
        } else {
            Lookup.Step before = lookup.path.remove(lookup.path.size() - 1);
            go(lookup, before.member(), before.owner());
        }
    }

    private void end(Lookup lookup, Optional<Member> owner, Optional<Member> predecessor, boolean presumed) {
        switch (lookup.purpose) {
            case ASKED ->
                peer.effects()
                        .answer(
                                lookup.ticket,
                                new Answer(
                                        lookup.key,
                                        owner,
                                        predecessor,
                                        presumed,
                                        lookup.hops,
                                        lookup.timeouts,
                                        lookup.trail));
            case FINGER -> owner.ifPresent(member -> peer.fingers().set((int) lookup.ticket, member));
            case JOIN -> peer.placeFound(owner, predecessor);
            case HEAL -> owner.filter(member -> !member.is(peer.self())).ifPresent(peer.neighbours()::hint);
        }
    }
}
