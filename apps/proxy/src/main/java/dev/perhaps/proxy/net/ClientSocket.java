package dev.perhaps.proxy.net;

import dev.perhaps.web.ReloadingTls;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * What a client is connected by: a TCP connection, one with TLS, or a stream of HTTP/2. It knows who is at the other end, what
 * has not been sent yet, and how each of the three is closed. Confined to its event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the connection, and that is seen
final class ClientSocket {
    private final Channel channel;

    ClientSocket(Channel channel) {
        this.channel = channel;
    }

    Channel channel() {
        return channel;
    }

    EventLoop loop() {
        return channel.eventLoop();
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

    /** Returns true if this is a stream of HTTP/2. */
    boolean isStream() {
        return channel.pipeline().get(Http2Stream.class) != null;
    }

    /** Whether the client showed a certificate; TLS has checked then that the authority of this listener signed it. */
    boolean isCertified() {
        Channel connection = isStream() ? channel.parent() : channel;
        SslHandler tls = connection.pipeline().get(SslHandler.class);
        return tls != null && ReloadingTls.certificate(tls) != null;
    }

    long unsentBytes() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        if (buffer != null) {
            return buffer.totalPendingWriteBytes();
        }
        Http2Stream stream = channel.pipeline().get(Http2Stream.class);
        return stream == null ? 0 : stream.unsentBytes();
    }

    /** Reads from the socket, or stops it. */
    void read(boolean wanted) {
        if (channel.config().isAutoRead() != wanted) {
            channel.config().setAutoRead(wanted);
        }
    }

    /** Sends bytes that are no response yet: 100 Continue and the like. */
    void sendAhead(String head) {
        channel.writeAndFlush(Unpooled.copiedBuffer(head, StandardCharsets.ISO_8859_1));
    }

    /** Closes our side only, after what was written. Returns false if that cannot be done here: then nothing has happened. */
    boolean closeOutput() {
        if (!(channel instanceof SocketChannel socket)) {
            return false;
        }
        channel.flush();
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls == null) {
            socket.shutdownOutput();
        } else {
            tls.closeOutbound();
        }
        return true;
    }

    /** Closes after what was written. */
    void close() {
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    /** Breaks the connection, so that the client knows that what it has is not whole. */
    void reset() {
        channel.config().setOption(ChannelOption.SO_LINGER, 0);
        if (channel.pipeline().get(SslHandler.class) == null) {
            channel.close();
        } else {
            channel.unsafe().close(channel.newPromise()); // past TLS, which would say that this is the end
        }
    }
}
