package dev.perhaps.web.admin;

import dev.perhaps.web.OutOfMemoryGuard;
import dev.perhaps.web.ReloadingTls;
import dev.perhaps.web.Role;
import dev.perhaps.web.metrics.Metrics;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.NetUtil;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A small HTTP server for those who run a program: health, metrics, pages, JSON, events. It only reads, and has no
 * login besides certificates: without {@link Plan#tls} and {@link Plan#role}, anybody who can reach its port sees
 * everything, so keep it on loopback. Without requests it does nothing. Runs from {@link Plan#open} to {@link #close}.
 *
 * <pre>{@code
 * AdminServer admin = AdminServer.at(new InetSocketAddress("127.0.0.1", 0))
 *         .health(server::isHealthy, "an event loop is stuck")
 *         .metrics(metrics)
 *         .page("/api/keys", request -> AdminReply.json(json -> json.field("keys", server.keys())))
 *         .open();
 * }</pre>
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails on the event loop ends the connection, and that is seen
public final class AdminServer implements Closeable {
    /*
     *     client ──→ AdminConnection ──┬──→ Assets        files, from memory
     *                 limits, Host,    ├──→ probes        health and readiness, on the event loop
     *                 role             ├──→ AdminPage     pages, JSON and metrics, on one of a few threads, for they may wait
     *                                  └──→ EventStream   server-sent events, whenever something has changed
     *
     * It has an event loop and threads of its own, so that nothing it is asked can hold up the program, and a program that is
     * stuck can still be asked for its health. Everything has a limit: connections, requests that wait, the length of a line, of
     * headers and of a body, the time for each.
     *
     * Whose page is it? A web site that a user visits can make that user's browser ask this port. HostCheck keeps it from
     * reading the replies under a name of its own; and a browser says itself when a request comes from another site.
     */
    private static final int MAX_CONNECTIONS = 128;
    private static final int MAX_WAITING = 32;
    private static final int THREADS = 4;
    private static final int IDLE_SECONDS = 10;
    private static final int MAX_LINE_BYTES = 8 << 10;
    private static final int MAX_HEADER_BYTES = 16 << 10;
    private static final int MAX_BODY_BYTES = 1 << 10;

    /** An event of a megabyte fits in, for a watcher that is slow. */
    private static final WriteBufferWaterMark ROOM = new WriteBufferWaterMark(256 << 10, 1 << 20);

    private final MultiThreadIoEventLoopGroup group =
            new MultiThreadIoEventLoopGroup(1, OutOfMemoryGuard.threads("admin"), NioIoHandler.newFactory());
    private final ThreadPoolExecutor workers = new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MAX_WAITING),
            OutOfMemoryGuard.threads("admin-work"));
    private final Map<String, EventStream> streams = new HashMap<>();
    private final @Nullable ReloadingTls tls;
    private final InetSocketAddress address;
    private final String url;
    private int connections;

    private AdminServer(Plan plan) throws IOException {
        tls = plan.tls;
        workers.allowCoreThreadTimeOut(true);
        plan.routes.forEach((path, route) -> {
            if (route instanceof Route.Events events) {
                streams.put(path, new EventStream(events.source(), workers, group.next()));
            }
        });
        String host = host(plan.at);
        AdminConnection.Shared shared =
                new AdminConnection.Shared(new HostCheck(host), plan.role, plan.routes, streams, workers);
        var bound = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, ROOM)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accept(channel, shared);
                    }
                })
                .bind(plan.at)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            close();
            throw new IOException(
                    host + ":" + plan.at.getPort() + ": cannot listen there: "
                            + bound.cause().getMessage(),
                    bound.cause());
        }
        address = (InetSocketAddress) bound.channel().localAddress();
        url = (tls == null ? "http://" : "https://") + host + ":" + address.getPort() + "/";
    }

    /**
     * Plans a server without pages.
     *
     * @param address resolved; requests may also name its host, as it is written here; port 0 takes a free one
     */
    public static Plan at(InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new IllegalArgumentException(address.getHostString() + ": unknown host");
        }
        return new Plan(address, Map.of(), null, null);
    }

    /** Describes what a server shows. Immutable: each method returns a new plan. */
    public static final class Plan {
        private final InetSocketAddress at;
        private final Map<String, Route> routes;
        private final @Nullable ReloadingTls tls;
        private final @Nullable Role role;

        private Plan(InetSocketAddress at, Map<String, Route> routes, @Nullable ReloadingTls tls, @Nullable Role role) {
            this.at = at;
            this.routes = routes;
            this.tls = tls;
            this.role = role;
        }

        /** Shows a page at a path. */
        public Plan page(String path, AdminPage page) {
            return with(path, new Route.Page(page));
        }

        /** Sends events at a path, to at most 32 watchers at a time. */
        public Plan events(String path, EventSource source) {
            return with(path, new Route.Events(source));
        }

        /** Shows static files. */
        public Plan assets(Assets assets) {
            Plan plan = this;
            for (Map.Entry<String, Assets.Asset> asset : assets.byPath().entrySet()) {
                plan = plan.with(asset.getKey(), new Route.File(asset.getValue()));
            }
            return plan;
        }

        /** Shows figures at {@code /metrics}. */
        public Plan metrics(Metrics metrics) {
            return page("/metrics", request -> AdminReply.of(Metrics.CONTENT_TYPE, metrics.text()));
        }

        /**
         * Replies to {@code /healthz} with 200 while the program works, otherwise with 503: restart it.
         *
         * @param healthy called on the event loop: it must not wait
         * @param otherwise what is wrong, in a few words
         */
        public Plan health(BooleanSupplier healthy, String otherwise) {
            return with("/healthz", new Route.Probe(healthy, otherwise));
        }

        /**
         * Replies to {@code /readyz} with 200 while the program takes requests, otherwise with 503: send it none.
         *
         * @param ready called on the event loop: it must not wait
         * @param otherwise why not, in a few words
         */
        public Plan readiness(BooleanSupplier ready, String otherwise) {
            return with("/readyz", new Route.Probe(ready, otherwise));
        }

        /** Speaks TLS. It is closed with the server. */
        public Plan tls(ReloadingTls files) {
            return new Plan(at, routes, files, role);
        }

        /** Serves only clients whose certificate names this role, which needs {@link #tls}. */
        public Plan role(Role required) {
            return new Plan(at, routes, tls, required);
        }

        private Plan with(String path, Route route) {
            if (!path.startsWith("/") || routes.containsKey(path)) {
                throw new IllegalArgumentException(
                        "a page needs a path of its own that begins with /, got '" + path + "'");
            }
            Map<String, Route> more = new LinkedHashMap<>(routes);
            more.put(path, route);
            return new Plan(at, Collections.unmodifiableMap(more), tls, role);
        }

        /**
         * Begins to listen.
         *
         * @throws IllegalArgumentException if a role is required without TLS
         * @throws IOException if it cannot listen there
         */
        public AdminServer open() throws IOException {
            if (role != null && tls == null) {
                throw new IllegalArgumentException(
                        "the role " + role.uri() + " is shown by a certificate: set tls too");
            }
            return new AdminServer(assets(Assets.shared()));
        }
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return address;
    }

    /** Where a browser finds it, such as {@code http://127.0.0.1:40123/}. */
    public String url() {
        return url;
    }

    /** The host as it was given; an IPv6 address in its short form, in brackets. */
    private static String host(InetSocketAddress at) {
        String host = at.getHostString();
        return host.contains(":") ? "[" + NetUtil.toAddressString(at.getAddress()) + "]" : host;
    }

    /** Returns the number of connections that watch events. */
    int watchers() {
        return streams.values().stream().mapToInt(EventStream::watchers).sum();
    }

    /** Returns true while anything is read for connected clients. */
    boolean isLooking() {
        return streams.values().stream().anyMatch(EventStream::isLooking);
    }

    /** On the one thread of the event loop. */
    private void accept(Channel channel, AdminConnection.Shared shared) {
        if (connections >= MAX_CONNECTIONS) {
            channel.close();
            return;
        }
        connections++;
        channel.closeFuture().addListener(closed -> connections--);
        HttpDecoderConfig limits =
                new HttpDecoderConfig().setMaxInitialLineLength(MAX_LINE_BYTES).setMaxHeaderSize(MAX_HEADER_BYTES);
        ChannelPipeline pipeline = channel.pipeline().addLast(OutOfMemoryGuard.handler());
        if (tls != null) {
            pipeline.addLast(tls.accepting(channel));
        }
        pipeline.addLast(
                new HttpServerCodec(limits), new HttpObjectAggregator(MAX_BODY_BYTES), new AdminConnection(shared));
    }

    @Override
    public void close() {
        workers.shutdownNow();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        if (tls != null) {
            tls.close();
        }
    }
}
