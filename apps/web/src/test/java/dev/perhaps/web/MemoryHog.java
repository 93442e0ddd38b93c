package dev.perhaps.web;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

/** A program that runs out of memory in the way it is told to, and would otherwise run forever. */
@SuppressWarnings("FutureReturnValueIgnored") // nobody looking at them is what is tested
public final class MemoryHog {
    private static final List<Object> HELD = new ArrayList<>();

    private MemoryHog() {}

    public static void main(String[] args) throws Exception {
        OutOfMemoryGuard.install();
        Runnable eat = switch (args[0]) {
            case "heap" -> MemoryHog::heap;
            case "java-direct" -> MemoryHog::javaDirect;
            case "netty-direct" -> MemoryHog::nettyDirect;
            case "nothing" ->
                () -> {
                    throw new IllegalStateException("not a question of memory");
                };
            default -> throw new IllegalArgumentException(args[0]);
        };
        EventLoopGroup loops =
                new MultiThreadIoEventLoopGroup(2, OutOfMemoryGuard.threads("loop"), NioIoHandler.newFactory());
        switch (args[1]) {
            case "thread" -> new Thread(eat).start();
            case "own-thread" -> OutOfMemoryGuard.threads("own").newThread(eat).start();
            case "loop-task" -> loops.next().execute(eat);
            case "pool-task" -> Executors.newCachedThreadPool().submit(OutOfMemoryGuard.guard(eat));
            case "listener" -> loops.next().submit(() -> {}).addListener(done -> eat.run());
            case "handler" -> connect(loops, false, eat);
            case "write" -> connect(loops, true, eat);
            default -> throw new IllegalArgumentException(args[1]);
        }
        new CountDownLatch(1).await();
    }

    private static void heap() {
        while (true) {
            HELD.add(new long[100_000]);
        }
    }

    private static void javaDirect() {
        while (true) {
            HELD.add(ByteBuffer.allocateDirect(1 << 20));
        }
    }

    private static void nettyDirect() {
        while (true) {
            HELD.add(PooledByteBufAllocator.DEFAULT.directBuffer(1 << 20).writeZero(1 << 20));
        }
    }

    /** The server eats when it is written to, or when it writes. */
    private static void connect(EventLoopGroup loops, boolean write, Runnable eat) throws Exception {
        Channel server = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(OutOfMemoryGuard.handler());
                        if (write) {
                            channel.pipeline().addFirst(new EatsOnWrite(eat));
                        }
                        channel.pipeline().addLast(new EatsOnRead(write, eat));
                    }
                })
                .bind(new InetSocketAddress("localhost", 0))
                .sync()
                .channel();
        new Bootstrap()
                .group(loops)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(server.localAddress())
                .sync()
                .channel()
                .writeAndFlush(Unpooled.copyInt(1));
    }

    private static final class EatsOnRead extends ChannelInboundHandlerAdapter {
        private final boolean write;
        private final Runnable eat;

        EatsOnRead(boolean write, Runnable eat) {
            this.write = write;
            this.eat = eat;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ((ByteBuf) message).release();
            if (write) {
                ctx.writeAndFlush(Unpooled.copyInt(1));
            } else {
                eat.run();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            OutOfMemoryGuard.check(cause);
            ctx.close();
        }
    }

    private static final class EatsOnWrite extends ChannelOutboundHandlerAdapter {
        private final Runnable eat;

        EatsOnWrite(Runnable eat) {
            this.eat = eat;
        }

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            eat.run();
        }
    }
}
