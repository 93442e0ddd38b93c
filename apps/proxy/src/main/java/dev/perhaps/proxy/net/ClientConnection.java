package dev.perhaps.proxy.net;

import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Timeouts;
import dev.perhaps.proxy.http.BadMessage;
import dev.perhaps.proxy.http.BodyReader;
import dev.perhaps.proxy.http.Framing;
import dev.perhaps.proxy.http.Headers;
import dev.perhaps.proxy.http.HttpDate;
import dev.perhaps.proxy.http.RequestHead;
import dev.perhaps.proxy.http.Target;
import dev.perhaps.web.OutOfMemoryGuard;
import dev.perhaps.web.ReloadingTls;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The connection of a client: reads requests one after the other, and sends their answers. Confined to its event loop. */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the connection, and that is seen
final class ClientConnection extends ChannelInboundHandlerAdapter {
    /*
     *     HEAD ──whole head──> BODY ──whole body──> BUSY ──answer sent──> HEAD, or the connection is closed
     *       └──────────── no body ────────────────────┘
     *
     * A client may send its next requests before it has the answers (pipelining). They are looked at when it is their turn:
     * one request is under way at a time, so answers cannot be mixed up. While one is, the socket is read only until
     * something has come (which shows a client that closes): the rest stays where the client notices.
     *
     * What the connection holds for its client is counted (MemoryShare): if there is no memory left for a request, it is
     * answered with 503. When memory becomes scarce, answers go out in small pieces, each when the one before it has gone.
     *
     * An answer goes out at the client's pace: pieces are taken from its source only while the socket has room. If it breaks
     * off, the connection is reset, never closed as if that was all.
     *
     * A connection that ends with an error while the client is still sending is closed in two steps: our side first, then,
     * when the client has had time to read why, all of it. Closed at once, TCP would take back the answer.
     */
    private static final int LINGER_MILLIS = 2_000;

    /** What is written at once when memory is scarce: half of what every connection has for itself. */
    static final int SMALL_PIECE_BYTES = MemoryShare.FREE_BYTES / 2;

    private static final int PIECE_BYTES = 64 << 10;

    /** Who sends a body more slowly is sent away, after a while. */
    private static final int MIN_BODY_BYTES_PER_SECOND = 1_024;

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
    private final InstantSource clock;
    private final Channel channel;
    private final Deadline deadline;
    private final MemoryShare memory;

    private final Input input;
    private State state = State.HEAD;
    private boolean turning;
    private boolean reading;
    private boolean draining;
    private Service.@Nullable Serving serving;
    private @Nullable BodyReader body;
    private boolean forHead;
    private @Nullable RequestHead asked;
    private long askedNanos;
    private int status;
    private long sentBytes;
    private String from = "-";
    private boolean bodyWanted;
    private long bodyBytes;
    private long bodyNanos;
    private long bodySinceNanos;
    private long waitingBytes;
    private boolean answering;

    private @Nullable Source source;
    private boolean inChunks;
    private boolean closing;

