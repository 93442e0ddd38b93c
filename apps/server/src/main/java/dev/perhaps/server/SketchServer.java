package dev.perhaps.server;

import dev.perhaps.server.command.Database;
import dev.perhaps.server.command.Users;
import dev.perhaps.server.durable.DataDirectory;
import dev.perhaps.server.keyspace.Keyspace;
import dev.perhaps.server.net.Listener;
import dev.perhaps.server.operation.ServerSettings;
import dev.perhaps.web.OutOfMemoryGuard;
import dev.perhaps.web.ReloadingTls;
import dev.perhaps.web.metrics.Metrics;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A server that keeps filters and sketches by name and speaks the protocol of Redis, so that Redis clients can use it
 * unchanged.
 *
 * <pre>{@code
 * try (SketchServer server = SketchServer.at(new InetSocketAddress("127.0.0.1", 0)).open()) {
 *     InetSocketAddress address = server.address();
 * }
 * }</pre>
 *
 * Thread-safe.
 */
public final class SketchServer implements AutoCloseable {
    /** The memory for requests that have not run yet, of all clients together, by default, in bytes. */
    public static final long DEFAULT_INPUT_BYTES = 128 << 20;

    /** The memory for replies that were not sent yet, of all clients together, by default, in bytes. */
    public static final long DEFAULT_OUTPUT_BYTES = 128 << 20;

    /** The default limit of clients at once. */
    public static final int DEFAULT_CLIENTS = 10_000;

    /** When changes are synced to the disk by default. */
    public static final String DEFAULT_FSYNC = "everysec";

    /** The folder in the data directory for files of other programs. */
    private static final String FILES = "files";

    private static final int TICK_MILLIS = 100;
    private static final int IDLE_MILLIS = 1_000;
    private static final int STOP_SECONDS = 10;
    private static final int MIN_BUFFER_BYTES = 1 << 20;

    /** How a server is to be opened; each method returns a new plan. */
    public static final class Plan {
        private final InetSocketAddress address;
        private @Nullable String password;
        private long maxMemoryBytes;
        private long maxKeyBytes;
        private long inputBytes = DEFAULT_INPUT_BYTES;
        private long outputBytes = DEFAULT_OUTPUT_BYTES;
        private int maxClients = DEFAULT_CLIENTS;
        private int idleSeconds;
        private int threads = Runtime.getRuntime().availableProcessors();
        private @Nullable ReloadingTls tls;
        private @Nullable Path directory;
        private String fsync = DEFAULT_FSYNC;
        private Consumer<String> complaints = line -> {};
        private Consumer<String> notices = line -> {};

        private Plan(InetSocketAddress address) {
            this.address = address;
        }

        private Plan(Plan other) {
            address = other.address;
            password = other.password;
            maxMemoryBytes = other.maxMemoryBytes;
            maxKeyBytes = other.maxKeyBytes;
            inputBytes = other.inputBytes;
            outputBytes = other.outputBytes;
            maxClients = other.maxClients;
            idleSeconds = other.idleSeconds;
            threads = other.threads;
            tls = other.tls;
            directory = other.directory;
            fsync = other.fsync;
            complaints = other.complaints;
            notices = other.notices;
        }

        private Plan with(Consumer<Plan> change) {
            Plan changed = new Plan(this);
            change.accept(changed);
            return changed;
        }

        /** Returns this plan with a password that clients must give. */
        public Plan password(String secret) {
            return with(plan -> plan.password = secret);
        }

        /**
         * Returns this plan with at most this much memory for all keys (default, and never more: what Java has beside requests and
         * snapshots).
         */
        public Plan memoryBytes(long bytes) {
            return with(plan -> plan.maxMemoryBytes = bytes);
        }

        /** Returns this plan with at most this much memory per key (default: that of all keys). */
        public Plan keyBytes(long bytes) {
            return with(plan -> plan.maxKeyBytes = bytes);
        }

