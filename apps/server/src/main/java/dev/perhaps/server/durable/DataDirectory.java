package dev.perhaps.server.durable;

import dev.perhaps.server.command.Change;
import dev.perhaps.server.command.ClientSession;
import dev.perhaps.server.command.Database;
import dev.perhaps.server.command.Durability;
import dev.perhaps.server.command.Users;
import dev.perhaps.server.keyspace.Keyspace;
import dev.perhaps.server.keyspace.ValueType;
import dev.perhaps.server.operation.ServerSettings;
import dev.perhaps.server.wire.ReplyWriter;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.web.OutOfMemoryGuard;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The data directory of a server: opening it reads the keys, and changes are written to it. Thread-safe. */
public final class DataDirectory implements Durability, AutoCloseable {
    /*
     *     lock              held by the process that uses the directory
     *     identity, users   StateFiles
     *     log-N             the commands that changed something: LogFiles, Records
     *     snapshot-N        all keys before log-N: Snapshots
     *     *.unfinished      left by a crash; deleted
     *
     * Opening changes nothing until everything was read. A new process always begins a new log file: an old one, with what a
     * crash left at its end, is never written again.
     *
     * A snapshot N:
     *   1. log-N is made, and is on the disk;
     *   2. with all locks held, records go to log-N from now on, and the snapshot begins (SnapshotTask);
     *   3. snapshot-N.unfinished is written, synced and renamed, and the names are synced;
     *   4. what is older than N is deleted.
     * A crash before the end of 3 leaves the snapshot before it and all log files since.
     */
    private static final long MAX_VALUE_BYTES = Runtime.getRuntime().maxMemory() / 4 * 3;
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int MAX_DOUBLINGS = 6;
    private static final int MAX_ATTEMPTS = 10;
    private static final int MANY_LOG_FILES = 100;
    private static final ClientSession.Connection NOBODY = new ClientSession.Connection() {
        @Override
        public void closeAfterReplies() {}

        @Override
        public void kill() {}

        @Override
        public void send(String line) {}
    };

    /** What was read: the last record, the number of the snapshot (0: none), the highest one of a file, and sizes. */
    private record Found(
            long lastRecord,
            long snapshotNumber,
            long lastNumber,
            long snapshotBytes,
            long logBytes,
            long snapshotMillis) {}

    private final Disk disk;
    private final StateFiles.Identity identity;
    private final Keyspace keyspace;
    private final Consumer<String> complaints;
    private volatile Consumer<String> notices = line -> {};
    private final ExecutorService saver =
            Executors.newSingleThreadExecutor(OutOfMemoryGuard.threads("server-snapshot"));
    private final AtomicInteger saves = new AtomicInteger();
    private volatile boolean isClosing;
    private volatile @Nullable SnapshotTask running;
    private long lastRecord;
    private volatile long lastNumber;
    private volatile long snapshotNumber;
    private volatile int failedSaves;

    /** Why the keys in memory are not those of the disk, or null. */
    private volatile @Nullable String unusable;

    private volatile long snapshotBytes;
    private final AtomicLong oldLogBytes = new AtomicLong();
    private volatile long lastSaveMillis;
    private volatile long lastSaveTookMillis = -1;
    private volatile long saveStartMillis;
    private volatile long changesAtSave;
    private volatile boolean hasSaveFailed;
    private volatile long nextTryNanos = System.nanoTime();
    private @Nullable Database database;
    private @Nullable CommandLog log;

    private DataDirectory(Disk disk, StateFiles.Identity identity, Keyspace keyspace, Consumer<String> complaints) {
        this.disk = disk;
        this.identity = identity;
        this.keyspace = keyspace;
        this.complaints = complaints;
        this.lastSaveMillis = System.currentTimeMillis();
    }

    /**
     * Opens a directory, makes it if it is not there, and reads its keys into this keyspace.
     *
     * @throws IOException if it is in use, was written by a newer version, or is damaged; nothing in it has been changed
     */
    public static DataDirectory open(Path directory, Keyspace keyspace, Users users, Consumer<String> complaints)
            throws IOException {
        DirectoryDisk disk = null;
        boolean isDone = false;
        try {
            disk = DirectoryDisk.open(directory);
            DataDirectory opened = open(disk, keyspace, users, complaints);
            isDone = true;
            return opened;
        } catch (FormatException e) {
            throw new FormatException("the data directory " + directory + " cannot be used: " + e.getMessage());
        } finally {
            if (!isDone && disk != null) {
                disk.close();
            }
        }
    }

