package dev.perhaps.proxy.siblings;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.sun.net.httpserver.HttpServer;
import dev.perhaps.proxy.Counters;
import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Origin;
import dev.perhaps.proxy.Router;
import dev.perhaps.proxy.net.ProxyPlan;
import dev.perhaps.proxy.net.ProxyServer;
import dev.perhaps.web.ReloadingTls;
import dev.perhaps.web.TlsFiles;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A proxy with its part in sharing, and what tests ask of it. */
final class Node implements Closeable {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final Origin origin;
    private final @Nullable ReloadingTls tls;
    final SiblingSharing sharing;
    final ProxyServer server;
    final Counters counters = new Counters();
    final List<String> told = new CopyOnWriteArrayList<>();

    /** One that finds its siblings, itself among them, in this map. */
    Node(String name, Web web, Map<String, InetSocketAddress> all, UnaryOperator<SharingPlan> change)
            throws IOException {
        this(name, web, all, change, null);
    }

    /** With these files, over TLS. */
    Node(
            String name,
            Web web,
            Map<String, InetSocketAddress> all,
            UnaryOperator<SharingPlan> change,
            @Nullable TlsFiles files)
            throws IOException {
        this(name, web, node -> () -> all, change, files);
        all.put(name, server.address());
    }

    /** One that finds its siblings in a directory, which may ask for its address once it listens. */
    Node(
            String name,
            Web web,
            Function<Node, SiblingDirectory> directory,
            UnaryOperator<SharingPlan> change,
            @Nullable TlsFiles files)
            throws IOException {
        origin = Origin.of(web.url());
        tls = files == null
                ? null
                : ReloadingTls.of(files).mutual().applications("http/1.1").open(told::add);
        SharingPlan plan = SharingPlan.usual(name, Origin.of(web.url()), web.secret())
                .everyMillis(100)
                .timeoutMillis(500)
                .documents(500);
        sharing = new SiblingSharing(change.apply(plan), List.of(directory.apply(this)), counters, told::add, tls);
        Router inner = new Router();
        sharing.addTo(inner);
        ProxyPlan proxy = ProxyServer.before(origin)
                .name(name)
                .limits(Limits.ofCache(8 << 20))
                .counters(counters)
                .cacheListener(sharing)
                .siblingLookup(sharing)
                .inner(inner);
        if (files != null && tls != null) {
            proxy = proxy.tls(ReloadingTls.of(files).mutual().clientsOptional(), told::add)
                    .siblingTls(tls);
        }
        server = proxy.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        sharing.start();
    }

    @CanIgnoreReturnValue
    HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        return get(server.address(), path, headers);
    }

    static HttpResponse<String> get(InetSocketAddress at, String path, String... headers)
            throws IOException, InterruptedException {
        return get(HTTP, "http", at, path, headers);
    }

    static HttpResponse<String> get(
            HttpClient client, String scheme, InetSocketAddress at, String path, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(scheme + "://" + at.getHostString() + ":" + at.getPort() + path))
                .timeout(Duration.ofSeconds(20));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Reaches siblings with its files as they are now. */
    void reload() {
        if (tls == null || !tls.reload()) {
            throw new AssertionError("not reloaded: " + told);
        }
    }

    Origin origin() {
        return origin;
    }

    static String cacheStatus(HttpResponse<String> response) {
        return String.join(", ", response.headers().allValues("Cache-Status"));
    }

    /** A figure of its metrics, all labels together. */
    long figure(String name) {
        return counters.text()
                .lines()
                .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
                .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** Waits until it knows of this number of pages of the sibling. */
    void waitForDigest(String sibling, long documents) throws InterruptedException {
        waitFor(() -> sharing.status().siblings().stream()
                .anyMatch(each -> each.report().name().equals(sibling)
                        && each.report().documents() >= documents
                        && !each.report().down()));
    }

    static void waitFor(BooleanSupplier happened) throws InterruptedException {
        long until = System.nanoTime() + 60_000_000_000L;
        while (!happened.getAsBoolean()) {
            if (System.nanoTime() - until > 0) {
                throw new AssertionError("it did not happen in time");
            }
            Thread.sleep(10);
        }
    }

    @Override
    public void close() {
        sharing.close();
        server.close();
    }

    /** An origin whose pages say their own path and may be kept, and which counts how often it gave out each. */
    static final class Web implements Closeable {
        static {
            // Else each response waits for the acknowledgement of its head.
            System.setProperty("sun.net.httpserver.nodelay", "true");
        }

        private final HttpServer http;
        private final SiblingSecret secret =
                SiblingSecret.of("a secret of some length".getBytes(StandardCharsets.UTF_8));
        final Map<String, AtomicInteger> asked = new ConcurrentHashMap<>();

        Web() throws IOException {
            http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
            http.setExecutor(Executors.newCachedThreadPool(task -> {
                Thread thread = new Thread(task);
                thread.setDaemon(true);
                return thread;
            }));
            http.createContext("/", exchange -> {
                String path = exchange.getRequestURI().toString();
                asked.computeIfAbsent(path, same -> new AtomicInteger()).incrementAndGet();
                byte[] body = body(path).getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().set("Cache-Control", "public, max-age=1000");
                exchange.sendResponseHeaders(200, body.length);
                try (exchange) {
                    exchange.getResponseBody().write(body);
                }
            });
            http.start();
        }

        static String body(String path) {
            return "the page " + path;
        }

        String url() {
            return "http://127.0.0.1:" + http.getAddress().getPort();
        }

        SiblingSecret secret() {
            return secret;
        }

        int times(String path) {
            return asked.getOrDefault(path, new AtomicInteger()).get();
        }

        @Override
        public void close() {
            http.stop(0);
        }
    }
}