        /**
         * Returns this plan with at most this much memory for requests that have not run yet, of all clients together; a client
         * that would take more is closed.
         */
        public Plan inputBytes(long bytes) {
            if (bytes < MIN_BUFFER_BYTES) {
                throw new IllegalArgumentException(
                        "requests need at least " + MIN_BUFFER_BYTES + " bytes of memory, got " + bytes);
            }
            return with(plan -> plan.inputBytes = bytes);
        }

        /**
         * Returns this plan with at most this much memory for replies that were not sent yet, of all clients together, and never more
         * than a third of Java's direct memory; a command whose reply would take more gets an error.
         */
        public Plan outputBytes(long bytes) {
            if (bytes < MIN_BUFFER_BYTES) {
                throw new IllegalArgumentException(
                        "replies need at least " + MIN_BUFFER_BYTES + " bytes of memory, got " + bytes);
            }
            return with(plan -> plan.outputBytes = bytes);
        }

        /** Returns this plan with at most this many clients at once. */
        public Plan clients(int most) {
            return with(plan -> plan.maxClients = most);
        }

        /** Returns this plan with connections that are closed when no request came for this long; 0: never. */
        public Plan idleSeconds(int seconds) {
            return with(plan -> plan.idleSeconds = seconds);
        }

        /** Returns this plan with this many threads that run commands (default: one per processor). */
        public Plan threads(int number) {
            return with(plan -> plan.threads = number);
        }

        /** Returns this plan with TLS for all clients; it is closed with the server. */
        public Plan tls(ReloadingTls files) {
            return with(plan -> plan.tls = files);
        }

        /** Returns this plan with a directory that keeps the keys over a restart (default: in memory only). */
        public Plan directory(Path folder) {
            return with(plan -> plan.directory = folder);
        }

        /** Returns this plan with this word for when changes are synced to the disk: always, everysec or no. */
        public Plan fsync(String word) {
            if (!ServerSettings.FSYNC_WORDS.contains(word)) {
                throw new IllegalArgumentException("changes are synced always, everysec or no, got '" + word + "'");
            }
            return with(plan -> plan.fsync = word);
        }

        /**
         * Returns this plan with a receiver of messages about problems, one line each: with the disk, errors of this program, wrong
         * passwords and clients that were refused (at most 20 of the latter two in 10 s).
         */
        public Plan complaints(Consumer<String> listener) {
            return with(plan -> plan.complaints = listener);
        }

        /** Returns this plan with a receiver of messages about what goes well, one line each: start, snapshots, end. */
        public Plan notices(Consumer<String> listener) {
            return with(plan -> plan.notices = listener);
        }

        /**
         * Reads the directory, listens, and returns the server.
         *
         * @throws IllegalArgumentException if it would listen beyond this machine without a password
         * @throws IOException if the directory is in use, was written by a newer version or is damaged; nothing in it was changed
         */
        public SketchServer open() throws IOException {
            return open(System::currentTimeMillis, new SecureRandom().nextLong());
        }

        /** {@link #open()} with a clock, in milliseconds since 1970, and a seed for structures whose bytes are ours. */
        SketchServer open(LongSupplier clock, long seed) throws IOException {
            if (password == null && !address.getAddress().isLoopbackAddress()) {
                throw new IllegalArgumentException("without a password it listens on this machine only, got "
                        + address.getAddress().getHostAddress() + ": set a password, or listen on 127.0.0.1");
            }
            return new SketchServer(this, clock, seed);
        }
    }

