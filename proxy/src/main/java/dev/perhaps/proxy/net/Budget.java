package dev.perhaps.proxy.net;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes that bodies on their way into the cache may take together. Lock-free. */
final class Budget {
    private final long mostBytes;
    private final AtomicLong taken = new AtomicLong();

    Budget(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** False: there are not so many left, and none were taken. */
    boolean take(long bytes) {
        if (taken.addAndGet(bytes) <= mostBytes) {
            return true;
        }
        taken.addAndGet(-bytes);
        return false;
    }

    void giveBack(long bytes) {
        taken.addAndGet(-bytes);
    }

    long takenBytes() {
        return taken.get();
    }
}
