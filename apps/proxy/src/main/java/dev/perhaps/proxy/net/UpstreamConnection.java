package dev.perhaps.proxy.net;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Timeouts;
import dev.perhaps.proxy.http.BadMessage;
import dev.perhaps.proxy.http.BodyReader;
import dev.perhaps.proxy.http.Framing;
import dev.perhaps.proxy.http.HeadReader;
import dev.perhaps.proxy.http.ResponseHead;
import dev.perhaps.web.OutOfMemoryGuard;
import dev.perhaps.web.ReloadingTls;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A connection to the origin or to a sibling: one request after the other, each answered before the next. */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the connection, and that is seen
final class UpstreamConnection extends ChannelInboundHandlerAdapter {
    private static final byte[] NOTHING = {};

    /** Notified of the events of a connection. */
    interface Owner {
        /** The response is complete, and the connection can be used again. */
        void free(UpstreamConnection connection);

        void closed(UpstreamConnection connection);

        /** It was closed while idle, and the request on it can be sent again elsewhere. */
        void again(UpstreamRequest request);
    }

    private final Owner owner;
    private final Limits limits;
    private final Timeouts timeouts;
    private final Destination to;
    private final Channel channel;
    private final HeadReader reader;
    private final Deadline deadline;
    private byte[] input = NOTHING;
    private int searched;
    private @Nullable UpstreamRequest request;
    private @Nullable ResponseHead head;
    private @Nullable BodyReader body;
    private Framing framing = Framing.NONE;
    private boolean used;
    private boolean heard;
    private boolean sending;
    private boolean wanting = true;

    UpstreamConnection(Owner owner, Limits limits, Timeouts timeouts, Destination to, Channel channel) {
        this.owner = owner;
        this.limits = limits;
        this.timeouts = timeouts;
        this.to = to;
        this.channel = channel;
        this.reader = new HeadReader(limits.headers());
        this.deadline = new Deadline(channel.eventLoop(), this::late);
    }

    Channel channel() {
        return channel;
    }

    boolean usable() {
        return channel.isActive() && request == null;
    }

    void send(UpstreamRequest next) {
        assert request == null;
        request = next;
        head = null;
        body = null;
        searched = 0;
        heard = false;
        wanting = true;
        sending = next.hasBody();
        channel.writeAndFlush(Unpooled.wrappedBuffer(next.head()));
        deadline.in(to.responseMillis());
        channel.read();
        next.sent(this);
    }

    /** Sends a piece of the request's body. Returns whether there is room for more. */
    @CanIgnoreReturnValue
    boolean write(byte[] piece) {
        channel.writeAndFlush(Unpooled.wrappedBuffer(piece));
        if (head == null) {
            deadline.in(to.responseMillis());
        }
        return channel.isWritable();
    }

    /** The request's body is sent. */
    void wrote() {
        sending = false;
    }

    /** Reads on, after a piece that said not to. Nothing happens if the connection no longer serves this request. */
    void resume(UpstreamRequest asking) {
        if (request == asking && !wanting) {
            wanting = true;
            deadline.in(to.bodyMillis());
            channel.read();
        }
    }

    /**
     * Nobody wants the rest. Nothing happens if the connection no longer serves this request: after a whole response it
     * is free, and may serve another one.
     */
    void abandon(UpstreamRequest asking) {
        if (request == asking) {
            request = null;
            channel.close();
        }
    }

    void idle() {
        deadline.in(timeouts.idleMillis());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        int kept = input.length;
        byte[] bytes =
                kept == 0 ? new byte[buffer.readableBytes()] : Arrays.copyOf(input, kept + buffer.readableBytes());
        buffer.readBytes(bytes, kept, bytes.length - kept);
        buffer.release();
        input = NOTHING;
        if (request == null) {
            channel.close(); // nobody asked
            return;
        }
        heard = true;
        try {
            read(bytes);
        } catch (BadMessage e) {
            fail(new Participant.Failure(502, "the response is malformed: " + e.getMessage()));
        }
    }