    private final Database database;
    private final Listener listener;
    private final @Nullable ReloadingTls tls;
    private final @Nullable DataDirectory directory;
    private final Consumer<String> complaints;
    private final Consumer<String> notices;
    private final Metrics metrics = new Metrics();
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(OutOfMemoryGuard.threads("server-timer"));
    private final CountDownLatch stopAsked = new CountDownLatch(1);
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private SketchServer(Plan plan, LongSupplier clock, long seed) throws IOException {
        ServerSettings settings = new ServerSettings();
        settings.keysBeside(plan.inputBytes + (plan.directory == null ? 0 : directoryBytes()));
        settings.set("maxmemory", Math.min(plan.maxMemoryBytes, settings.maxMemory.mostBytes()));
        settings.set("max-key-memory", plan.maxKeyBytes);
        settings.set("maxclients", plan.maxClients);
        settings.set("timeout", plan.idleSeconds);
        settings.show("appendonly", plan.directory == null ? "no" : "yes");
        settings.show("dir", plan.directory == null ? "" : plan.directory.toString());
        if (plan.directory == null) {
            settings.show(ServerSettings.FSYNC, "no");
        } else {
            settings.addDurable(plan.fsync);
        }
        SecureRandom random = new SecureRandom();
        Keyspace keyspace = new Keyspace(random.nextLong());
        Users users = new Users();
        tls = plan.tls;
        complaints = plan.complaints;
        notices = plan.notices;
        long startNanos = System.nanoTime();
        directory =
                plan.directory == null ? null : DataDirectory.open(plan.directory, keyspace, users, plan.complaints);
        if (plan.password != null) {
            users.requirePassword(plan.password);
        }
        database = new Database(keyspace, settings, users, clock, directory == null ? seed : directory.seed());
        database.shutdown(stopAsked::countDown);
        database.complaints(plan.complaints);
        if (plan.directory != null) {
            database.files(plan.directory.resolve(FILES));
        }
        boolean isOpen = false;
        try {
            if (directory != null) {
                directory.notices(notices);
                directory.start(database);
            }
            listener = Listener.open(plan.address, database, plan.threads, plan.inputBytes, plan.outputBytes, tls);
            isOpen = true;
        } finally {
            if (!isOpen && directory != null) {
                directory.close();
            }
        }
        count();
        if (directory != null) {
            count(directory);
        }
        every(TICK_MILLIS, "the removal of expired keys", database::expire);
        every(IDLE_MILLIS, "the search for idle clients", listener::closeIdle);
        every(IDLE_MILLIS, "the log", database::flushStrangers);
        if (directory != null) {
            every(TICK_MILLIS, "the start of a snapshot", directory::saveIfDue);
        }
        notices.accept("started: " + keyspace.size() + " keys were read in "
                + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos) + " ms");
    }

    /** Runs a task now and then, also after it has failed: a task that throws out of the timer would never run again. */
    private void every(int millis, String what, Runnable task) {
        Runnable again = () -> {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                OutOfMemoryGuard.check(e);
                database.failed(what, e);
            }
        };
        var unused = timer.scheduleWithFixedDelay(again, millis, millis, TimeUnit.MILLISECONDS);
    }

    private void count() {
        metrics.gauge("perhaps_server_clients", "Clients that are connected.", database::clients);
        metrics.gauge("perhaps_server_keys", "Keys.", () -> database.keyspace().size());
        metrics.gauge(
                "perhaps_server_key_bytes",
                "Memory of all keys.",
                () -> database.keyspace().usedBytes());
        metrics.gauge(
                "perhaps_server_key_bytes_limit", "The most memory that all keys may take.", database::maxKeysBytes);
        metrics.gauge(
                "perhaps_server_writable",
                "1 while changes are accepted; 0 while the disk refuses them (MISCONF).",
                () -> database.problem() == null ? 1 : 0);
        metrics.gauge(
                "perhaps_server_input_bytes",
                "Memory of requests that have not run yet, beyond the first 4 KiB of each client.",
                listener::inputBytes);
        metrics.gauge(
                "perhaps_server_output_bytes",
                "Memory of replies that were not sent yet, beyond the first 8 KiB of each client.",
                listener::outputBytes);
        metrics.counter(
                "perhaps_server_commands_total",
                "Commands run.",
                () -> database.statistics().commands());
        metrics.counter(
                "perhaps_server_errors_total",
                "Commands refused.",
                () -> database.statistics().errors());
        metrics.counter(
                "perhaps_server_changes_total",
                "Commands that changed a key.",
                () -> database.statistics().changes());
        metrics.counter(
                "perhaps_server_expired_total",
                "Keys that expired.",
                () -> database.statistics().expirations());
        metrics.counter(
                "perhaps_server_connections_total",
                "Connections taken.",
                () -> database.statistics().connections());
        metrics.counter(
                "perhaps_server_refused_total",
                "Connections refused.",
                () -> database.statistics().refusals());
        metrics.counter(
                "perhaps_server_wrong_passwords_total",
                "Wrong users or passwords given by clients.",
                () -> database.statistics().wrongPasswords());
        metrics.counter(
                "perhaps_server_slow_commands_total",
                "Commands that took longer than slowlog-log-slower-than.",
                () -> database.statistics().slowCommands());
        for (String family : database.families()) {
            metrics.counter(
                    "perhaps_server_family_commands_total",
                    "Commands run, by family.",
                    () -> database.commandsOf(family),
                    Metrics.label("family", family));
        }
    }

    private void count(DataDirectory kept) {
        metrics.gauge(
                "perhaps_server_snapshot_timestamp_seconds",
                "When the newest snapshot was complete.",
                () -> kept.lastSaveMillis() / 1_000.0);
        metrics.gauge(
                "perhaps_server_snapshot_duration_seconds",
                "How long the last snapshot took; -1 before the first one since the start.",
                () -> kept.lastSaveTookMillis() < 0 ? -1 : kept.lastSaveTookMillis() / 1_000.0);
        metrics.gauge(
                "perhaps_server_snapshot_ok",
                "0 if the last attempt at a snapshot failed, otherwise 1.",
                () -> kept.hasSaveFailed() ? 0 : 1);
        metrics.gauge(
                "perhaps_server_snapshot_running",
                "1 while a snapshot is written, otherwise 0.",
                () -> kept.isSaving() ? 1 : 0);
        metrics.gauge("perhaps_server_snapshot_bytes", "Length of the newest snapshot.", kept::snapshotBytes);
        metrics.gauge("perhaps_server_log_bytes", "Length of the log since the newest snapshot.", kept::logBytes);
    }

    /** Starts a plan for a server that listens here; port 0 takes a free one. */
    public static Plan at(InetSocketAddress address) {
        return new Plan(address);
    }

    /**
     * Returns the additional memory, in bytes, that a data directory may take: copies, and changes that are not written
     * yet.
     */
    public static long directoryBytes() {
        return DataDirectory.bufferBytes();
    }

    /** Returns the address for clients. */
    public InetSocketAddress address() {
        return listener.address();
    }

    /** Returns the metrics of the server. */
    public Metrics metrics() {
        return metrics;
    }

    /** Returns true while it accepts clients. */
    public boolean isOpen() {
        return listener.isOpen();
    }

    /** Returns true while it accepts clients and changes: not where its disk refuses them. */
    public boolean isReady() {
        return isOpen() && database.problem() == null;
    }

    /** Ends {@link #awaitShutdown}, as {@code SHUTDOWN} of a client does. */
    public void requestShutdown() {
        stopAsked.countDown();
    }

    /** Waits until a client sends {@code SHUTDOWN}, or {@link #requestShutdown} is called. */
    public void awaitShutdown() throws InterruptedException {
        stopAsked.await();
    }

    /** Closes all connections and stops; what has changed is on the disk, if there is a directory. */
    @Override
    public void close() {
        if (isClosed.getAndSet(true)) {
            return;
        }
        notices.accept("stopping: clients are closed, and what has changed is written");
        listener.close();
        timer.shutdownNow();
        boolean isInterrupted = false;
        try {
            if (!timer.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
                complaints.accept("the timer does not stop");
            }
            if (directory != null) {
                directory.close();
            }
        } catch (InterruptedException e) {
            isInterrupted = true;
        } catch (IOException e) {
            complaints.accept("the data directory cannot be closed: " + e.getMessage());
        }
        if (tls != null) {
            tls.close();
        }
        notices.accept("stopped");
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
