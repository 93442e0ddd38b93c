package dev.perhaps.chord.net;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/** Tells a caller how all peers are that this one can find. */
final class RingWalk implements Desk.Clerk {
    private static final int DEADLINE_MILLIS = 2_000;

    private final PeerHost host;
    private final Cluster cluster;

    RingWalk(PeerHost host, Cluster cluster) {
        this.host = host;
        this.cluster = cluster;
    }

    @Override
    public void answer(Frame question, Line line) throws IOException {
        question.read().end();
        Walk.from(host.address(), Deadline.none(), this::ask, status -> {
            if (status.nodes().isEmpty()) {
                String why = host.desk().gone().getOrDefault(status.address(), "");
                line.send(new BodyWriter().text(status.address()).text(why).frame(Desk.UNREACHED));
                return Set.of();
            }
            line.send(status.frame());
            return status.addresses();
        });
        line.send(new BodyWriter().frame(Desk.END));
    }

    /** One without nodes if it cannot be reached. */
    private HostStatus ask(String address) {
        try {
            return HostStatus.ask(address, cluster, host.address(), DEADLINE_MILLIS);
        } catch (IOException | IllegalArgumentException e) {
            return new HostStatus(address, List.of(), List.of(), new TreeMap<>());
        }
    }
}
