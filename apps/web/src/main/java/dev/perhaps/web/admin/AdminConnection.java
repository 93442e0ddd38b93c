package dev.perhaps.web.admin;

import dev.perhaps.web.OutOfMemoryGuard;
import dev.perhaps.web.ReloadingTls;
import dev.perhaps.web.Role;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.cert.X509Certificate;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Serves the requests of one connection, one after the other. Confined to the event loop. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails on the event loop ends the connection, and that is seen
final class AdminConnection extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final int REQUEST_SECONDS = 5;
    private static final int REPLY_SECONDS = 90;
    private static final int MAX_WAITING = 16;

    /**
     * What all connections have in common.
     *
     * @param role what a client's certificate must name; null: no certificate is asked for
     */
    record Shared(
            HostCheck hosts,
            @Nullable Role role,
            Map<String, Route> routes,
            Map<String, EventStream> streams,
            Executor workers) {}

    /** What is left of a request after it was decoded. */
    private record Decoded(AdminRequest request, boolean isHead, String knownTags, boolean keepAlive) {}

    private final Shared shared;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private @Nullable ScheduledFuture<?> timeout;
    private boolean busy;

    AdminConnection(Shared shared) {
        this.shared = shared;
    }

    @Override
    public void channelActive(ChannelHandlerContext channel) {
        setTimeout(channel, REQUEST_SECONDS);
    }

    @Override
    public void channelInactive(ChannelHandlerContext channel) {
        clearTimeout();
    }

    /** Whatever it waits for, the next request or a reply on its way, has a limit. */
    private void setTimeout(ChannelHandlerContext channel, int seconds) {
        clearTimeout();
        timeout = channel.executor().schedule(() -> channel.close(), seconds, TimeUnit.SECONDS);
    }

    private void clearTimeout() {
        if (timeout != null) {
            timeout.cancel(false);
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext channel, FullHttpRequest request) {
        Runnable task = task(channel, request);
        if (!busy) {
            busy = true;
            task.run();
        } else if (waiting.size() < MAX_WAITING) {
            waiting.add(task);
        } else {
            channel.close();
        }
    }

    /** Returns the task for a request. A malformed one ends the connection, since what follows cannot be parsed. */
    private Runnable task(ChannelHandlerContext channel, FullHttpRequest request) {
        AdminReply refusal = refusal(channel, request);
        if (refusal != null) {
            return () -> send(channel, refusal, false);
        }
        try {
            Decoded decoded = new Decoded(
                    AdminRequest.of(request.uri()),
                    request.method().equals(HttpMethod.HEAD),
                    request.headers().get(HttpHeaderNames.IF_NONE_MATCH, ""),
                    HttpUtil.isKeepAlive(request));
            return () -> serve(channel, decoded);
        } catch (IllegalArgumentException e) {
            return () -> send(channel, AdminReply.error(400, String.valueOf(e.getMessage())), false);
        }
    }

    /** Returns null if nothing is wrong with it. */
    private @Nullable AdminReply refusal(ChannelHandlerContext channel, FullHttpRequest request) {
        if (!request.decoderResult().isSuccess()) {
            Throwable cause = request.decoderResult().cause();
            return cause instanceof TooLongHttpLineException
                    ? AdminReply.error(414, "the address is too long")
                    : cause instanceof TooLongHttpHeaderException
                            ? AdminReply.error(431, "the headers are too long")
                            : AdminReply.error(400, "not an HTTP/1.1 request");
        }
        if (request.protocolVersion().majorVersion() != 1) {
            return AdminReply.error(505, "this is HTTP/1.1");
        }
        List<String> hosts = request.headers().getAll(HttpHeaderNames.HOST);
        // Probes speak HTTP/1.0 without a Host, browsers never do.
        boolean isOld = request.protocolVersion().minorVersion() == 0;
        if (hosts.size() > 1 || (hosts.isEmpty() && !isOld)) {
            return AdminReply.error(400, "not an HTTP/1.1 request with one Host header");
        }
        if (!hosts.isEmpty() && !shared.hosts.accepts(hosts.get(0))) {
            return AdminReply.error(
                    421, "not the name of this server: use its address, or the name it was opened with");
        }
        if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
            return AdminReply.error(405, "this can only be read: GET or HEAD");
        }
        boolean foreign = "cross-site".equals(request.headers().get("Sec-Fetch-Site"));
        if (foreign && !"navigate".equals(request.headers().get("Sec-Fetch-Mode"))) {
            return AdminReply.error(403, "another site asked for it");
        }
        return shared.role == null || hasRole(channel, shared.role)
                ? null
                : AdminReply.error(403, "the client's certificate does not name the role " + shared.role.uri());
    }

    private static boolean hasRole(ChannelHandlerContext channel, Role role) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        X509Certificate certificate = tls == null ? null : ReloadingTls.certificate(tls);
        return certificate != null && Role.of(certificate).contains(role);
    }

    private void serve(ChannelHandlerContext channel, Decoded decoded) {
        setTimeout(channel, REPLY_SECONDS);
        Route route = shared.routes.get(decoded.request.path());
        if (route == null) {
            send(channel, AdminReply.error(404, "there is no " + decoded.request.path()), decoded.keepAlive);
        } else if (route instanceof Route.File file) {
            send(channel, file.asset(), decoded);
        } else if (route instanceof Route.Probe probe) {
            boolean isGood = probe.isGood().getAsBoolean();
            AdminReply reply = AdminReply.text((isGood ? "ok" : probe.otherwise()) + "\n");
            send(channel, reply.status(isGood ? 200 : 503), decoded.keepAlive);
        } else if (route instanceof Route.Events) {
            watch(channel, decoded, Objects.requireNonNull(shared.streams.get(decoded.request.path())));
        } else if (route instanceof Route.Page page) {
            work(channel, decoded, page.page());
        }
    }

    private void work(ChannelHandlerContext channel, Decoded decoded, AdminPage page) {
        try {
            shared.workers.execute(() -> {
                AdminReply reply = reply(page, decoded.request);
                try {
                    channel.executor().execute(() -> send(channel, reply, decoded.keepAlive));
                } catch (RejectedExecutionException e) {
                    assert channel.executor().isShuttingDown();
                }
            });
        } catch (RejectedExecutionException e) {
            send(channel, AdminReply.error(503, "too many requests at once: try again"), decoded.keepAlive);
        }
    }

    private static AdminReply reply(AdminPage page, AdminRequest request) {
        try {
            return page.reply(request);
        } catch (IllegalArgumentException e) {
            return AdminReply.error(400, String.valueOf(e.getMessage()));
        } catch (IOException | UncheckedIOException e) {
            return AdminReply.error(503, String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) {
            OutOfMemoryGuard.check(e);
            return AdminReply.error(500, "this failed: " + e);
        }
    }

    private void watch(ChannelHandlerContext channel, Decoded decoded, EventStream stream) {
        if (decoded.isHead) {
            send(channel, AdminReply.error(405, "events have no end: GET them"), decoded.keepAlive);
        } else if (stream.add(channel.channel())) {
            clearTimeout();
        } else {
            send(channel, AdminReply.error(503, "too many watch already: try later"), decoded.keepAlive);
        }
    }

    private void send(ChannelHandlerContext channel, Assets.Asset asset, Decoded decoded) {
        FullHttpResponse response = decoded.knownTags.contains(asset.tag())
                ? new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.NOT_MODIFIED)
                : new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.wrappedBuffer(asset.content()));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, asset.type())
                .set(HttpHeaderNames.ETAG, asset.tag())
                .set(HttpHeaderNames.CACHE_CONTROL, "no-cache");
        send(channel, response, decoded.keepAlive);
    }

    private void send(ChannelHandlerContext channel, AdminReply reply, boolean keepAlive) {
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(reply.status()), Unpooled.wrappedBuffer(reply.body()));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, reply.type())
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store");
        if (reply.status() == 405) {
            response.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
        }
        send(channel, response, keepAlive);
    }

    private void send(ChannelHandlerContext channel, FullHttpResponse response, boolean keepAlive) {
        SecurityHeaders.add(response.headers());
        HttpUtil.setContentLength(response, response.content().readableBytes());
        HttpUtil.setKeepAlive(response, keepAlive);
        var sent = channel.writeAndFlush(response);
        if (!keepAlive) {
            sent.addListener(ChannelFutureListener.CLOSE);
            return;
        }
        setTimeout(channel, REQUEST_SECONDS);
        Runnable next = waiting.poll();
        busy = next != null;
        if (next != null) {
            next.run();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext channel, Throwable cause) {
        OutOfMemoryGuard.check(cause);
        channel.close();
    }
}
