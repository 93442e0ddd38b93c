package dev.perhaps.proxy.net;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Timeouts;
import dev.perhaps.proxy.http.BadMessage;
import dev.perhaps.proxy.http.BodyReader;
import dev.perhaps.proxy.http.Framing;
import dev.perhaps.proxy.http.RequestHead;
import dev.perhaps.proxy.http.Target;
import dev.perhaps.web.OutOfMemoryGuard;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.time.InstantSource;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a client: reads requests one after the other, has them served, and closes in the right way. Confined to its
 * event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the connection, and that is seen
final class ClientConnection extends ChannelInboundHandlerAdapter implements ResponseWriter.Listener {
    /*
     *     HEAD ──whole head──> BODY ──whole body──> BUSY ──response sent──> HEAD, or the connection is closed
     *       └──────────── no body ────────────────────┘
     *
     * A client may send its next requests before it has the responses (pipelining). They are looked at when it is their turn:
     * one request is under way at a time, so responses cannot be mixed up. While one is, the socket is read only until
     * something has come (which shows a client that closes): the rest stays where the client notices.
     *
     * What the connection holds for its client is counted (MemoryShare): if there is no memory left for a request, it is
     * answered with 503.
     *
     * A response goes out at the client's pace (ResponseWriter). If it breaks off, the connection is reset, never closed as if
     * that was all.
     *
     * A connection that ends with an error while the client is still sending is closed in two steps: our side first, then,
     * when the client has had time to read why, all of it. Closed at once, TCP would take back the response.
     */
    private static final int LINGER_MILLIS = 2_000;

    /** The strings of a head, the head as it is passed on, and what they are cut from. */
    private static final int HEAD_COPIES = 4;

    private enum State {
        HEAD,
        BODY,
        BUSY,
        LINGER
    }

    private final Service service;
    private final Limits limits;
    private final Timeouts timeouts;
    private final ProxyResponses responses;
    private final Channel channel;
    private final ClientSocket socket;
    private final Deadline deadline;
    private final MemoryShare memory;
    private final ResponseNote note;
    private final ResponseWriter writer;
    private final BodyPace bodyPace;

    private final Input input;
    private State state = State.HEAD;
    private boolean turning;
    private boolean reading;
    private boolean draining;
    private Service.@Nullable Serving serving;
    private @Nullable BodyReader body;
    private boolean forHead;
    private long waitingBytes;
    private boolean responding;

    ClientConnection(
            Service service,
            Limits limits,
            Timeouts timeouts,
            InstantSource clock,
            MemoryShare memory,
            Channel channel) {
        this.service = service;
        this.memory = memory;
        this.limits = limits;
        this.timeouts = timeouts;
        this.responses = new ProxyResponses(clock);
        this.input = new Input(limits);
        this.channel = channel;
        this.socket = new ClientSocket(channel);
        this.deadline = new Deadline(channel.eventLoop(), this::late);
        this.note = new ResponseNote(service.recordsResponses(), sent -> service.responded(this, sent));
        this.writer = new ResponseWriter(channel, memory, deadline, timeouts, note, this);
        this.bodyPace = new BodyPace(timeouts);
    }

    ClientSocket socket() {
        return socket;
    }

    /** Returns the factory of responses of this proxy itself. */
    ProxyResponses responses() {
        return responses;
    }

    /** Accepts no new requests; the current one is completed. */
    void drain() {
        draining = true;
        if (state == State.HEAD) {
            channel.close();
        }
    }

