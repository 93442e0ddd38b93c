package dev.perhaps.chord.host;

import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.wire.Deadline;
import dev.perhaps.chord.wire.Dispatcher;
import dev.perhaps.chord.wire.FrameStream;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.PeerSurvey;
import dev.perhaps.chord.wire.WireFrame;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/** Reports to a caller the status of all peers that this one can find. */
final class RingSurvey implements Dispatcher.Handler {
    private static final int DEADLINE_MILLIS = 2_000;

    private final PeerHost host;
    private final Cluster cluster;

    RingSurvey(PeerHost host, Cluster cluster) {
        this.host = host;
        this.cluster = cluster;
    }

    @Override
    public void answer(WireFrame question, FrameStream stream) throws IOException {
        question.read().end();
        PeerSurvey.from(HostPort.of(host.address()), Deadline.none(), this::ask, status -> {
            if (status.nodes().isEmpty()) {
                String why = host.dispatcher().gone().getOrDefault(status.address(), "");
                stream.send(
                        new FrameWriteBuffer().text(status.address()).text(why).frame(Dispatcher.UNREACHED));
                return Set.of();
            }
            stream.send(status.frame());
            return status.addresses();
        });
        stream.send(new FrameWriteBuffer().frame(Dispatcher.END));
    }

    /** One without nodes if it cannot be reached. */
    private HostStatus ask(HostPort address) {
        try {
            return HostStatus.ask(address, cluster, host.address(), DEADLINE_MILLIS);
        } catch (IOException e) {
            return new HostStatus(address.toString(), List.of(), List.of(), new TreeMap<>());
        }
    }
}
