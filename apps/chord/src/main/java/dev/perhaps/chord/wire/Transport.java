package dev.perhaps.chord.wire;

import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.web.OutOfMemoryGuard;
import dev.perhaps.web.ReloadingTls;
import dev.perhaps.web.Role;
import dev.perhaps.web.StrangerLog;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sockets: one event loop that accepts, opens and reads connections, and threads beside it for requests that take time. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails on the event loop ends the connection, and that is seen
public final class Transport implements PeerConnection.Owner, Links.Dialler, Closeable {
    /*
     * Questions wait in a queue until a thread is free. Those of commands are answered by asking other peers, who answer
     * without asking anybody: so they have threads of their own, and what this peer asks itself has too. If they shared some,
     * all could be waiting for each other. A stream has at most one question waiting or being answered, so no queue
     * is longer than the number of connections.
     */
    private static final int COMMAND_THREADS = 64;
    private static final int PEER_THREADS = 256;
    private static final int OWN_THREADS = 64;
    private static final int CONNECT_MILLIS = 2_000;
    private static final int STREAM_DEADLINE_MILLIS = 30_000;
    private static final int SWEEP_SECONDS = 15;
    private static final int BACKLOG = 1_024;
    private static final int IPV6_NETWORK_BYTES = 8;
    private static final WriteBufferWaterMark ROOM = new WriteBufferWaterMark(128 << 10, 512 << 10);

    /** Receives messages, on the event loop, and requests, on a thread of a pool. */
    public interface Receiver {
        void received(Envelope envelope);

        /** Answers the next question. Returns false if the stream has ended. */
        boolean answerOne(ChannelFrameStream stream);
    }

    private final Cluster cluster;
    private final Receiver receiver;
    private final Consumer<String> log;
    private final StrangerLog strangerLog;
    private final MultiThreadIoEventLoopGroup group =
            new MultiThreadIoEventLoopGroup(1, OutOfMemoryGuard.threads("ring"), NioIoHandler.newFactory());
    private final EventLoop loop = group.next();
    private final ExecutorService commands = pool(COMMAND_THREADS, "command");
    private final ExecutorService peers = pool(PEER_THREADS, "peer");
    private final ExecutorService own = pool(OWN_THREADS, "own");
    private final Admission<Channel> admission = new Admission<>();
    private final Set<ChannelFrameStream> streams = new HashSet<>();
    private @Nullable Channel server;
    private String address = "";
    private long refused;
    private @Nullable Links links;

    public Transport(Cluster cluster, Receiver receiver, Consumer<String> log) {
        this.cluster = cluster;
        this.receiver = receiver;
        this.log = log;
        this.strangerLog = new StrangerLog(log);
    }

