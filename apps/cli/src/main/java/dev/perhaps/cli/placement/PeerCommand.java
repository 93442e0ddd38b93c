package dev.perhaps.cli.placement;

import dev.perhaps.chord.Member;
import dev.perhaps.chord.Settings;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.CommandLog;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.host.PeerFolder;
import dev.perhaps.chord.host.PeerHost;
import dev.perhaps.chord.host.PeerProcess;
import dev.perhaps.chord.store.FileStore;
import dev.perhaps.chord.web.PeerPage;
import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Json;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.Amounts;
import dev.perhaps.web.OutOfMemoryGuard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code perhaps peer}: takes part in a ring until it is stopped. */
@Workload(Workload.Kind.SERVICE)
@Command(
        name = "peer",
        description = {
            "Runs a peer of a ring that stores files, until Ctrl-C or SIGTERM.",
            "It hands over its files before it leaves. Without --join it finds the ring it was on before, or starts one.",
            "When it is on the ring it prints two lines: listening on HOST:PORT, id ID; and page at URL,"
                    + " where a browser shows the ring, its files and the path of a lookup, live.",
            ""
        },
        footer = {
            "",
            "Without --secret-file it listens on this machine only. All peers of a cluster have the same secret;"
                    + " 'perhaps grant' derives others from it for clients and operators. The page is read-only, but has"
                    + " no login: open it to others with care. For monitoring it has /healthz (200 or 503), /readyz"
                    + " (200 once it has joined, until it stops) and /metrics (Prometheus).",
            "",
            "Examples:",
            "  perhaps peer --listen 127.0.0.1:7001 --dir p1",
            "  perhaps peer --listen 127.0.0.1:7002 --dir p2 --join 127.0.0.1:7001",
            "  perhaps peer --listen 10.0.0.7:7001 --dir p1 --secret-file secret"
        },
        mixinStandardHelpOptions = true)
