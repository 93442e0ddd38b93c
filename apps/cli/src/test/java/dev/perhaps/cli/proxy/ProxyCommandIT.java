package dev.perhaps.cli.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.perhaps.cli.Certificates;
import dev.perhaps.cli.Refusals;
import dev.perhaps.cli.Shell;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The proxy as a process of its own, in front of a server of Java's, asked by a client of Java's. */
@Timeout(120)
class ProxyCommandIT {
    @TempDir
    private Path folder;

    private final CountDownLatch slowIsHalfWay = new CountDownLatch(1);
    private final CountDownLatch slowMayGoOn = new CountDownLatch(1);
    private final AtomicInteger asked = new AtomicInteger();
    private final HttpClient client = HttpClient.newHttpClient();

    @SuppressWarnings("NullAway.Init") // before each
    private HttpServer origin;

    @BeforeEach
    void startOrigin() throws Exception {
        origin = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        origin.setExecutor(Executors.newCachedThreadPool());
        origin.createContext("/page", exchange -> {
            asked.incrementAndGet();
            exchange.getResponseHeaders().set("Cache-Control", "max-age=600");
            exchange.sendResponseHeaders(200, 5);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(new byte[] {'h', 'e', 'l', 'l', 'o'});
            }
        });
        origin.createContext("/slow", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                for (int i = 0; i < 10; i++) {
                    out.write('a' + i);
                    out.flush();
                    if (i == 4) {
                        slowIsHalfWay.countDown();
                        slowMayGoOn.await();
                    }
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        origin.start();
    }

    @AfterEach
    void stopOrigin() {
        origin.stop(0);
    }

    /** Waits until a proxy that was told to stop says so, or does not listen any more. */
    private void waitUntilNotReady(String admin) throws InterruptedException {
        try {
            while (client.send(get(admin, "/readyz"), HttpResponse.BodyHandlers.ofString())
                            .statusCode()
                    == 200) {
                Thread.sleep(20);
            }
        } catch (IOException e) {
            assertThat(e).as("it does not listen any more").isNotNull();
        }
    }

    private String originUrl() {
        return "http://127.0.0.1:" + origin.getAddress().getPort();
    }

    /** Starts a proxy and gives the words of the line it prints: where it listens, and where its metrics are. */
    private static String[] addresses(Shell.Running proxy) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!Files.readString(proxy.out()).endsWith("\n")) {
            if (!proxy.process().isAlive() || System.nanoTime() - end > 0) {
                throw new AssertionError("it is not ready: " + Files.readString(proxy.err()));
            }
            Thread.sleep(50);
        }
        String line = Files.readString(proxy.out());
        assertThat(line).matches("listening on 127.0.0.1:\\d+, origin http://127.0.0.1:\\d+, admin 127.0.0.1:\\d+\n");
        return line.strip()
                .replaceAll("listening on |, origin [^,]*, admin ", " ")
                .strip()
                .split(" ", -1);
    }

    private HttpRequest get(String address, String path) {
        return HttpRequest.newBuilder(URI.create("http://" + address + path)).build();
    }

    @Test
    void keepsPagesCountsThemAndEndsWhatIsUnderWayWhenItIsStopped() throws Exception {
        Shell.Running proxy = new Shell(folder)
                .start(
                        "proxy",
                        "--listen",
                        "127.0.0.1:0",
                        "--origin",
                        originUrl(),
                        "--cache",
                        "8M",
                        "--name",
                        "edge",
                        "--access-log",
                        folder.resolve("access.log").toString());
        try {
            String[] at = addresses(proxy);
            for (String status : new String[] {"edge; fwd=uri-miss; stored", "edge; hit"}) {
                HttpResponse<String> answer = client.send(get(at[0], "/page?x"), HttpResponse.BodyHandlers.ofString());
                assertThat(answer.body()).isEqualTo("hello");
                assertThat(answer.headers().firstValue("Cache-Status")).contains(status);
            }
            assertThat(asked).hasValue(1);
            String metrics = client.send(get(at[1], "/metrics"), HttpResponse.BodyHandlers.ofString())
                    .body();
            assertThat(metrics)
                    .contains("perhaps_proxy_responses_total{from=\"hit\"} 1\n")
                    .contains("perhaps_proxy_responses_total{from=\"miss\"} 1\n")
                    .contains("perhaps_proxy_client_bytes_total 10\n")
                    .contains("perhaps_proxy_pages 1\n");
            assertThat(client.send(get(at[1], "/other"), HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(404);
            for (String page : List.of("/healthz", "/readyz")) {
                HttpResponse<String> answer = client.send(get(at[1], page), HttpResponse.BodyHandlers.ofString());
                assertThat(answer.statusCode() + answer.body()).isEqualTo("200ok\n");
            }
            CompletableFuture<HttpResponse<String>> slow =
                    client.sendAsync(get(at[0], "/slow"), HttpResponse.BodyHandlers.ofString());
            slowIsHalfWay.await();
            proxy.signal("-INT");
            waitUntilNotReady(at[1]);
            slowMayGoOn.countDown();
            assertThat(slow.get().body()).isEqualTo("abcdefghij");
            assertThat(proxy.finish().code()).isEqualTo(130);
            assertThat(Files.readAllLines(folder.resolve("access.log")))
                    .hasSize(3)
                    .anyMatch(line -> line.contains("\"GET /page?x HTTP/1.1\" 200 5 ") && line.contains(" hit "))
                    .anyMatch(line -> line.contains("\"GET /slow HTTP/1.1\" 200 10 "));
        } finally {
            proxy.process().destroyForcibly();
        }
    }

    @Test
    void speaksTlsAndUsesARenewedCertificateOnSighupButNoExpiredOne() throws Exception {
        Certificates certificates = new Certificates(folder);
        certificates.write("proxy", Duration.ofDays(1));
        Shell.Running proxy = new Shell(folder)
                .start(
                        "proxy",
                        "--listen",
                        "127.0.0.1:0",
                        "--origin",
                        originUrl(),
                        "--cache",
                        "8M",
                        "--tls-cert",
                        folder.resolve("proxy.pem").toString(),
                        "--tls-key",
                        folder.resolve("proxy.key").toString());
        try {
            String[] at = addresses(proxy);
            X509Certificate first = certificateOf(certificates, at[0]);
            certificates.write("proxy", Duration.ofDays(-1));
            proxy.signal("-HUP");
            waitForLine(proxy, "perhaps: TLS: not reloaded, what was in use stays in use: ");
            assertThat(Files.readString(proxy.err())).contains("proxy.pem: the certificate of CN=proxy expired on ");
            assertThat(certificateOf(certificates, at[0])).isEqualTo(first);
            certificates.write("proxy", Duration.ofDays(2));
            proxy.signal("-HUP");
            waitForLine(proxy, "perhaps: TLS: reloaded ");
            assertThat(certificateOf(certificates, at[0])).isNotEqualTo(first);
        } finally {
            proxy.process().destroyForcibly();
        }
    }

    private Shell.Running sibling(Certificates certificates, String name, String other) throws Exception {
        certificates.write(name, Duration.ofDays(1));
        return new Shell(folder)
                .start(
                        "proxy",
                        "--listen",
                        "127.0.0.1:0",
                        "--origin",
                        originUrl(),
                        "--cache",
                        "8M",
                        "--name",
                        name,
                        "--tls-cert",
                        folder.resolve(name + ".pem").toString(),
                        "--tls-key",
                        folder.resolve(name + ".key").toString(),
                        "--sibling-ca",
                        certificates.authorityFile(),
                        "--sibling-timeout",
                        "20s",
                        "--digest-interval",
                        "100ms",
                        "--sibling",
                        other);
    }

    @Test
    void fetchesAPageFromASiblingOverTls() throws Exception {
        Certificates certificates = new Certificates(folder);
        Shell.Running one = sibling(certificates, "one", "nobody=127.0.0.1:1");
        try {
            String at = addresses(one)[0];
            assertThat(certificateOf(certificates, at).getSubjectX500Principal().getName())
                    .isEqualTo("CN=one");
            Shell.Running two = sibling(certificates, "two", "one=" + at);
            try {
                String[] there = addresses(two);
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
                while (client.send(get(there[1], "/metrics"), HttpResponse.BodyHandlers.ofString())
                        .body()
                        .lines()
                        .noneMatch(line ->
                                line.matches("perhaps_proxy_digests_received_total\\{sibling=\"one\"} [1-9]\\d*"))) {
                    assertThat(System.nanoTime() - end)
                            .as(Files.readString(two.err()))
                            .isNegative();
                    Thread.sleep(20);
                }
                certificateOf(certificates, there[0]);
                assertThat(client.send(get(there[1], "/metrics"), HttpResponse.BodyHandlers.ofString())
                                .body())
                        .contains("perhaps_proxy_responses_total{from=\"sibling\"} 1\n");
                assertThat(asked).hasValue(1);
            } finally {
                two.process().destroyForcibly();
            }
        } finally {
            one.process().destroyForcibly();
        }
    }

    /** Symptom: a proxy whose ring did not answer went on to take requests when it was told to stop, until the ring was given up. */
    @Test
    void stopsTakingRequestsThoughItsRingDoesNotAnswer() throws Exception {
        AtomicInteger callers = new AtomicInteger();
        try (ServerSocket ring = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            background(() -> acceptAndSayNothing(ring, callers));
            Shell.Running proxy = new Shell(folder)
                    .start(
                            "proxy",
                            "--listen",
                            "127.0.0.1:0",
                            "--origin",
                            originUrl(),
                            "--cache",
                            "8M",
                            "--ring",
                            "127.0.0.1:" + ring.getLocalPort());
            try {
                String[] at = addresses(proxy);
                while (callers.get() == 0) {
                    Thread.sleep(20);
                }
                proxy.signal("-TERM");
                waitUntilNotReady(at[1]);
                while (callers.get() == 0) {
                    assertThat(proxy.process().isAlive())
                            .as("the ring is still asked to forget the proxy")
                            .isTrue();
                    Thread.sleep(20);
                }
                assertThat(proxy.finish().code()).isEqualTo(143);
            } finally {
                proxy.process().destroyForcibly();
            }
        }
    }

    private static void background(Runnable task) {
        Thread thread = new Thread(task, "silent ring");
        thread.setDaemon(true);
        thread.start();
    }

    private static void acceptAndSayNothing(ServerSocket ring, AtomicInteger callers) {
        while (!ring.isClosed()) {
            try {
                Socket caller = ring.accept();
                callers.incrementAndGet();
                background(() -> {
                    try (caller) {
                        caller.getInputStream().readAllBytes();
                    } catch (IOException e) {
                        assertThat(e).isNotNull(); // it went without a word
                    } finally {
                        callers.decrementAndGet();
                    }
                });
            } catch (IOException e) {
                assertThat(ring.isClosed()).isTrue();
            }
        }
    }

    private static void waitForLine(Shell.Running proxy, String line) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!Files.readString(proxy.err()).contains(line)) {
            assertThat(System.nanoTime() - end).isNegative();
            Thread.sleep(20);
        }
    }

    /** Fetches a page over HTTP/2, and gives the certificate that the proxy showed. */
    private static X509Certificate certificateOf(Certificates certificates, String address) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {certificates.authority.toTrustManager()}, null);
        HttpResponse<String> answer = HttpClient.newBuilder()
                .sslContext(context)
                .build()
                .send(
                        HttpRequest.newBuilder(URI.create("https://" + address + "/page"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(answer.body()).isEqualTo("hello");
        assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
        return (X509Certificate) answer.sslSession().orElseThrow().getPeerCertificates()[0];
    }

    @Test
    void saysWhatIsWrongInOneLine() throws Exception {
        new Refusals(new Shell(folder))
                .of("proxy --listen 127.0.0.1:0", "Missing required option: '--origin=URL'")
                .of(
                        "proxy --listen 127.0.0.1:0 --origin localhost:8000",
                        "an origin is http://HOST:PORT or https://HOST:PORT")
                .of("proxy --listen 127.0.0.1:0 --origin http://h/path", "without a path, got 'http://h/path'")
                .of("proxy --listen 127.0.0.1:0 --origin ftp://h", "got 'ftp://h'")
                .of("proxy --listen here --origin http://h", "an address is HOST:PORT, got 'here'")
                .of("proxy --listen here.invalid:1 --origin http://h", "--listen here.invalid:1: unknown host")
                .of(
                        "proxy --listen 127.0.0.1:0 --origin http://h --name a --sibling b=there.invalid:1",
                        "--sibling b=there.invalid:1: unknown host")
                .of(
                        "proxy --listen 127.0.0.1:0 --origin http://h --cache 1x",
                        "--cache must be a size such as 512M or 2G, got '1x'")
                .of(
                        "proxy --listen 127.0.0.1:0 --origin http://h --tls-cert a.pem",
                        "TLS takes both --tls-cert and --tls-key, got no --tls-key")
                .of(
                        "proxy --listen 127.0.0.1:0 --origin http://h --tls-cert a.pem --tls-key b.pem",
                        "a.pem: no such file")
                .of(
                        "proxy --listen 127.0.0.1:0 --origin http://h --tls-cert a --tls-key b --sibling c=127.0.0.1:1",
                        "siblings of a proxy with --tls-cert are reached over TLS: give --sibling-ca")
                .of(
                        "proxy --listen 127.0.0.1:0 --origin http://h --sibling-ca a --sibling c=127.0.0.1:1",
                        "TLS takes both --tls-cert and --tls-key, got no --tls-cert")
                .of(
                        "proxy --listen 127.0.0.1:0 --origin http://h --tls-cert a --tls-key b --sibling-ca c",
                        "--sibling-ca is for siblings: give --sibling NAME=HOST:PORT")
                .of(
                        "proxy --listen 127.0.0.1:0 --origin http://h --tls-cert a --tls-key b --sibling-ca c"
                                + " --tls-client-ca d --sibling e=127.0.0.1:1",
                        "--sibling-ca and --tls-client-ca exclude each other")
                .of(
                        "proxy --listen 127.0.0.1:0 --origin http://h --tls-cert a --tls-key b --sibling-ca c"
                                + " --ring 127.0.0.1:1",
                        "a: no such file")
                .of("proxy --listen 127.0.0.1:0 --origin http://h --cache 1K", "--cache must be at least 1M, got '1K'")
                .of(
                        "proxy --listen 127.0.0.1:0 --origin http://h --cache 900G",
                        "give it more with PERHAPS_JAVA_OPTIONS=-Xmx")
                .of(
                        "proxy --listen 127.0.0.1:0 --origin http://h --cache 1M --largest 2M",
                        "at most the bytes of the cache")
                .of("proxy --listen 127.0.0.1:0 --origin http://h --cache 1M --name a,b", "a name has letters, digits")
                .of(
                        "proxy --listen 127.0.0.1:0 --origin http://h --cache 1M --timeout 5",
                        "--timeout must be a duration")
                .of(
                        "proxy --listen 127.0.0.1:0 --origin http://h --cache 1M --access-log /no/such/folder/log",
                        "--access-log /no/such/folder/log cannot be written")
                .of(
                        "proxy --listen 127.0.0.1:0 --origin http://h --cache 1M --clients 0",
                        "--clients must be at least 1, got 0")
                .of(
                        "proxy --listen 127.0.0.1:" + origin.getAddress().getPort()
                                + " --origin http://127.0.0.1:1 --cache 1M",
                        ": cannot listen there: ")
                .hold();
    }
}