    static DataDirectory open(Disk disk, Keyspace keyspace, Users users, Consumer<String> complaints)
            throws IOException {
        DataDirectory opened = new DataDirectory(disk, StateFiles.identity(disk), keyspace, complaints);
        opened.loadUsers(users);
        Found found = opened.recover();
        opened.lastRecord = found.lastRecord;
        opened.snapshotNumber = found.snapshotNumber;
        opened.lastNumber = found.lastNumber;
        opened.snapshotBytes = found.snapshotBytes;
        opened.oldLogBytes.set(found.logBytes);
        opened.lastSaveMillis = found.snapshotMillis;
        return opened;
    }

    /** Returns the memory that copies for a snapshot and changes that are not written yet may take, in bytes. */
    public static long bufferBytes() {
        return SnapshotTask.MAX_COPY_BYTES + CommandLog.MAX_WAITING_BYTES;
    }

    /** Tells this of every snapshot that was written. */
    public void notices(Consumer<String> listener) {
        notices = listener;
    }

    /** Returns when the newest snapshot was complete, in milliseconds since 1970; when it was opened, if there is none. */
    public long lastSaveMillis() {
        return lastSaveMillis;
    }

    /** Returns how long the last snapshot took, in milliseconds; negative before the first one. */
    public long lastSaveTookMillis() {
        return lastSaveTookMillis;
    }

    /** Returns true if the last attempt at a snapshot failed. */
    public boolean hasSaveFailed() {
        return hasSaveFailed;
    }

    /** Returns the length of the newest snapshot, in bytes. */
    public long snapshotBytes() {
        return snapshotBytes;
    }

    /** Returns the seed of structures whose bytes are ours. */
    public long seed() {
        return identity.seed();
    }

    private void loadUsers(Users users) throws IOException {
        List<String> lines = StateFiles.users(disk);
        try {
            users.load(lines == null ? List.of() : lines);
        } catch (IllegalArgumentException e) {
            throw new FormatException("users is damaged: " + e.getMessage());
        }
    }

    /** Keeps the changes of this database from now on. */
    public void start(Database owner) throws IOException {
        database = owner;
        // The process before may have been killed: what was read is in the memory of the system, and perhaps not on the
        // disk.
        // It must be there before the first record that comes after it.
        for (long read : LogFiles.numbers(disk, LogFiles.LOG)) {
            if (read >= snapshotNumber) {
                disk.sync(LogFiles.name(LogFiles.LOG, read));
            }
        }
        long number = lastNumber + 1;
        Disk.Output first = LogFiles.create(disk, number, identity.id());
        lastNumber = number;
        deleteOld();
        deleteUnfinished();
        log = new CommandLog(first, lastRecord, () -> owner.settings().text(ServerSettings.FSYNC), complaints);
        owner.durability(this);
    }

    // Reading

    /** Puts keys and changes into the keyspace; nothing on the disk is changed. */
    private Found recover() throws IOException {
        Database replaying = new Database(keyspace, new ServerSettings(), new Users(), () -> 0, identity.seed());
        replaying.complaints(complaints);
        ClientSession session = new ClientSession(0, "", "", 0, NOBODY, new ReplyWriter(Unpooled.buffer()));
        return read(this::load, record -> replaying.replay(session, record.millis(), record.changes()));
    }

    private void load(byte[] name, ValueType type, long expires, InputStream content, long length) throws IOException {
        long free = MAX_VALUE_BYTES - keyspace.usedBytes();
        if (length > free) {
            throw new FormatException("its keys do not fit into Java's memory of "
                    + (Runtime.getRuntime().maxMemory() >> 20) + " MB: give it more with PERHAPS_JAVA_OPTIONS=-Xmx…");
        }
        keyspace.put(keyspace.key(name), type.read(content, free)).expiresAtMillis(expires);
    }

    private Found read(Snapshots.Target keys, LogFiles.Target records) throws IOException {
        List<Long> snapshots = LogFiles.numbers(disk, LogFiles.SNAPSHOT);
        List<Long> logs = LogFiles.numbers(disk, LogFiles.LOG);
        long newest = snapshots.isEmpty() ? 0 : snapshots.get(snapshots.size() - 1);
        long at = 0;
        long snapshotMillis = System.currentTimeMillis();
        long snapshotLength = 0;
        if (newest > 0) {
            String name = LogFiles.name(LogFiles.SNAPSHOT, newest);
            Snapshots.Header header = Snapshots.read(disk, name, identity.id(), keys);
            if (header.logNumber() != newest) {
                throw new FormatException(name + " was renamed: it is another snapshot");
            }
            if (!logs.contains(newest)) {
                throw new FormatException(LogFiles.name(LogFiles.LOG, newest)
                        + " is missing, which was there when the snapshot was written: restore the directory from a"
                        + " backup");
            }
            at = header.lastRecord();
            snapshotMillis = header.millis();
            snapshotLength = disk.length(name);
        }
        long bytes = 0;
        long highest = newest;
        for (long number : logs) {
            if (number >= newest) {
                at = LogFiles.read(disk, number, identity.id(), at, records);
                bytes += disk.length(LogFiles.name(LogFiles.LOG, number));
            }
            highest = Math.max(highest, number);
        }
        return new Found(at, newest, highest, snapshotLength, bytes, snapshotMillis);
    }