public final class PeerCommand implements Callable<Integer> {
    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            required = true,
            description = "Where to listen; port 0 takes a free one.")
    @SuppressWarnings("NullAway.Init") // required
    private String listen;

    @Option(
            names = "--advertise",
            paramLabel = "HOST:PORT",
            description = "Where others reach this peer (default: where it listens).")
    private @Nullable String advertise;

    @Option(names = "--join", paramLabel = "HOST:PORT", description = "A peer of the ring to join.")
    private @Nullable String join;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            required = true,
            description = "Where the peer keeps what it needs over a restart; created if it does not exist.")
    @SuppressWarnings("NullAway.Init") // required
    private Path folder;

    @Option(
            names = "--virtual",
            paramLabel = "N",
            description =
                    "Number of nodes to take part with, which evens out the shares of the peers (default: ${DEFAULT-VALUE}).")
    private int virtualNodes = 1;

    @Option(
            names = "--quota",
            paramLabel = "SIZE",
            description =
                    "Bytes of disk to use at most for files, names and deletion marks, e.g. 10G (default: no limit).")
    private @Nullable String quota;

    @Option(
            names = "--repair-rate",
            paramLabel = "SIZE",
            description = "Bytes per second to send at most to restore copies (default: ${bundle:default.repairRate}).")
    private @Nullable String repairRate;

    @Option(
            names = "--scrub-rate",
            paramLabel = "SIZE",
            description = "Bytes per second to read at most to check the copies of this peer"
                    + " (default: ${bundle:default.scrubRate}).")
    private @Nullable String scrubRate;

    @Option(
            names = "--scrub-every",
            paramLabel = "TIME",
            description =
                    "How often to read all copies again, if the rate allows it (default: ${bundle:default.scrubEvery}).")
    private @Nullable String scrubEvery;

    @Option(
            names = "--take-back",
            description = "Use the copies again that were set aside when this peer left, although they may have "
                    + "been deleted.")
    private boolean takeBack;

    @Option(
            names = "--page",
            paramLabel = "HOST:PORT",
            description = "Where to show the page (default: a free port of this machine, for this machine only).")
    private @Nullable String pageAt;

    @Option(names = "--no-page", description = "Show no page.")
    private boolean noPage;

    @Option(
            names = "--access-log",
            paramLabel = "FILE",
            description = "Append a line per command of a client to FILE, or write it to standard output with "
                    + "'-'. The file can be rotated.")
    private @Nullable String accessLog;

    @Option(
            names = "--revoked",
            paramLabel = "FILE",
            description =
                    "Refuse the holders that FILE names, one per line: the NAME of 'perhaps grant', or the subject of"
                            + " a certificate, as in CN=alice (default: nobody). Read again when it changes.")
    private @Nullable Path revoked;

    @Option(names = "--json", description = "Print the lines as one JSON object.")
    private boolean json;

    @Mixin
    private ClusterOptions clusterOptions = new ClusterOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        OutOfMemoryGuard.install();
        if (virtualNodes < 1 || virtualNodes > PeerHost.MAX_VIRTUAL_NODES) { // before the folder is made
            throw new BadInput("--virtual must be in 1.." + PeerHost.MAX_VIRTUAL_NODES + ", got " + virtualNodes);
        }
        if (Files.exists(folder) && !Files.isDirectory(folder)) {
            throw new BadInput("--dir " + folder + " is a file: use another folder");
        }
        HostPort at = HostPort.of(listen);
        HostPort reached = advertise == null ? null : HostPort.of(advertise);
        Optional<HostPort> contact = Optional.ofNullable(join).map(HostPort::of);
        Optional<HostPort> pagePlace = pagePlace();
        Consumer<String> log = line -> Console.say("peer: " + line);
        Cluster cluster = clusterOptions.cluster(revoked, log);
        FileStore.Limits usual = FileStore.Limits.usual();
        FileStore.Limits limits = new FileStore.Limits(
                quota == null ? usual.quotaBytes() : Amounts.bytes("--quota", quota),
                repairRate == null ? usual.repairBytesPerSecond() : Amounts.bytes("--repair-rate", repairRate, 1),
                scrubRate == null ? usual.scrubBytesPerSecond() : Amounts.bytes("--scrub-rate", scrubRate, 1));
        FileStore.Pace pace = FileStore.Pace.usual();
        if (scrubEvery != null) {
            pace = pace.scrubMillis(
                    Amounts.duration("--scrub-every", scrubEvery).toMillis());
        }
        Optional<CommandLog> commands = openLog();
        PeerProcess peer = new PeerProcess(cluster, PeerFolder.open(folder, cluster, log), Settings.usual(), log);
        FileStore store = null;
        Optional<PeerPage> page = Optional.empty();
        try {
            commands.ifPresent(peer.host().dispatcher()::log);
            peer.host().listen(at, reached);
            FileStore.Setup setup = new FileStore.Setup(folder, limits, pace, peer.acquaintances(contact), takeBack);
            FileStore files = FileStore.open(peer.host(), cluster, setup, log);
            if (pagePlace.isPresent()) {
                page = Optional.of(PeerPage.open(pagePlace.get(), peer.host(), files, cluster, log));
            }
            peer.enter(virtualNodes, contact);
            store = files;
        } finally {
            if (store == null) {
                page.ifPresent(PeerPage::close);
                peer.close();
                commands.ifPresent(CommandLog::close);
            }
        }
        FileStore entered = store;
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(peer, entered, commands)));
        print(peer.host().address(), page.map(PeerPage::url));
        Thread.currentThread().join();
        return ExitCodes.DONE;
    }

    private Optional<CommandLog> openLog() {
        try {
            return accessLog == null ? Optional.empty() : Optional.of(CommandLog.to(accessLog));
        } catch (IOException e) {
            throw new BadInput(
                    "--access-log " + accessLog + " cannot be written: check its folder and who may write there");
        }
    }

    private Optional<HostPort> pagePlace() {
        if (noPage && pageAt != null) {
            throw new IllegalArgumentException(
                    "--page " + pageAt + " and --no-page exclude each other: use one of them");
        }
        return noPage ? Optional.empty() : Optional.of(pageAt == null ? PeerPage.USUAL_PLACE : HostPort.of(pageAt));
    }

    private void print(String address, Optional<String> page) throws IOException {
        Member first = Member.at(address, 0);
        if (json) {
            Console.println(Json.object(out -> {
                out.writeStringField("address", address);
                out.writeStringField("id", first.id().toString());
                out.writeNumberField("nodes", virtualNodes);
                if (page.isPresent()) {
                    out.writeStringField("page", page.get());
                }
            }));
        } else {
            Console.println("listening on " + address + ", id " + first.id());
            if (page.isPresent()) {
                Console.println("page at " + page.get());
            }
        }
        Console.flush();
    }

    private static void stop(PeerProcess peer, FileStore store, Optional<CommandLog> commands) {
        try {
            peer.leave(store.handOver());
            peer.close();
        } catch (IOException e) {
            Console.complain(String.valueOf(e.getMessage()));
        }
        commands.ifPresent(CommandLog::close);
    }
}
