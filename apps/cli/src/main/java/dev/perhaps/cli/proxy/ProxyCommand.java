package dev.perhaps.cli.proxy;

import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Json;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.Amounts;
import dev.perhaps.cli.options.ListenAddress;
import dev.perhaps.proxy.Counters;
import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Origin;
import dev.perhaps.proxy.Router;
import dev.perhaps.proxy.Timeouts;
import dev.perhaps.proxy.net.AccessLog;
import dev.perhaps.proxy.net.ProxyPlan;
import dev.perhaps.proxy.net.ProxyServer;
import dev.perhaps.proxy.siblings.SiblingSharing;
import dev.perhaps.proxy.siblings.StatusPage;
import dev.perhaps.web.OutOfMemoryGuard;
import dev.perhaps.web.ReloadingTls;
import dev.perhaps.web.admin.AdminServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code perhaps proxy}: a cache in front of a web server, until it is stopped. */
@Workload(value = Workload.Kind.CACHE, sizeOption = "--cache")
@Command(
        name = "proxy",
        description = {
            "Runs an HTTP cache in front of a web server, until Ctrl-C or SIGTERM.",
            "Requests in progress are finished then.",
            "Responses that may be cached are kept in memory and served until they are stale.",
            "With --tls-cert clients speak HTTP/2 or HTTP/1.1 over TLS, otherwise HTTP/1.1.",
            "When it is ready it prints a line: listening on HOST:PORT, origin URL, admin HOST:PORT.",
            ""
        },
        footer = {
            "",
            "The field Cache-Status of a response says where it came from. The admin address serves /metrics for "
                    + "Prometheus, /siblings, a page that shows how much each proxy holds and which digests are "
                    + "trusted, and /healthz and /readyz, which return 200 while it works and while it accepts "
                    + "requests.",
            "",
            "Examples:",
            "  perhaps proxy --listen 127.0.0.1:8080 --origin http://127.0.0.1:8000",
            "  perhaps proxy --listen 0.0.0.0:80 --origin https://www.example.org --cache 2G",
            "  perhaps proxy --listen 0.0.0.0:443 --origin http://127.0.0.1:8000 \\",
            "    --tls-cert chain.pem --tls-key key.pem",
            "  perhaps proxy --name a --listen 127.0.0.1:8081 \\",
            "    --origin http://127.0.0.1:8000 --sibling b=127.0.0.1:8082",
            "  perhaps proxy --name a --listen 0.0.0.0:443 --origin http://127.0.0.1:8000 \\",
            "    --tls-cert a.pem --tls-key a.key --sibling-ca ca.pem \\",
            "    --sibling b=b.example.org:443",
            "  curl -si http://127.0.0.1:8080/ | grep -i cache-status"
        },
        mixinStandardHelpOptions = true)
public final class ProxyCommand implements Callable<Integer> {
    /** Each connection has 16 KiB that are not counted, and all together may have a quarter of the memory. */
    private static final int MEBIBYTE_CONNECTIONS = 16;

