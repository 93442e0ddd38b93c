package dev.perhaps.cli.placement;

import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.host.RingView;
import dev.perhaps.chord.store.FileClient;
import dev.perhaps.chord.web.RingJson;
import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.options.Output;
import dev.perhaps.io.Figures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code perhaps ring}: lists the peers of a ring. */
@Command(
        name = "ring",
        description = {
            "Prints the nodes of a ring in their order, with health and load.",
            "Per node: id, address, share of the circle, health, and what the peer stores. Known peers that do not"
                    + " respond are listed too; --forget gives one up for good.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  perhaps ring --via 127.0.0.1:7001",
            "  perhaps ring --via 127.0.0.1:7001 --svg ring.svg",
            "  perhaps ring --via 127.0.0.1:7001 --forget 127.0.0.1:7003"
        },
        mixinStandardHelpOptions = true)
public final class RingCommand implements Callable<Integer> {
    /** Enough for a ring with peers that do not answer: each is waited for a while, many at once. */
    static final int DEADLINE_MILLIS = 30_000;

    @Option(names = "--via", paramLabel = "HOST:PORT", required = true, description = "A peer of the ring.")
    @SuppressWarnings("NullAway.Init") // required
    private String via;

    @Option(names = "--svg", paramLabel = "FILE", description = "Draw the ring into this file too.")
    private @Nullable Output svg;

    @Option(
            names = "--forget",
            paramLabel = "HOST:PORT",
            description = {
                "First tell the ring that this peer, which does not respond, will not come back with its files. "
                        + "If it does come back, only those of its files count that others have too."
            })
    private @Nullable String forgotten;

    @Option(names = "--json", description = "Print one JSON object per line.")
    private boolean json;

    @Mixin
    private ClusterOptions clusterOptions = new ClusterOptions();

    @Override
    public Integer call() throws IOException {
        if (svg != null) {
            svg.check();
        }
        if (forgotten != null) {
            HostPort peer = HostPort.of(forgotten);
            try (FileClient client = FileClient.open(HostPort.of(via), clusterOptions.cluster())) {
                client.forget(peer);
            }
        }
        RingView ring = RingView.ask(HostPort.of(via), clusterOptions.cluster(), DEADLINE_MILLIS);
        if (json) {
            for (String line : RingJson.lines(ring)) {
                Console.println(line);
            }
        } else {
            print(ring);
        }
        if (svg != null) {
            byte[] drawing = RingDrawing.of(ring).getBytes(StandardCharsets.UTF_8);
            svg.write(out -> out.write(drawing));
        }
        if (!json) {
            long peers = ring.places().stream()
                    .map(place -> place.member().address())
                    .distinct()
                    .count();
            Console.say(counted(ring.places().size(), "node") + " of " + counted(peers, "peer") + ", "
                    + (ring.isSettled() ? "settled" : "settling")
                    + (ring.silent().isEmpty() ? "" : "; " + ring.silent().size() + " not reachable"));
        }
        return ExitCodes.DONE;
    }

    private static String counted(long number, String what) {
        return Figures.count(number) + " " + what + (number == 1 ? "" : "s");
    }

    private static void print(RingView ring) throws IOException {
        for (RingView.Place place : ring.places()) {
            StringBuilder line = new StringBuilder()
                    .append(place.member().id())
                    .append("  ")
                    .append(place.member().address())
                    .append("  ")
                    .append(Figures.percent(place.share()))
                    .append("  ")
                    .append(place.health().name().toLowerCase(Locale.ROOT));
            ring.load()
                    .getOrDefault(place.member().address(), Map.of())
                    .forEach((name, value) -> figure(name, value)
                            .ifPresent(words -> line.append("  ").append(words)));
            Console.println(line.toString());
        }
        for (String address : ring.unreached()) {
            Console.println("-  " + address + "  " + ring.gone().getOrDefault(address, "not reachable"));
        }
    }

    /** In words; what is as it should be says nothing. */
    public static Optional<String> figure(String name, long value) {
        return switch (name) {
            case "usedBytes" -> Optional.of(Figures.bytes(value));
            case "files" -> Optional.of(counted(value, "file"));
            case "lacking" -> Optional.of(Figures.count(value) + " lacking");
            case "scrubbedHours" -> value < 0 ? Optional.empty() : Optional.of("scrubbed " + value + " h ago");
            case "repairStopped" -> value == 0 ? Optional.empty() : Optional.of("repair stopped");
            case "scrubStopped" -> value == 0 ? Optional.empty() : Optional.of("scrub stopped");
            default -> value == 0 ? Optional.empty() : Optional.of(Figures.count(value) + " " + name);
        };
    }
}
