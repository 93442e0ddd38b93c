package dev.perhaps.proxy.net;

import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Ends a program that is out of memory: one whose event loops are dead and whose port is open is worse than none. */
public final class OutOfMemory {
    /*
     * Three kinds of errors, three ways in which they are seen.
     *
     *     heap             thrown by the virtual machine, which ends by itself with -XX:+ExitOnOutOfMemoryError
     *     direct memory    thrown by Java code (Netty, java.nio): that option does not see it
     *     threads          likewise
     *
     * A thread that dies of one tells its uncaught exception handler. Netty catches nearly everything that its loops, tasks,
     * listeners and handlers throw, and logs it: so a handler of its log sees what nobody else does. What reaches a pipeline
     * or a future is looked at there.
     */
    private static final int EXIT_CODE = 3; // as of -XX:+ExitOnOutOfMemoryError
    private static final Logger NETTY = Logger.getLogger("io.netty");
    private static volatile boolean armed;

    private OutOfMemory() {}

    /** From now on the process ends, with code 3, when any thread is out of memory. To be called before Netty is used. */
    public static void endsProcess() {
        armed = true;
        InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
        NETTY.addHandler(new Watch());
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
            look(thrown);
            thrown.printStackTrace();
        });
    }

    /** Looks whether this was one, if only as a cause. */
    static void look(@Nullable Throwable thrown) {
        if (!armed) {
            return;
        }
        Throwable each = thrown;
        for (int depth = 0; each != null && depth < 16; depth++) {
            if (each instanceof OutOfMemoryError) {
                halt(each);
            }
            each = each.getCause();
        }
    }

    @SuppressWarnings("CatchAndPrintStackTrace") // nothing else may be left that works
    private static void halt(Throwable error) {
        try {
            System.err.println("perhaps: out of memory, and ends: " + error.getMessage());
        } finally {
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }

    /** Hears what Netty logs. */
    private static final class Watch extends Handler {
        @Override
        public void publish(LogRecord record) {
            look(record.getThrown());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
