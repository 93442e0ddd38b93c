package dev.perhaps.proxy.net;

import java.time.InstantSource;

/**
 * The clock for the age of pages. It never goes back, even if the system's clock does. Safe for any number of threads.
 */
final class PageClock {
    /*
     * A clock that is set forwards makes pages older than they are, and they are validated too early. One that is set back by
     * an hour would make them an hour younger: a page of a minute would be served for an hour more. So what the clock lost is
     * added to it from then on. Dates that others wrote are compared with the clock itself, which is right again.
     */
    private static final long STEP_MILLIS = 1_000;
    private static final long NOTED_MILLIS = 100;

    private final InstantSource clock;
    private volatile long lastMillis;
    private volatile long lostMillis;

    PageClock(InstantSource clock) {
        this.clock = clock;
        this.lastMillis = clock.millis();
    }

    /** Milliseconds that mean something only in comparison with others of this clock. */
    long millis() {
        long now = clock.millis();
        long last = lastMillis;
        if (now < last - STEP_MILLIS) {
            setBack(now);
        } else if (now > last + NOTED_MILLIS) { // not each time: many threads read it
            lastMillis = now;
        }
        return now + lostMillis;
    }

    private synchronized void setBack(long now) {
        if (now < lastMillis - STEP_MILLIS) {
            lostMillis += lastMillis - now;
            lastMillis = now;
        }
    }
}
