package dev.perhaps.server.durable;

import dev.perhaps.server.command.Change;
import dev.perhaps.web.OutOfMemoryGuard;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The log: records are taken by any thread and written by one, so that many clients share one write and one sync. Thread-safe.
 */
final class CommandLog {
    /*
     *     append → batch of bytes → write → sync
     *              taken            written durable      each a number: everything up to that record
     *
     * Records wait in batches; a batch belongs to one file. When the file changes, the one before is synced before the first byte
     * of the next is written: if a record of a file is on the disk, then so are all records of the files before it.
     *
     * If a write fails (the disk is full), the rest of the batch stays where it is, and the same bytes are tried again until they
     * are written; `problem` refuses changes meanwhile. If a sync fails, the system may have dropped what it could not write, and
     * a second sync would say that all is well. So nothing more is written to that file: only a snapshot, which has everything,
     * ends this state (`isBroken`).
     */
    private static final String ALWAYS = "always";
    private static final String EVERY_SECOND = "everysec";
    private static final int BATCH_BYTES = 8 << 20;
    private static final int SPARE_BYTES = 1 << 20;
    static final int MAX_WAITING_BYTES = 32 << 20;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long RETRY_MILLIS = 100;

    /** Records that were not written yet, of one file. */
    private static final class Batch {
        final Disk.Output file;
        final long startNanos;
        final ByteBuf bytes;
        long last;

        Batch(Disk.Output file, ByteBuf bytes) {
            this.file = file;
            this.bytes = bytes;
            this.startNanos = System.nanoTime();
        }
    }

    /** Somebody who waits until a record is written, or synced. */
    private record Waiter(long number, boolean isForSync, CompletableFuture<Void> done) {}

    private final Supplier<String> policy;
    private final Consumer<String> complaints;
    private final Thread thread;
    private final Object monitor = new Object();

    // Under the monitor:
    private final Deque<Batch> batches = new ArrayDeque<>();
    private final List<Waiter> waiters = new ArrayList<>();
    private @Nullable Batch filling;
    private @Nullable ByteBuf spare;
    private Disk.Output file;
    private long takenBytes;
    private long waitingBytes;
    private long written;
    private long unsyncedSinceNanos;
    private int syncsAsked;
    private boolean isClosing;
    private volatile long taken;
    private volatile long durable;
    private volatile boolean isBroken;
    private volatile @Nullable String problem;

    // Used by the thread, and by code that changes the file while it is broken:
    private Disk.Output writing;

    /** A log whose last record had this number and that continues in this file. */
    CommandLog(Disk.Output file, long lastNumber, Supplier<String> policy, Consumer<String> complaints) {
        this.file = file;
        this.writing = file;
        this.policy = policy;
        this.complaints = complaints;
        this.taken = lastNumber;
        this.written = lastNumber;
        this.durable = lastNumber;
        this.thread = OutOfMemoryGuard.threads("server-log").newThread(OutOfMemoryGuard.guard(this::run));
        thread.start();
    }

    // Taking

    long append(long nowMillis, List<Change> changes) {
        synchronized (monitor) {
            Batch batch = filling;
            if (batch == null || batch.file != file || batch.bytes.writerIndex() > BATCH_BYTES) {
                ByteBuf bytes = spare == null ? Unpooled.buffer(1 << 12) : spare;
                spare = null;
                batch = new Batch(file, bytes);
                filling = batch;
                batches.addLast(batch);
                monitor.notifyAll();
            }
            int before = batch.bytes.writerIndex();
            long number = taken + 1;
            boolean isDone = false;
            try {
                Records.write(batch.bytes, new Records.Logged(number, durable, nowMillis, changes));
                isDone = true;
            } finally {
                if (!isDone) {
                    // Half a record would end the log for all that come after it.
                    batch.bytes.writerIndex(before);
                }
            }
            taken = number;
            batch.last = number;
            takenBytes += batch.bytes.writerIndex() - before;
            waitingBytes += batch.bytes.writerIndex() - before;
            return number;
        }
    }

    /** Continues in another file; returns the number of the last record before it. The caller holds the locks of all keys. */
    long rotate(Disk.Output next) {
        synchronized (monitor) {
            file = next;
            return taken;
        }
    }

