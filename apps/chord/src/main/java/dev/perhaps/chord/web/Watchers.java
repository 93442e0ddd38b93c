package dev.perhaps.chord.web;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Those who look at the page now: each hears what has changed. Confined to the event loop, but for the looking itself. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails on the event loop ends the connection, and that is seen
final class Watchers {
    /*
     * Rounds go on while anybody watches: look, tell what is not as it was, tell all that we are here, pause. In a large
     * ring the pause is longer, for looking is to ask everybody. Who is new hears first what was last seen.
     *
     * A watcher that does not take what it is sent is cut off. A browser connects again by itself, and nothing is lost:
     * an event carries all there is, not a difference.
     */
    private static final int MAX_WATCHERS = 32;
    private static final long PAUSE_MILLIS = 1_000;
    private static final long PAUSE_MILLIS_PER_PEER = 20;
    private static final int RETRY_MILLIS = 1_000;

    private final PeerReport report;
    private final Executor workers;
    private final EventLoop loop;
    private final Set<Channel> channels = new LinkedHashSet<>();
    private final Map<String, String> last = new LinkedHashMap<>();
    private boolean looking;

    Watchers(PeerReport report, Executor workers, EventLoop loop) {
        this.report = report;
        this.workers = workers;
        this.loop = loop;
    }

    /** False if there are too many. */
    boolean add(Channel channel) {
        if (channels.size() >= MAX_WATCHERS) {
            return false;
        }
        HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, "text/event-stream")
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store");
        SecurityHeaders.add(response.headers());
        HttpUtil.setTransferEncodingChunked(response, true);
        channel.write(response);
        channels.add(channel);
        channel.closeFuture().addListener(closed -> channels.remove(channel));
        tell(channel, "retry: " + RETRY_MILLIS + "\n\n");
        if (looking) {
            last.forEach((name, data) -> tell(channel, event(name, data)));
        } else {
            looking = true;
            last.clear();
            look();
        }
        return true;
    }

    private void look() {
        if (channels.isEmpty()) {
            looking = false;
            return;
        }
        try {
            workers.execute(this::round);
        } catch (RejectedExecutionException e) {
            pause(PAUSE_MILLIS);
        }
    }

    private void pause(long millis) {
        loop.schedule(this::look, millis, TimeUnit.MILLISECONDS);
    }

    /** On a thread that may wait. */
    private void round() {
        Map<String, String> seen = new LinkedHashMap<>();
        String trouble = null;
        try {
            seen.put("peer", report.peer());
            seen.put("files", report.filesInAll());
            seen.put("ring", report.ring());
        } catch (IOException | RuntimeException e) {
            trouble = String.valueOf(e.getMessage());
        }
        String why = trouble;
        seen.put("trouble", JsonText.object(json -> json.field("error", why)));
        long pauseMillis = Math.max(PAUSE_MILLIS, PAUSE_MILLIS_PER_PEER * report.peers());
        loop.execute(() -> {
            seen.forEach(this::changed);
            tellAll(event("beat", JsonText.object(json -> json.field("pauseMillis", pauseMillis))));
            pause(pauseMillis);
        });
    }

    private void changed(String name, String data) {
        if (!data.equals(last.put(name, data))) {
            tellAll(event(name, data));
        }
    }

    private static String event(String name, String data) {
        return "event: " + name + "\ndata: " + data + "\n\n";
    }

    private void tellAll(String text) {
        for (Channel channel : Set.copyOf(channels)) {
            tell(channel, text);
        }
    }

    private static void tell(Channel channel, String text) {
        if (channel.isWritable()) {
            channel.writeAndFlush(new DefaultHttpContent(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8)));
        } else {
            channel.close();
        }
    }
}
