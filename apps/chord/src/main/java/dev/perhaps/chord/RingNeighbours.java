package dev.perhaps.chord;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The predecessor and the successor list of a peer, and the operations that keep them correct. */
final class RingNeighbours {
    /*
     * The corrected protocol of Zave [1]. The list is always full and the predecessor always somebody.
     *
     *     stabilize, from the successor      ask succ[0]
     *         dead    drop it, fill the end with nobody, notify the new succ[0], and ask that one
     *         live    succ := [succ[0]] + its list without the last
     *                 its predecessor stands between us: save that one and go on; otherwise notify succ[0]
     *     stabilize, from the saved one      ask it
     *         dead    keep all, notify succ[0]
     *         live    and still between us: succ := [saved] + its list without the last, notify it
     *     rectify, when n notifies           n is nearer than the predecessor: predecessor := n
     *                                        else ask the predecessor, and if it is dead: predecessor := n
     *
     * Nobody becomes succ[0] on hearsay: a saved one answers first. Every branch of stabilize ends in a notify.
     *
     * Why that is enough. Call a live member principal if no two entries that stand side by side in anybody's
     * [self] + succ skip it. Every list is made of pairs that stood side by side in another list, but for (self, saved),
     * which lies inside (self, succ[0]), and for the pair around a dead entry, which skips nobody live who was not
     * skipped before. So a principal stays principal until it fails. While there is one, and everybody has a live entry,
     * there is one ring in the order of ids: from anywhere, the first live entries lead clockwise to the principal and
     * never past it. [1] asks for r + 1 principals, so that r may fail at once. Smaller rings: see Peer.
     *
     * Where this differs from [1]. There a node is in one status, none, stabilizing or rectifying; here it may do both
     * at once, for one writes the list only and the other the predecessor only. There asking and answering is one step;
     * here an answer is as old as its way was long, and what a crash may not take away includes what answers on their
     * way will put into a list. The simulation keeps to that, and checks the rest after every event.
     *
     * [1] Zave, "Reasoning about identifier spaces: how to make Chord correct" (2017).
     */
    private enum Stage {
        IDLE,
        FROM_SUCCESSOR,
        FROM_SAVED
    }

    private final Peer peer;
    private final Member self;
    private final Probe stabilizing;
    private final Probe rectifying;
    private Stage stage = Stage.IDLE;
    private List<Member> successors;
    private Member predecessor;
    private @Nullable Member candidate;

    RingNeighbours(Peer peer) {
        this.peer = peer;
        this.self = peer.self();
        this.stabilizing = new Probe(peer);
        this.rectifying = new Probe(peer);
        this.successors = alone();
        this.predecessor = self;
    }

    private List<Member> alone() {
        return List.copyOf(Collections.nCopies(peer.settings().successors(), self));
    }

    List<Member> successors() {
        return successors;
    }

    Member first() {
        return successors.get(0);
    }

    Member predecessor() {
        return predecessor;
    }

    boolean owns(Id key) {
        return Id.betweenClosed(predecessor.id(), key, self.id());
    }

    boolean awaits(long request) {
        return stabilizing.awaits(request) || rectifying.awaits(request);
    }

    /** Adopts the list of the member right before this peer, which becomes a member by this. */
    void join(Member before, List<Member> list) {
        successors = filled(list);
        predecessor = before;
        successors.forEach(peer::remember);
        peer.remember(before);
    }

    /** Takes the place in a ring that is known. */
    void place(List<Member> ring) {
        List<Member> sorted = new ArrayList<>(ring);
        sorted.sort((a, b) -> a.id().compareTo(b.id()));
        int at = sorted.indexOf(self);
        if (at < 0) {
            throw new IllegalArgumentException("the ring must hold " + self + ", got " + ring);
        }
        List<Member> list = new ArrayList<>();
        for (int i = 1; i <= peer.settings().successors(); i++) {
            list.add(sorted.get((at + i) % sorted.size()));
        }
        join(sorted.get((at + sorted.size() - 1) % sorted.size()), list);
    }

    void stabilize() {
        if (stage == Stage.IDLE) {
            begin();
        }
    }

    private void begin() {
        Member first = first();
        stage = Stage.FROM_SUCCESSOR;
        if (first.is(self)) {
            learned(first, predecessor, successors);
        } else {
            stabilizing.ask(first);
        }
    }

