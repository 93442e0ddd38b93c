package dev.perhaps.chord.host;

import dev.perhaps.chord.Member;
import dev.perhaps.chord.Peer;
import java.util.List;

/** A node of a peer, as it was a moment ago. */
public record NodeView(Member self, Peer.Status status, Member predecessor, List<Member> successors) {
    static NodeView of(Peer peer) {
        return new NodeView(
                peer.self(), peer.status(), peer.predecessor().orElse(peer.self()), List.copyOf(peer.successors()));
    }
}
