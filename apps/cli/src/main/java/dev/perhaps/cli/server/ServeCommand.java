package dev.perhaps.cli.server;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Json;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.Amounts;
import dev.perhaps.cli.options.EnvironmentDefaults;
import dev.perhaps.cli.options.ListenAddress;
import dev.perhaps.cli.options.TlsOptions;
import dev.perhaps.cli.options.UserFolders;
import dev.perhaps.server.SketchServer;
import dev.perhaps.web.OutOfMemoryGuard;
import dev.perhaps.web.PrivateFiles;
import dev.perhaps.web.ProcessSignal;
import dev.perhaps.web.admin.AdminServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code perhaps serve}: filters by name behind the protocol of Redis, until it is stopped. */
@Workload(value = Workload.Kind.KEYS, sizeOption = "--max-memory")
@Command(
        name = "serve",
        description = {
            "Runs a server for Redis clients: filters, counts and top lists by name, until Ctrl-C or SIGTERM.",
            "The keys are kept in a directory: they are there again after a restart or a crash.",
            "When it is ready it prints a line: listening on HOST:PORT, admin HOST:PORT, keys in DIR.",
            ""
        },
        footer = {
            "",
            "http://ADMIN/metrics is for Prometheus; http://ADMIN/healthz returns 200 while it takes clients, and"
                    + " /readyz while it takes changes too. Start, snapshots, wrong passwords and the end are lines on"
                    + " standard error.",
            "",
            "An option that is not given is taken from the environment: PERHAPS_SERVE_MAX_MEMORY for --max-memory, and"
                    + " so on. An argument @FILE is replaced by the arguments in that file; give --max-memory on the"
                    + " command line or in the environment, because the launcher chooses Java's memory by it.",
            "",
            "Examples:",
            "  perhaps serve",
            "  perhaps serve --dir /var/lib/filters --fsync always",
            "  perhaps serve --listen 0.0.0.0:6379 --require-pass secret.txt --max-memory 2G",
            "  perhaps serve --listen 0.0.0.0:6380 --require-pass secret.txt \\",
            "    --tls-cert chain.pem --tls-key key.pem --tls-client-ca ca.pem",
            "  redis-cli -p 6379 BF.ADD seen https://example.org/"
        },
        defaultValueProvider = EnvironmentDefaults.class,
        mixinStandardHelpOptions = true)
