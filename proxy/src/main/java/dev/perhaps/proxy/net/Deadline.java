package dev.perhaps.proxy.net;

import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;

/**
 * Calls somebody if a time passes. To move it is to write a number: the timer looks, when it rings, whether it still counts.
 * Confined to its event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // it looks for itself whether it is still wanted
final class Deadline {
    private static final long NEVER = Long.MAX_VALUE;

    private final EventLoop loop;
    private final Runnable passed;
    private long atNanos = NEVER;
    private long ringsNanos = NEVER;

    Deadline(EventLoop loop, Runnable passed) {
        this.loop = loop;
        this.passed = passed;
    }

    void in(long millis) {
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

    private void ring(long now) {
        ringsNanos = atNanos;
        long rings = atNanos;
        loop.schedule(() -> rang(rings), atNanos - now, TimeUnit.NANOSECONDS);
    }

    private void rang(long rings) {
        if (rings != ringsNanos) {
            return; // an earlier one was set meanwhile
        }
        ringsNanos = NEVER;
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
