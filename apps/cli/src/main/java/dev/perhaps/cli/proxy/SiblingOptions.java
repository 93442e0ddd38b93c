package dev.perhaps.cli.proxy;

import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.ClusterSecret;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.options.Amounts;
import dev.perhaps.proxy.Counters;
import dev.perhaps.proxy.Origin;
import dev.perhaps.proxy.siblings.RingDirectory;
import dev.perhaps.proxy.siblings.SharingPlan;
import dev.perhaps.proxy.siblings.SiblingDirectory;
import dev.perhaps.proxy.siblings.SiblingRules;
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
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The siblings of a proxy, and how it shares its pages with them. */
final class SiblingOptions {
    @Option(
            names = "--sibling",
            paramLabel = "NAME=HOST:PORT",
            description = "Another proxy in front of the same origin, by its --name and the address where it "
                    + "listens; repeatable.")
    private List<String> siblings = new ArrayList<>();

    @Option(
            names = "--ring",
            paramLabel = "HOST:PORT",
            description = "A peer of a ring on which proxies in front of the same origin find each other.")
    private @Nullable String ring;

    @Option(
            names = "--ring-ca",
            paramLabel = "FILE",
            description =
                    "Connect to the ring over TLS: a PEM file with the authority that signs the certificates of peers"
                            + " and that of --tls-cert, which must name the role perhaps:client (default: no TLS with the"
                            + " ring).")
    private @Nullable Path ringAuthority;

    @Option(
            names = "--advertise",
            paramLabel = "HOST:PORT",
            description = "The address at which siblings on the ring reach this proxy (default: that of --listen). Its"
                    + " certificate must be valid for that HOST.")
    private @Nullable String advertise;

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description = "A file with the siblings' secret, 16 bytes or more; without it, all must be on this machine "
                    + "or have certificates (--sibling-ca).")
    private @Nullable Path secretFile;

    @Option(
            names = "--digest-interval",
            paramLabel = "TIME",
            description = "How often to publish and fetch digests (default: ${DEFAULT-VALUE}).")
    private String interval = "5s";

    @Option(
            names = "--digest-bits",
            paramLabel = "N",
            description = "Bits of the digest per page (default: ${DEFAULT-VALUE}).")
    private int bits = 8;

    @Option(
            names = "--sibling-timeout",
            paramLabel = "TIME",
            description = "Wait this long for a sibling to connect, to begin its response, and to continue it"
                    + " (default: ${DEFAULT-VALUE}).")
    private String patience = "1s";

    @Option(
            names = "--siblings-fetch",
            description = "Let a sibling that does not have a page fetch it for this proxy, and keep a copy.")
    private boolean fetches;

    @Option(names = "--trust-digests", description = "Believe every digest, without the guard that measures them.")
    private boolean trust;

    boolean wanted() {
        return !siblings.isEmpty() || ring != null;
    }

    /** The authority of the ring's peers, if the ring is reached over TLS. */
    @Nullable
    Path ringAuthority() {
        if (ringAuthority != null && ring == null) {
            throw new BadInput("--ring-ca is for a ring: give --ring HOST:PORT");
        }
        return ringAuthority;
    }

    /**
     * The part in sharing of a proxy of this name. It is to be started when the proxy listens.
     *
     * @param bound where it listens, asked for when it does
     * @param tls what siblings are reached with, who show certificates then; null: without TLS
     * @param ringTls what the ring is reached with; null: without TLS
     */
    SiblingSharing sharing(
            String name,
            Origin origin,
            InetSocketAddress at,
            Supplier<HostPort> bound,
            Counters counters,
            @Nullable ReloadingTls tls,
            @Nullable ReloadingTls ringTls)
            throws IOException {
        if (tls == null && secretFile == null && !at.getAddress().isLoopbackAddress()) {
            throw new BadInput("siblings that are not all on this machine need a secret: give --secret-file");
        }
        SharingPlan plan = SharingPlan.usual(name, origin, secretFile == null ? null : secret(secretFile))
                .bits(bits)
                .everyMillis(millis("--digest-interval", interval))
                .timeoutMillis(millis("--sibling-timeout", patience))
                .fetches(fetches)
                .guarded(!trust);
        SiblingRules rules = new SiblingRules(name, secretFile != null || tls != null);
        Consumer<String> log = sentence -> Console.say("perhaps: " + sentence);
        List<SiblingDirectory> directories = new ArrayList<>(List.of(configured(rules)));
        if (ring != null) {
            HostPort reached = advertise == null ? null : HostPort.of(advertise);
            if (reached == null && at.getAddress().isAnyLocalAddress()) {
                throw new BadInput("siblings on the ring cannot reach "
                        + at.getAddress().getHostAddress() + ": give --advertise HOST:PORT");
            }
            Cluster cluster = new Cluster(Cluster.USUAL_NAME, ringSecret(), Optional.ofNullable(ringTls));
            directories.add(new RingDirectory(
                    HostPort.of(ring),
                    cluster,
                    origin,
                    rules,
                    plan.secret(),
                    reached == null ? bound : () -> reached,
                    log));
        }
        return new SiblingSharing(plan, directories, counters, log, tls);
    }

    private Optional<ClusterSecret> ringSecret() {
        try {
            return secretFile == null ? Optional.empty() : Optional.of(ClusterSecret.read(secretFile));
        } catch (IOException e) {
            throw new BadInput(secretFile + ": " + e.getMessage());
        }
    }

    private SiblingDirectory configured(SiblingRules rules) {
        Map<String, HostPort> all = new LinkedHashMap<>();
        for (String sibling : siblings) {
            int equals = sibling.indexOf('=');
            if (equals < 0) {
                throw new BadInput("--sibling is NAME=HOST:PORT, got '" + sibling + "'");
            }
            String name = sibling.substring(0, equals);
            if (all.put(name, HostPort.of(sibling.substring(equals + 1))) != null) {
                throw new BadInput("--sibling " + name + " is given twice");
            }
        }
        try {
            return new ConfiguredSiblings(all, (name, at) -> rules.check(name, at.host(), at.port()), System::nanoTime);
        } catch (IllegalArgumentException e) {
            throw new BadInput(String.valueOf(e.getMessage()));
        }
    }

    private static dev.perhaps.proxy.siblings.SiblingSecret secret(Path file) throws IOException {
        // The ring's reader: the same file serves both, with the same error messages.
        ClusterSecret unused = ClusterSecret.read(file);
        byte[] all = Files.readAllBytes(file);
        int end = all.length;
        while (end > 0 && (all[end - 1] == '\n' || all[end - 1] == '\r')) {
            end--;
        }
        return dev.perhaps.proxy.siblings.SiblingSecret.of(java.util.Arrays.copyOf(all, end));
    }

    private static int millis(String option, String time) {
        long millis = Amounts.duration(option, time).toMillis();
        return Math.toIntExact(Math.min(Integer.MAX_VALUE, millis));
    }
}
