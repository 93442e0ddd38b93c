package dev.perhaps.proxy.net;

import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Patience;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one event loop to the origin and to siblings: used again after an answer, limited in number; who finds
 * none free waits. Confined to its event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is heard by listeners
final class Upstream {
    private static final int MOST_WAITING = 1_000;
    private static final WriteBufferWaterMark ROOM = new WriteBufferWaterMark(32 << 10, 64 << 10);

    private final EventLoop loop;
    private final Class<? extends SocketChannel> channels;
    private final Limits limits;
    private final Patience patience;
    private final int mostLines;
    private final Tls tls;
    private final Map<Destination, Lines> origins = new HashMap<>();
    private final Map<Destination, Lines> siblings = new HashMap<>();

    Upstream(
            EventLoop loop,
            Class<? extends SocketChannel> channels,
            Limits limits,
            Patience patience,
            int mostLines,
            Tls tls) {
        this.loop = loop;
        this.channels = channels;
        this.limits = limits;
        this.patience = patience;
        this.mostLines = mostLines;
        this.tls = tls;
    }

    void send(Destination to, UpstreamRequest request) {
        boolean sibling = request.toSibling();
        (sibling ? siblings : origins)
                .computeIfAbsent(to, place -> new Lines(place, sibling))
                .send(request);
    }

    /** Nobody wants the answer any more: if the request still waits for a connection, it goes. */
    void withdraw(UpstreamRequest request) {
        for (Lines lines : (request.toSibling() ? siblings : origins).values()) {
            @Nullable ScheduledFuture<?> timer = lines.waiting.remove(request);
            if (timer != null) {
                timer.cancel(false);
            }
        }
    }

    /** The connections to one place. */
    private final class Lines implements UpstreamConnection.Owner {
        private final Destination to;
        private final boolean sibling;
        private final Deque<UpstreamConnection> free = new ArrayDeque<>();
        private final Map<UpstreamRequest, ScheduledFuture<?>> waiting =
                new LinkedHashMap<>(); // by identity: they have no other
        private final Set<UpstreamConnection> uploading = new HashSet<>();
        private int open;
        private int uploads;

        Lines(Destination to, boolean sibling) {
            this.to = to;
            this.sibling = sibling;
        }

        /** Whether this one may have a connection: those whose bodies may take long have half of them at most. */
        private boolean may(UpstreamRequest request) {
            return !request.waitsForBody() || uploads < Math.max(1, mostLines / 2);
        }

        void send(UpstreamRequest request) {
            if (!may(request)) {
                await(request);
                return;
            }
            // The one used last: the origin is least likely to have closed it, and those that are too many grow old.
            for (UpstreamConnection line = free.pollLast(); line != null; line = free.pollLast()) {
                if (line.usable()) {
                    begin(line, request, request.waitsForBody());
                    return;
                }
            }
            if (open < mostLines) {
                connect(request);
            } else {
                await(request);
            }
        }

        private void begin(UpstreamConnection line, UpstreamRequest request, boolean uploads) {
            if (uploads) {
                this.uploads++;
                uploading.add(line);
            }
            line.send(request);
        }

        private void await(UpstreamRequest request) {
            if (waiting.size() < MOST_WAITING) {
                waiting.put(request, loop.schedule(() -> giveUp(request), to.answerMillis(), TimeUnit.MILLISECONDS));
            } else {
                request.fails(new Participant.Failure(503, "too many requests are waiting for the origin"));
            }
        }

        private void giveUp(UpstreamRequest request) {
            if (waiting.remove(request) != null) {
                request.fails(new Participant.Failure(503, "no connection to the origin became free in time"));
            }
        }

        private void connect(UpstreamRequest request) {
            boolean uploads = request.waitsForBody();
            this.uploads += uploads ? 1 : 0; // until it is connected
            open++;
            new Bootstrap()
                    .group(loop)
                    .channel(channels)
                    .disableResolver() // it would wait
                    .option(ChannelOption.TCP_NODELAY, true)
                    .option(ChannelOption.AUTO_READ, false)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, to.connectMillis())
                    .option(ChannelOption.WRITE_BUFFER_WATER_MARK, ROOM)
                    .handler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            ChannelHandler encryption = tls.handler(channel, to, sibling);
                            if (encryption != null) {
                                channel.pipeline().addLast(encryption);
                            }
                        }
                    })
                    .connect(to.address())
                    .addListener((io.netty.channel.ChannelFuture done) -> {
                        this.uploads -= uploads ? 1 : 0;
                        if (done.isSuccess()) {
                            connected(done.channel(), request, uploads);
                        } else {
                            open--;
                            refused(request, done.cause());
                        }
                    });
        }

        private void connected(Channel channel, UpstreamRequest request, boolean uploads) {
            UpstreamConnection line = new UpstreamConnection(this, limits, patience, to, channel);
            channel.pipeline().addLast(line);
            begin(line, request, uploads);
        }

        private void refused(UpstreamRequest request, Throwable cause) {
            request.fails(
                    cause instanceof ConnectTimeoutException
                            ? new Participant.Failure(504, "no connection in time")
                            : new Participant.Failure(502, "no connection to the origin"));
            next();
        }

        /** Whoever waits may try again. */
        private void next() {
            for (var each = waiting.entrySet().iterator(); each.hasNext(); ) {
                Map.Entry<UpstreamRequest, ScheduledFuture<?>> one = each.next();
                if (may(one.getKey())) {
                    each.remove();
                    one.getValue().cancel(false);
                    send(one.getKey());
                    return;
                }
            }
        }

        @Override
        public void free(UpstreamConnection line) {
            uploads -= uploading.remove(line) ? 1 : 0;
            free.addLast(line);
            line.idle();
            next();
        }

        @Override
        public void closed(UpstreamConnection line) {
            uploads -= uploading.remove(line) ? 1 : 0;
            free.remove(line);
            open--;
            next();
        }

        @Override
        public void again(UpstreamRequest request) {
            connect(request);
        }
    }
}
