package dev.perhaps.proxy.net;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import java.io.Closeable;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A client that sends what it is told to over HTTP/2, right or wrong. */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of it is heard
final class RawHttp2Client implements Closeable {
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    final List<String> connection = new CopyOnWriteArrayList<>();
    final Channel channel;

    RawHttp2Client(InetSocketAddress to, TlsFixture tls) throws Exception {
        this(to, tls, "127.0.0.1");
    }

    /** From this address of loopback. */
    RawHttp2Client(InetSocketAddress to, TlsFixture tls, String from) throws Exception {
        var context = SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .trustManager(tls.authority.toTrustManager())
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                        "h2"))
                .build();
        channel = new Bootstrap()
                .group(loops)
                .channel(NioSocketChannel.class)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel socket) {
                        socket.pipeline()
                                .addLast(
                                        context.newHandler(socket.alloc(), "localhost", to.getPort()),
                                        Http2FrameCodecBuilder.forClient()
                                                .initialSettings(Http2Settings.defaultSettings())
                                                .validateHeaders(false)
                                                .encoderIgnoreMaxHeaderListSize(true)
                                                .encoderEnforceMaxRstFramesPerWindow(0, 0)
                                                .build(),
                                        new Http2MultiplexHandler(new Hearing(new CopyOnWriteArrayList<>())),
                                        new Hearing(connection));
                    }
                })
                .connect(to, new InetSocketAddress(from, 0))
                .sync()
                .channel();
    }

    /** One stream of it: the headers it sends, and what it hears. */
    final class Stream {
        final List<String> heard = new CopyOnWriteArrayList<>();
        final Channel channel;

        Stream(boolean ends, String... fields) throws Exception {
            channel = new Http2StreamChannelBootstrap(RawHttp2Client.this.channel)
                    .handler(new Hearing(heard))
                    .open()
                    .sync()
                    .getNow();
            DefaultHttp2Headers headers = new DefaultHttp2Headers(false, false, 16);
            for (int i = 0; i < fields.length; i += 2) {
                headers.add(fields[i], fields[i + 1]);
            }
            channel.writeAndFlush(new DefaultHttp2HeadersFrame(headers, ends)).sync();
        }
    }

    /** Opens a stream for a good GET with more fields. */
    @CanIgnoreReturnValue
    Stream get(String path, String... more) throws Exception {
        String[] fields = new String[8 + more.length];
        String[] good = {":method", "GET", ":scheme", "https", ":authority", "localhost", ":path", path};
        System.arraycopy(good, 0, fields, 0, 8);
        System.arraycopy(more, 0, fields, 8, more.length);
        return new Stream(true, fields);
    }

    @Override
    public void close() {
        channel.close().awaitUninterruptibly();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private static final class Hearing extends ChannelInboundHandlerAdapter {
        private final List<String> heard;

        Hearing(List<String> heard) {
            this.heard = heard;
        }

        @Override
        public boolean isSharable() {
            return true;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            note(message);
            ReferenceCountUtil.release(message);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            note(event);
        }

        private void note(Object frame) {
            if (frame instanceof Http2HeadersFrame headers) {
                heard.add("status " + headers.headers().status());
            } else if (frame instanceof Http2ResetFrame reset) {
                heard.add("reset " + reset.errorCode());
            } else if (frame instanceof Http2GoAwayFrame away) {
                heard.add("goaway " + away.errorCode());
            } else if (frame instanceof Http2DataFrame data) {
                heard.add("data " + data.content().readableBytes());
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            heard.add("closed");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            heard.add("failed");
        }
    }
}
