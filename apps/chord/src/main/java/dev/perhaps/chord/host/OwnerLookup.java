package dev.perhaps.chord.host;

import dev.perhaps.chord.Answer;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.wire.Blocking;
import dev.perhaps.chord.wire.Dispatcher;
import dev.perhaps.chord.wire.FrameReadBuffer;
import dev.perhaps.chord.wire.FrameStream;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.SocketFrameStream;
import dev.perhaps.chord.wire.WireFrame;
import java.io.Closeable;
import java.io.IOException;

/** Asks one peer for the owners of keys, one after the other. Confined to one thread at a time. */
public final class OwnerLookup implements Closeable {
    private final SocketFrameStream stream;

    private OwnerLookup(SocketFrameStream stream) {
        this.stream = stream;
    }

    /**
     * Connects to a peer.
     *
     * @param deadlineMillis for connecting, and for every answer
     */
    public static OwnerLookup open(HostPort via, Cluster cluster, int deadlineMillis) throws IOException {
        return new OwnerLookup(SocketFrameStream.open(via, cluster, deadlineMillis));
    }

    /**
     * Who is responsible.
     *
     * @param hops the number of peers that were asked and answered, without the one that this is connected to
     * @param timeouts how many were asked and did not
     */
    public record Found(Member owner, int hops, int timeouts) {}

    /** Looks up the owner on the ring. Throws a {@link Failure} if no peer that knows it can be reached. */
    public Found owner(Id key) throws IOException {
        stream.send(new FrameWriteBuffer().id(key).frame(Dispatcher.OWNER));
        FrameReadBuffer body = Failure.expect(Dispatcher.OWNER, stream);
        Found found = new Found(body.member(), body.u16(), body.u16());
        body.end();
        return found;
    }

    static void answer(PeerHost host, WireFrame question, FrameStream stream) throws IOException {
        FrameReadBuffer body = question.read();
        Id key = body.id();
        body.end();
        Answer answer = Blocking.on(host.lookup(key), stream.deadline());
        Member owner = answer.owner().orElseThrow(() -> new Failure("not reachable: the owner of " + key));
        stream.send(new FrameWriteBuffer()
                .member(owner)
                .u16(answer.hops())
                .u16(answer.timeouts())
                .frame(Dispatcher.OWNER));
    }

    @Override
    public void close() {
        stream.close();
    }
}