    boolean draining() {
        return draining;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        if (channel.isActive()) {
            deadline.in(timeouts.headMillis()); // it came after TLS, which has a timeout of its own
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        deadline.in(timeouts.headMillis());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        reading = true;
        if (state != State.LINGER) {
            if (state == State.HEAD && input.isEmpty()) {
                deadline.in(timeouts.headMillis());
            }
            input.add(buffer);
        }
        buffer.release();
        if (!count()) {
            service.outOfMemory();
            refuse(503, "too many incomplete requests and unread responses");
        }
        turn();
    }

    /** Counts what is held for this client. Returns false if it is too much. */
    @CanIgnoreReturnValue
    private boolean count() {
        long head = state == State.HEAD || state == State.LINGER ? 0 : HEAD_COPIES * (long) input.headBytes();
        return memory.hold(input.capacityBytes() + head + waitingBytes + socket.unsentBytes());
    }

    /** This number of bytes of the request's body wait here. */
    void bodyWaits(long bytes) {
        waitingBytes = bytes;
    }

    boolean memoryIsScarce() {
        return memory.isScarce();
    }

    /** Reads from the socket, or stops it, as the state wants it. */
    private void listen() {
        socket.read(
                switch (state) {
                    case HEAD -> input.isEmpty() || writer.mayWrite();
                    case BODY -> bodyPace.wanted();
                    case BUSY -> input.isEmpty();
                    case LINGER -> true;
                });
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        reading = false;
        ctx.flush(); // all responses to what was read at once go out at once
    }

    /** Does what can be done now. */
    private void turn() {
        if (turning) {
            return; // the caller is called from there
        }
        turning = true;
        try {
            boolean going = true;
            while (going) {
                going = switch (state) {
                    case HEAD -> channel.isActive() && writer.mayWrite() && head();
                    case BODY -> body();
                    case BUSY, LINGER -> false;
                };
            }
        } catch (BadMessage e) {
            service.refused();
            refuse(e.status(), String.valueOf(e.getMessage()));
        } finally {
            turning = false;
        }
        if (!reading) {
            channel.flush();
        }
        input.shrink();
        count();
        listen();
    }

    /** Reads a head and begins to serve it. Returns whether there was one. */
    private boolean head() throws BadMessage {
        forHead = false;
        RequestHead head = input.head();
        if (head == null) {
            if (input.isEmpty()) {
                deadline.in(timeouts.idleMillis());
            } else if (!deadline.isSet()) {
                deadline.in(timeouts.headMillis());
            }
            return false;
        }
        forHead = head.method().equals("HEAD");
        note.asks(head);
        Framing framing = Framing.of(head);
        serving = service.serve(this, head, Target.of(head), framing);
        body = framing.isEmpty() ? null : new BodyReader(framing);
        bodyPace.reset();
        responding = false;
        state = body == null ? State.BUSY : State.BODY;
        deadline.never();
        serving.start();
        return true;
    }

    /** Reads on in the body of the request. Returns whether it is whole now. */
    private boolean body() throws BadMessage {
        BodyReader reading = body;
        Service.Serving wants = serving;
        if (!bodyPace.wanted() || reading == null || wants == null || input.isEmpty()) {
            return false;
        }
        input.feed(reading, (bytes, from, to) -> {
            if (bodyPace.add(to - from) <= limits.requestBytes() && to > from) {
                wants.piece(Arrays.copyOfRange(bytes, from, to));
            }
        });
        if (bodyPace.bytes() > limits.requestBytes()) {
            throw new BadMessage(413, "the body of a request has at most " + limits.requestBytes() + " bytes");
        }
        if (!reading.done()) {
            if (bodyPace.wanted()) {
                deadline.in(bodyPace.timeoutMillis());
            }
            return false;
        }
        body = null;
        state = State.BUSY;
        deadline.never();
        wants.whole();
        return true;
    }

    /** Whether pieces of the request's body are wanted now. */
    void wantBody(boolean wanted) {
        bodyPace.want(wanted);
        if (wanted) {
            deadline.in(bodyPace.timeoutMillis());
            turn();
        } else if (state == State.BODY) {
            deadline.never();
            listen();
        }
    }

    /** Returns true if the connection has to be closed after the response to this request. */
    boolean closesAfter(RequestHead head) {
        return draining || body != null || !head.keepsAlive();
    }

    /** Sends a response in one piece. */
    void send(ByteBuf whole, boolean close) {
        responding = true;
        writer.write(whole, close);
    }

    /** Sends a header, and then the body as it arrives. */
    void send(ByteBuf head, Source rest, boolean chunked, boolean close) {
        responding = true;
        writer.write(head, rest, chunked, close);
    }

    /** Sends what the source of the response has. To be called when it has something again. */
    void pump() {
        writer.pump();
    }

    /** Sets the source of the response. */
    void respondsFrom(String place) {
        note.comesFrom(place);
    }

    @Override
    public void writtenInPart() {
        count();
    }

    @Override
    public void writable() {
        turn();
    }

    @Override
    public void brokeOff() {
        abort();
    }

    @Override
    public void written(boolean close) {
        note.ends();
        serving = null;
        responding = false;
        waitingBytes = 0;
        if (close || draining) {
            close(body != null || !input.isEmpty());
            return;
        }
        state = State.HEAD;
        if (!turning) {
            channel.flush();
            deadline.in(input.isEmpty() ? timeouts.idleMillis() : timeouts.headMillis());
            turn();
        }
    }

    /** Closes, in two steps if the client may be sending still. */
    private void close(boolean sending) {
        state = State.LINGER;
        input.clear();
        if (sending && socket.closeOutput()) {
            listen();
            deadline.in(LINGER_MILLIS);
        } else {
            socket.close();
        }
    }

    /** Breaks the connection, so that the client knows that what it has is not whole. */
    void abort() {
        state = State.LINGER;
        deadline.never();
        socket.reset();
    }

    /** Responds with an error, and closes the connection: what the client sends next cannot be trusted to be a request. */
    private void refuse(int status, String why) {
        Service.Serving leaves = serving;
        serving = null;
        if (leaves != null) {
            leaves.gone();
        }
        if (responding) {
            abort();
            return;
        }
        ByteBuf response = responses.error(status, why, service.refusal(), forHead, true);
        note.comesFrom("refused");
        note.begins(response);
        channel.write(response);
        note.ends();
        close(true);
    }

    private void late() {
        switch (state) {
            case HEAD -> {
                if (!input.isEmpty()) {
                    service.refused();
                    refuse(408, "the head of the request did not come in time");
                } else {
                    channel.close();
                }
            }
            case BODY -> {
                if (responding) {
                    abort();
                } else {
                    service.refused();
                    refuse(408, "the body of the request did not come in time");
                }
            }
            case BUSY -> abort();
            case LINGER -> channel.close();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (channel.isWritable()) {
            pump();
            turn();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        deadline.close();
        note.ends();
        Service.Serving leaves = serving;
        serving = null;
        state = State.LINGER;
        writer.close();
        try {
            if (leaves != null) {
                leaves.gone();
            }
        } finally {
            input.clear();
            memory.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        OutOfMemoryGuard.check(cause);
        channel.close();
    }
}
