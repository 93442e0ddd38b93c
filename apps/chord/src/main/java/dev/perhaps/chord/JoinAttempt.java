package dev.perhaps.chord;

import java.util.List;
import java.util.Optional;

/** Joins a ring: finds the member right before the new place, asks it once, and takes over its neighbours. */
final class JoinAttempt {
    /*
     * Join(j) of [1]: some m with m < j < m.succ[0] is asked; j.succ := m.succ, j.prdc := m. Both neighbours learn of j by
     * j's first stabilize, which begins at once. Whatever goes wrong on the way, the next contact is tried a little later.
     *
     * A peer that restarts may still stand in lists as the dead one it was: then nobody's successor lies behind it, or a
     * lookup of its place ends at itself. It waits until its neighbours have asked it, heard that it is not a member, and
     * dropped it. A member at the same place with another address is another peer: that is refused for good.
     *
     * [1] Zave, "Reasoning about identifier spaces: how to make Chord correct" (2017).
     */
    private final Peer peer;
    private final Probe asking;
    private List<Member> contacts = List.of();
    private int turn;
    private int stepsLeft;

    JoinAttempt(Peer peer) {
        this.peer = peer;
        this.asking = new Probe(peer);
    }

    boolean awaits(long request) {
        return asking.awaits(request);
    }

    void begin(List<Member> through) {
        contacts = through;
        turn = 0;
        tryNext();
    }

    void tryNext() {
        asking.end();
        peer.lookups().abandon(Lookup.Purpose.JOIN);
        Member contact = contacts.get(turn++ % contacts.size());
        peer.effects()
                .wake(
                        Timer.JOIN,
                        2L * peer.settings().attempts() * peer.settings().deadlineMillis());
        peer.lookups().startAt(contact, Lookup.Purpose.JOIN);
    }

    /** Where the lookup of this peer's place ended. */
    void found(Optional<Member> owner, Optional<Member> predecessor) {
        if (owner.isPresent()
                && owner.get().is(peer.self())
                && !owner.get().address().equals(peer.self().address())) {
            peer.refuse(owner.get());
        } else {
            stepsLeft = peer.settings().successors();
            predecessor
                    .filter(member -> !member.isNobody() && !member.is(peer.self()))
                    .ifPresent(asking::ask);
        }
    }

    void answered(Member from, long request, Message message) {
        if (!asking.awaits(request, from)) {
            return;
        }
        asking.end();
        if (message instanceof Message.Neighbours around) {
            Member behind = around.successors().get(0);
            if (Member.between(from, peer.self(), behind)) {
                peer.joined(from, around.successors());
            } else if (Member.between(from, behind, peer.self()) && !behind.isNobody() && stepsLeft-- > 0) {
                asking.ask(behind);
            }
        }
    }

    void missed(long request) {
        if (asking.awaits(request) && asking.missed()) {
            asking.end();
        }
    }
}
