package dev.perhaps.chord.host;

import dev.perhaps.chord.Member;
import dev.perhaps.chord.Peer;
import dev.perhaps.chord.Settings;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.wire.BadFrame;
import dev.perhaps.chord.wire.Dispatcher;
import dev.perhaps.chord.wire.FrameReadBuffer;
import dev.perhaps.chord.wire.FrameStream;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.SocketFrameStream;
import dev.perhaps.chord.wire.WireFrame;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The status of a process of the ring, as it reports it itself.
 *
 * @param known the members that it remembers, alive or not
 * @param load its figures, such as files and bytes, by name
 */
public record HostStatus(String address, List<NodeView> nodes, List<Member> known, Map<String, Long> load) {
    /** Each is written as its number in this list. */
    private static final List<Peer.Status> STATUSES = List.of(
            Peer.Status.OUTSIDE, Peer.Status.JOINING, Peer.Status.MEMBER, Peer.Status.LEAVING, Peer.Status.LEFT);

    private static final int MAX_KNOWN = 200;
    private static final int MAX_FIGURES = 32;

    /**
     * Asks the peer at this address.
     *
     * @param self where the peer that asks is reached
     */
    public static HostStatus ask(HostPort address, Cluster cluster, String self, int deadlineMillis)
            throws IOException {
        try (SocketFrameStream stream =
                SocketFrameStream.toPeer(address, cluster, self, deadlineMillis, deadlineMillis)) {
            return ask(address, stream);
        }
    }

    /** Asks the peer at this address, over a stream to it that is open. */
    public static HostStatus ask(HostPort address, FrameStream stream) throws IOException {
        stream.send(new FrameWriteBuffer().frame(Dispatcher.STATUS));
        HostStatus status = read(Failure.check(stream.receive()));
        if (!status.address.equals(address.toString())) {
            throw new BadFrame("the response is about " + status.address + ", the request was about " + address);
        }
        return status;
    }

    /** All addresses that it knows of. */
    public Set<HostPort> addresses() {
        Set<String> all = new LinkedHashSet<>();
        for (NodeView node : nodes) {
            all.add(node.predecessor().address());
            node.successors().forEach(member -> all.add(member.address()));
        }
        known.forEach(member -> all.add(member.address()));
        all.remove("");
        return all.stream().map(HostPort::of).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** In one frame: of many nodes, each says only its first successor, for the others say theirs. */
    WireFrame frame() {
        FrameWriteBuffer body = new FrameWriteBuffer().text(address).u16(nodes.size());
        for (NodeView node : nodes) {
            int most = nodes.size() == 1 ? Settings.MAX_SUCCESSORS : 2;
            body.member(node.self()).u8(STATUSES.indexOf(node.status())).member(node.predecessor());
            body.members(node.successors()
                    .subList(0, Math.min(most, node.successors().size())));
        }
        body.members(known.subList(0, Math.min(MAX_KNOWN, known.size()))).u16(load.size());
        load.forEach((name, value) -> body.text(name).i64(value));
        return body.frame(Dispatcher.STATUS);
    }

    /** Reads a status from its frame. */
    public static HostStatus read(WireFrame frame) throws BadFrame {
        FrameReadBuffer body = frame.read();
        String address = body.address();
        int size = body.atMost(PeerHost.MAX_VIRTUAL_NODES, body.u16());
        List<NodeView> nodes = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            Member self = body.member();
            int status = body.atMost(STATUSES.size() - 1, body.u8());
            Member predecessor = body.member();
            nodes.add(new NodeView(self, STATUSES.get(status), predecessor, body.members(Settings.MAX_SUCCESSORS)));
        }
        List<Member> known = body.members(MAX_KNOWN);
        Map<String, Long> load = new TreeMap<>();
        int figures = body.atMost(MAX_FIGURES, body.u16());
        for (int i = 0; i < figures; i++) {
            String name = body.word();
            load.put(name, body.i64());
        }
        body.end();
        return new HostStatus(address, List.copyOf(nodes), known, load);
    }
}