    /** Whether the next piece waits until the last one has gone. */
    private boolean careful;

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
        this.clock = clock;
        this.input = new Input(limits);
        this.channel = channel;
        this.deadline = new Deadline(channel.eventLoop(), this::late);
    }

    Channel channel() {
        return channel;
    }

    String address() {
        return channel.remoteAddress() instanceof InetSocketAddress socket
                ? socket.getAddress().getHostAddress()
                : "unknown";
    }

    /** What this client's address is counted by. */
    long addressKey() {
        return Addresses.key(channel.remoteAddress());
    }

    /** No new requests; the one under way is answered. */
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
            refuse(503, "too many requests are waiting for the rest of them, or for answers to be read");
        }
        turn();
    }

    /** Counts what is held for this client. Returns false if it is too much. */
    private boolean count() {
        long head = state == State.HEAD || state == State.LINGER ? 0 : HEAD_COPIES * (long) input.headBytes();
        return memory.hold(input.capacityBytes() + head + waitingBytes + unsentBytes());
    }

    private long unsentBytes() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        if (buffer != null) {
            return buffer.totalPendingWriteBytes();
        }
        Http2Stream stream = channel.pipeline().get(Http2Stream.class);
        return stream == null ? 0 : stream.unsentBytes();
    }

    /** Whether this is a stream of HTTP/2. */
    boolean isStream() {
        return channel.pipeline().get(Http2Stream.class) != null;
    }

    /** Whether the client showed a certificate; TLS has checked then that the authority of this listener signed it. */
    boolean isCertified() {
        Channel connection = isStream() ? channel.parent() : channel;
        SslHandler tls = connection.pipeline().get(SslHandler.class);
        return tls != null && ReloadingTls.certificate(tls) != null;
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
        boolean wanted = switch (state) {
            case HEAD -> input.isEmpty() || mayWrite();
            case BODY -> bodyWanted;
            case BUSY -> input.isEmpty();
            case LINGER -> true;
        };
        if (channel.config().isAutoRead() != wanted) {
            channel.config().setAutoRead(wanted);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        reading = false;
        ctx.flush(); // all answers to what was read at once go out at once
    }

    /** Does what can be done now. */
    private void turn() {
        if (turning) {
            return; // whoever called is called from there
        }
        turning = true;
        try {
            boolean going = true;
            while (going) {
                going = switch (state) {
                    case HEAD -> channel.isActive() && mayWrite() && head();
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
        if (service.wantsAnswered()) {
            asked = head;
            from = "-";
            askedNanos = System.nanoTime();
        }
        Framing framing = Framing.of(head);
        serving = service.serve(this, head, Target.of(head), framing);
        body = framing.isEmpty() ? null : new BodyReader(framing);
        bodyWanted = false;
        bodyBytes = 0;
        bodyNanos = 0;
        answering = false;
        state = body == null ? State.BUSY : State.BODY;
        deadline.never();
        serving.start();
        return true;
    }

    /** Reads on in the body of the request. Returns whether it is whole now. */
    private boolean body() throws BadMessage {
        BodyReader reading = body;
        Service.Serving wants = serving;
        if (!bodyWanted || reading == null || wants == null || input.isEmpty()) {
            return false;
        }
        input.feed(reading, (bytes, from, to) -> {
            bodyBytes += to - from;
            if (to > from && bodyBytes <= limits.requestBytes()) {
                wants.piece(Arrays.copyOfRange(bytes, from, to));
            }
        });
        if (bodyBytes > limits.requestBytes()) {
            throw new BadMessage(413, "the body of a request has at most " + limits.requestBytes() + " bytes");
        }
        if (!reading.done()) {
            if (bodyWanted) {
                awaitBody();
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
        if (bodyWanted) {
            bodyNanos += System.nanoTime() - bodySinceNanos;
        }
        bodyWanted = wanted;
        bodySinceNanos = System.nanoTime();
        if (wanted) {
            awaitBody();
            turn();
        } else if (state == State.BODY) {
            deadline.never();
            listen();
        }
    }

    /** Waits for more of the body: not long for nothing, and not long for little. */
    private void awaitBody() {
        long waited = TimeUnit.NANOSECONDS.toMillis(bodyNanos + System.nanoTime() - bodySinceNanos);
        long allowed = timeouts.clientMillis() + 1_000 * bodyBytes / MIN_BODY_BYTES_PER_SECOND - waited;
        deadline.in(Math.max(0, Math.min(timeouts.clientMillis(), allowed)));
    }

    /** Sends bytes that are no answer yet: 100 Continue and the like. */
    void sendAhead(String head) {
        channel.writeAndFlush(Unpooled.copiedBuffer(head, StandardCharsets.ISO_8859_1));
    }

    /** Whether the connection has to be closed after the answer to this request. */
    boolean closesAfter(RequestHead head) {
        return draining || body != null || !head.keepsAlive();
    }

    /** Sends an answer in one piece. */
    void send(ByteBuf whole, boolean close) {
        answering = true;
        begin(whole);
        writePiece(whole);
        end(close);
    }

    /** Sends a head, and then a body as it comes. */
    void send(ByteBuf head, Source rest, boolean chunked, boolean close) {
        answering = true;
        begin(head);
        channel.write(head, channel.voidPromise());
        source = rest;
        inChunks = chunked;
        closing = close;
        pump();
    }

    /** Sends what the source has. Also called when it has something again. */
    void pump() {
        Source body = source;
        if (body != null && body.lost()) {
            abort();
            return;
        }
        while (body != null && mayWrite()) {
            ByteBuf piece = body.next(memory.isScarce() ? SMALL_PIECE_BYTES : PIECE_BYTES);
            if (piece == null) {
                if (body.failed()) {
                    abort();
                    return;
                }
                if (body.finished()) {
                    source = null;
                    body.close();
                    if (inChunks) {
                        channel.write(Unpooled.wrappedBuffer(HeadWriter.LAST_CHUNK), channel.voidPromise());
                    }
                    end(closing);
                    return;
                }
                break;
            }
            sentBytes += piece.readableBytes();
            write(piece);
        }
        if (body != null) {
            channel.flush();
            count();
            if (channel.isWritable() && !careful) {
                deadline.never();
            } else {
                deadline.in(timeouts.clientMillis());
            }
        }
    }

    private boolean mayWrite() {
        return !careful && channel.isWritable();
    }

    private void write(ByteBuf piece) {
        if (inChunks) {
            String size = Integer.toHexString(piece.readableBytes()) + "\r\n";
            channel.write(Unpooled.copiedBuffer(size, StandardCharsets.US_ASCII), channel.voidPromise());
            writePiece(piece);
            channel.write(Unpooled.wrappedBuffer(HeadWriter.CRLF), channel.voidPromise());
        } else {
            writePiece(piece);
        }
    }

    private void writePiece(ByteBuf piece) {
        if (!memory.isScarce()) {
            channel.write(piece, channel.voidPromise());
            return;
        }
        careful = true;
        channel.write(piece).addListener(sent -> {
            careful = false;
            if (channel.isActive()) {
                pump();
                turn();
            }
        });
    }

    /** Takes a note of what is sent: the head, and what follows it. */
    private void begin(ByteBuf bytes) {
        if (service.wantsAnswered()) {
            int start = bytes.readerIndex();
            status = Integer.parseInt(bytes.toString(start + 9, 3, StandardCharsets.US_ASCII));
            int line = start;
            for (int end = bytes.indexOf(line, bytes.writerIndex(), (byte) '\n');
                    end - line > 1;
                    end = bytes.indexOf(line, bytes.writerIndex(), (byte) '\n')) {
                line = end + 1;
            }
            sentBytes = (long) bytes.writerIndex() - line - 2;
        }
    }

    /** Tells of the answer that was sent. */
    private void told() {
        if (status != 0) {
            long micros = asked == null ? 0 : TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - askedNanos);
            service.answered(this, new Service.Sent(asked, status, sentBytes, from, micros));
            status = 0;
        }
        asked = null;
    }

    /** Where the answer comes from. */
    void answersFrom(String place) {
        from = place;
    }

    /** The answer is sent. */
    private void end(boolean close) {
        told();
        serving = null;
        source = null;
        answering = false;
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
        if (sending && channel instanceof SocketChannel socket) {
            channel.flush();
            SslHandler tls = channel.pipeline().get(SslHandler.class);
            if (tls == null) {
                socket.shutdownOutput();
            } else {
                tls.closeOutbound();
            }
            listen();
            deadline.in(LINGER_MILLIS);
        } else {
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
    }

    /** Breaks the connection, so that the client knows that what it has is not whole. */
    void abort() {
        state = State.LINGER;
        deadline.never();
        channel.config().setOption(ChannelOption.SO_LINGER, 0);
        if (channel.pipeline().get(SslHandler.class) == null) {
            channel.close();
        } else {
            channel.unsafe().close(channel.newPromise()); // past TLS, which would say that this is the end
        }
    }

    /** Answers with an error, and closes: what the client sends next cannot be trusted to be a request. */
    private void refuse(int status, String why) {
        Service.Serving leaves = serving;
        serving = null;
        if (leaves != null) {
            leaves.gone();
        }
        if (answering) {
            abort();
            return;
        }
        ByteBuf answer = error(status, why, service.refusal(), forHead, true);
        from = "refused";
        begin(answer);
        channel.write(answer);
        told();
        close(true);
    }

    /** An error of our own. */
    ByteBuf error(int status, String why, String cacheStatus, boolean bodiless, boolean close) {
        Headers.Builder headers = new Headers.Builder().add("Content-Type", "text/plain; charset=utf-8");
        if (!cacheStatus.isEmpty()) {
            headers.add("Cache-Status", cacheStatus);
        }
        return answer(status, headers.build(), utf8(status + ": " + why + "\n"), bodiless, close);
    }

    /** An answer of our own. */
    ByteBuf answer(int status, Headers headers, byte[] content, boolean bodiless, boolean close) {
        StringBuilder text = new StringBuilder(256);
        text.append("HTTP/1.1 ")
                .append(status)
                .append(' ')
                .append(HeadWriter.reason(status))
                .append("\r\n");
        HeadWriter.line(text, "Date", HttpDate.write(clock.millis()));
        HeadWriter.write(headers, text);
        HeadWriter.line(text, "Content-Length", Integer.toString(content.length));
        if (close) {
            HeadWriter.line(text, "Connection", "close");
        }
        text.append("\r\n");
        byte[] head = text.toString().getBytes(StandardCharsets.ISO_8859_1);
        return bodiless ? Unpooled.wrappedBuffer(head) : Unpooled.wrappedBuffer(head, content);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
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
                if (answering) {
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
        told();
        Service.Serving leaves = serving;
        serving = null;
        Source rest = source;
        source = null;
        state = State.LINGER;
        if (rest != null) {
            rest.close();
        }
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