    /**
     * Says that a snapshot is on the disk that has all records up to this one, before the file that is written now: earlier files
     * are needed no more, and if one of them was broken, that is over.
     */
    void repaired(long number) {
        synchronized (monitor) {
            if (!isBroken || writing == file) {
                return;
            }
            batches.removeIf(batch -> {
                boolean isOld = batch.file != file;
                if (isOld && batch.file != writing) {
                    closeQuietly(batch.file);
                }
                return isOld;
            });
            waitingBytes = batches.stream()
                    .mapToLong(batch -> batch.bytes.readableBytes())
                    .sum();
            closeQuietly(writing);
            writing = file;
            written = Math.max(written, number);
            isBroken = false;
            monitor.notifyAll();
        }
        synced(number);
        recovered();
    }

    /** True after a sync has failed, until {@link #repaired}. */
    boolean isBroken() {
        return isBroken;
    }

    /** Why nothing can be written, as the text of an error, or null. */
    @Nullable
    String problem() {
        return problem;
    }

    boolean isDurable(long number) {
        return durable >= number;
    }

    /** The bytes of all records since the start. */
    long takenBytes() {
        synchronized (monitor) {
            return takenBytes;
        }
    }

    long waitingBytes() {
        synchronized (monitor) {
            return waitingBytes;
        }
    }

    // Waiting

    @Nullable
    CompletableFuture<Void> beforeReply(long number) {
        if (policy.get().equals(ALWAYS)) {
            // A reply may also tell what others have changed: nobody may see what a crash could still undo.
            long last = taken;
            return durable >= last ? null : when(last, true);
        }
        if (number == 0) {
            return null;
        }
        synchronized (monitor) {
            // A client that is faster than the disk waits for it; but a problem of the disk is not a promise that was
            // broken.
            boolean isLate = isLate();
            return problem == null && (isLate || waitingBytes > MAX_WAITING_BYTES) ? when(number, isLate) : null;
        }
    }

    /** Completes when everything so far is on the disk. */
    CompletableFuture<Void> sync() {
        synchronized (monitor) {
            return when(taken, true);
        }
    }

    private CompletableFuture<Void> when(long number, boolean isForSync) {
        synchronized (monitor) {
            if ((isForSync ? durable : written) >= number) {
                return CompletableFuture.completedFuture(null);
            }
            String why = problem;
            if (why != null) {
                return CompletableFuture.failedFuture(new IOException(why));
            }
            Waiter waiter = new Waiter(number, isForSync, new CompletableFuture<>());
            waiters.add(waiter);
            syncsAsked += isForSync ? 1 : 0;
            monitor.notifyAll();
            return waiter.done;
        }
    }

    /** With a sync per second, at most two seconds may be lost. */
    private boolean isLate() {
        synchronized (monitor) {
            return policy.get().equals(EVERY_SECOND) && unsyncedNanos() > 2 * SECOND - SECOND / 10;
        }
    }

    /** How long the oldest record has not been synced. */
    private long unsyncedNanos() {
        synchronized (monitor) {
            if (written > durable) {
                return System.nanoTime() - unsyncedSinceNanos;
            }
            Batch first = batches.peekFirst();
            return first == null ? 0 : System.nanoTime() - first.startNanos;
        }
    }

    private void complete(boolean isFailed) {
        List<Waiter> done = new ArrayList<>();
        String why = problem;
        synchronized (monitor) {
            waiters.removeIf(waiter -> {
                boolean is = isFailed || (waiter.isForSync ? durable : written) >= waiter.number;
                if (is) {
                    done.add(waiter);
                    syncsAsked -= waiter.isForSync ? 1 : 0;
                }
                return is;
            });
        }
        for (Waiter waiter : done) {
            if (isFailed) {
                waiter.done.completeExceptionally(new IOException(why));
            } else {
                waiter.done.complete(null);
            }
        }
    }

    // Writing: one thread

    private void run() {
        while (true) {
            try {
                Batch batch = await();
                if (batch != null) {
                    write(batch);
                }
                if (isSyncDue()) {
                    syncFile();
                }
                if (isDone()) {
                    writing.close();
                    return;
                }
            } catch (IOException | RuntimeException e) {
                failed(e);
                if (!pause()) {
                    return;
                }
            }
        }
    }