public final class ServeCommand implements Callable<Integer> {
    private static final int MAX_PASSWORD_FILE_BYTES = 1 << 16;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "Where to listen for clients; port 0 takes a free one (default: ${DEFAULT-VALUE}).")
    private String listen = "127.0.0.1:6379";

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            description = "Where to listen for operators (default: a free port of this machine).")
    private String admin = "127.0.0.1:0";

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description =
                    "Keep the keys in this directory (default: perhaps/server in $XDG_DATA_HOME or in ~/.local/share).")
    private @Nullable Path directory;

    @Option(
            names = "--fsync",
            paramLabel = "WHEN",
            description = {
                "Sync changes to the disk always (before the reply), everysec (at most two seconds are lost if the"
                        + " machine stops) or no (whenever the system does it) (default: ${DEFAULT-VALUE})."
            })
    private String fsync = SketchServer.DEFAULT_FSYNC;

    @Option(names = "--in-memory", description = "Keep the keys in memory only: they are lost when it stops.")
    private boolean isInMemory;

    @Option(
            names = "--max-memory",
            paramLabel = "SIZE",
            description = "Refuse changes that would make the keys take more memory (default: ${DEFAULT-VALUE}).")
    private String maxMemory = "256M";

    @Option(
            names = "--max-key-memory",
            paramLabel = "SIZE",
            description =
                    "Refuse changes that would make one key take more memory (default: that of " + "--max-memory).")
    private @Nullable String maxKeyMemory;

    @Option(
            names = "--max-input-memory",
            paramLabel = "SIZE",
            description = "Memory limit for requests that wait to run, of all clients; clients that exceed it are"
                    + " disconnected (default: ${DEFAULT-VALUE}).")
    private String maxInputMemory = (SketchServer.DEFAULT_INPUT_BYTES >> 20) + "M";

    @Option(
            names = "--max-output-memory",
            paramLabel = "SIZE",
            description = "Memory limit for unsent replies of all clients; replies beyond it are refused; at most"
                    + " a third of Java's direct memory (default: ${DEFAULT-VALUE}).")
    private String maxOutputMemory = (SketchServer.DEFAULT_OUTPUT_BYTES >> 20) + "M";

    @Option(
            names = "--clients",
            paramLabel = "N",
            description = "Serve at most N clients at once (default: ${DEFAULT-VALUE}).")
    private int clients = SketchServer.DEFAULT_CLIENTS;

    @Option(
            names = "--idle-timeout",
            paramLabel = "TIME",
            description = "Close connections of clients that neither send nor read for this long (default: never).")
    private @Nullable String idleTimeout;

    @Option(
            names = "--require-pass",
            paramLabel = "FILE",
            description = "Require the password in the first line of this file (default: none, and then only clients "
                    + "on this machine are served).")
    private @Nullable Path password;

    @Mixin
    private TlsOptions tlsOptions = new TlsOptions();

    @Option(names = "--json", description = "Print the line as a JSON object.")
    private boolean json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        OutOfMemoryGuard.install();
        Path kept = directory();
        SketchServer.Plan plan = SketchServer.at(ListenAddress.of("--listen", listen))
                .memoryBytes(memory())
                .inputBytes(inputMemory())
                .outputBytes(outputMemory())
                .clients(Amounts.atLeastOne("--clients", clients))
                .fsync(fsync)
                .complaints(Console::complain)
                .notices(Console::complain);
        if (kept != null) {
            plan = plan.directory(kept);
        }
        if (maxKeyMemory != null) {
            plan = plan.keyBytes(Amounts.bytes("--max-key-memory", maxKeyMemory, 1 << 10));
        }
        if (idleTimeout != null) {
            plan = plan.idleSeconds((int) Math.max(
                    1,
                    Math.min(
                            Integer.MAX_VALUE,
                            Amounts.duration("--idle-timeout", idleTimeout).toSeconds())));
        }
        if (password != null) {
            plan = plan.password(firstLine(password));
        }
        if (tlsOptions.isWanted()) {
            plan = plan.tls(tlsOptions.forClients().open(Console::complain));
        }
        InetSocketAddress at = ListenAddress.of("--listen", listen);
        if (password == null && !at.getAddress().isLoopbackAddress()) {
            throw new BadInput("without a password it listens on this machine only, got "
                    + at.getAddress().getHostAddress()
                    + ": set a password with --require-pass, or listen on 127.0.0.1");
        }
        InetSocketAddress adminAt = ListenAddress.of("--admin", admin);
        SketchServer server = plan.open();
        boolean ready = false;
        try {
            AdminServer inside = AdminServer.at(adminAt)
                    .metrics(server.metrics())
                    .health(server::isOpen, "it is stopping")
                    .readiness(server::isReady, "it is stopping, or its disk refuses changes")
                    .open();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                server.close();
                inside.close();
            }));
            var unused = ProcessSignal.TERM.listen(server::requestShutdown);
            print(ListenAddress.shown(listen, server.address()), ListenAddress.shown(admin, inside.address()), kept);
            ready = true;
        } finally {
            if (!ready) {
                server.close();
            }
        }
        server.awaitShutdown();
        server.close();
        return ExitCodes.DONE;
    }

    /** Where the keys are kept, or null. */
    private @Nullable Path directory() {
        if (isInMemory && directory != null) {
            throw new BadInput("--in-memory and --dir " + directory + " exclude each other: use one of them");
        }
        if (isInMemory) {
            return null;
        }
        return directory == null ? UserFolders.data("server", "--dir") : directory;
    }

    private long memory() {
        long bytes = Amounts.bytes("--max-memory", maxMemory, 1 << 20);
        long heap = Runtime.getRuntime().maxMemory();
        if (bytes > heap / 4 * 3) {
            throw new BadInput("--max-memory " + maxMemory + " does not fit: Java has " + (heap >> 20)
                    + " MB, and the keys may take three quarters of it: give it more with PERHAPS_JAVA_OPTIONS=-Xmx"
                    + (2 * (bytes >> 20)) + "m");
        }
        return bytes;
    }

    private long inputMemory() {
        long bytes = Amounts.bytes("--max-input-memory", maxInputMemory, 1 << 20);
        long heap = Runtime.getRuntime().maxMemory();
        long both = bytes + memory() + (isInMemory ? 0 : SketchServer.directoryBytes());
        if (both > heap / 10 * 9) {
            throw new BadInput("--max-memory " + maxMemory + " and --max-input-memory " + maxInputMemory
                    + " do not fit: Java has " + (heap >> 20) + " MB: give it more with PERHAPS_JAVA_OPTIONS=-Xmx"
                    + (2 * (both >> 20)) + "m");
        }
        return bytes;
    }

    private long outputMemory() {
        return Amounts.bytes("--max-output-memory", maxOutputMemory, 1 << 20);
    }

    /** Reads the password from a file, since arguments are visible to all who can list processes. */
    private static String firstLine(Path file) throws IOException {
        PrivateFiles.refuseOpenToAll(file);
        if (Files.size(file) > MAX_PASSWORD_FILE_BYTES) {
            throw new BadInput("--require-pass " + file + ": a file with a password has at most "
                    + MAX_PASSWORD_FILE_BYTES + " bytes");
        }
        String line = Files.readString(file).lines().findFirst().orElse("").strip();
        if (line.isEmpty()) {
            throw new BadInput("--require-pass " + file + ": its first line has no password");
        }
        return line;
    }

    private void print(String clientsAt, String inside, @Nullable Path kept) throws IOException {
        if (json) {
            Console.println(Json.object(out -> {
                out.writeStringField("address", clientsAt);
                out.writeStringField("admin", inside);
                if (kept != null) {
                    out.writeStringField("directory", kept.toString());
                }
            }));
        } else {
            Console.println("listening on " + clientsAt + ", admin " + inside + ", keys in "
                    + (kept == null ? "memory only" : kept));
        }
        Console.flush();
    }
}
