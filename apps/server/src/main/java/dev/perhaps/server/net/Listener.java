package dev.perhaps.server.net;

import dev.perhaps.server.command.Database;
import dev.perhaps.server.wire.ReplyWriter;
import dev.perhaps.web.OutOfMemoryGuard;
import dev.perhaps.web.ReloadingTls;
import dev.perhaps.web.Sockets;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Listens for clients and gives each its connection. */
public final class Listener implements AutoCloseable {
    /** The most memory that one request may take, each word counting 32 bytes more than it has. */
    public static final int MAX_REQUEST_BYTES = 64 << 20;

    private static final int BACKLOG = 511;
    private static final WriteBufferWaterMark UNSENT = new WriteBufferWaterMark(64 << 10, 1 << 20);

    private final Database database;
    private final EventLoopGroup loops;
    private final ChannelGroup clients = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final Channel socket;
    private final ClientBudget budget;
    private final ClientBudget replyBudget;

    private Listener(
            Database database,
            EventLoopGroup loops,
            InetSocketAddress address,
            Class<? extends ServerSocketChannel> type,
            ChannelInitializer<Channel> initializer,
            ClientBudget budget,
            ClientBudget replyBudget)
            throws IOException {
        this.database = database;
        this.loops = loops;
        this.budget = budget;
        this.replyBudget = replyBudget;
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops)
                .channel(type)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.ALLOCATOR, Sockets.MEMORY)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, UNSENT)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        clients.add(channel);
                        channel.pipeline().addLast(initializer);
                    }
                });
        var bound = bootstrap.bind(address).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            var unused = loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            String reason =
                    bound.cause() == null ? "" : String.valueOf(bound.cause().getMessage());
            throw new IOException(
                    "cannot listen on " + address.getHostString() + ":" + address.getPort() + ": " + reason);
        }
        socket = bound.channel();
    }

    /**
     * Listens here, with this many threads and this much memory of all clients together: for requests that have not run yet, and for
     * replies that were not sent yet.
     */
    public static Listener open(
            InetSocketAddress address,
            Database database,
            int threads,
            long inputBytes,
            long outputBytes,
            @Nullable ReloadingTls tls)
            throws IOException {
        ClientBudget budget = new ClientBudget(inputBytes, ClientConnection.FREE_INPUT_BYTES);
        // A buffer that grows is there twice for a moment, and what is encrypted too.
        long most = Math.min(outputBytes, PlatformDependent.maxDirectMemory() / 3);
        ClientBudget replyBudget = new ClientBudget(most, ReplyWriter.FREE_BYTES);
        Sockets sockets = Sockets.best();
        AtomicLong ids = new AtomicLong();
        ChannelInitializer<Channel> initializer = new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                ChannelPipeline pipeline = channel.pipeline();
                pipeline.addLast(OutOfMemoryGuard.handler());
                if (tls != null) {
                    pipeline.addLast(tls.accepting(channel));
                }
                pipeline.addLast(
                        new ClientConnection(database, ids.incrementAndGet(), MAX_REQUEST_BYTES, budget, replyBudget));
            }
        };
        return new Listener(
                database,
                new MultiThreadIoEventLoopGroup(threads, OutOfMemoryGuard.threads("server"), sockets.handlers()),
                address,
                sockets.servers(),
                initializer,
                budget,
                replyBudget);
    }

    /** Closes clients that have been idle for longer than the setting {@code timeout} says; called about once per second. */
    public void closeIdle() {
        long timeoutNanos = TimeUnit.SECONDS.toNanos(database.settings().timeout.whole());
        if (timeoutNanos <= 0) {
            return;
        }
        for (Channel channel : clients) {
            ClientConnection client = channel.pipeline().get(ClientConnection.class);
            if (client != null) {
                channel.eventLoop().execute(() -> client.closeIfIdle(timeoutNanos));
            }
        }
    }

    /** Returns where it listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) socket.localAddress();
    }

    /** Returns the memory that requests take which have not run yet, in bytes. */
    public long inputBytes() {
        return budget.usedBytes();
    }

    /** Returns the memory that replies take which were not sent yet, in bytes. */
    public long outputBytes() {
        return replyBudget.usedBytes();
    }

    /** Returns true while it takes clients. */
    public boolean isOpen() {
        return socket.isOpen();
    }

    /** Takes no more clients and closes all connections. */
    @Override
    public void close() {
        socket.close().awaitUninterruptibly();
        clients.close().awaitUninterruptibly();
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
