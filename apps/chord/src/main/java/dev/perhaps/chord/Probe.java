package dev.perhaps.chord;

import org.jspecify.annotations.Nullable;

/** One request to one member, repeated until it responds or has missed enough deadlines to count as dead. */
final class Probe {
    private final Peer peer;
    private @Nullable Member target;
    private long request = Peer.NO_REQUEST;
    private int attempt;

    Probe(Peer peer) {
        this.peer = peer;
    }

    void ask(Member member) {
        target = member;
        attempt = 0;
        again();
    }

    private void again() {
        Member to = target();
        attempt++;
        request = peer.nextRequest();
        boolean decides = attempt == peer.settings().attempts();
        peer.effects().ask(to, request, new Message.Ask(), peer.settings().deadlineMillis(), decides);
    }

    boolean awaits(long number) {
        return number == request && target != null;
    }

    boolean awaits(long number, Member from) {
        return awaits(number) && from.is(target());
    }

    /** One more deadline is missed. True if that was the last attempt: the target is dead, as far as can be known. */
    boolean missed() {
        if (attempt < peer.settings().attempts()) {
            again();
            return false;
        }
        return true;
    }

    Member target() {
        if (target == null) {
            throw new IllegalStateException("nobody is being asked");
        }
        return target;
    }

    /** Forgets the question. */
    void end() {
        target = null;
        request = Peer.NO_REQUEST;
    }
}
