package dev.perhaps.chord.web;

import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.host.PeerHost;
import dev.perhaps.chord.store.FileStore;
import dev.perhaps.web.OutOfMemoryGuard;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A small web page about a peer: its ring, its fingers, its files, and the way of a lookup, live. It reads and changes
 * nothing, and has no login: whoever reaches its port may look. While nobody looks it does nothing.
 *
 * <p>{@code PeerPage page = Page.open(HostPort.of("127.0.0.1:0"), host, store, cluster, log); page.url();}
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails on the event loop ends the connection, and that is seen
public final class PeerPage implements Closeable {
    /*
     *     browser ──→ Requests ──┬──→ Assets     the files of the page, from memory
     *                            ├──→ Report     JSON, on one of a few threads, for it waits for other peers
     *                            ├──→ Metrics    health on the event loop, figures on one of those threads
     *                            └──→ Watchers   server-sent events: the same JSON, whenever it has changed
     *
     * It has an event loop and threads of its own, so that nothing it is asked can hold up the ring. Everything has a
     * limit: connections, questions waiting, the length of a line, of headers and of a body, the time for each.
     *
     * Whose page is it? A web site that a user visits can make that user's browser ask this port, and with a name that
     * it lets point to 127.0.0.1 it could read the answers. So the Host of a request must be a number, localhost, or the
     * name under which the page was opened; and the browser says itself when a request comes from another site.
     */
    /** For this machine only, at a free port. */
    public static final HostPort USUAL_PLACE = new HostPort("127.0.0.1", 0);

    private static final int MAX_CONNECTIONS = 128;
    private static final int MAX_WAITING = 32;
    private static final int THREADS = 4;
    private static final int IDLE_SECONDS = 10;
    private static final int MAX_LINE_BYTES = 8 << 10;
    private static final int MAX_HEADER_BYTES = 16 << 10;
    private static final int MAX_BODY_BYTES = 1 << 10;

    /** A ring of some thousand nodes fits in, for a watcher that is slow. */
    private static final WriteBufferWaterMark ROOM = new WriteBufferWaterMark(256 << 10, 1 << 20);

    private final MultiThreadIoEventLoopGroup group =
            new MultiThreadIoEventLoopGroup(1, OutOfMemoryGuard.threads("page"), NioIoHandler.newFactory());
    private final ThreadPoolExecutor workers = new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MAX_WAITING),
            OutOfMemoryGuard.threads("page-work"));
    private final String url;
    private int connections;

    private PeerPage(HostPort at, PeerReport report, PeerMetrics metrics, Consumer<String> log) throws IOException {
        workers.allowCoreThreadTimeOut(true);
        Watchers watchers = new Watchers(report, workers, group.next());
        PageRequests.Shared shared =
                new PageRequests.Shared(at.host(), new Assets(), report, metrics, watchers, workers);
        ServerBootstrap bootstrap = new ServerBootstrap()
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
                });
        InetSocketAddress socket = at.resolved();
        var bound = bootstrap.bind(socket).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            close();
            throw new IOException(
                    at + ": cannot show the page there: " + bound.cause().getMessage(), bound.cause());
        }
        int port = ((InetSocketAddress) bound.channel().localAddress()).getPort();
        url = "http://" + new HostPort(at.host(), port) + "/";
        if (!socket.getAddress().isLoopbackAddress()) {
            log.accept("the page at " + url + " has no login: whoever reaches it sees the names and sizes of files");
        }
    }

    /**
     * Shows the page of a peer.
     *
     * @param at where; port 0 takes a free one
     */
    public static PeerPage open(HostPort at, PeerHost host, FileStore store, Cluster cluster, Consumer<String> log)
            throws IOException {
        return new PeerPage(at, new PeerReport(host, store, cluster), new PeerMetrics(host, store), log);
    }

    /** Where a browser finds it. */
    public String url() {
        return url;
    }

    /** On the one thread of the event loop. */
    private void accept(Channel channel, PageRequests.Shared shared) {
        if (connections >= MAX_CONNECTIONS) {
            channel.close();
            return;
        }
        connections++;
        channel.closeFuture().addListener(closed -> connections--);
        HttpDecoderConfig limits =
                new HttpDecoderConfig().setMaxInitialLineLength(MAX_LINE_BYTES).setMaxHeaderSize(MAX_HEADER_BYTES);
        channel.pipeline()
                .addLast(
                        OutOfMemoryGuard.handler(),
                        new HttpServerCodec(limits),
                        new HttpObjectAggregator(MAX_BODY_BYTES),
                        new PageRequests(shared));
    }

    @Override
    public void close() {
        workers.shutdownNow();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
