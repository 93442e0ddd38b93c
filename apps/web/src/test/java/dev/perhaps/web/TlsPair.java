package dev.perhaps.web;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** A server and a client on this machine, which shake hands. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is seen by the handlers
final class TlsPair implements AutoCloseable {
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

    /** What both ends saw. */
    record Result(X509Certificate seenByServer, X509Certificate seenByClient, String protocol, String application) {}

    /** Connects and waits for one byte of the server, by which the client knows that it was accepted. */
    Result connect(ReloadingTls server, ReloadingTls client, String calledHost) throws Exception {
        CompletableFuture<SslHandler> accepted = new CompletableFuture<>();
        CompletableFuture<SslHandler> connected = new CompletableFuture<>();
        Channel bound = listen(server, accepted);
        Channel socket = null;
        try {
            socket = new Bootstrap()
                    .group(loops)
                    .channel(NioSocketChannel.class)
                    .handler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            SslHandler tls = client.connecting(channel, calledHost, 4711);
                            channel.pipeline().addLast(tls, new FirstByte(tls, connected));
                        }
                    })
                    .connect(bound.localAddress())
                    .sync()
                    .channel();
            SslHandler mine = connected.get(30, TimeUnit.SECONDS);
            SslHandler theirs = accepted.get(30, TimeUnit.SECONDS);
            return new Result(
                    Objects.requireNonNull(ReloadingTls.certificate(theirs)),
                    Objects.requireNonNull(ReloadingTls.certificate(mine)),
                    mine.engine().getSession().getProtocol(),
                    mine.applicationProtocol());
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            bound.close().sync();
            if (socket != null) {
                socket.close().sync();
            }
        }
    }

    /** Greets each client, and closes. */
    Channel listen(ReloadingTls server, CompletableFuture<SslHandler> accepted) throws InterruptedException {
        return new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        SslHandler tls = server.accepting(channel);
                        channel.pipeline().addLast(tls, new Swallow());
                        tls.handshakeFuture().addListener(done -> {
                            if (done.isSuccess()) {
                                accepted.complete(tls);
                                channel.writeAndFlush(Unpooled.copiedBuffer("hello\n", StandardCharsets.US_ASCII));
                            } else {
                                accepted.completeExceptionally(done.cause());
                            }
                        });
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
    }

    @Override
    public void close() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private static final class Swallow extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }

    private static final class FirstByte extends ChannelInboundHandlerAdapter {
        private final SslHandler tls;
        private final CompletableFuture<SslHandler> connected;

        FirstByte(SslHandler tls, CompletableFuture<SslHandler> connected) {
            this.tls = tls;
            this.connected = connected;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ((ByteBuf) message).release();
            connected.complete(tls);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            connected.completeExceptionally(new IOException("closed"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            connected.completeExceptionally(
                    cause instanceof io.netty.handler.codec.DecoderException && cause.getCause() != null
                            ? cause.getCause()
                            : cause);
            ctx.close();
        }
    }
}