    /** Waits for something to do; returns the first batch, which takes no more records, or null. */
    private @Nullable Batch await() throws IOException {
        synchronized (monitor) {
            while (true) {
                if (isBroken && isClosing) {
                    throw new IOException("a sync had failed");
                }
                Batch first = isBroken ? null : batches.peekFirst();
                if (first != null) {
                    filling = first == filling ? null : filling;
                    return first;
                }
                if (isClosing || isSyncDue()) {
                    return null;
                }
                waitMillis(millisToSync());
            }
        }
    }

    private long millisToSync() {
        return written > durable && policy.get().equals(EVERY_SECOND)
                ? Math.max(1, TimeUnit.NANOSECONDS.toMillis(SECOND - unsyncedNanos()))
                : TimeUnit.SECONDS.toMillis(1);
    }

    private void write(Batch batch) throws IOException {
        if (batch.file != writing) {
            syncFile();
            writing.close();
            writing = batch.file;
        }
        ByteBuffer rest = batch.bytes.nioBuffer();
        int length = rest.remaining();
        try {
            writing.write(rest);
        } finally {
            int done = length - rest.remaining();
            batch.bytes.skipBytes(done);
            synchronized (monitor) {
                waitingBytes -= done;
            }
        }
        synchronized (monitor) {
            if (batches.peekFirst() == batch) {
                batches.removeFirst();
            }
            if (written == durable) {
                unsyncedSinceNanos = batch.startNanos;
            }
            written = Math.max(written, batch.last);
            if (batch.bytes.capacity() <= SPARE_BYTES) {
                spare = batch.bytes.clear();
            }
        }
        recovered();
        complete(false);
    }

    private boolean isSyncDue() {
        synchronized (monitor) {
            return !isBroken
                    && written > durable
                    && (isClosing
                            || syncsAsked > 0
                            || policy.get().equals(ALWAYS)
                            || policy.get().equals(EVERY_SECOND) && unsyncedNanos() >= SECOND);
        }
    }

    private void syncFile() throws IOException {
        long number;
        synchronized (monitor) {
            number = written;
        }
        try {
            writing.sync();
        } catch (IOException e) {
            isBroken = true;
            throw e;
        }
        synced(number);
    }

    private void synced(long number) {
        synchronized (monitor) {
            durable = Math.max(durable, number);
        }
        complete(false);
    }

    private boolean isDone() {
        synchronized (monitor) {
            return isClosing && batches.isEmpty() && written == durable;
        }
    }

    private void failed(Exception e) {
        boolean isNew = problem == null;
        problem = "MISCONF Errors writing to the AOF file: " + e.getMessage();
        if (isNew) {
            complaints.accept("the log cannot be written, changes are refused: " + e.getMessage());
        }
        complete(true);
    }

    private void recovered() {
        if (problem != null) {
            problem = null;
            complaints.accept("the log can be written again, changes are accepted");
        }
    }

    /** Waits before the next attempt; false if there is none, as the log is being closed. */
    private boolean pause() {
        synchronized (monitor) {
            if (isClosing) {
                complaints.accept(
                        "the end of the log could not be written: the last " + (taken - durable) + " records are lost");
                closeQuietly(writing);
                return false;
            }
            waitMillis(RETRY_MILLIS);
            return true;
        }
    }

    /** Waits for this long, or until something has changed, or for less: the caller looks again. */
    @SuppressWarnings("WaitNotInLoop")
    private void waitMillis(long millis) {
        try {
            monitor.wait(millis);
        } catch (InterruptedException e) {
            // Nobody interrupts this thread to stop it: close() does.
            assert !isClosing;
        }
    }

    private static void closeQuietly(Disk.Output output) {
        try {
            output.close();
        } catch (IOException e) {
            // What it had is not needed any more.
            assert e != null;
        }
    }

    /** Writes and syncs what is left, and stops. */
    void close() {
        synchronized (monitor) {
            isClosing = true;
            monitor.notifyAll();
        }
        boolean isInterrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