    private void read(byte[] bytes) throws BadMessage {
        int at = 0;
        while (body == null) {
            int end = HeadEnd.find(bytes, at, Math.max(at, searched), bytes.length);
            if (end == HeadEnd.BAD) {
                throw new BadMessage(502, "bare CR or LF in the header of the response");
            }
            if ((end < 0 ? bytes.length : end) - at > limits.requestLineBytes() + limits.headBytes()) {
                throw new BadMessage(502, "the header of the response is too long");
            }
            if (end < 0) {
                input = at == 0 ? bytes : Arrays.copyOfRange(bytes, at, bytes.length);
                searched = HeadEnd.searched(input, 0, input.length);
                return;
            }
            ResponseHead next = reader.response(at == 0 ? bytes : Arrays.copyOfRange(bytes, at, end), end - at);
            at = end;
            searched = 0;
            if (!begin(next, bytes, at)) {
                return;
            }
        }
        readBody(body, bytes, at);
    }

    /** Returns whether to read on. */
    private boolean begin(ResponseHead next, byte[] bytes, int at) throws BadMessage {
        UpstreamRequest asking = request;
        if (asking == null) {
            return false;
        }
        if (next.status() == 101) {
            throw new BadMessage(502, "it switched to a protocol that was not requested");
        }
        if (next.status() < 200) {
            asking.hint(next);
            return request == asking;
        }
        framing = Framing.of(asking.method(), next);
        head = next;
        body = new BodyReader(framing);
        deadline.in(to.bodyMillis());
        asking.begins(next, framing, !overflows(bytes, at));
        return request == asking;
    }

    /** Returns true if more bytes were received than the body has. */
    private boolean overflows(byte[] bytes, int at) {
        if (framing.kind() == Framing.Kind.LENGTH) {
            return bytes.length - at > framing.lengthBytes();
        }
        try {
            BodyReader ahead = new BodyReader(framing);
            return ahead.read(bytes, at, bytes.length, (in, start, end) -> {}) < bytes.length && ahead.done();
        } catch (BadMessage e) {
            return true; // it will break off when it is read
        }
    }

    private void readBody(BodyReader reading, byte[] bytes, int from) throws BadMessage {
        UpstreamRequest asking = request;
        if (asking == null) {
            return;
        }
        boolean[] more = {true};
        int at = reading.read(bytes, from, bytes.length, (in, start, end) -> {
            if (end > start && request == asking) {
                more[0] &= asking.piece(start == 0 && end == in.length ? in : Arrays.copyOfRange(in, start, end));
            }
        });
        if (request != asking) {
            return;
        }
        if (reading.done()) {
            end(asking, at == bytes.length);
        } else {
            wanting = more[0];
            if (wanting) {
                deadline.in(to.bodyMillis());
            } else {
                deadline.never();
            }
        }
    }

    private void end(UpstreamRequest asking, boolean clean) {
        ResponseHead response = head;
        // A response before all of the request was sent is right; what would be sent next is taken for the rest of it.
        boolean again =
                clean && !sending && response != null && response.keepsAlive() && framing.kind() != Framing.Kind.CLOSE;
        request = null;
        used = true;
        wanting = true;
        deadline.never();
        if (!again) {
            channel.close();
        }
        asking.ends(clean);
        if (again) {
            owner.free(this);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (wanting) {
            ctx.read();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        UpstreamRequest asking = request;
        if (asking != null && channel.isWritable()) {
            asking.writable();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        deadline.close();
        UpstreamRequest asking = request;
        request = null;
        owner.closed(this);
        if (asking == null) {
            return;
        }
        if (head != null && framing.kind() == Framing.Kind.CLOSE) {
            asking.ends(true);
        } else if (used && !heard && !asking.hasBody() && isRepeatable(asking.method())) {
            owner.again(asking);
        } else {
            asking.fails(new Participant.Failure(502, "the connection was closed before the response was whole"));
        }
    }

    private static boolean isRepeatable(String method) {
        return method.equals("GET") || method.equals("HEAD");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        OutOfMemoryGuard.check(cause);
        String tls = ReloadingTls.failure(cause);
        if (tls != null) {
            fail(new Participant.Failure(502, "TLS with the origin failed: " + tls));
        } else if (framing.kind() == Framing.Kind.CLOSE && head != null) {
            fail(new Participant.Failure(502, "the connection broke: " + cause.getMessage()));
        } else {
            channel.close();
        }
    }

    private void late() {
        if (request == null) {
            channel.close();
        } else {
            fail(new Participant.Failure(504, "no response in time"));
        }
    }

    private void fail(Participant.Failure failure) {
        UpstreamRequest asking = request;
        request = null;
        channel.close();
        if (asking != null) {
            asking.fails(failure);
        }
    }
}
