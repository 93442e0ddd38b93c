package dev.perhaps.web.admin;

import dev.perhaps.web.OutOfMemoryGuard;
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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Sends the events of an {@link EventSource} to all connected clients. Confined to the event loop, except for {@link
 * #round}.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails on the event loop ends the connection, and that is seen
final class EventStream {
    /*
     * Rounds continue while the stream has clients: look, send changes, send a beat to all, pause. A new client first
     * gets what was last seen. Without watchers nothing is looked at.
     *
     * A watcher that does not read what it is sent is disconnected when more than the channel's high-water mark waits for it. A
     * browser connects again by itself and misses nothing, because an event carries all there is, not a difference.
     */
    static final int MAX_WATCHERS = 32;

    private static final int RETRY_MILLIS = 1_000;
    private static final Pattern LINE_END = Pattern.compile("\r\n|\r|\n");

    private final EventSource source;
    private final Executor workers;
    private final EventLoop loop;
    private final Set<Channel> channels = new LinkedHashSet<>();
    private final Map<String, String> last = new LinkedHashMap<>();
    private volatile int watchers;
    private volatile boolean looking;

    EventStream(EventSource source, Executor workers, EventLoop loop) {
        this.source = source;
        this.workers = workers;
        this.loop = loop;
    }

    /** Returns the number of connections that watch. Any thread. */
    int watchers() {
        return watchers;
    }

    /** Returns whether rounds go on. Any thread. */
    boolean isLooking() {
        return looking;
    }

    /** Returns false if there are too many watchers. */
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
        watchers = channels.size();
        channel.closeFuture().addListener(closed -> {
            channels.remove(channel);
            watchers = channels.size();
        });
        send(channel, "retry: " + RETRY_MILLIS + "\n\n");
        if (looking) {
            last.forEach((name, data) -> send(channel, event(name, data)));
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
            pause(EventSource.Round.DEFAULT_PAUSE_MILLIS); // all workers are busy
        }
    }

    private void pause(long millis) {
        loop.schedule(this::look, millis, TimeUnit.MILLISECONDS);
    }

    /** On a thread that may wait. */
    private void round() {
        EventSource.Round round = new EventSource.Round();
        String trouble = null;
        try {
            source.look(round);
        } catch (IOException | RuntimeException | Error e) {
            OutOfMemoryGuard.check(e);
            trouble = String.valueOf(e.getMessage());
        }
        String reason = trouble;
        try {
            loop.execute(() -> publish(round, reason));
        } catch (RejectedExecutionException e) {
            assert loop.isShuttingDown();
        }
    }

    private void publish(EventSource.Round round, @Nullable String trouble) {
        if (trouble == null) {
            last.keySet()
                    .removeIf(name -> !name.equals(EventSource.Round.TROUBLE)
                            && !round.events().containsKey(name));
        }
        round.events().forEach(this::sendIfChanged);
        sendIfChanged(EventSource.Round.TROUBLE, JsonText.object(json -> json.field("error", trouble)));
        sendToAll(
                event(EventSource.Round.BEAT, JsonText.object(json -> json.field("pauseMillis", round.pauseMillis()))));
        pause(round.pauseMillis());
    }

    private void sendIfChanged(String name, String data) {
        if (!data.equals(last.put(name, data))) {
            sendToAll(event(name, data));
        }
    }

    /** An event in the format of the HTML standard: every line of its data begins a field of its own. */
    static String event(String name, String data) {
        return "event: " + name + "\ndata: " + LINE_END.matcher(data).replaceAll("\ndata: ") + "\n\n";
    }

    private void sendToAll(String text) {
        for (Channel channel : Set.copyOf(channels)) {
            send(channel, text);
        }
    }

    private static void send(Channel channel, String text) {
        if (channel.isWritable()) {
            channel.writeAndFlush(new DefaultHttpContent(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8)));
        } else {
            channel.close();
        }
    }
}