    /** How long a stopped proxy waits for the ring after its last client. */
    private static final int LEAVE_MILLIS = 5_000;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            required = true,
            description = "Where to listen for clients; port 0 takes a free one.")
    @SuppressWarnings("NullAway.Init") // required
    private String listen;

    @Option(
            names = "--origin",
            paramLabel = "URL",
            required = true,
            description = "The web server, as in https://HOST:PORT, or http://HOST:PORT.")
    @SuppressWarnings("NullAway.Init") // required
    private String origin;

    @Option(
            names = "--cache",
            paramLabel = "SIZE",
            description = "The size of the cache, in memory (default: ${DEFAULT-VALUE}).")
    private String cache = "256M";

    @Option(
            names = "--largest",
            paramLabel = "SIZE",
            description = "Cache no page with a larger body (default: an eighth of the cache, at most"
                    + " ${bundle:default.largest}).")
    private @Nullable String largest;

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            description = "Where to listen for operators (default: a free port of this machine).")
    private String admin = "127.0.0.1:0";

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "Its name in Via and Cache-Status (default: a random one).")
    private @Nullable String name;

    @Option(
            names = "--keep-host",
            description =
                    "Forward the client's Host header instead of the origin's, and cache pages separately per host.")
    private boolean keepHost;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            description = "How long to wait for the origin's response to begin, and to continue (default:"
                    + " ${bundle:default.timeout}).")
    private @Nullable String timeout;

    @Option(
            names = "--stale-if-error",
            paramLabel = "TIME",
            description =
                    "How long to serve stale pages when the origin fails, unless they forbid it (default: not at all).")
    private @Nullable String staleIfError;

    @Option(
            names = "--request-limit",
            paramLabel = "SIZE",
            description = "Refuse requests with a larger body (default: ${bundle:default.requestLimit}).")
    private @Nullable String requestLimit;

    @Option(
            names = "--clients",
            paramLabel = "N",
            description = "Serve at most N connections of clients (default: " + Limits.DEFAULT_CLIENTS
                    + ", fewer if Java has less than " + (Limits.DEFAULT_CLIENTS / MEBIBYTE_CONNECTIONS)
                    + " MB).")
    private @Nullable Integer clients;

    @Option(
            names = "--clients-per-address",
            paramLabel = "N",
            description = "Serve at most N connections from one address (default: " + Limits.DEFAULT_ADDRESS_CLIENTS
                    + "); behind a load balancer, as many as --clients.")
    private int clientsPerAddress = Limits.DEFAULT_ADDRESS_CLIENTS;

    @Option(
            names = "--client-memory",
            paramLabel = "SIZE",
            description = "Memory limit for requests and unread responses, beyond 16 KiB per connection (default: an"
                    + " eighth of the cache, at least ${bundle:default.clientMemory}, at most an eighth of Java's"
                    + " memory).")
    private @Nullable String clientMemory;

    @Option(
            names = "--access-log",
            paramLabel = "FILE",
            description = "Append a line per request to FILE, or write it to standard output with '-'. The file can be "
                    + "rotated.")
    private @Nullable String accessLog;

    @Mixin
    private ProxyTlsOptions tls = new ProxyTlsOptions();

    @Mixin
    private SiblingOptions siblings = new SiblingOptions();

    @Option(names = "--json", description = "Print the line as a JSON object.")
    private boolean json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        OutOfMemoryGuard.install();
        Counters counters = new Counters();
        ProxyPlan plan = ProxyServer.before(Origin.of(origin))
                .limits(limits())
                .timeouts(timeouts())
                .keepHost(keepHost)
                .counters(counters);
        String called = name != null ? name : "perhaps-" + Integer.toHexString(new SecureRandom().nextInt());
        plan = plan.name(called);
        AccessLog log = accessLog == null ? null : openLog(accessLog);
        if (log != null) {
            plan = plan.accessLog(log);
            counters.metrics()
                    .counter("perhaps_proxy_log_dropped_total", "Lines of the access log not written.", log::dropped);
        }
        if (staleIfError != null) {
            plan = plan.staleIfErrorSeconds(
                    Amounts.duration("--stale-if-error", staleIfError).toSeconds());
        }
        ReloadingTls siblingTls = tls.siblings(siblings.wanted());
        plan = tls.addTo(plan, siblingTls);
        ReloadingTls ringTls = tls.ring(siblings.ringAuthority());
        InetSocketAddress at = ListenAddress.of("--listen", listen);
        InetSocketAddress adminAt = ListenAddress.of("--admin", admin);
        // Where it listens is known when it does, and asked for only then.
        AtomicReference<HostPort> bound = new AtomicReference<>(HostPort.of(listen));
        SiblingSharing sharing = siblings.wanted()
                ? siblings.sharing(called, Origin.of(origin), at, bound::get, counters, siblingTls, ringTls)
                : null;
        if (sharing != null) {
            Router inner = new Router();
            sharing.addTo(inner);
            plan = plan.cacheListener(sharing).siblingLookup(sharing).inner(inner);
        }
        ProxyServer proxy = plan.listen(at);
        boolean ready = false;
        try {
            AdminServer.Plan pages = AdminServer.at(adminAt)
                    .metrics(counters.metrics())
                    .health(proxy::isHealthy, "an event loop is stuck")
                    .readiness(proxy::isReady, "it is stopping");
            if (sharing != null) {
                bound.set(HostPort.of(ListenAddress.shown(listen, proxy.address())));
                pages = pages.page(StatusPage.PATH, new StatusPage(sharing));
                sharing.start();
            }
            AdminServer inside = pages.open();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> close(proxy, sharing, inside, log)));
            print(ListenAddress.shown(listen, proxy.address()), ListenAddress.shown(admin, inside.address()));
            ready = true;
        } finally {
            if (!ready) {
                proxy.close();
            }
        }
        Thread.currentThread().join();
        return ExitCodes.DONE;
    }

    private static AccessLog openLog(String file) {
        try {
            return AccessLog.to(file);
        } catch (IOException e) {
            throw new BadInput("--access-log " + file + " cannot be written: check its folder and who may write there");
        }
    }

    /**
     * The pages for those who run it stay until all requests of clients are finished. A ring that does not answer takes its name
     * off the ring late or never, which must not keep clients waiting.
     */
    private static void close(
            ProxyServer proxy, @Nullable SiblingSharing sharing, AdminServer inside, @Nullable AccessLog log) {
        Thread leaving = new Thread(() -> leave(sharing), "leaving");
        leaving.setDaemon(true);
        leaving.start();
        proxy.close();
        try {
            leaving.join(LEAVE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        inside.close();
        if (log != null) {
            log.close();
        }
    }

    private static void leave(@Nullable SiblingSharing sharing) {
        if (sharing != null) {
            sharing.close();
        }
    }

    private Limits limits() {
        long bytes = Amounts.bytes("--cache", cache, 1 << 20);
        long heap = Runtime.getRuntime().maxMemory();
        if (bytes > heap / 8 * 5) {
            throw new BadInput("--cache " + cache + " does not fit: Java has " + (heap >> 20)
                    + " MB, and needs eight fifths of the cache: give it more with PERHAPS_JAVA_OPTIONS=-Xmx"
                    + (2 * (bytes >> 20)) + "m");
        }
        Limits limits = Limits.ofCache(bytes);
        if (largest != null) {
            limits = limits.entryBytes(Amounts.bytes("--largest", largest));
        }
        long memory = clientMemory == null
                ? Math.max(1 << 20, Math.min(limits.memoryBytes(), heap / 8))
                : Amounts.bytes("--client-memory", clientMemory, 1 << 20);
        int connections =
                clients != null ? clients : (int) Math.min(Limits.DEFAULT_CLIENTS, (heap >> 20) * MEBIBYTE_CONNECTIONS);
        limits = limits.memoryBytes(memory)
                .clients(Amounts.atLeastOne("--clients", connections))
                .addressClients(Amounts.atLeastOne("--clients-per-address", clientsPerAddress));
        return requestLimit == null ? limits : limits.requestBytes(Amounts.bytes("--request-limit", requestLimit));
    }

    private Timeouts timeouts() {
        if (timeout == null) {
            return Timeouts.usual();
        }
        int millis = Math.toIntExact(Math.min(
                Integer.MAX_VALUE, Amounts.duration("--timeout", timeout).toMillis()));
        return Timeouts.usual().responseMillis(millis).originMillis(millis);
    }

    private void print(String clients, String inside) throws IOException {
        if (json) {
            Console.println(Json.object(out -> {
                out.writeStringField("address", clients);
                out.writeStringField("origin", Origin.of(origin).url());
                out.writeStringField("admin", inside);
            }));
        } else {
            Console.println("listening on " + clients + ", origin " + Origin.of(origin) + ", admin " + inside);
        }
        Console.flush();
    }
}
