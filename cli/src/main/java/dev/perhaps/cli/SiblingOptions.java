package dev.perhaps.cli;

import dev.perhaps.chord.net.Cluster;
import dev.perhaps.chord.net.HostPort;
import dev.perhaps.chord.net.Secret;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.proxy.Counters;
import dev.perhaps.proxy.Origin;
import dev.perhaps.proxy.siblings.SharingPlan;
import dev.perhaps.proxy.siblings.SiblingSharing;
import dev.perhaps.web.ReloadingTls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** With whom a proxy shares what it holds, and how. */
final class SiblingOptions {
    @Option(
            names = "--sibling",
            paramLabel = "NAME=HOST:PORT",
            description =
                    "Another proxy before the same origin, by its --name and where it listens; as often as there are some.")
    private List<String> siblings = new ArrayList<>();

    @Option(
            names = "--ring",
            paramLabel = "HOST:PORT",
            description = "A peer of a ring on which proxies before the same origin find each other.")
    private @Nullable String ring;

    @Option(
            names = "--advertise",
            paramLabel = "HOST:PORT",
            description = "Where siblings on the ring reach this one; where it listens if not said.")
    private @Nullable String advertise;

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description =
                    "A file with the siblings' secret, 16 bytes or more; without it all are on this machine, or have"
                            + " certificates (--sibling-ca).")
    private @Nullable Path secretFile;

    @Option(
            names = "--digest-interval",
            paramLabel = "TIME",
            description = "Publish and fetch digests so often; 5s if not said.")
    private String interval = "5s";

    @Option(names = "--digest-bits", paramLabel = "N", description = "Bits of the digest a page; 8 if not said.")
    private int bits = 8;

    @Option(
            names = "--sibling-timeout",
            paramLabel = "TIME",
            description = "Wait this long for a sibling to connect, to begin its answer, and to go on (default: 1s).")
    private String patience = "1s";

    @Option(
            names = "--siblings-fetch",
            description =
                    "Let a sibling that does not have a page fetch it for us, and keep a copy, in place of saying no.")
    private boolean fetches;

    @Option(names = "--trust-digests", description = "Believe every digest, without the guard that measures them.")
    private boolean trust;

    private @Nullable RingSiblings onRing;

    boolean wanted() {
        return !siblings.isEmpty() || ring != null;
    }

    boolean usesRing() {
        return ring != null;
    }

    /**
     * The part in sharing of a proxy of this name. It is to be started when the proxy listens.
     *
     * @param tls what siblings are reached with, who show certificates then; null: without TLS
     */
    SiblingSharing sharing(
            String name,
            Origin origin,
            InetSocketAddress at,
            Supplier<HostPort> bound,
            Counters counters,
            @Nullable ReloadingTls tls)
            throws IOException {
        if (tls == null && secretFile == null && !at.getAddress().isLoopbackAddress()) {
            throw new BadInput("siblings share a secret where they are not all on this machine: give --secret-file");
        }
        SharingPlan plan = SharingPlan.usual(name, origin, secretFile == null ? null : secret(secretFile))
                .bits(bits)
                .everyMillis(millis("--digest-interval", interval))
                .patienceMillis(millis("--sibling-timeout", patience))
                .fetches(fetches)
                .guarded(!trust);
        Map<String, InetSocketAddress> fixed = fixed(name, secretFile != null || tls != null);
        return new SiblingSharing(
                plan,
                ring == null ? () -> fixed : () -> both(fixed, name, origin, bound),
                counters,
                sentence -> Console.say("perhaps: " + sentence),
                tls);
    }

    private Map<String, InetSocketAddress> both(
            Map<String, InetSocketAddress> fixed, String name, Origin origin, Supplier<HostPort> bound) {
        RingSiblings known = onRing;
        if (known == null) {
            known = new RingSiblings(
                    HostPort.of(String.valueOf(ring)),
                    cluster(),
                    origin.url(),
                    name,
                    advertise == null ? bound.get() : HostPort.of(advertise));
            onRing = known;
        }
        Map<String, InetSocketAddress> all = new LinkedHashMap<>(known.get());
        all.putAll(fixed);
        return all;
    }

    /** Gives back the place on the ring, if there is one. */
    void leave() {
        RingSiblings known = onRing;
        if (known != null) {
            known.leave();
        }
    }

    private Cluster cluster() {
        try {
            return new Cluster(
                    Cluster.USUAL_NAME, secretFile == null ? Optional.empty() : Optional.of(Secret.read(secretFile)));
        } catch (IOException e) {
            throw new BadInput(secretFile + ": " + e.getMessage());
        }
    }

    /** @param proven whether they show who they are, so that they may be on other machines */
    private Map<String, InetSocketAddress> fixed(String own, boolean proven) {
        Map<String, InetSocketAddress> all = new LinkedHashMap<>();
        for (String sibling : siblings) {
            int equals = sibling.indexOf('=');
            String name = equals < 0 ? "" : sibling.substring(0, equals);
            if (!name.matches("[A-Za-z][A-Za-z0-9._-]{0,63}") || name.equals(own)) {
                throw new BadInput("--sibling is NAME=HOST:PORT with the name of another proxy, got '" + sibling + "'");
            }
            HostPort at = HostPort.of(sibling.substring(equals + 1));
            InetSocketAddress socket = new InetSocketAddress(at.host(), at.port());
            if (socket.isUnresolved()) {
                throw new BadInput("--sibling " + sibling + ": no host of this name is known");
            }
            if (!proven && !socket.getAddress().isLoopbackAddress()) {
                throw new BadInput("--sibling " + sibling + " is not on this machine: give --secret-file");
            }
            if (all.put(name, socket) != null) {
                throw new BadInput("--sibling " + name + " is given twice");
            }
        }
        return all;
    }

    private static dev.perhaps.proxy.siblings.Secret secret(Path file) throws IOException {
        // The ring's reader: the same file serves both, and what is wrong with it is told alike.
        Secret.read(file);
        byte[] all = Files.readAllBytes(file);
        int end = all.length;
        while (end > 0 && (all[end - 1] == '\n' || all[end - 1] == '\r')) {
            end--;
        }
        return dev.perhaps.proxy.siblings.Secret.of(java.util.Arrays.copyOf(all, end));
    }

    private static int millis(String option, String time) {
        long millis = Amounts.duration(option, time).toMillis();
        return Math.toIntExact(Math.min(Integer.MAX_VALUE, millis));
    }
}
