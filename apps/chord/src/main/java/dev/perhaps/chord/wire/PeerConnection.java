package dev.perhaps.chord.wire;

import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.cluster.Refusal;
import dev.perhaps.web.OutOfMemoryGuard;
import dev.perhaps.web.ReloadingTls;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A TCP connection from its handshake to its end. Everything happens on the event loop. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails on the event loop ends the connection, and that is seen
final class PeerConnection extends SimpleChannelInboundHandler<WireFrame> {
    /** The timeout for a handshake. */
    private static final int HANDSHAKE_MILLIS = 10_000;

    /** Who has connections. */
    interface Owner {
        /** Admits a connection whose identity was proved. Returns false if there are too many. */
        boolean admits(PeerConnection connection, Channel channel, Session session);

        /** The handshake with a peer is done. */
        void opened(PeerConnection connection);

        /** Takes a frame from a peer. */
        void received(PeerConnection connection, WireFrame frame) throws BadFrame;

        /** A caller is there; its frames go to the stream from now on. */
        ChannelFrameStream called(Channel channel, Session session);

        /** It is over. */
        void closed(PeerConnection connection);

        /** The connection failed, for a reason that is worth reporting. */
        void failed(PeerConnection connection, String why);
    }

    private final Owner owner;
    private final Handshake handshake;
    private final FrameCodec codec;
    private final String dialled;
    private @Nullable Channel channel;
    private @Nullable ChannelFrameStream stream;
    private long usedNanos = System.nanoTime();
    private long heardNanos = System.nanoTime();

    /** @param dialled where it was opened to; empty if it came from outside */
    PeerConnection(Owner owner, Handshake handshake, FrameCodec codec, String dialled) {
        super(WireFrame.class);
        this.owner = owner;
        this.handshake = handshake;
        this.codec = codec;
        this.dialled = dialled;
    }

    /** Returns true until the identity of the other end is known. */
    boolean isStranger() {
        return !handshake.isDone();
    }

    /** Where the peer on the other side is reached; empty for a caller. */
    String address() {
        return isOpener() ? dialled : handshake.otherAddress();
    }

    boolean isOpener() {
        return handshake.isOpener();
    }

    boolean isReady() {
        return handshake.isDone() && channel != null && channel.isActive();
    }

    long usedNanos() {
        return usedNanos;
    }

    long heardNanos() {
        return heardNanos;
    }

    /** Sends a frame if there is room for it. Otherwise it is lost: the requester notices by its deadline. */
    void send(WireFrame frame) {
        if (channel != null && channel.isWritable()) {
            usedNanos = System.nanoTime();
            channel.writeAndFlush(frame, channel.voidPromise());
        }
    }

    void close() {
        if (channel != null) {
            channel.close();
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        channel = context.channel();
        if (handshake.isOpener()) {
            context.writeAndFlush(handshake.hello());
        }
        context.executor()
                .schedule(
                        () -> {
                            if (!handshake.isDone() && context.channel().isActive()) {
                                end(context, "no handshake within " + HANDSHAKE_MILLIS / 1_000 + " s");
                            }
                        },
                        HANDSHAKE_MILLIS,
                        TimeUnit.MILLISECONDS);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, WireFrame frame) throws IOException {
        heardNanos = System.nanoTime();
        usedNanos = heardNanos;
        if (stream != null) {
            stream.arrived(frame);
        } else if (handshake.isDone()) {
            owner.received(this, frame);
        } else {
            shake(context, frame);
        }
    }

    private void shake(ChannelHandlerContext context, WireFrame frame) throws BadFrame {
        try {
            CertifiedCaller other = CertifiedCaller.of(context.channel());
            if (other != null) {
                handshake.certified(other);
            }
            handshake.take(frame).ifPresent(context::writeAndFlush);
        } catch (Refusal refusal) {
            owner.failed(this, "refused: " + refusal.getMessage());
            if (refusal.isTold()) {
                context.close();
            } else {
                context.writeAndFlush(Handshake.refused(refusal)).addListener(ChannelFutureListener.CLOSE);
            }
            return;
        }
        if (handshake.isDone()) {
            codec.trust(handshake);
            begin(context);
        }
    }

    private void begin(ChannelHandlerContext context) {
        Session session = handshake.session();
        if (!isOpener() && !owner.admits(this, context.channel(), session)) {
            Failure full = new Failure("the peer has too many connections of this kind: try again later");
            context.writeAndFlush(full.frame()).addListener(ChannelFutureListener.CLOSE);
        } else if (session.use() == Session.Use.MESSAGES) {
            owner.opened(this);
        } else {
            stream = owner.called(context.channel(), session);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (stream != null) {
            stream.changed();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (stream != null) {
            stream.ended();
        }
        owner.closed(this);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        OutOfMemoryGuard.check(cause);
        Throwable root = cause.getCause() instanceof BadFrame bad ? bad : cause;
        if (root instanceof BadFrame) {
            end(context, "closed: invalid data: " + root.getMessage());
        } else if (ReloadingTls.failure(cause) != null) {
            end(context, "closed: TLS: " + ReloadingTls.failure(cause));
        } else if (root instanceof IOException) {
            context.close();
        } else {
            end(context, "closed: " + root);
        }
    }

    private void end(ChannelHandlerContext context, String why) {
        if (context.channel().isActive()) {
            owner.failed(this, why);
            context.close();
        }
    }

    @Override
    public String toString() {
        String address = address();
        if (!address.isEmpty()) {
            return address;
        }
        return channel == null
                ? "a stranger"
                : String.valueOf(channel.remoteAddress()).replaceFirst("^.*/", "");
    }
}
