package dev.perhaps.chord.net;

import dev.perhaps.chord.Answer;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import java.io.Closeable;
import java.io.IOException;

/** Asks one peer who is responsible for keys, one after the other. Confined to one thread at a time. */
public final class OwnerLine implements Closeable {
    private final SocketLine line;

    private OwnerLine(SocketLine line) {
        this.line = line;
    }

    /**
     * Connects to a peer.
     *
     * @param deadlineMillis for connecting, and for every answer
     */
    public static OwnerLine open(HostPort via, Cluster cluster, int deadlineMillis) throws IOException {
        return new OwnerLine(SocketLine.open(via, cluster, deadlineMillis));
    }

    /**
     * Who is responsible.
     *
     * @param hops how many peers were asked and answered on the way, the one at the line not counted
     * @param timeouts how many were asked and did not
     */
    public record Found(Member owner, int hops, int timeouts) {}

    /** The peer looks it up on the ring. If nobody who knows can be reached, that is a {@link Failure}. */
    public Found owner(Id key) throws IOException {
        line.send(new BodyWriter().id(key).frame(Desk.OWNER));
        BodyReader body = Failure.expect(Desk.OWNER, line);
        Found found = new Found(body.member(), body.u16(), body.u16());
        body.end();
        return found;
    }

    static void answer(PeerHost host, Frame question, Line line) throws IOException {
        BodyReader body = question.read();
        Id key = body.id();
        body.end();
        Answer answer = Waiting.on(host.lookup(key), line.deadline());
        Member owner = answer.owner().orElseThrow(() -> new Failure("not reachable: who is responsible for " + key));
        line.send(new BodyWriter()
                .member(owner)
                .u16(answer.hops())
                .u16(answer.timeouts())
                .frame(Desk.OWNER));
    }

    @Override
    public void close() {
        line.close();
    }
}
