package dev.perhaps.server.durable;

import dev.perhaps.server.keyspace.KeyBytes;
import dev.perhaps.server.keyspace.KeyEntry;
import dev.perhaps.server.keyspace.Keyspace;
import dev.perhaps.server.keyspace.Value;
import dev.perhaps.server.keyspace.ValueView;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One snapshot: all keys as they were when it began, while commands go on changing them. */
final class SnapshotTask implements Keyspace.Preserver {
    /*
     * It begins while all locks are held, for a moment, so that it is of one moment and no command is half in it. Then one thread
     * goes from key to key: under the read lock of a key it copies the value, and writes the copy without a lock. A command that
     * changes a key first hands over a copy of it (`preserve`), unless the snapshot has it already; each key is copied once. So
     * nobody waits longer than it takes to copy one value, and copies that wait to be written have a limit, MAX_COPY_BYTES.
     *
     * A value of more than VIEW_BYTES is not copied if it has a view: that is made at once, and written in pieces while commands
     * change the value (ValueView). One without a view is copied up to MAX_COPY_BYTES, unless it shares what does not change
     * (Value.frozen); a larger one is written while its lock is held.
     *
     * A command that waits for room holds locks. So the thread that makes room never waits for a lock: it tries for a
     * millisecond, and writes what has been handed over meanwhile.
     */
    /** The most views at once, those that wait and the one that is written: together they note up to MAX_COPY_BYTES. */
    private static final int MAX_VIEWS = 8;

    static final long MAX_COPY_BYTES =
            Math.max(4 << 20, Math.min(128 << 20, Runtime.getRuntime().maxMemory() / 16));

    /** A copy of this size takes about a millisecond. */
    private static final long VIEW_BYTES = 1 << 20;

    /** A value that was handed over: a copy, a view, or the value itself while its command waits. */
    private static final class Preserved {
        final KeyBytes key;
        final Value value;
        final @Nullable ValueView view;
        final long expiresAtMillis;
        final long copyBytes;
        boolean isWritten;

        Preserved(KeyBytes key, Value value, @Nullable ValueView view, long expiresAtMillis, long copyBytes) {
            this.key = key;
            this.value = value;
            this.view = view;
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
        if (entry.value().sizeBytes() > VIEW_BYTES && !awaitView()) {
            return;
        }
        ValueView view = view(entry.value());
        if (view != null) {
            preserve(new Preserved(entry.key(), entry.value(), view, entry.expiresAtMillis(), 0));
            return;
        }
        // A small value counts whole, though it may be shared: the next one takes its place. Keyspace counts large
        // ones.
        long size = entry.value().sizeBytes();
        long bytes = size <= VIEW_BYTES ? size : entry.value().frozenBytes();
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
                isCopied ? entry.value().frozen() : entry.value(),
                null,
                entry.expiresAtMillis(),
                isCopied ? bytes : 0);
        synchronized (this) {
            handedOver.addLast(preserved);
            awaitUntil(() -> isOver || isCopied || preserved.isWritten);
        }
    }

    private static @Nullable ValueView view(Value value) {
        return value.sizeBytes() > VIEW_BYTES ? value.view(MAX_COPY_BYTES / MAX_VIEWS) : null;
    }

    /** Waits until fewer views wait to be written than may: each may note old words. False if the snapshot is over. */
    private synchronized boolean awaitView() {
        awaitUntil(() ->
                isOver || handedOver.stream().filter(each -> each.view != null).count() < MAX_VIEWS - 1);
        return !isOver;
    }

    /** Hands over a view, unless nobody would write it. */
    private synchronized void preserve(Preserved preserved) {
        if (isOver) {
            close(preserved);
        } else {
            handedOver.addLast(preserved);
        }
    }

    private static void close(Preserved preserved) {
        if (preserved.view != null) {
            preserved.view.close();
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
        handedOver.forEach(SnapshotTask::close);
        handedOver.clear();
        notifyAll();
    }

    private synchronized boolean isCancelled() {
        return isCancelled;
    }

    /** Lets go everybody who waits. */
    synchronized void end() {
        isOver = true;
        handedOver.forEach(SnapshotTask::close);
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
        ValueView view;
        long expires;
        try (Keyspace.Locks held = locks) {
            if (!keyspace.isForSnapshot(entry)) {
                return;
            }
            expires = entry.expiresAtMillis();
            view = view(entry.value());
            if (view == null && entry.value().frozenBytes() > MAX_COPY_BYTES) {
                writer.add(entry.key().bytes(), entry.value(), expires);
                return;
            }
            copy = view == null ? entry.value().frozen() : entry.value();
        }
        write(writer, new Preserved(entry.key(), copy, view, expires, 0));
    }

    private static void write(Snapshots.Writer writer, Preserved preserved) throws IOException {
        ValueView view = preserved.view;
        if (view == null) {
            writer.add(preserved.key.bytes(), preserved.value, preserved.expiresAtMillis);
            return;
        }
        try (view) {
            writer.add(preserved.key.bytes(), preserved.value.type(), view, preserved.expiresAtMillis);
        }
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
            write(writer, next);
            synchronized (this) {
                next.isWritten = true;
                copiedBytes -= next.copyBytes;
                notifyAll();
            }
        }
    }
}
