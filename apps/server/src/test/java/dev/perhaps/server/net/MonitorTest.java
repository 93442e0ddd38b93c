package dev.perhaps.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.server.command.Database;
import dev.perhaps.server.command.Users;
import dev.perhaps.server.keyspace.Keyspace;
import dev.perhaps.server.operation.ServerSettings;
import dev.perhaps.server.wire.ReplyWriter;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client gets after MONITOR, whose thread is held up as long as the test likes. */
@Timeout(120)
class MonitorTest {
    private final Database database = new Database(new Keyspace(1), new ServerSettings(), new Users(), () -> 0, 1);
    private final ClientConnection connection = new ClientConnection(
            database,
            1,
            Listener.MAX_REQUEST_BYTES,
            new ClientBudget(1 << 20, ClientConnection.FREE_INPUT_BYTES),
            new ClientBudget(64 << 20, ReplyWriter.FREE_BYTES));
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, LocalIoHandler.newFactory());
    private final CompletableFuture<Channel> accepted = new CompletableFuture<>();
    private final CompletableFuture<String> ended = new CompletableFuture<>();
    private final StringBuilder received = new StringBuilder();
    private final CountDownLatch hold = new CountDownLatch(1);
    private @Nullable Channel client;

    @BeforeEach
    void connect() throws Exception {
        LocalAddress address = new LocalAddress(MonitorTest.class);
        Channel listening = new ServerBootstrap()
                .group(loops)
                .channel(LocalServerChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(connection);
                        accepted.complete(channel);
                    }
                })
                .bind(address)
                .sync()
                .channel();
        client = new Bootstrap()
                .group(loops)
                .channel(LocalChannel.class)
                .handler(new SimpleChannelInboundHandler<ByteBuf>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf bytes) {
                        synchronized (received) {
                            received.append(bytes.toString(StandardCharsets.US_ASCII));
                            if (received.indexOf("last") >= 0) {
                                ended.complete(received.toString());
                            }
                        }
                    }
                })
                .connect(listening.localAddress())
                .sync()
                .channel();
        accepted.get(60, TimeUnit.SECONDS).eventLoop().execute(() -> {
            try {
                hold.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    @AfterEach
    void close() throws Exception {
        hold.countDown();
        if (client != null) {
            client.close().sync();
        }
        accepted.get(60, TimeUnit.SECONDS).closeFuture().sync();
        loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }

    @Test
    void linesLeaveInTheirOrder() throws Exception {
        connection.send("first");
        connection.send("second");
        connection.send("last");
        hold.countDown();
        assertThat(ended.get(60, TimeUnit.SECONDS)).isEqualTo("+first\r\n+second\r\n+last\r\n");
    }

    /** They waited without limit for a thread that was slower than those that run commands, until memory ran out. */
    @Test
    void aMonitorWhoseThreadIsBusyIsClosed() throws Exception {
        String line = "x".repeat(1_000);
        for (int i = 0; i < 100_000; i++) {
            connection.send(line);
        }
        hold.countDown();
        assertThat(accepted.get(60, TimeUnit.SECONDS).closeFuture().await(30, TimeUnit.SECONDS))
                .isTrue();
        synchronized (received) {
            assertThat(received.length()).isLessThan(40_000_000);
        }
    }
}
