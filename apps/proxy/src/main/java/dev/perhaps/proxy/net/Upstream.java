package dev.perhaps.proxy.net;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Timeouts;
import dev.perhaps.web.Sockets;
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
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one event loop to the origin and to siblings: used again after a response, limited in number; who finds
 * none free waits. Confined to its event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is heard by listeners
final class Upstream {
    private static final int MAX_WAITING = 1_000;
    private static final WriteBufferWaterMark ROOM = new WriteBufferWaterMark(32 << 10, 64 << 10);

    private final EventLoop loop;
    private final Class<? extends SocketChannel> channels;
    private final Limits limits;
    private final Timeouts timeouts;
    private final int maxConnections;
    private final Tls tls;
    private final LongAdder waiting;
    private final Map<Destination, Lines> origins = new HashMap<>();
    private final Map<Destination, Lines> siblings = new HashMap<>();

    /**
     * The connections of a loop.
     *
     * @param waiting counts requests that wait for a connection, of all loops
     */
    Upstream(
            EventLoop loop,
            Class<? extends SocketChannel> channels,
            Limits limits,
            Timeouts timeouts,
            int maxConnections,
            Tls tls,
            LongAdder waiting) {
        this.loop = loop;
        this.channels = channels;
        this.limits = limits;
        this.timeouts = timeouts;
        this.maxConnections = maxConnections;
        this.tls = tls;
        this.waiting = waiting;
    }

    void send(Destination to, UpstreamRequest request) {
        boolean sibling = request.toSibling();
        (sibling ? siblings : origins)
                .computeIfAbsent(to, place -> new Lines(place, sibling))
                .send(request);
    }

    /** Cancels a request whose response is no longer needed, if it still waits for a connection. */
    void withdraw(UpstreamRequest request) {
        for (Lines lines : (request.toSibling() ? siblings : origins).values()) {
            lines.withdraw(request);
        }
    }

    /** The connections to one place. */
    private final class Lines implements UpstreamConnection.Owner {
        private final Destination to;
        private final boolean sibling;
        private final Deque<UpstreamConnection> free = new ArrayDeque<>();
        private final ConnectionShares<UpstreamRequest> shares =
                new ConnectionShares<>(maxConnections, MAX_WAITING, limits.addressClients() < limits.clients());
        private final Map<UpstreamRequest, ScheduledFuture<?>> timers =
                new HashMap<>(); // by identity: they have no other
        private final Map<UpstreamConnection, Use> uses = new HashMap<>();
        private int open;
        private int uploads;

        /** What a connection is used for, from the moment it is chosen or begins to be opened. */
        private record Use(long client, boolean upload) {}

        Lines(Destination to, boolean sibling) {
            this.to = to;
            this.sibling = sibling;
        }

        /** Whether this one may have a connection: those whose bodies may take long have half of them at most. */
        private boolean may(UpstreamRequest request) {
            boolean upload = request.waitsForBody();
            return (!upload || uploads < Math.max(1, maxConnections / 2)) && shares.mayTake(request.client(), upload);
        }

        void send(UpstreamRequest request) {
            if (!may(request)) {
                await(request);
                return;
            }
            // The one used last: the origin is least likely to have closed it, and those that are too many grow old.
            for (UpstreamConnection line = free.pollLast(); line != null; line = free.pollLast()) {
                if (line.usable()) {
                    begin(line, request, take(request));
                    return;
                }
            }
            if (open < maxConnections) {
                connect(request);
            } else {
                await(request);
            }
        }

        private Use take(UpstreamRequest request) {
            Use use = new Use(request.client(), request.waitsForBody());
            shares.take(use.client);
            uploads += use.upload ? 1 : 0;
            return use;
        }

        private void giveBack(@Nullable Use use) {
            if (use != null) {
                shares.giveBack(use.client);
                uploads -= use.upload ? 1 : 0;
            }
        }

        private void begin(UpstreamConnection line, UpstreamRequest request, Use use) {
            uses.put(line, use);
            line.send(request);
        }

        private void await(UpstreamRequest request) {
            if (shares.await(request.client(), request)) {
                waiting.increment();
                request.waits();
                timers.put(request, loop.schedule(() -> giveUp(request), to.responseMillis(), TimeUnit.MILLISECONDS));
            } else {
                request.fails(new Participant.Failure(503, "too many requests are waiting for the origin"));
            }
        }

        private void giveUp(UpstreamRequest request) {
            if (withdraw(request)) {
                request.fails(new Participant.Failure(503, "no connection to the origin became free in time"));
            }
        }

        @CanIgnoreReturnValue
        boolean withdraw(UpstreamRequest request) {
            boolean waited = shares.withdraw(request.client(), request);
            if (waited) {
                forget(request);
            }
            return waited;
        }

        /** It waits no more. */
        private void forget(UpstreamRequest request) {
            waiting.decrement();
            ScheduledFuture<?> timer = timers.remove(request);
            if (timer != null) {
                timer.cancel(false);
            }
        }

        private void connect(UpstreamRequest request) {
            Use use = take(request);
            open++;
            new Bootstrap()
                    .group(loop)
                    .channel(channels)
                    .disableResolver() // it would wait
                    .option(ChannelOption.ALLOCATOR, Sockets.MEMORY)
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
                        if (done.isSuccess()) {
                            connected(done.channel(), request, use);
                        } else {
                            open--;
                            giveBack(use);
                            refused(request, done.cause());
                        }
                    });
        }

        private void connected(Channel channel, UpstreamRequest request, Use use) {
            UpstreamConnection line = new UpstreamConnection(this, limits, timeouts, to, channel);
            channel.pipeline().addLast(line);
            begin(line, request, use);
        }

        private void refused(UpstreamRequest request, Throwable cause) {
            request.fails(
                    cause instanceof ConnectTimeoutException
                            ? new Participant.Failure(504, "no connection in time")
                            : new Participant.Failure(502, "no connection to the origin"));
            next();
        }

        /** Waiting requests that may have a connection now try again. */
        private void next() {
            int idle = free.size() + maxConnections - open;
            for (int i = 0; i < idle; i++) {
                UpstreamRequest request = shares.next(this::may);
                if (request == null) {
                    return;
                }
                forget(request);
                send(request);
            }
        }

        @Override
        public void free(UpstreamConnection line) {
            giveBack(uses.remove(line));
            free.addLast(line);
            line.idle();
            next();
        }

        @Override
        public void closed(UpstreamConnection line) {
            giveBack(uses.remove(line));
            free.remove(line);
            open--;
            next();
        }

        /** On a new connection: others that were idle may have been closed too. */
        @Override
        public void again(UpstreamRequest request) {
            if (open < maxConnections && may(request)) {
                connect(request);
            } else {
                await(request);
            }
        }
    }
}
