package dev.perhaps.cli;

import dev.perhaps.chord.net.HostPort;
import dev.perhaps.chord.net.Ring;
import dev.perhaps.chord.web.RingJson;
import dev.perhaps.io.Figures;
import dev.perhaps.io.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code perhaps ring}: who is on a ring. */
@Command(
        name = "ring",
        description = {
            "Prints the nodes of a ring in their order: id, address, share of the circle, health, and what the peer carries.",
            "Peers that are remembered and do not answer are listed too.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  perhaps ring --via 127.0.0.1:7001",
            "  perhaps ring --via 127.0.0.1:7001 --svg ring.svg"
        },
        mixinStandardHelpOptions = true)
final class RingCommand implements Callable<Integer> {
    /** Enough for a ring with peers that do not answer: each is waited for a while, many at once. */
    static final int DEADLINE_MILLIS = 30_000;

    @Option(names = "--via", paramLabel = "HOST:PORT", required = true, description = "A peer of the ring.")
    @SuppressWarnings("NullAway.Init") // required
    private String via;

    @Option(names = "--svg", paramLabel = "FILE", description = "Draw the ring into this file too.")
    private @Nullable Path svg;

    @Option(names = "--json", description = "Print one JSON object a line.")
    private boolean json;

    @Mixin
    private ClusterOptions clusterOptions = new ClusterOptions();

    @Override
    public Integer call() throws IOException {
        if (svg != null) {
            WholeFile.check(svg);
        }
        Ring ring = Ring.ask(HostPort.of(via), clusterOptions.cluster(), DEADLINE_MILLIS);
        if (json) {
            for (String line : RingJson.lines(ring)) {
                Console.println(line);
            }
        } else {
            print(ring);
        }
        if (svg != null) {
            byte[] drawing = RingDrawing.of(ring).getBytes(StandardCharsets.UTF_8);
            WholeFile.write(svg, out -> out.write(drawing));
        }
        if (!json) {
            long peers = ring.places().stream()
                    .map(place -> place.member().address())
                    .distinct()
                    .count();
            Console.say(Figures.count(ring.places().size()) + " nodes of " + Figures.count(peers) + " peers, "
                    + (ring.isSettled() ? "settled" : "settling")
                    + (ring.unreached().isEmpty() ? "" : "; " + ring.unreached().size() + " not reachable"));
        }
        return Main.DONE;
    }

    private static void print(Ring ring) throws IOException {
        for (Ring.Place place : ring.places()) {
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
                    .forEach((name, value) -> line.append("  ")
                            .append(name.endsWith("Bytes") ? Figures.bytes(value) : Figures.count(value) + " " + name));
            Console.println(line.toString());
        }
        for (String address : ring.unreached()) {
            Console.println("-  " + address + "  not reachable");
        }
    }
}