    /** Deletes what the newest snapshot has. */
    private void deleteOld() throws IOException {
        List<Long> snapshots = LogFiles.numbers(disk, LogFiles.SNAPSHOT);
        long newest = snapshots.isEmpty() ? 0 : snapshots.get(snapshots.size() - 1);
        for (long number : snapshots) {
            if (number < newest) {
                disk.delete(LogFiles.name(LogFiles.SNAPSHOT, number));
            }
        }
        for (long number : LogFiles.numbers(disk, LogFiles.LOG)) {
            if (number < newest) {
                disk.delete(LogFiles.name(LogFiles.LOG, number));
            }
        }
    }

    /** Deletes what a crash left behind; later such a file may be one that is being written. */
    private void deleteUnfinished() throws IOException {
        for (String name : disk.names()) {
            if (name.endsWith(StateFiles.UNFINISHED)) {
                disk.delete(name);
            }
        }
    }

    // What a database needs

    private CommandLog log() {
        if (log == null) {
            throw new IllegalStateException("the data directory has no database yet");
        }
        return log;
    }

    private Database database() {
        if (database == null) {
            throw new IllegalStateException("the data directory has no database yet");
        }
        return database;
    }

    @Override
    public @Nullable String problem() {
        return unusable == null ? log().problem() : unusable;
    }

    @Override
    public long append(long nowMillis, List<Change> changes) {
        return log().append(nowMillis, changes);
    }

    @Override
    public @Nullable CompletableFuture<Void> beforeReply(long number) {
        return log().beforeReply(number);
    }

    @Override
    public boolean isDurable(long number) {
        return log().isDurable(number);
    }

    @Override
    public CompletableFuture<Void> sync() {
        return log().sync();
    }

    @Override
    public long lastSaveSeconds() {
        return lastSaveMillis / 1_000;
    }

