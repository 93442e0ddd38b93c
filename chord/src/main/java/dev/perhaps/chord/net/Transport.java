package dev.perhaps.chord.net;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sockets: one event loop that accepts, opens and reads connections, and threads beside it for callers that wait. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails on the event loop ends the connection, and that is seen
final class Transport implements Connection.Owner, Links.Dialler, Closeable {
    private static final int MOST_CONNECTIONS = 1_024;
    private static final int MOST_LINES = 256;
    private static final int CONNECT_MILLIS = 2_000;
    private static final int LINE_DEADLINE_MILLIS = 30_000;
    private static final int SWEEP_SECONDS = 15;
    private static final int BACKLOG = 256;
    private static final WriteBufferWaterMark ROOM = new WriteBufferWaterMark(128 << 10, 512 << 10);

    /** What comes in. Messages come on the event loop, lines on a thread of their own each. */
    interface Receiver {
        void received(Envelope envelope);

        void serve(Line line);
    }

    private final Cluster cluster;
    private final Receiver receiver;
    private final Consumer<String> log;
    private final MultiThreadIoEventLoopGroup group =
            new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("ring", true), NioIoHandler.newFactory());
    private final EventLoop loop = group.next();
    private final ExecutorService workers = new ThreadPoolExecutor(
            0, MOST_LINES, 30, TimeUnit.SECONDS, new SynchronousQueue<>(), new DefaultThreadFactory("line", true));
    private @Nullable Channel server;
    private String address = "";
    private @Nullable Links links;
    private int accepted;

    Transport(Cluster cluster, Receiver receiver, Consumer<String> log) {
        this.cluster = cluster;
        this.receiver = receiver;
        this.log = log;
    }

    EventLoop loop() {
        return loop;
    }

    /**
     * Begins to listen.
     *
     * @param advertised where others reach this one; where it listens if null
     * @return where others reach this one
     */
    String listen(HostPort at, @Nullable HostPort advertised) throws IOException {
        InetSocketAddress socket = at.resolved();
        if (!socket.getAddress().isLoopbackAddress() && cluster.secret().isEmpty()) {
            throw new IllegalArgumentException(
                    "listening at " + at + " is for everybody who reaches it: that needs a cluster secret");
        }
        if (socket.getAddress().isAnyLocalAddress() && advertised == null) {
            throw new IllegalArgumentException(
                    "others cannot reach a peer at " + at + ": say under which address they can");
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
                    "an address has at most " + HostPort.MAX_LETTERS + " letters, got '" + address + "'");
        }
        links = new Links(address, this);
        loop.scheduleWithFixedDelay(links()::sweep, SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
        return address;
    }

    private void accept(Channel channel) {
        if (accepted >= MOST_CONNECTIONS || links == null) {
            channel.close();
            return;
        }
        accepted++;
        channel.closeFuture().addListener(closed -> accepted--);
        prepare(channel, Handshake.acceptor(cluster, address), "");
    }

    private void prepare(Channel channel, Handshake handshake, String dialled) {
        FrameDecoder decoder = new FrameDecoder();
        Connection connection = new Connection(this, handshake, decoder, dialled, LINE_DEADLINE_MILLIS);
        channel.pipeline().addLast(decoder, new FrameEncoder(), connection);
    }

    Links links() {
        if (links == null) {
            throw new IllegalStateException("it does not listen yet");
        }
        return links;
    }

    void send(String to, Envelope envelope) {
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
                        prepare(channel, Handshake.opener(cluster, Handshake.Role.PEER, address), to);
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
        loop.schedule(task, millis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void opened(Connection connection) {
        links().opened(connection);
    }

    @Override
    public void received(Connection connection, Frame frame) throws BadFrame {
        if (frame.type() != Frame.MESSAGE) {
            throw new BadFrame("there is no message in a frame of type " + frame.type());
        }
        receiver.received(Envelope.read(frame));
    }

    @Override
    public void called(ChannelLine line) {
        try {
            workers.execute(() -> receiver.serve(line));
        } catch (RejectedExecutionException e) {
            log.accept("a caller was sent away: " + MOST_LINES + " are being served");
            line.close();
        }
    }

    @Override
    public void closed(Connection connection) {
        links().closed(connection);
    }

    @Override
    public void failed(Connection connection, String why) {
        log.accept(connection + ": " + why);
    }

    @Override
    public void close() {
        if (server != null) {
            server.close().awaitUninterruptibly();
        }
        workers.shutdownNow();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
