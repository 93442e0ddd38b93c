package dev.perhaps.server.durable;

import dev.perhaps.server.keyspace.KeyBytes;
import dev.perhaps.server.keyspace.KeyEntry;
import dev.perhaps.server.keyspace.Keyspace;
import dev.perhaps.server.keyspace.Value;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;

/** One snapshot: all keys as they were when it began, while commands go on changing them. */
final class SnapshotTask implements Keyspace.Preserver {
    /*
     * It begins while all locks are held, for a moment, so that it is of one moment and no command is half in it. Then one thread
     * goes from key to key: under the read lock of a key it copies the value, and writes the copy without a lock. A command that
     * changes a key first hands over a copy of it (`preserve`), unless the snapshot has it already; each key is copied once. So
     * nobody waits longer than it takes to copy one value, and copies that wait to be written have a limit, MAX_COPY_BYTES.
     *
     * A value that is larger than that is not copied: it is written while its lock is held.
     *
     * A command that waits for room holds locks. So the thread that makes room never waits for a lock: it tries for a
     * millisecond, and writes what has been handed over meanwhile.
     */
    static final long MAX_COPY_BYTES =
            Math.max(4 << 20, Math.min(128 << 20, Runtime.getRuntime().maxMemory() / 16));

    /** A value that was handed over: a copy, or the value itself while its command waits. */
    private static final class Preserved {
        final KeyBytes key;
        final Value value;
        final long expiresAtMillis;
        final long copyBytes;
        boolean isWritten;

        Preserved(KeyBytes key, Value value, long expiresAtMillis, long copyBytes) {
            this.key = key;
            this.value = value;
            this.expiresAtMillis = expiresAtMillis;
            this.copyBytes = copyBytes;
        }
    }

    private final Keyspace keyspace;
    private final Deque<Preserved> handedOver = new ArrayDeque<>();
    private long copiedBytes;
    private boolean isOver;
    private boolean isCancelled;

    SnapshotTask(Keyspace keyspace) {
        this.keyspace = keyspace;
    }

    @Override
    public void preserve(KeyEntry entry) {
        long bytes = entry.value().sizeBytes();
        boolean isCopied = bytes <= MAX_COPY_BYTES;
        synchronized (this) {
            awaitUntil(() -> isOver || !isCopied || copiedBytes + bytes <= MAX_COPY_BYTES);
            if (isOver) {
                return;
            }
            copiedBytes += isCopied ? bytes : 0;
        }
        Preserved preserved = new Preserved(
                entry.key(),
                isCopied ? entry.value().copy() : entry.value(),
                entry.expiresAtMillis(),
                isCopied ? bytes : 0);
        synchronized (this) {
            handedOver.addLast(preserved);
            awaitUntil(() -> isOver || isCopied || preserved.isWritten);
        }
    }

    private synchronized void awaitUntil(BooleanSupplier isMet) {
        boolean isInterrupted = false;
        while (!isMet.getAsBoolean()) {
            try {
                wait();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized void cancel() {
        isCancelled = true;
        isOver = true;
        notifyAll();
    }

    private synchronized boolean isCancelled() {
        return isCancelled;
    }

    /** Lets go everybody who waits. */
    synchronized void end() {
        isOver = true;
        handedOver.clear();
        notifyAll();
    }

    /** Writes all keys; false if that was cancelled. */
    boolean write(Snapshots.Writer writer) throws IOException, InterruptedException {
        for (int table = 0; table < Keyspace.ALL_TABLES; table++) {
            List<KeyEntry> entries = keyspace.tryTable(table);
            while (entries == null) {
                drain(writer);
                entries = keyspace.tryTable(table);
            }
            for (KeyEntry entry : entries) {
                drain(writer);
                if (isCancelled()) {
                    return false;
                }
                write(entry, writer);
            }
        }
        drain(writer);
        return !isCancelled();
    }

    private void write(KeyEntry entry, Snapshots.Writer writer) throws IOException, InterruptedException {
        Keyspace.Locks locks = keyspace.tryLock(entry.key());
        while (locks == null) {
            drain(writer);
            locks = keyspace.tryLock(entry.key());
        }
        Value copy;
        long expires;
        try (Keyspace.Locks held = locks) {
            if (!keyspace.isForSnapshot(entry)) {
                return;
            }
            expires = entry.expiresAtMillis();
            if (entry.value().sizeBytes() > MAX_COPY_BYTES) {
                writer.add(entry.key().bytes(), entry.value(), expires);
                return;
            }
            copy = entry.value().copy();
        }
        writer.add(entry.key().bytes(), copy, expires);
    }

    private void drain(Snapshots.Writer writer) throws IOException {
        while (true) {
            Preserved next;
            synchronized (this) {
                next = handedOver.pollFirst();
            }
            if (next == null) {
                return;
            }
            writer.add(next.key.bytes(), next.value, next.expiresAtMillis);
            synchronized (this) {
                next.isWritten = true;
                copiedBytes -= next.copyBytes;
                notifyAll();
            }
        }
    }
}
