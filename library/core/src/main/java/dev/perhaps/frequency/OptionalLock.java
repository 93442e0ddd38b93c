package dev.perhaps.frequency;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The lock of a concurrent structure; in the plain form there is none, and nothing is done. */
final class OptionalLock {
    static final OptionalLock NONE = new OptionalLock(null);

    private final @Nullable ReentrantLock lock;

    private OptionalLock(@Nullable ReentrantLock lock) {
        this.lock = lock;
    }

    static OptionalLock of(boolean concurrent) {
        return concurrent ? new OptionalLock(new ReentrantLock()) : NONE;
    }

    boolean exists() {
        return lock != null;
    }

    void lock() {
        if (lock != null) {
            lock.lock();
        }
    }

    void unlock() {
        if (lock != null) {
            lock.unlock();
        }
    }
}
