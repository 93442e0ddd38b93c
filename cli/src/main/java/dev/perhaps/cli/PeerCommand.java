package dev.perhaps.cli;

import dev.perhaps.chord.Member;
import dev.perhaps.chord.Settings;
import dev.perhaps.chord.net.Cluster;
import dev.perhaps.chord.net.HostPort;
import dev.perhaps.chord.net.PeerFolder;
import dev.perhaps.chord.net.PeerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code perhaps peer}: takes part in a ring until it is stopped. */
@Command(
        name = "peer",
        description = {
            "Runs a peer of a ring until Ctrl-C or SIGTERM; then it leaves the ring in order.",
            "Without --join it finds the ring it was on before, or begins one.",
            "When it is on the ring it prints a line: listening on HOST:PORT, id ID.",
            ""
        },
        footer = {
            "",
            "Without --secret-file it listens on this machine only. All peers of a cluster have the same secret.",
            "",
            "Examples:",
            "  perhaps peer --listen 127.0.0.1:7001 --dir p1",
            "  perhaps peer --listen 127.0.0.1:7002 --dir p2 --join 127.0.0.1:7001",
            "  perhaps peer --listen 0.0.0.0:7001 --advertise 10.0.0.7:7001 --dir p1 --secret-file secret"
        },
        mixinStandardHelpOptions = true)
final class PeerCommand implements Callable<Integer> {
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
            description = "Where others reach this peer; where it listens if not said.")
    private @Nullable String advertise;

    @Option(names = "--join", paramLabel = "HOST:PORT", description = "A peer of the ring to join.")
    private @Nullable String join;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            required = true,
            description = "Where the peer keeps what it needs over a restart; made if it is not there.")
    @SuppressWarnings("NullAway.Init") // required
    private Path folder;

    @Option(
            names = "--virtual",
            paramLabel = "N",
            description = "Take part with so many nodes, which evens out the shares of the peers; 1 if not said.")
    private int virtualNodes = 1;

    @Option(names = "--json", description = "Print the line as a JSON object.")
    private boolean json;

    @Mixin
    private ClusterOptions clusterOptions = new ClusterOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        HostPort at = HostPort.of(listen);
        HostPort reached = advertise == null ? null : HostPort.of(advertise);
        Optional<HostPort> contact = Optional.ofNullable(join).map(HostPort::of);
        Cluster cluster = clusterOptions.cluster();
        PeerFolder kept = PeerFolder.open(folder, cluster);
        PeerProcess peer = new PeerProcess(cluster, kept, Settings.usual(), line -> Console.say("peer: " + line));
        boolean entered = false;
        try {
            peer.host().listen(at, reached);
            peer.enter(virtualNodes, contact);
            entered = true;
        } finally {
            if (!entered) {
                peer.close();
            }
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(peer)));
        print(peer.host().address());
        Thread.currentThread().join();
        return Main.DONE;
    }

    private void print(String address) throws IOException {
        Member first = Member.at(address, 0);
        if (json) {
            Console.println(Json.object(out -> {
                out.writeStringField("address", address);
                out.writeStringField("id", first.id().toString());
                out.writeNumberField("nodes", virtualNodes);
            }));
        } else {
            Console.println("listening on " + address + ", id " + first.id());
        }
        Console.flush();
    }

    private static void stop(PeerProcess peer) {
        try {
            peer.leave(CompletableFuture.completedFuture(null));
            peer.close();
        } catch (IOException e) {
            Console.complain(String.valueOf(e.getMessage()));
        }
    }
}