    @Override
    public synchronized void keepUsers(List<String> lines) {
        try {
            StateFiles.write(disk, StateFiles.USERS, lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    // Snapshots

    @Override
    public boolean isSaving() {
        return saves.get() > 0;
    }

    @Override
    public CompletableFuture<Void> save() {
        return inBackground("no snapshot was written: ", this::writeSnapshot);
    }

    @Override
    public CompletableFuture<Void> reload() {
        return inBackground("the keys were not read again: ", () -> {
            writeSnapshot();
            readAgain();
        });
    }

    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    private CompletableFuture<Void> inBackground(String complaint, Work work) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        saves.incrementAndGet();
        saver.execute(() -> {
            saveStartMillis = System.currentTimeMillis();
            Throwable problem = null;
            try {
                work.run();
                lastSaveMillis = System.currentTimeMillis();
                lastSaveTookMillis = lastSaveMillis - saveStartMillis;
                failedSaves = 0;
                notices.accept("a snapshot of " + keyspace.size() + " keys was written in " + lastSaveTookMillis
                        + " ms: " + snapshotBytes + " bytes");
            } catch (IOException | InterruptedException | RuntimeException e) {
                problem = e;
                complaints.accept(complaint + e.getMessage());
                int failures = failedSaves;
                failedSaves = failures + 1;
                nextTryNanos = System.nanoTime() + (RETRY_NANOS << Math.min(failures, MAX_DOUBLINGS));
            } catch (Throwable e) {
                OutOfMemoryGuard.check(e);
                problem = e;
            }
            hasSaveFailed = problem != null;
            saves.decrementAndGet();
            if (problem == null) {
                done.complete(null);
            } else {
                done.completeExceptionally(problem);
            }
        });
        return done;
    }

    /** Writes a snapshot if the log has grown enough since the last one, or cannot be trusted; called now and then. */
    public void saveIfDue() {
        if (isSaving() || System.nanoTime() - nextTryNanos < 0) {
            return;
        }
        ServerSettings settings = database().settings();
        long percentage = settings.get(ServerSettings.REWRITE_PERCENTAGE);
        long bytes = logBytes();
        boolean hasGrown = percentage > 0
                && bytes >= settings.get(ServerSettings.REWRITE_MIN_SIZE)
                && bytes >= snapshotBytes / 100.0 * percentage;
        // Every start and every attempt at a snapshot begins a log file.
        boolean hasManyFiles = lastNumber - snapshotNumber >= MANY_LOG_FILES;
        if (hasGrown || hasManyFiles || log().isBroken()) {
            var unused = save();
        }
    }

    /** Returns the length of the log since the newest snapshot, in bytes. */
    public long logBytes() {
        return oldLogBytes.get() + log().takenBytes();
    }

    private void writeSnapshot() throws IOException, InterruptedException {
        for (int i = 0; i < MAX_ATTEMPTS; i++) {
            if (tryWriteSnapshot()) {
                return;
            }
            // All keys were removed meanwhile: there is not much to write now.
        }
        throw new IOException("all keys were removed again and again while it was written");
    }

    /** Writes a snapshot; false if all keys were removed meanwhile. */
    private boolean tryWriteSnapshot() throws IOException, InterruptedException {
        if (unusable != null) {
            throw new IOException(unusable);
        }
        long number = lastNumber + 1;
        Disk.Output next = LogFiles.create(disk, number, identity.id());
        lastNumber = number;
        SnapshotTask task = new SnapshotTask(keyspace);
        running = task;
        if (isClosing) {
            next.close();
            throw new IOException("the server stops");
        }
        long before;
        long bytes;
        long changes;
        try (Keyspace.Locks all = keyspace.lockAll(true)) {
            keyspace.beginSnapshot(task);
            before = log().rotate(next);
            bytes = logBytes();
            changes = database().statistics().changes();
            log().append(System.currentTimeMillis(), database().settingsAsChanges());
        }
        String name = LogFiles.name(LogFiles.SNAPSHOT, number);
        long length;
        boolean isDone = false;
        try (Snapshots.Writer writer = new Snapshots.Writer(
                disk.create(name + StateFiles.UNFINISHED),
                new Snapshots.Header(identity.id(), number, before, System.currentTimeMillis()))) {
            if (!task.write(writer)) {
                return false;
            }
            length = writer.finish();
            isDone = true;
        } finally {
            task.end();
            keyspace.endSnapshot();
            if (!isDone) {
                disk.delete(name + StateFiles.UNFINISHED);
            }
        }
        disk.rename(name + StateFiles.UNFINISHED, name);
        disk.syncNames();
        log().repaired(before);
        snapshotNumber = number;
        snapshotBytes = length;
        oldLogBytes.addAndGet(-bytes);
        changesAtSave = changes;
        deleteOld();
        return true;
    }

    /** Reads all keys again. If that fails halfway, nothing may be written any more: the keys are on the disk only. */
    private void readAgain() throws IOException, InterruptedException {
        try (Keyspace.Locks all = keyspace.lockAll(true)) {
            log().sync().join();
            // First without effect: if something cannot be read, the keys stay as they are.
            read((name, type, expires, content, length) -> content.skipNBytes(length), record -> {});
            boolean isDone = false;
            try {
                keyspace.clear();
                recover();
                isDone = true;
            } finally {
                if (!isDone) {
                    unusable = "MISCONF The keys were not read again completely: restart the server";
                }
            }
        }
    }

    // INFO

    @Override
    public void describe(BiConsumer<String, Object> line) {
        boolean isSaving = isSaving();
        long now = System.currentTimeMillis();
        line.accept("rdb_changes_since_last_save", database().statistics().changes() - changesAtSave);
        line.accept("rdb_bgsave_in_progress", isSaving ? 1 : 0);
        line.accept("rdb_last_save_time", lastSaveSeconds());
        line.accept("rdb_last_bgsave_status", hasSaveFailed ? "err" : "ok");
        line.accept("rdb_last_bgsave_time_sec", lastSaveTookMillis < 0 ? -1 : lastSaveTookMillis / 1_000);
        line.accept("rdb_current_bgsave_time_sec", isSaving ? Math.max(0, now - saveStartMillis) / 1_000 : -1);
        line.accept("aof_enabled", 1);
        line.accept("aof_rewrite_in_progress", isSaving ? 1 : 0);
        line.accept("aof_rewrite_scheduled", saves.get() > 1 ? 1 : 0);
        line.accept("aof_last_bgrewrite_status", hasSaveFailed ? "err" : "ok");
        line.accept("aof_last_write_status", log().problem() == null ? "ok" : "err");
        line.accept("aof_current_size", logBytes());
        line.accept("aof_base_size", snapshotBytes);
        line.accept("aof_buffer_length", log().waitingBytes());
    }

    // The end

    /** Writes what is left of the log, and lets others use the directory. */
    @Override
    public void close() throws IOException {
        isClosing = true;
        SnapshotTask task = running;
        if (task != null) {
            task.cancel();
        }
        saver.shutdown();
        boolean isInterrupted = false;
        while (true) {
            try {
                if (saver.awaitTermination(1, TimeUnit.MINUTES)) {
                    break;
                }
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (log != null) {
            log.close();
        }
        disk.close();
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
