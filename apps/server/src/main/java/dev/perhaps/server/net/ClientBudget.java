package dev.perhaps.server.net;

import java.util.concurrent.atomic.AtomicLong;

/** Memory that all clients share: for requests that have not run yet, or for replies that were not sent yet. Thread-safe. */
final class ClientBudget {
    /*
     * The first bytes of each client are not counted: a client with small requests and replies is served also while others hold all
     * of the budget. They are bounded by the number of clients.
     */
    private final long maxBytes;
    private final int freeBytes;
    private final AtomicLong usedBytes = new AtomicLong();

    /** A budget of this size; what a client holds is counted from {@code freeBytes} on. */
    ClientBudget(long maxBytes, int freeBytes) {
        this.maxBytes = maxBytes;
        this.freeBytes = freeBytes;
    }

    long maxBytes() {
        return maxBytes;
    }

    long usedBytes() {
        return usedBytes.get();
    }

    /** A client that held {@code beforeBytes} is to hold {@code afterBytes}; false, and nothing is counted, if that does not fit. */
    boolean change(long beforeBytes, long afterBytes) {
        long more = counted(afterBytes) - counted(beforeBytes);
        if (more == 0) {
            return true;
        }
        long used = usedBytes.addAndGet(more);
        if (more > 0 && used > maxBytes) {
            usedBytes.addAndGet(-more);
            return false;
        }
        return true;
    }

    private long counted(long bytes) {
        return Math.max(0, bytes - freeBytes);
    }
}
