package dev.perhaps.proxy.net;

import io.netty.channel.EventLoop;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A timeout that can be moved cheaply: moving it only writes a number, and the timer checks that number when it fires.
 * Confined to its event loop.
 */
final class Deadline {
    private static final long NEVER = Long.MAX_VALUE;

    private final EventLoop loop;
    private final Runnable passed;
    private long atNanos = NEVER;
    private long ringsNanos = NEVER;
    private @Nullable ScheduledFuture<?> timer;
    private boolean closed;

    Deadline(EventLoop loop, Runnable passed) {
        this.loop = loop;
        this.passed = passed;
    }

    void in(long millis) {
        if (closed) {
            return;
        }
        long now = System.nanoTime();
        atNanos = now + TimeUnit.MILLISECONDS.toNanos(millis);
        if (ringsNanos == NEVER || atNanos - ringsNanos < 0) {
            ring(now);
        }
    }

    boolean isSet() {
        return atNanos != NEVER;
    }

    void never() {
        atNanos = NEVER;
    }

    /** Never again. The timer goes at once, and with it what it holds: connections may come and go faster than timers ring. */
    void close() {
        never();
        closed = true;
        if (timer != null) {
            timer.cancel(false);
        }
    }

    private void ring(long now) {
        ringsNanos = atNanos;
        long rings = atNanos;
        if (timer != null) {
            timer.cancel(false);
        }
        timer = loop.schedule(() -> rang(rings), atNanos - now, TimeUnit.NANOSECONDS);
    }

    private void rang(long rings) {
        if (closed || rings != ringsNanos) {
            return; // an earlier one was set meanwhile
        }
        ringsNanos = NEVER;
        timer = null;
        if (atNanos == NEVER) {
            return;
        }
        long now = System.nanoTime();
        if (atNanos - now > 0) {
            ring(now);
        } else {
            atNanos = NEVER;
            passed.run();
        }
    }
}
