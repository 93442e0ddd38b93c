package dev.perhaps.chord.host;

import dev.perhaps.chord.Member;
import dev.perhaps.chord.Peer;
import dev.perhaps.chord.Range;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.wire.Dispatcher;
import dev.perhaps.chord.wire.FrameReadBuffer;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.SocketFrameStream;
import dev.perhaps.chord.wire.WireFrame;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A ring as one of its peers sees it after asking all others.
 *
 * @param places the nodes in the order of the circle
 * @param unreached addresses that are remembered and did not respond
 * @param lost the nodes at those addresses, as far as any peer remembers them
 * @param gone the addresses among them that are not expected back, and why: {@code left} in an orderly way, or {@code
 *     forgotten}
 * @param load the figures of each peer, by address and name
 */
public record RingView(
        List<Place> places,
        List<String> unreached,
        List<Member> lost,
        Map<String, String> gone,
        Map<String, Map<String, Long>> load) {
    /** How a node is. */
    public enum Health {
        /** It knows its neighbours. */
        SETTLED,
        /** Its neighbours are not those that it knows: not yet, or no longer. */
        SETTLING,
        /** It is leaving, and hands over its files. */
        LEAVING
    }

    /**
     * A node.
     *
     * @param range the keys it is responsible for, as the order of all nodes has it
     * @param share of the whole circle
     */
    public record Place(Member member, Range range, double share, Health health) {}

    /** Asks a peer for the ring that it is on. */
    public static RingView ask(HostPort via, Cluster cluster, int deadlineMillis) throws IOException {
        List<NodeView> nodes = new ArrayList<>();
        List<String> unreached = new ArrayList<>();
        Map<String, String> gone = new TreeMap<>();
        Set<Member> known = new TreeSet<>(Comparator.comparing(Member::id));
        Map<String, Map<String, Long>> load = new TreeMap<>();
        try (SocketFrameStream stream = SocketFrameStream.open(via, cluster, deadlineMillis)) {
            stream.send(new FrameWriteBuffer().frame(Dispatcher.RING));
            WireFrame frame = Failure.check(stream.receive());
            while (frame.type() != Dispatcher.END) {
                if (frame.type() == Dispatcher.UNREACHED) {
                    FrameReadBuffer body = frame.read();
                    String address = body.address();
                    String why = body.word();
                    body.end();
                    unreached.add(address);
                    if (!why.isEmpty()) {
                        gone.put(address, why);
                    }
                } else {
                    HostStatus status = HostStatus.read(frame);
                    load.put(status.address(), status.load());
                    known.addAll(status.known());
                    status.nodes().stream()
                            .filter(node -> node.status() == Peer.Status.MEMBER || node.status() == Peer.Status.LEAVING)
                            .forEach(nodes::add);
                }
                frame = Failure.check(stream.receive());
            }
        }
        unreached.sort(Comparator.naturalOrder());
        unreached.forEach(address -> known.add(Member.at(address, 0)));
        List<Member> lost = known.stream()
                .filter(member -> unreached.contains(member.address()))
                .toList();
        return new RingView(places(nodes), List.copyOf(unreached), lost, gone, load);
    }

    private static List<Place> places(List<NodeView> nodes) {
        nodes.sort(Comparator.comparing(node -> node.self().id()));
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            NodeView node = nodes.get(i);
            Member before = nodes.get((i + nodes.size() - 1) % nodes.size()).self();
            Member behind = nodes.get((i + 1) % nodes.size()).self();
            double share = nodes.size() == 1
                    ? 1
                    : (node.self().id().turn() - before.id().turn() + 1) % 1;
            boolean settled = node.predecessor().equals(before)
                    && !node.successors().isEmpty()
                    && node.successors().get(0).equals(behind);
            Health health =
                    node.status() == Peer.Status.LEAVING ? Health.LEAVING : settled ? Health.SETTLED : Health.SETTLING;
            places.add(new Place(node.self(), new Range(before.id(), node.self().id()), share, health));
        }
        return List.copyOf(places);
    }

    /** Peers that do not respond, for an unknown reason. */
    public List<String> silent() {
        return unreached.stream().filter(address -> !gone.containsKey(address)).toList();
    }

    /** Returns true if all reachable peers know their neighbours. */
    public boolean isSettled() {
        return places.stream().allMatch(place -> place.health() == Health.SETTLED);
    }
}
