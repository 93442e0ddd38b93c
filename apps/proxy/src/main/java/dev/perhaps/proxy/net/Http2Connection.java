package dev.perhaps.proxy.net;

import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Timeouts;
import dev.perhaps.web.OutOfMemoryGuard;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import java.util.function.Function;

/**
 * A client's connection that speaks HTTP/2 (RFC 9113): each of its streams is a channel of its own, with an {@link Http2Stream}
 * that translates and a {@link ClientConnection} that serves its one request. Confined to its event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // connections that close are heard of by their handlers
final class Http2Connection extends ChannelInboundHandlerAdapter {
    /*
     * What a client can make us hold or do is limited:
     *
     *     streams at a time                MAX_STREAMS; more are refused
     *     header list                      as the head of HTTP/1.1
     *     bodies not yet passed on         64 KiB per connection, 32 KiB per stream (flow control): a stream that waits for
     *                                      the origin leaves room for the others
     *     responses not yet taken            per stream as per connection of HTTP/1.1: sources are read while there is room
     *     streams reset by the client,     MAX_RESETS in RESET_SECONDS; then the connection is closed ("rapid reset")
     *     or by us because of it
     *     unanswered PING and SETTINGS     MAX_CONTROL_FRAMES
     *     empty frames                     MAX_EMPTY_FRAMES in a row
     *     a connection without a stream    as an idle connection of HTTP/1.1
     */
    static final int MAX_STREAMS = 100;
    private static final int STREAM_WINDOW_BYTES = 32 << 10;
    private static final int MAX_RESETS = 200;
    private static final int RESET_SECONDS = 30;
    private static final int MAX_CONTROL_FRAMES = 1_000;
    private static final int MAX_EMPTY_FRAMES = 2;
    private static final int MAX_SMALL_CONTINUATIONS = 16;

    private final Timeouts timeouts;
    private final Deadline deadline;
    private int streams;

    private Http2Connection(Channel channel, Timeouts timeouts) {
        this.timeouts = timeouts;
        this.deadline = new Deadline(channel.eventLoop(), channel::close);
    }

    /** Makes a connection speak HTTP/2, and serves each of its streams with what is made for it. */
    static void configure(
            ChannelPipeline pipeline, Limits limits, Timeouts timeouts, Function<Channel, ClientConnection> serve) {
        Http2Connection connection = new Http2Connection(pipeline.channel(), timeouts);
        pipeline.addLast(Http2FrameCodecBuilder.forServer()
                .initialSettings(Http2Settings.defaultSettings()
                        .maxConcurrentStreams(MAX_STREAMS)
                        .initialWindowSize(STREAM_WINDOW_BYTES)
                        .maxHeaderListSize(limits.requestLineBytes() + limits.headBytes()))
                .validateHeaders(true)
                .validateRequiredPseudoHeaders(true)
                .decoderEnforceMaxRstFramesPerWindow(MAX_RESETS, RESET_SECONDS)
                .encoderEnforceMaxRstFramesPerWindow(MAX_RESETS, RESET_SECONDS)
                .encoderEnforceMaxQueuedControlFrames(MAX_CONTROL_FRAMES)
                .decoderEnforceMaxConsecutiveEmptyDataFrames(MAX_EMPTY_FRAMES)
                .decoderEnforceMaxSmallContinuationFrames(MAX_SMALL_CONTINUATIONS)
                .gracefulShutdownTimeoutMillis(timeouts.drainMillis())
                .build());
        pipeline.addLast(new Http2MultiplexHandler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel stream) {
                connection.opened(stream);
                stream.pipeline().addLast(new Http2Stream(timeouts), serve.apply(stream));
            }
        }));
        pipeline.addLast(connection);
        connection.deadline.in(timeouts.headMillis());
    }

    private void opened(Channel stream) {
        streams++;
        deadline.never();
        stream.closeFuture().addListener(closed -> {
            streams--;
            if (streams == 0) {
                deadline.in(timeouts.idleMillis());
            }
        });
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        deadline.close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        OutOfMemoryGuard.check(cause);
        ctx.close();
    }
}