    /** So many threads at most, which end when they have nothing to do. */
    private static ExecutorService pool(int threads, String name) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), OutOfMemoryGuard.threads(name));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** Who is connected; on the event loop. */
    public Admission<Channel> admission() {
        return admission;
    }

    /** Connections from outside that were refused or had to make room; on the event loop. */
    public long refused() {
        return refused;
    }

    public EventLoop loop() {
        return loop;
    }

    /**
     * Begins to listen.
     *
     * @param advertised where others reach this one; where it listens if null
     * @return where others reach this one
     */
    public String listen(HostPort at, @Nullable HostPort advertised) throws IOException {
        InetSocketAddress socket = at.resolved();
        if (cluster.secret().isPresent() && cluster.secret().get().role() != Role.PEER) {
            throw new IllegalArgumentException("a peer needs the cluster's own secret, not one that was granted to "
                    + cluster.secret().get().holder());
        }
        if (!socket.getAddress().isLoopbackAddress()
                && cluster.secret().isEmpty()
                && cluster.tls().isEmpty()) {
            throw new IllegalArgumentException(
                    "listening on " + at + " is open to other machines: that needs TLS or a cluster secret");
        }
        if (socket.getAddress().isAnyLocalAddress() && advertised == null) {
            throw new IllegalArgumentException(
                    "others cannot connect to " + at + ": advertise an address that they can connect to");
        }
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, ROOM)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accept(channel);
                    }
                });
        var bound = bootstrap.bind(socket).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(at + ": cannot listen there: " + bound.cause().getMessage(), bound.cause());
        }
        server = bound.channel();
        int port = ((InetSocketAddress) bound.channel().localAddress()).getPort();
        HostPort reached = advertised == null ? new HostPort(at.host(), port) : advertised;
        address = new HostPort(reached.host(), reached.port() == 0 ? port : reached.port()).toString();
        if (!HostPort.isAddress(address)) {
            throw new IllegalArgumentException(
                    "an address has at most " + HostPort.MAX_LETTERS + " characters, got '" + address + "'");
        }
        links = new Links(address, this);
        loop.scheduleWithFixedDelay(
                OutOfMemoryGuard.guard(this::sweep), SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
        return address;
    }

    private void sweep() {
        links().sweep();
        strangerLog.flush();
        long idleNanos = TimeUnit.MILLISECONDS.toNanos(STREAM_DEADLINE_MILLIS);
        for (ChannelFrameStream stream : List.copyOf(streams)) {
            if (stream.isIdle(idleNanos)) {
                stream.close();
            }
        }
    }

    private void accept(Channel channel) {
        if (links == null) {
            channel.close();
            return;
        }
        Channel evicted = admission.arrived(channel, origin(channel));
        if (evicted != null) {
            refused++;
            evicted.close();
        }
        channel.closeFuture().addListener(closed -> admission.left(channel));
        prepare(channel, Handshake.acceptor(cluster, address), "");
    }

    /**
     * Returns the address of the other end, for IPv6 its /64 network, since one host has all addresses of such a
     * network.
     */
    private static String origin(Channel channel) {
        if (channel.remoteAddress() instanceof InetSocketAddress remote && remote.getAddress() != null) {
            byte[] bytes = remote.getAddress().getAddress();
            return HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, IPV6_NETWORK_BYTES));
        }
        return "";
    }

    private void prepare(Channel channel, Handshake handshake, String dialled) {
        FrameCodec codec = new FrameCodec();
        channel.pipeline().addLast(OutOfMemoryGuard.handler());
        cluster.tls().ifPresent(tls -> channel.pipeline().addLast(handler(tls, channel, dialled)));
        channel.pipeline()
                .addLast(
                        new FrameDecoder(codec),
                        new FrameEncoder(codec),
                        new PeerConnection(this, handshake, codec, dialled));
    }

    private static ChannelHandler handler(ReloadingTls tls, Channel channel, String dialled) {
        if (dialled.isEmpty()) {
            return tls.accepting(channel);
        }
        HostPort to = HostPort.of(dialled);
        return tls.connecting(channel, to.host(), to.port());
    }

    public Links links() {
        if (links == null) {
            throw new IllegalStateException("it does not listen yet");
        }
        return links;
    }

    public void send(String to, Envelope envelope) {
        links().send(to, envelope.frame());
    }

    /** A name is looked up elsewhere: that may take long, and the event loop never waits. */
    @Override
    public void dial(String to) {
        CompletableFuture.supplyAsync(() -> resolve(to))
                .whenCompleteAsync(
                        (socket, failure) -> {
                            if (failure == null) {
                                connect(to, socket);
                            } else {
                                links().failed(to);
                            }
                        },
                        loop);
    }

    private static InetSocketAddress resolve(String to) {
        try {
            return HostPort.of(to).resolved();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void connect(String to, InetSocketAddress socket) {
        new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, ROOM)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        Handshake handshake =
                                Handshake.opener(cluster, Session.Use.MESSAGES, address, to, STREAM_DEADLINE_MILLIS);
                        prepare(channel, handshake, to);
                    }
                })
                .connect(socket)
                .addListener(done -> {
                    if (!done.isSuccess()) {
                        links().failed(to);
                    }
                });
    }

    @Override
    public void later(long millis, Runnable task) {
        loop.schedule(OutOfMemoryGuard.guard(task), millis, TimeUnit.MILLISECONDS);
    }

    @Override
    public boolean admits(PeerConnection connection, Channel channel, Session session) {
        boolean admitted = admission.admits(channel, session.use());
        if (!admitted) {
            refused++;
            strangerLog.accept(connection + ": rejected: too many connections of this kind");
        }
        return admitted;
    }

    @Override
    public void opened(PeerConnection connection) {
        links().opened(connection);
    }

    @Override
    public void received(PeerConnection connection, WireFrame frame) throws BadFrame {
        if (frame.type() != WireFrame.MESSAGE) {
            throw new BadFrame("not a message: frame type " + frame.type());
        }
        receiver.received(Envelope.read(frame));
    }

    @Override
    public ChannelFrameStream called(Channel channel, Session session) {
        Executor pool = switch (session.use()) {
            case COMMANDS -> commands;
            case PEER_CALLS -> session.address().equals(address) ? own : peers;
            case MESSAGES -> throw new AssertionError("messages have no frame stream");
        };
        ChannelFrameStream stream = new ChannelFrameStream(
                channel,
                session,
                STREAM_DEADLINE_MILLIS,
                task -> pool.execute(OutOfMemoryGuard.guard(task)),
                receiver::answerOne);
        streams.add(stream);
        channel.closeFuture().addListener(closed -> streams.remove(stream));
        return stream;
    }

    @Override
    public void closed(PeerConnection connection) {
        links().closed(connection);
    }

    @Override
    public void failed(PeerConnection connection, String why) {
        if (connection.isStranger() && !connection.isOpener()) {
            refused++;
        }
        (connection.isStranger() ? strangerLog : log).accept(connection + ": " + why);
    }

    @Override
    public void close() {
        if (server != null) {
            server.close().awaitUninterruptibly();
        }
        commands.shutdownNow();
        peers.shutdownNow();
        own.shutdownNow();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
