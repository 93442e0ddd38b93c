package dev.perhaps.chord.store;

import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.wire.Deadline;
import dev.perhaps.chord.wire.SocketFrameStream;
import java.io.IOException;

/**
 * Opens connections from this peer to others.
 *
 * @param self where it is reached itself
 */
record PeerDirectory(Cluster cluster, HostPort self) {
    private static final int CONNECT_MILLIS = 2_000;
    private static final int ANSWER_MILLIS = 20_000;

    /** A connection to the peer at this address; nothing on it takes longer than until the deadline. */
    RemotePeer open(HostPort address, Deadline deadline) throws IOException {
        return new RemotePeer(SocketFrameStream.toPeer(
                address, cluster, self.toString(), deadline.millis(CONNECT_MILLIS), deadline.millis(ANSWER_MILLIS)));
    }

    /** How long an answer is waited for. */
    static int patience(Deadline deadline) throws IOException {
        return deadline.millis(ANSWER_MILLIS);
    }
}
