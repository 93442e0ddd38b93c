package dev.perhaps.server.command;

import dev.perhaps.server.keyspace.Keyspace;
import dev.perhaps.server.operation.ServerSettings;

/**
 * The memory that all keys may take together. A command claims what it is about to allocate before it does: commands that run at
 * the same moment never take more than the limit between them. Thread-safe.
 */
final class MemoryBudget {
    /*
     *     | keys and values that a snapshot needs | claims | free |
     *     0                                                       maxBytes
     *
     * A claim is counted where keys are counted, in one number that is changed atomically, and is given back when the key that
     * it was for is counted, or when its command ends.
     *
     * Some commands learn only while they read how much they need (RESTORE). They claim all that is free, and others wait until
     * they give it back rather than being refused. At most one command has such a claim, and it waits for nobody: so nobody waits
     * forever, although those who wait hold the locks of their keys.
     */
    private final Keyspace keyspace;
    private final ServerSettings settings;
    private final Object monitor = new Object();

    /** True while one command has claimed all that was free; changed under the monitor. */
    private volatile boolean isAllClaimed;

    MemoryBudget(Keyspace keyspace, ServerSettings settings) {
        this.keyspace = keyspace;
        this.settings = settings;
    }

    /** The most memory that all keys may take: what is set, and never more than Java can give. */
    long maxBytes() {
        long most = settings.maxMemory.whole();
        long heap = settings.maxMemory.mostBytes();
        return most > 0 ? Math.min(most, heap) : heap;
    }

    /** The most memory that one key may take. */
    long maxKeyBytes() {
        long most = settings.maxKeyMemory.whole();
        return most > 0 ? Math.min(most, maxBytes()) : maxBytes();
    }

    /** Refuses a command if the keys take as much as they may, or this number of bytes more would not fit. */
    void refuseIfFull(long moreBytes) {
        if (moreBytes > maxBytes() - keyspace.usedBytes()) {
            awaitAll();
            if (moreBytes > maxBytes() - keyspace.usedBytes()) {
                throw new CommandError(Database.OUT_OF_MEMORY);
            }
        }
    }

    /** Claims memory; false, and nothing is claimed, if it is not free. Waits for a command that has claimed all of it. */
    boolean claim(long bytes) {
        if (keyspace.claim(bytes, maxBytes())) {
            return true;
        }
        if (!isAllClaimed) {
            // It may have been given back in between.
            return keyspace.claim(bytes, maxBytes());
        }
        synchronized (monitor) {
            awaitAll();
            return keyspace.claim(bytes, maxBytes());
        }
    }

    /** Claims more for the command that has claimed all: it does not wait. */
    boolean claimMore(long bytes) {
        return keyspace.claim(bytes, maxBytes());
    }

    /** Claims all that is free, but at most this number of bytes; returns how many. {@link #release} must follow. */
    long claimAll(long mostBytes) {
        synchronized (monitor) {
            awaitAll();
            isAllClaimed = true;
        }
        while (true) {
            long bytes = Math.max(0, Math.min(mostBytes, maxBytes() - keyspace.usedBytes()));
            if (bytes == 0 || keyspace.claim(bytes, maxBytes())) {
                return bytes;
            }
        }
    }

    private void awaitAll() {
        boolean isInterrupted = false;
        synchronized (monitor) {
            while (isAllClaimed) {
                try {
                    monitor.wait();
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Gives back what is left of a command's claims; {@code hadAll}: it had claimed all that was free. */
    void release(long bytes, boolean hadAll) {
        if (bytes > 0) {
            keyspace.unclaim(bytes);
        }
        if (hadAll) {
            synchronized (monitor) {
                isAllClaimed = false;
                monitor.notifyAll();
            }
        }
    }
}
