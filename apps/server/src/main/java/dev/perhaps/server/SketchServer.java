package dev.perhaps.server;

import dev.perhaps.server.command.Database;
import dev.perhaps.server.command.ServerSettings;
import dev.perhaps.server.command.Users;
import dev.perhaps.server.keyspace.Keyspace;
import dev.perhaps.server.net.Listener;
import dev.perhaps.web.OutOfMemoryGuard;
import dev.perhaps.web.ReloadingTls;
import dev.perhaps.web.metrics.Metrics;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A server that keeps filters and sketches by name and speaks the protocol of Redis, so that clients of Redis use it as it is.
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

    /** The most clients at once by default. */
    public static final int DEFAULT_CLIENTS = 10_000;

    private static final int EXPIRE_MILLIS = 100;
    private static final int MIN_INPUT_BYTES = 1 << 20;

    /** How a server is to be opened; each method returns a new plan. */
    public static final class Plan {
        private final InetSocketAddress address;
        private final @Nullable String password;
        private final long maxMemoryBytes;
        private final long maxKeyBytes;
        private final long inputBytes;
        private final int maxClients;
        private final int idleSeconds;
        private final int threads;
        private final @Nullable ReloadingTls tls;

        private Plan(
                InetSocketAddress address,
                @Nullable String password,
                long maxMemoryBytes,
                long maxKeyBytes,
                long inputBytes,
                int maxClients,
                int idleSeconds,
                int threads,
                @Nullable ReloadingTls tls) {
            this.address = address;
            this.password = password;
            this.maxMemoryBytes = maxMemoryBytes;
            this.maxKeyBytes = maxKeyBytes;
            this.inputBytes = inputBytes;
            this.maxClients = maxClients;
            this.idleSeconds = idleSeconds;
            this.threads = threads;
            this.tls = tls;
        }

        /** Returns this plan with a password that clients must give. */
        public Plan password(String secret) {
            return new Plan(
                    address, secret, maxMemoryBytes, maxKeyBytes, inputBytes, maxClients, idleSeconds, threads, tls);
        }

        /** Returns this plan with at most this much memory for all keys (default: three quarters of Java's). */
        public Plan memoryBytes(long bytes) {
            return new Plan(address, password, bytes, maxKeyBytes, inputBytes, maxClients, idleSeconds, threads, tls);
        }

        /** Returns this plan with at most this much memory per key (default: that of all keys). */
        public Plan keyBytes(long bytes) {
            return new Plan(
                    address, password, maxMemoryBytes, bytes, inputBytes, maxClients, idleSeconds, threads, tls);
        }

        /**
         * Returns this plan with at most this much memory for requests that have not run yet, of all clients together; a client
         * that would take more is closed.
         */
        public Plan inputBytes(long bytes) {
            if (bytes < MIN_INPUT_BYTES) {
                throw new IllegalArgumentException(
                        "requests need at least " + MIN_INPUT_BYTES + " bytes of memory, got " + bytes);
            }
            return new Plan(
                    address, password, maxMemoryBytes, maxKeyBytes, bytes, maxClients, idleSeconds, threads, tls);
        }

        /** Returns this plan with at most this many clients at once. */
        public Plan clients(int most) {
            return new Plan(
                    address, password, maxMemoryBytes, maxKeyBytes, inputBytes, most, idleSeconds, threads, tls);
        }

        /** Returns this plan with connections that are closed when nothing came for this long; 0: never. */
        public Plan idleSeconds(int seconds) {
            return new Plan(
                    address, password, maxMemoryBytes, maxKeyBytes, inputBytes, maxClients, seconds, threads, tls);
        }

        /** Returns this plan with this many threads that run commands (default: one per processor). */
        public Plan threads(int number) {
            return new Plan(
                    address, password, maxMemoryBytes, maxKeyBytes, inputBytes, maxClients, idleSeconds, number, tls);
        }

        /** Returns this plan with TLS for all clients; it is closed with the server. */
        public Plan tls(ReloadingTls files) {
            return new Plan(
                    address,
                    password,
                    maxMemoryBytes,
                    maxKeyBytes,
                    inputBytes,
                    maxClients,
                    idleSeconds,
                    threads,
                    files);
        }

        /**
         * Listens, and returns the server.
         *
         * @throws IllegalArgumentException if it would listen beyond this machine without a password
         */
        public SketchServer open() throws IOException {
            if (password == null && !address.getAddress().isLoopbackAddress()) {
                throw new IllegalArgumentException("without a password it listens on this machine only, got "
                        + address.getAddress().getHostAddress() + ": set a password, or listen on 127.0.0.1");
            }
            return new SketchServer(this);
        }
    }

    private final Database database;
    private final Listener listener;
    private final @Nullable ReloadingTls tls;
    private final Metrics metrics = new Metrics();
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(OutOfMemoryGuard.threads("server-timer"));
    private final CountDownLatch stopAsked = new CountDownLatch(1);

    private SketchServer(Plan plan) throws IOException {
        ServerSettings settings = new ServerSettings();
        settings.set("maxmemory", plan.maxMemoryBytes);
        settings.set("max-key-memory", plan.maxKeyBytes);
        settings.set("maxclients", plan.maxClients);
        settings.set("timeout", plan.idleSeconds);
        settings.show("appendonly", "no");
        settings.show("appendfsync", "no");
        Users users = new Users();
        if (plan.password != null) {
            users.requirePassword(plan.password);
        }
        tls = plan.tls;
        database =
                new Database(new Keyspace(new SecureRandom().nextLong()), settings, users, System::currentTimeMillis);
        database.shutdown(stopAsked::countDown);
        listener = Listener.open(plan.address, database, plan.threads, plan.inputBytes, tls);
        count();
        var unused = timer.scheduleWithFixedDelay(
                OutOfMemoryGuard.guard(database::expire), EXPIRE_MILLIS, EXPIRE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void count() {
        metrics.gauge("perhaps_server_clients", "Clients that are connected.", database::clients);
        metrics.gauge("perhaps_server_keys", "Keys.", () -> database.keyspace().size());
        metrics.gauge(
                "perhaps_server_key_bytes",
                "Memory of all keys.",
                () -> database.keyspace().usedBytes());
        metrics.gauge(
                "perhaps_server_input_bytes",
                "Memory of requests that have not run yet, beyond the first 4 KiB of each client.",
                listener::inputBytes);
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
    }

    /** Starts a plan for a server that listens here; port 0 takes a free one. */
    public static Plan at(InetSocketAddress address) {
        return new Plan(
                address,
                null,
                0,
                0,
                DEFAULT_INPUT_BYTES,
                DEFAULT_CLIENTS,
                0,
                Runtime.getRuntime().availableProcessors(),
                null);
    }

    /** Returns where it listens. */
    public InetSocketAddress address() {
        return listener.address();
    }

    /** Returns what it counts. */
    public Metrics metrics() {
        return metrics;
    }

    /** Returns true while it takes clients. */
    public boolean isReady() {
        return listener.isOpen();
    }

    /** Ends {@link #awaitShutdown}, as {@code SHUTDOWN} of a client does. */
    public void requestShutdown() {
        stopAsked.countDown();
    }

    /** Waits until a client sends {@code SHUTDOWN}, or {@link #requestShutdown} is called. */
    public void awaitShutdown() throws InterruptedException {
        stopAsked.await();
    }

    /** Closes all connections and stops. */
    @Override
    public void close() {
        listener.close();
        timer.shutdownNow();
        if (tls != null) {
            tls.close();
        }
    }
}
