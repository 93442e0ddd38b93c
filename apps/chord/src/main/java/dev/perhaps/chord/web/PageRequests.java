package dev.perhaps.chord.web;

import dev.perhaps.chord.Id;
import dev.perhaps.web.OutOfMemoryGuard;
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
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Answers the requests of one connection, one after the other. Confined to the event loop. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails on the event loop ends the connection, and that is seen
final class PageRequests extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final int REQUEST_SECONDS = 5;
    private static final int ANSWER_SECONDS = 90;
    private static final int MAX_WAITING = 16;
    private static final int USUAL_ENTRIES = 100;
    private static final String JSON = "application/json";
    private static final String PLAIN = "text/plain; charset=utf-8";
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

    /** What all connections have in common. */
    record Shared(
            String host, Assets assets, PeerReport report, PeerMetrics metrics, Watchers watchers, Executor workers) {}

    /** What is left of a request after it was taken apart. */
    private record Asked(
            String path,
            Map<String, List<String>> parameters,
            HttpMethod method,
            String knownTags,
            boolean keepAlive) {}

    /** Says something; it may wait. */
    @FunctionalInterface
    private interface Answer {
        String text() throws IOException;
    }

    private final Shared shared;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private @Nullable ScheduledFuture<?> patience;
    private boolean busy;

    PageRequests(Shared shared) {
        this.shared = shared;
    }

    @Override
    public void channelActive(ChannelHandlerContext channel) {
        wait(channel, REQUEST_SECONDS);
    }

    @Override
    public void channelInactive(ChannelHandlerContext channel) {
        stopWaiting();
    }

    /** Whatever it waits for, the next request or an answer on its way, has a limit. */
    private void wait(ChannelHandlerContext channel, int seconds) {
        stopWaiting();
        patience = channel.executor().schedule(() -> channel.close(), seconds, TimeUnit.SECONDS);
    }

    private void stopWaiting() {
        if (patience != null) {
            patience.cancel(false);
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

    /** What to do for a request. What is wrong in itself ends the connection: nobody knows what comes behind it. */
    private Runnable task(ChannelHandlerContext channel, FullHttpRequest request) {
        HttpResponseStatus wrong = wrong(request);
        if (wrong != null) {
            return () -> refuse(channel, wrong, why(wrong), false);
        }
        try {
            QueryStringDecoder query = new QueryStringDecoder(request.uri());
            Asked asked = new Asked(
                    query.path(),
                    query.parameters(),
                    request.method(),
                    request.headers().get(HttpHeaderNames.IF_NONE_MATCH, ""),
                    HttpUtil.isKeepAlive(request));
            return () -> answer(channel, asked);
        } catch (IllegalArgumentException e) {
            return () -> refuse(channel, HttpResponseStatus.BAD_REQUEST, "the address cannot be decoded", false);
        }
    }

    private @Nullable HttpResponseStatus wrong(FullHttpRequest request) {
        if (!request.decoderResult().isSuccess()) {
            Throwable cause = request.decoderResult().cause();
            return cause instanceof TooLongHttpLineException
                    ? HttpResponseStatus.REQUEST_URI_TOO_LONG
                    : cause instanceof TooLongHttpHeaderException
                            ? HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
                            : HttpResponseStatus.BAD_REQUEST;
        }
        List<String> hosts = request.headers().getAll(HttpHeaderNames.HOST);
        if (request.protocolVersion().majorVersion() != 1) {
            return HttpResponseStatus.HTTP_VERSION_NOT_SUPPORTED;
        }
        if (hosts.size() != 1) {
            return HttpResponseStatus.BAD_REQUEST;
        }
        if (!isOurs(hosts.get(0))) {
            return HttpResponseStatus.MISDIRECTED_REQUEST;
        }
        if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
            return HttpResponseStatus.METHOD_NOT_ALLOWED;
        }
        boolean foreign = "cross-site".equals(request.headers().get("Sec-Fetch-Site"));
        return foreign && !"navigate".equals(request.headers().get("Sec-Fetch-Mode"))
                ? HttpResponseStatus.FORBIDDEN
                : null;
    }

    private static String why(HttpResponseStatus status) {
        return switch (status.code()) {
            case 403 -> "another site asked for it";
            case 405 -> "the page can only be read: GET or HEAD";
            case 414 -> "the address is too long";
            case 421 -> "the page is not open under this name: see --page";
            case 431 -> "the headers are too long";
            case 505 -> "this is HTTP/1.1";
            default -> "not an HTTP/1.1 request with one Host header";
        };
    }

    /** A number, localhost, or the name that the page was opened with; the port may be that of a tunnel. */
    private boolean isOurs(String hostHeader) {
        int bracket = hostHeader.lastIndexOf(']');
        int colon = hostHeader.indexOf(':', Math.max(0, bracket));
        String name = colon < 0 ? hostHeader : hostHeader.substring(0, colon);
        return name.startsWith("[")
                ? bracket > 0 && NetUtil.isValidIpV6Address(name)
                : NetUtil.isValidIpV4Address(name)
                        || name.equalsIgnoreCase("localhost")
                        || name.equalsIgnoreCase(shared.host);
    }

    private void answer(ChannelHandlerContext channel, Asked asked) {
        wait(channel, ANSWER_SECONDS);
        Assets.Asset asset = shared.assets.get(asked.path);
        if (asset != null) {
            send(channel, asset, asked);
            return;
        }
        try {
            switch (asked.path) {
                case "/api/ring" -> work(channel, asked, JSON, shared.report::ring);
                case "/api/peer" -> work(channel, asked, JSON, shared.report::peer);
                case "/api/files" -> {
                    Optional<Id> after = one(asked, "after").map(Id::fromHex);
                    int most = one(asked, "most").map(PageRequests::entries).orElse(USUAL_ENTRIES);
                    work(channel, asked, JSON, () -> shared.report.files(after, most));
                }
                case "/api/lookup" -> {
                    String key = one(asked, "key")
                            .orElseThrow(() -> new IllegalArgumentException("key is missing: an id or a name"));
                    work(channel, asked, JSON, () -> shared.report.lookup(key));
                }
                case "/api/events" -> watch(channel, asked);
                case "/healthz" -> probe(channel, asked, shared.metrics.isHealthy());
                case "/readyz" -> probe(channel, asked, shared.metrics.isReady());
                case "/metrics" -> work(channel, asked, PROMETHEUS, shared.metrics::text);
                default -> refuse(channel, HttpResponseStatus.NOT_FOUND, "there is no " + asked.path, asked.keepAlive);
            }
        } catch (IllegalArgumentException e) {
            refuse(channel, HttpResponseStatus.BAD_REQUEST, String.valueOf(e.getMessage()), asked.keepAlive);
        }
    }

    private static Optional<String> one(Asked asked, String name) {
        List<String> values = asked.parameters.getOrDefault(name, List.of());
        if (values.size() > 1) {
            throw new IllegalArgumentException(name + " is given " + values.size() + " times: give it once");
        }
        return values.stream().findFirst();
    }

    private static int entries(String text) {
        try {
            int most = Integer.parseInt(text);
            if (most >= 1 && most <= PeerReport.MAX_ENTRIES) {
                return most;
            }
        } catch (NumberFormatException e) {
            assert e.getMessage() != null;
        }
        throw new IllegalArgumentException("most must be in 1.." + PeerReport.MAX_ENTRIES + ", got '" + text + "'");
    }

    /** Answered at once: however many wait for a worker, whoever decides about a restart does not. */
    private void probe(ChannelHandlerContext channel, Asked asked, boolean isWell) {
        FullHttpResponse response = isWell
                ? text(HttpResponseStatus.OK, PLAIN, "ok\n")
                : text(HttpResponseStatus.SERVICE_UNAVAILABLE, PLAIN, "no\n");
        send(channel, response, asked.keepAlive);
    }

    private void work(ChannelHandlerContext channel, Asked asked, String type, Answer answer) {
        try {
            shared.workers.execute(() -> {
                FullHttpResponse response = response(type, answer);
                channel.executor().execute(() -> send(channel, response, asked.keepAlive));
            });
        } catch (RejectedExecutionException e) {
            refuse(channel, HttpResponseStatus.SERVICE_UNAVAILABLE, "too many are asking: try again", asked.keepAlive);
        }
    }

    private static FullHttpResponse response(String type, Answer answer) {
        try {
            return text(HttpResponseStatus.OK, type, answer.text());
        } catch (IllegalArgumentException e) {
            return failure(HttpResponseStatus.BAD_REQUEST, String.valueOf(e.getMessage()));
        } catch (IOException | RuntimeException e) {
            return failure(HttpResponseStatus.SERVICE_UNAVAILABLE, String.valueOf(e.getMessage()));
        }
    }

    private static FullHttpResponse failure(HttpResponseStatus status, String why) {
        return text(status, JSON, JsonText.object(json -> json.field("error", why)));
    }

    private static FullHttpResponse text(HttpResponseStatus status, String type, String text) {
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, status, Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, type).set(HttpHeaderNames.CACHE_CONTROL, "no-store");
        return response;
    }

    private void send(ChannelHandlerContext channel, Assets.Asset asset, Asked asked) {
        FullHttpResponse response = asked.knownTags.contains(asset.tag())
                ? new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.NOT_MODIFIED)
                : new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1,
                        HttpResponseStatus.OK,
                        asset.content().duplicate());
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, asset.type())
                .set(HttpHeaderNames.ETAG, asset.tag())
                .set(HttpHeaderNames.CACHE_CONTROL, "no-cache");
        send(channel, response, asked.keepAlive);
    }

    private void watch(ChannelHandlerContext channel, Asked asked) {
        if (asked.method.equals(HttpMethod.HEAD)) {
            refuse(channel, HttpResponseStatus.METHOD_NOT_ALLOWED, "events have no end: GET them", asked.keepAlive);
        } else if (shared.watchers.add(channel.channel())) {
            stopWaiting();
        } else {
            refuse(channel, HttpResponseStatus.SERVICE_UNAVAILABLE, "too many are looking: try later", asked.keepAlive);
        }
    }

    private void refuse(ChannelHandlerContext channel, HttpResponseStatus status, String why, boolean keepAlive) {
        FullHttpResponse response = failure(status, why);
        if (status.equals(HttpResponseStatus.METHOD_NOT_ALLOWED)) {
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
        wait(channel, REQUEST_SECONDS);
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
