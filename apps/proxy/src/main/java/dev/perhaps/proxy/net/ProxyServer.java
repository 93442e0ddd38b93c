package dev.perhaps.proxy.net;

import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Origin;
import dev.perhaps.proxy.Timeouts;
import dev.perhaps.proxy.cache.Budget;
import dev.perhaps.proxy.cache.PageStore;
import dev.perhaps.proxy.http.BadMessage;
import dev.perhaps.proxy.http.Framing;
import dev.perhaps.proxy.http.RequestHead;
import dev.perhaps.proxy.http.Target;
import dev.perhaps.web.OutOfMemoryGuard;
import dev.perhaps.web.Sockets;
import dev.perhaps.web.metrics.Metrics;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A caching reverse proxy in front of one origin. It runs from construction to {@link #close}.
 *
 * <pre>{@code
 * var plan = ProxyServer.before(Origin.of("http://localhost:8000")).limits(Limits.ofCache(256 << 20));
 * try (ProxyServer proxy = plan.listen(new InetSocketAddress("localhost", 8080))) { … }
 * }</pre>
 */
@SuppressWarnings("FutureReturnValueIgnored") // connections that close are heard of by their handlers
public final class ProxyServer implements Closeable {
    private static final WriteBufferWaterMark ROOM = new WriteBufferWaterMark(32 << 10, 128 << 10);
    /** The size of one read from a client, which limits what is received after reading was stopped. */
    private static final AdaptiveRecvByteBufAllocator READS = new AdaptiveRecvByteBufAllocator(512, 2_048, 16 << 10);

    private static final int BACKLOG = 1_024;

    private static final int ADDRESS_MEMORY_PART = 4;
    private static final int MAX_SECONDS_BETWEEN_BEATS = 10;

    private final ProxyPlan plan;
    private final PageStore store;
    private final OriginResolver originResolver;
    private final Engine engine;
    private final Sockets sockets = Sockets.best();
    private final MultiThreadIoEventLoopGroup group;
    private final Map<EventExecutor, Upstream> upstreams = new HashMap<>();
    private final Set<ClientConnection> clients = ConcurrentHashMap.newKeySet();
    private final Door front;
    private final LongAdder refusedByMemory = new LongAdder();
    private final LongAdder waiting = new LongAdder();
    private final ChannelGroup streaming = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final AtomicLongArray beats;
    private final Metrics.Group<ProxyServer> figures;
    private volatile boolean closing;
    private final Channel server;

    /** Counts the connections of a listener, and limits them. */
    private record Door(AtomicInteger open, int maxOpen, Addresses addresses, LongAdder closed, LongAdder closedToOne) {
        static Door of(int connections, int perAddress, long addressBytes) {
            return new Door(
                    new AtomicInteger(),
                    connections,
                    new Addresses(perAddress, addressBytes),
                    new LongAdder(),
                    new LongAdder());
        }
    }

    ProxyServer(ProxyPlan plan, InetSocketAddress at) throws IOException {
        this.plan = plan;
        Budget outside = new Budget(Engine.incomingBytes(plan.limits()));
        Limits limits = plan.limits();
        this.store = new PageStore(limits.cacheBytes(), outside, plan.cacheListener());
        long addressBytes = limits.memoryBytes() / ADDRESS_MEMORY_PART;
        this.front = Door.of(limits.clients(), limits.addressClients(), addressBytes);
        Timeouts timeouts = plan.timeouts();
        this.originResolver = new OriginResolver(plan.origin(), timeouts);
        this.engine = new Engine(plan, store, originResolver);
        this.figures = plan.counters().metrics().group(() -> this);
        int loops = Runtime.getRuntime().availableProcessors();
        this.group = new MultiThreadIoEventLoopGroup(loops, OutOfMemoryGuard.threads("proxy"), sockets.handlers());
        this.beats = beat();
        Tls tls = new Tls(plan.origin(), plan.siblingTls());
        for (EventExecutor loop : group) {
            int lines = Math.max(1, plan.limits().originConnections() / loops);
            upstreams.put(
                    loop,
                    new Upstream((EventLoop) loop, sockets.clients(), plan.limits(), timeouts, lines, tls, waiting));
        }
        try {
            count(outside);
            server = bind(at, new Proxying(), front);
        } catch (IOException | RuntimeException e) {
            figures.close();
            originResolver.close();
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            throw e;
        }
    }

    /** Plans a proxy in front of an origin. */
    public static ProxyPlan before(Origin origin) {
        return ProxyPlan.before(origin);
    }

    /** Returns the address for clients. */
    public InetSocketAddress address() {
        return (InetSocketAddress) server.localAddress();
    }

    /** What is kept. */
    public PageStore store() {
        return store;
    }

    /** Requests that wait for what another one fetches. */
    int waitingForFetches() {
        return engine.flights.values().stream().mapToInt(PageFetch::waiting).sum();
    }

    private void count(Budget outside) {
        figures.gauge("perhaps_proxy_pages", "Pages in the cache.", now -> store.pages())
                .gauge("perhaps_proxy_cache_bytes", "Bytes in the cache.", now -> store.sizeBytes())
                .counter("perhaps_proxy_evicted_total", "Pages evicted from the cache.", now -> store.evicted())
                .gauge("perhaps_proxy_clients", "Connections of clients.", now -> front.open.get())
                .gauge(
                        "perhaps_proxy_origin_waiting",
                        "Requests that wait for a connection to the origin or to a sibling.",
                        now -> waiting.sum())
                .gauge(
                        "perhaps_proxy_incoming_bytes",
                        "Bytes on their way into the cache.",
                        now -> engine.incoming.takenBytes())
                .gauge(
                        "perhaps_proxy_evicted_bytes",
                        "Bytes of pages that were evicted and are still being read.",
                        now -> outside.takenBytes())
                .gauge(
                        "perhaps_proxy_client_memory_bytes",
                        "Memory of clients, beyond what each has for itself.",
                        now -> engine.memory.takenBytes())
                .gauge(
                        "perhaps_proxy_direct_memory_bytes",
                        "Memory outside of the heap, for sockets.",
                        now -> Sockets.MEMORY.metric().usedDirectMemory()
                                // streams of HTTP/2 have the allocator that Netty gives them
                                + (ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider known
                                                && known != Sockets.MEMORY
                                        ? known.metric().usedDirectMemory()
                                        : 0));
        String refused = "perhaps_proxy_turned_away_total";
        String why = "Clients turned away because a limit was reached.";
        figures.counter(refused, why, now -> front.closed.sum(), Metrics.label("limit", "clients"))
                .counter(refused, why, now -> front.closedToOne.sum(), Metrics.label("limit", "address"))
                .counter(refused, why, now -> refusedByMemory.sum(), Metrics.label("limit", "memory"));
    }

    private Channel bind(InetSocketAddress at, Service service, Door door) throws IOException {
        var bound = new ServerBootstrap()
                .group(group)
                .channel(sockets.servers())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.ALLOCATOR, Sockets.MEMORY)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, ROOM)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, READS)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accept(channel, service, door);
                    }
                })
                .bind(at)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    at.getHostString() + ":" + at.getPort() + ": cannot listen there: "
                            + bound.cause().getMessage(),
                    bound.cause());
        }
        return bound.channel();
    }

    private void accept(Channel channel, Service service, Door door) {
        if (door.open.incrementAndGet() > door.maxOpen) {
            door.open.decrementAndGet();
            door.closed.increment();
            channel.close();
            return;
        }
        Addresses.@Nullable Address address = door.addresses.enter(channel.remoteAddress());
        if (address == null) {
            door.open.decrementAndGet();
            door.closedToOne.increment();
            channel.close();
            return;
        }
        channel.closeFuture().addListener(closed -> {
            address.leave();
            door.open.decrementAndGet();
        });
        channel.pipeline().addLast(OutOfMemoryGuard.handler());
        if (plan.tls() != null) {
            channel.pipeline().addLast(plan.tls().accepting(channel), new Negotiation(service, address));
        } else {
            MemoryShare memory = MemoryShare.ofConnection(engine.memory, address.memory());
            channel.pipeline().addLast(client(channel, service, memory));
        }
    }

    /** Serves the requests of a connection, or the one of a stream. */
    private ClientConnection client(Channel channel, Service service, MemoryShare memory) {
        ClientConnection client =
                new ClientConnection(service, plan.limits(), plan.timeouts(), plan.clock(), memory, channel);
        clients.add(client);
        channel.closeFuture().addListener(closed -> clients.remove(client));
        return client;
    }

    /** Goes on with what the client wants to speak after the handshake of TLS: HTTP/1.1 if it does not say. */
    private final class Negotiation extends ApplicationProtocolNegotiationHandler {
        private final Service service;
        private final Addresses.Address address;

        Negotiation(Service service, Addresses.Address address) {
            super(ApplicationProtocolNames.HTTP_1_1);
            this.service = service;
            this.address = address;
        }

        @Override
        protected void configurePipeline(ChannelHandlerContext ctx, String protocol) {
            if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
                streaming.add(ctx.channel());
                Http2Connection.configure(
                        ctx.pipeline(),
                        plan.limits(),
                        plan.timeouts(),
                        stream -> client(stream, service, MemoryShare.ofStream(engine.memory, address.memory())));
            } else {
                ctx.pipeline()
                        .addLast(client(
                                ctx.channel(), service, MemoryShare.ofConnection(engine.memory, address.memory())));
            }
        }

        @Override
        protected void handshakeFailure(ChannelHandlerContext ctx, Throwable cause) {
            OutOfMemoryGuard.check(cause);
            plan.counters().refusedOne();
            ctx.close();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            OutOfMemoryGuard.check(cause);
            ctx.close();
        }
    }

    /** Returns true while it accepts requests, false once it is stopping. */
    public boolean isReady() {
        return !closing;
    }

    /** Returns true if all of its event loops are running. */
    public boolean isHealthy() {
        long now = System.nanoTime();
        for (int i = 0; i < beats.length(); i++) {
            if (now - beats.get(i) > TimeUnit.SECONDS.toNanos(MAX_SECONDS_BETWEEN_BEATS)) {
                return false;
            }
        }
        return true;
    }

    private AtomicLongArray beat() {
        int loops = 0;
        for (EventExecutor loop : group) {
            assert !loop.isShuttingDown();
            loops++;
        }
        AtomicLongArray times = new AtomicLongArray(loops);
        int number = 0;
        for (EventExecutor loop : group) {
            int own = number++;
            times.set(own, System.nanoTime());
            loop.scheduleAtFixedRate(() -> times.set(own, System.nanoTime()), 1, 1, TimeUnit.SECONDS);
        }
        return times;
    }

    /** Stops the proxy: it accepts no new connections, and finishes responses in progress within the drain timeout. */
    @Override
    public void close() {
        closing = true;
        server.close().awaitUninterruptibly();
        streaming.close(); // no new streams; those that are open are ended first
        for (ClientConnection client : clients) {
            client.socket().loop().execute(client::drain);
        }
        long until = System.nanoTime()
                + TimeUnit.MILLISECONDS.toNanos(plan.timeouts().drainMillis());
        try {
            while (!clients.isEmpty() && System.nanoTime() - until < 0) {
                Thread.sleep(10);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (plan.tls() != null) {
            plan.tls().close();
        }
        if (plan.siblingTls() != null) {
            plan.siblingTls().close();
        }
        originResolver.close();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        figures.close();
    }

    /** Requests for pages of the origin. */
    private final class Proxying implements Service {
        @Override
        public Serving serve(ClientConnection client, RequestHead head, Target target, Framing framing)
                throws BadMessage {
            if (plan.inner().has(RouterServing.path(target))) {
                return new RouterServing(plan.inner(), client, head, target, framing);
            }
            Upstream upstream =
                    Objects.requireNonNull(upstreams.get(client.socket().loop()));
            return new ClientRequest(engine, upstream, client, head, target, framing);
        }

        @Override
        public void refused() {
            plan.counters().refusedOne();
        }

        @Override
        public String refusal() {
            return plan.name() + "; detail=refused";
        }

        @Override
        public void outOfMemory() {
            refusedByMemory.increment();
        }

        @Override
        public boolean recordsResponses() {
            return plan.accessLog() != null;
        }

        @Override
        public void responded(ClientConnection client, Sent sent) {
            AccessLog log = plan.accessLog();
            if (log != null) {
                RequestHead head = sent.head();
                AccessLog.Entry entry = new AccessLog.Entry(
                        client.socket().address(),
                        head == null ? null : head.method(),
                        head == null ? null : head.target(),
                        head == null ? "" : client.socket().isStream() ? "HTTP/2.0" : "HTTP/1." + head.minorVersion(),
                        sent.status(),
                        sent.bytes(),
                        head == null ? null : head.headers().first("Referer"),
                        head == null ? null : head.headers().first("User-Agent"),
                        sent.from(),
                        sent.micros());
                log.add(entry, System.currentTimeMillis());
            }
        }
    }
}