    /**
     * Takes note of a member, from any source, that may be between this peer and its successor; it is verified first.
     */
    void hint(Member member) {
        if (Member.between(self, member, first())) {
            if (stage == Stage.IDLE) {
                stage = Stage.FROM_SAVED;
                stabilizing.ask(member);
            }
        } else if (!member.is(first())) {
            // Not a successor for us, but perhaps we are a predecessor for it.
            peer.effects().tell(member, Peer.NO_REQUEST, new Message.Notify());
        }
    }

    /** An answer to a question of ours. */
    void answered(Member from, long request, Message message) {
        if (stabilizing.awaits(request, from)) {
            if (message instanceof Message.Neighbours around) {
                learned(from, around.predecessor(), around.successors());
            } else if (message instanceof Message.NotMember) {
                dead();
            }
        } else if (rectifying.awaits(request, from)) {
            if (message instanceof Message.NotMember) {
                predecessorDead();
            } else {
                rectifying.end();
                candidate = null;
            }
        }
    }

    void missed(long request) {
        if (stabilizing.awaits(request)) {
            if (stabilizing.missed()) {
                dead();
            }
        } else if (rectifying.awaits(request) && rectifying.missed()) {
            predecessorDead();
        }
    }

    private void learned(Member from, Member before, List<Member> list) {
        if (stage == Stage.FROM_SUCCESSOR) {
            setSuccessors(behind(from, list));
            if (Member.between(self, before, from) && !before.isNobody()) {
                stage = Stage.FROM_SAVED;
                stabilizing.ask(before);
            } else {
                finish();
            }
        } else {
            if (Member.between(self, from, first())) {
                setSuccessors(behind(from, list));
            }
            finish();
        }
    }

    private void dead() {
        Member dead = stabilizing.target();
        peer.fingers().drop(dead);
        if (stage == Stage.FROM_SUCCESSOR) {
            List<Member> rest = filled(successors.subList(1, successors.size()));
            setSuccessors(rest.get(0).isNobody() ? alone() : rest);
            finish();
            begin();
        } else {
            if (first().is(self) && predecessor.is(dead)) {
                setPredecessor(self);
            }
            finish();
        }
    }

    private void finish() {
        stage = Stage.IDLE;
        stabilizing.end();
        if (!first().is(self)) {
            peer.effects().tell(first(), Peer.NO_REQUEST, new Message.Notify());
        }
    }

    /** Rectifies: this member believes it is our predecessor. */
    void notified(Member by) {
        if (by.is(self) || by.is(predecessor)) {
            return;
        }
        peer.remember(by);
        if (Member.between(predecessor, by, self)) {
            setPredecessor(by);
        } else if (candidate == null) {
            candidate = by;
            rectifying.ask(predecessor);
        } else if (Member.between(candidate, by, self)) {
            candidate = by;
        }
    }

    private void predecessorDead() {
        Member next = candidate;
        boolean still = rectifying.target().is(predecessor);
        candidate = null;
        rectifying.end();
        if (next != null && still) {
            setPredecessor(next);
        }
    }

    /** A neighbour reports that it leaves. A successor is asked first, since the message may be old. */
    void left(Member leaver, Member itsPredecessor) {
        if (leaver.is(first())) {
            stabilize();
        }
        if (leaver.is(predecessor) && !itsPredecessor.isNobody()) {
            setPredecessor(itsPredecessor);
        }
    }

    private void setPredecessor(Member next) {
        Member before = predecessor;
        if (next.is(before)) {
            return;
        }
        predecessor = next;
        peer.remember(next);
        peer.effects().changed();
        if (Member.between(before, next, self)) {
            peer.effects().handOver(new Range(before.id(), next.id()), next);
        } else {
            peer.effects().takeOver(new Range(next.id(), before.id()));
        }
    }

    private void setSuccessors(List<Member> list) {
        if (!list.equals(successors)) {
            successors = list;
            list.forEach(peer::remember);
            peer.effects().changed();
        }
    }

    /** A member and those behind it, as many as fit. */
    private List<Member> behind(Member first, List<Member> list) {
        List<Member> all = new ArrayList<>(list.size() + 1);
        all.add(first);
        all.addAll(list);
        return filled(all);
    }

    private List<Member> filled(List<Member> list) {
        int length = peer.settings().successors();
        List<Member> full = new ArrayList<>(list.subList(0, Math.min(length, list.size())));
        while (full.size() < length) {
            full.add(Member.nobodyAfter(full.isEmpty() ? self : full.get(full.size() - 1)));
        }
        return List.copyOf(full);
    }
}
