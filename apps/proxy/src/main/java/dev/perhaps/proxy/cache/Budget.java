package dev.perhaps.proxy.cache;

import java.util.concurrent.atomic.AtomicLong;

/** A number of bytes that many take from and give back to. Lock-free. */
public final class Budget {
    private final long maxBytes;
    private final AtomicLong taken = new AtomicLong();

    /** Of this many bytes. */
    public Budget(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Takes this number of bytes. Returns false, and takes none, if too few are left. */
    public boolean take(long bytes) {
        if (taken.addAndGet(bytes) <= maxBytes) {
            return true;
        }
        taken.addAndGet(-bytes);
        return false;
    }

    public void giveBack(long bytes) {
        taken.addAndGet(-bytes);
    }

    public long takenBytes() {
        return taken.get();
    }

    /** Returns true if less than a quarter is left. */
    public boolean isScarce() {
        return taken.get() > maxBytes - maxBytes / 4;
    }
}
