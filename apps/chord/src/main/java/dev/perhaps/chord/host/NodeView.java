package dev.perhaps.chord.host;

import dev.perhaps.chord.Member;
import dev.perhaps.chord.Peer;
import java.util.List;

/** A snapshot of a node of a peer. */
public record NodeView(Member self, Peer.Status status, Member predecessor, List<Member> successors) {
    static NodeView of(Peer peer) {
        return new NodeView(
                peer.self(), peer.status(), peer.predecessor().orElse(peer.self()), List.copyOf(peer.successors()));
    }
}
