package dev.perhaps.proxy.net;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.proxy.cache.Budget;

/**
 * What one connection takes of the memory for all clients: input that is not read yet, the head of the request that is being
 * answered, a body that waits, output that the client has not taken. Confined to the event loop of its connection.
 */
final class MemoryShare {
    /**
     * Every connection has this much for itself, uncounted: a usual request and a small piece of its response. So who asks for
     * little is served even when others have taken all of the rest, and most requests cost no atomic operation.
     */
    static final int FREE_BYTES = 16 << 10;

    /** And every stream of HTTP/2 this: there are many on a connection. */
    private static final int STREAM_FREE_BYTES = 1 << 10;

    private final Budget all;
    private final Budget address;
    private final int freeBytes;
    private long counted;
    private boolean closed;

    private MemoryShare(Budget all, Budget address, int freeBytes) {
        this.all = all;
        this.address = address;
        this.freeBytes = freeBytes;
    }

    static MemoryShare ofConnection(Budget all, Budget address) {
        return new MemoryShare(all, address, FREE_BYTES);
    }

    static MemoryShare ofStream(Budget all, Budget address) {
        return new MemoryShare(all, address, STREAM_FREE_BYTES);
    }

    /** Sets what this connection holds. Returns false if that is too much; then what it held before is counted. */
    @CanIgnoreReturnValue
    boolean hold(long bytes) {
        long more = Math.max(0, bytes - freeBytes) - counted;
        if (more == 0 || closed) {
            return true;
        }
        if (more > 0) {
            if (!address.take(more)) {
                return false;
            }
            if (!all.take(more)) {
                address.giveBack(more);
                return false;
            }
        } else {
            address.giveBack(-more);
            all.giveBack(-more);
        }
        counted += more;
        return true;
    }

    /** Returns true if this connection should do with what is its own. */
    boolean isScarce() {
        return all.isScarce() || address.isScarce();
    }

    void close() {
        hold(0);
        closed = true;
    }
}
