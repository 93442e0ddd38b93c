package dev.perhaps.web;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Ends a long-running program as soon as any of its threads runs out of memory, heap or direct: one line on standard error,
 * then {@link Runtime#halt} with {@link #EXIT_STATUS}. A supervisor then starts it again.
 *
 * <pre>{@code
 * OutOfMemoryGuard.install();                                      // once, first thing in the program
 * new MultiThreadIoEventLoopGroup(n, OutOfMemoryGuard.threads("proxy"), handlers);
 * channel.pipeline().addLast(OutOfMemoryGuard.handler());          // first in the pipeline
 * public void exceptionCaught(…, Throwable cause) { OutOfMemoryGuard.check(cause); … }
 * }</pre>
 *
 * Thread-safe.
 */
public final class OutOfMemoryGuard {
    /*
     * Why: a program that goes on after an OutOfMemoryError has lost whatever the error interrupted. Event loops died that
     * way while the port stayed open, and SIGTERM was no longer served.
     *
     * -XX:+ExitOnOutOfMemoryError ends the process for errors that the virtual machine itself throws (heap, metaspace), but not
     * for those thrown by Java code: the limit of direct buffers in java.nio, and Netty's OutOfDirectMemoryError. Those are
     * caught in many places. This is where each of them ends up, and what looks there:
     *
     *     thrown by a thread                          the uncaught exception handler      install(), threads()
     *     thrown by a task of an event loop,          Netty logs it and goes on           NettyLog, by install()
     *       a listener, or at the tail of a pipeline
     *     while a socket is read                      exceptionCaught, from the head      handler()
     *     while something is written                  the promise of the write            handler()
     *     thrown by a channel handler                 its own exceptionCaught             check() there
     *     in a task of a java.util.concurrent pool    the future that nobody reads        guard() around the task
     */

    /** The exit status, the same as that of {@code -XX:+ExitOnOutOfMemoryError}. */
    public static final int EXIT_STATUS = 3;

    private static final int MAX_CAUSES = 16;
    private static final byte[] LINE =
            "perhaps: out of memory: the program ends here\n".getBytes(StandardCharsets.US_ASCII);
    private static final FileOutputStream STDERR = new FileOutputStream(FileDescriptor.err);
    private static final Thread.UncaughtExceptionHandler UNCAUGHT = OutOfMemoryGuard::uncaught;
    private static final GenericFutureListener<Future<? super Void>> WRITTEN = done -> {
        Throwable cause = done.cause();
        if (cause != null) {
            check(cause);
        }
    };
    private static final ChannelHandler HANDLER = new PipelineHandler();
    private static final Logger NETTY = Logger.getLogger("io.netty"); // a logger that nobody holds is collected

    private static volatile boolean installed;

    private OutOfMemoryGuard() {}

    /**
     * Watches threads that have no handler of their own, and what Netty catches and logs, which becomes short lines on
     * standard error. Call it before Netty is used.
     */
    public static void install() {
        installed = true;
        Thread.setDefaultUncaughtExceptionHandler(UNCAUGHT);
        InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
        NETTY.setUseParentHandlers(false);
        NETTY.addHandler(new NettyLog(System.err::println));
    }

    /**
     * Ends the process if this is an {@link OutOfMemoryError} or was caused by one; otherwise, and in a program that has not
     * called {@link #install}, does nothing.
     */
    public static void check(@Nullable Throwable thrown) {
        if (!installed) {
            return;
        }
        Throwable cause = thrown;
        for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
            if (cause instanceof OutOfMemoryError error) {
                halt(error);
            }
            cause = cause.getCause();
        }
    }

    /** Daemon threads {@code name-1}, {@code name-2}, … that end the process when they run out of memory. */
    public static ThreadFactory threads(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            // Netty's own kind of thread: its thread-locals and its buffer pools are faster on it.
            Thread thread = new FastThreadLocalThread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            thread.setUncaughtExceptionHandler(UNCAUGHT);
            return thread;
        };
    }

    /** The same task, for an executor that keeps what a task throws to itself. */
    public static Runnable guard(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (Throwable e) {
                check(e);
                throw e;
            }
        };
    }

    /** For the first place in a pipeline: sees what fails while reading from the socket and while writing to it. */
    public static ChannelHandler handler() {
        return HANDLER;
    }

    private static void uncaught(Thread thread, Throwable thrown) {
        check(thrown);
        System.err.print("Exception in thread \"" + thread.getName() + "\" ");
        thrown.printStackTrace();
    }

    private static void halt(OutOfMemoryError error) {
        byte[] line = LINE; // there may be no memory left for a better one
        try {
            String reason = String.valueOf(error.getMessage()).replaceAll("\\p{Cntrl}", " ");
            line = ("perhaps: out of memory: " + reason
                            + ": the program ends here; give it more memory, or lower its limits\n")
                    .getBytes(StandardCharsets.UTF_8);
        } catch (Throwable e) {
            line = LINE;
        }
        try {
            STDERR.write(line);
        } catch (IOException e) {
            // the end is what matters, and the status tells it too
        } finally {
            Runtime.getRuntime().halt(EXIT_STATUS);
        }
    }

    @ChannelHandler.Sharable
    private static final class PipelineHandler extends ChannelDuplexHandler {
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            check(cause);
            ctx.fireExceptionCaught(cause);
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // it is the promise that came in
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            // A void promise takes no listeners: it fires exceptionCaught instead.
            ctx.write(message, promise.isVoid() ? promise : promise.addListener(WRITTEN));
        }
    }
}
