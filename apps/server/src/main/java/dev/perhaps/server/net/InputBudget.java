package dev.perhaps.server.net;

import java.util.concurrent.atomic.AtomicLong;

/** The memory that requests which have not run yet may take, of all clients together. Thread-safe. */
final class InputBudget {
    /*
     * The first FREE_BYTES of each client are not counted: a client with small requests is served also while others hold all of
     * the budget. They are bounded by the number of clients.
     */
    static final int FREE_BYTES = 4 << 10;

    private final long maxBytes;
    private final AtomicLong usedBytes = new AtomicLong();

    InputBudget(long maxBytes) {
        this.maxBytes = maxBytes;
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

    private static long counted(long bytes) {
        return Math.max(0, bytes - FREE_BYTES);
    }
}
