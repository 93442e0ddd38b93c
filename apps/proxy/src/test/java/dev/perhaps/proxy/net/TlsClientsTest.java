package dev.perhaps.proxy.net;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Origin;
import dev.perhaps.web.ReloadingTls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of TLS, over HTTP/2 and HTTP/1.1: Java's, curl and openssl. */
@Timeout(120)
class TlsClientsTest {
    private static final byte[] BIG = new byte[3 << 20];

    static {
        new Random(1).nextBytes(BIG);
    }

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // before each
    private HttpServer origin;

    @SuppressWarnings("NullAway.Init") // before each
    private TlsFixture tls;

    private final List<String> seen = new CopyOnWriteArrayList<>();

    @BeforeEach
    void start() throws Exception {
        tls = new TlsFixture(folder);
        origin = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        origin.setExecutor(Executors.newCachedThreadPool());
        origin.createContext("/page", exchange -> {
            seen.add(exchange.getRequestHeaders().getFirst("X-Forwarded-Proto") + " "
                    + exchange.getRequestHeaders().getFirst("Host") + " "
                    + exchange.getRequestHeaders().getFirst("Cookie"));
            exchange.getResponseHeaders().set("Cache-Control", "max-age=60");
            exchange.getResponseHeaders().set("Content-Type", "text/plain");
            byte[] body = ("this is " + exchange.getRequestURI()).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        origin.createContext("/big", exchange -> {
            exchange.sendResponseHeaders(200, exchange.getRequestURI().getQuery() == null ? BIG.length : 0);
            exchange.getResponseBody().write(BIG);
            exchange.close();
        });
        origin.createContext("/echo", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        origin.createContext("/nothing", exchange -> {
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        origin.start();
    }

    @AfterEach
    void stop() {
        origin.stop(0);
        ((java.util.concurrent.ExecutorService) origin.getExecutor()).shutdownNow();
    }

    private ProxyServer proxy(ReloadingTls.Plan plan) throws IOException {
        ProxyPlan proxy = ProxyServer.before(
                        Origin.of("http://localhost:" + origin.getAddress().getPort()))
                .name("perhaps")
                .limits(Limits.ofCache(8 << 20));
        return tls.in(proxy, plan).listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static HttpRequest.Builder to(ProxyServer proxy, String path) {
        return HttpRequest.newBuilder(
                        URI.create("https://localhost:" + proxy.address().getPort() + path))
                .timeout(Duration.ofMinutes(1));
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void pagesAreServedAndKept(HttpClient.Version version) throws Exception {
        try (ProxyServer proxy = proxy(ReloadingTls.of(tls.files))) {
            HttpClient client = tls.client(version);
            HttpResponse<String> first = client.send(to(proxy, "/page/1?a=b").build(), BodyHandlers.ofString());
            assertThat(first.version()).isEqualTo(version);
            assertThat(first.statusCode()).isEqualTo(200);
            assertThat(first.body()).isEqualTo("this is /page/1?a=b");
            assertThat(first.headers().firstValue("Cache-Status")).hasValue("perhaps; fwd=uri-miss; stored");
            HttpResponse<String> second = client.send(to(proxy, "/page/1?a=b").build(), BodyHandlers.ofString());
            assertThat(second.body()).isEqualTo(first.body());
            assertThat(second.headers().firstValue("Cache-Status")).hasValue("perhaps; hit");
            assertThat(second.headers().firstValue("Content-Type")).hasValue("text/plain");
            assertThat(second.headers().firstValue("Connection")).isEmpty();
            assertThat(seen)
                    .containsExactly("https localhost:" + origin.getAddress().getPort() + " null");

            HttpResponse<String> head = client.send(
                    to(proxy, "/page/1?a=b")
                            .method("HEAD", BodyPublishers.noBody())
                            .build(),
                    BodyHandlers.ofString());
            assertThat(head.body()).isEmpty();
            assertThat(head.headers().firstValue("Content-Length")).hasValue("19");
            HttpResponse<String> part = client.send(
                    to(proxy, "/page/1?a=b").header("Range", "bytes=5-6").build(), BodyHandlers.ofString());
            assertThat(part.statusCode()).isEqualTo(206);
            assertThat(part.body()).isEqualTo("is");
            assertThat(client.send(to(proxy, "/nothing").build(), BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(204);
            HttpResponse<String> refused = client.send(
                    to(proxy, "/page/2").header("Via", "1.1 perhaps").build(), BodyHandlers.ofString());
            assertThat(refused.statusCode()).isEqualTo(508);
            assertThat(refused.body()).startsWith("508: ");
        }
    }

    @ParameterizedTest
    @CsvSource({"HTTP_2, /big", "HTTP_2, /big?chunked", "HTTP_1_1, /big", "HTTP_1_1, /big?chunked"})
    void bigPagesArriveWhole(HttpClient.Version version, String path) throws Exception {
        try (ProxyServer proxy = proxy(ReloadingTls.of(tls.files))) {
            HttpResponse<byte[]> response =
                    tls.client(version).send(to(proxy, path).build(), BodyHandlers.ofByteArray());
            assertThat(response.body()).isEqualTo(BIG);
        }
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void bodiesOfRequestsArriveWhole(HttpClient.Version version) throws Exception {
        try (ProxyServer proxy = proxy(ReloadingTls.of(tls.files))) {
            HttpClient client = tls.client(version);
            for (HttpRequest.BodyPublisher body : List.of(
                    BodyPublishers.ofByteArray(BIG),
                    BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(BIG)))) {
                HttpResponse<byte[]> response =
                        client.send(to(proxy, "/echo").POST(body).build(), BodyHandlers.ofByteArray());
                assertThat(response.statusCode()).isEqualTo(200);
                assertThat(response.body()).isEqualTo(BIG);
            }
            assertThat(client.send(
                                    to(proxy, "/echo")
                                            .POST(BodyPublishers.noBody())
                                            .build(),
                                    BodyHandlers.ofByteArray())
                            .body())
                    .isEmpty();
        }
    }

    @Test
    void manyStreamsOfOneConnectionAreServedAtOnce() throws Exception {
        try (ProxyServer proxy = proxy(ReloadingTls.of(tls.files))) {
            HttpClient client = tls.client(HttpClient.Version.HTTP_2);
            client.send(to(proxy, "/page/0").build(), BodyHandlers.ofString());
            List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();
            for (int i = 0; i < 90; i++) {
                responses.add(client.sendAsync(to(proxy, "/page/" + i % 30).build(), BodyHandlers.ofString()));
            }
            for (int i = 0; i < 90; i++) {
                HttpResponse<String> response = responses.get(i).get(60, TimeUnit.SECONDS);
                assertThat(response.body()).isEqualTo("this is /page/" + i % 30);
                assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void anAnswerThatBreaksOffIsNotTakenForWhole(HttpClient.Version version) throws Exception {
        for (String framing : List.of("Content-Length: 100", "Transfer-Encoding: chunked")) {
            try (RawOrigin broken = new RawOrigin((request, out) -> {
                        out.write(RawOrigin.wire("HTTP/1.1 200 OK\n" + framing + "\n\n5\r\nhello\r\n"));
                        return false;
                    });
                    Passage passage = new Passage(broken, tls::in)) {
                HttpClient client = tls.client(version);
                assertThatThrownBy(() -> client.send(to(passage.proxy, "/a").build(), BodyHandlers.ofString()))
                        .isInstanceOf(IOException.class);
                broken.script((request, out) -> {
                    out.write(RawOrigin.wire("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello"));
                    return true;
                });
                assertThat(client.send(to(passage.proxy, "/a").build(), BodyHandlers.ofString())
                                .body())
                        .isEqualTo("hello");
            }
        }
    }

    @Test
    void whoHasNoCertificateIsTurnedAwayWhereOneIsRequired() throws Exception {
        try (ProxyServer proxy = proxy(ReloadingTls.of(tls.files).clientsRequired())) {
            // In TLS 1.3 the client is done before it is refused. Java's HttpClient may then wait forever: so a
            // socket.
            try (Socket stranger = tls.context()
                    .getSocketFactory()
                    .createSocket(proxy.address().getAddress(), proxy.address().getPort())) {
                stranger.setSoTimeout(60_000);
                assertThatThrownBy(() -> {
                            stranger.getOutputStream()
                                    .write("GET /page/1 HTTP/1.1\r\nHost: h\r\n\r\n".getBytes(US_ASCII));
                            stranger.getInputStream().readNBytes(1);
                        })
                        .isInstanceOf(IOException.class)
                        .isNotInstanceOf(SocketTimeoutException.class);
            }
            HttpClient known = tls.client(
                    HttpClient.Version.HTTP_2,
                    tls.sign("client").toKeyManagerFactory().getKeyManagers());
            assertThat(known.send(to(proxy, "/page/1").build(), BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void aProxyThatStopsEndsTheStreamsUnderWay() throws Exception {
        ProxyServer proxy = proxy(ReloadingTls.of(tls.files));
        HttpClient client = tls.client(HttpClient.Version.HTTP_2);
        client.send(to(proxy, "/page/1").build(), BodyHandlers.ofString());
        CompletableFuture<HttpResponse<byte[]>> response =
                client.sendAsync(to(proxy, "/big").build(), BodyHandlers.ofByteArray());
        response.get(30, TimeUnit.SECONDS);
        long before = System.nanoTime();
        proxy.close();
        assertThat(response.get().body()).isEqualTo(BIG);
        assertThat(System.nanoTime() - before)
                .isLessThan(TimeUnit.SECONDS.toNanos(9)); // less than it waits for streams
    }

    @ParameterizedTest
    @ValueSource(strings = {"--http2", "--http1.1"})
    void curlIsServed(String version) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/curl")), "no curl here");
        try (ProxyServer proxy = proxy(ReloadingTls.of(tls.files))) {
            String url = "https://localhost:" + proxy.address().getPort();
            String got = run(
                    "",
                    "curl",
                    "-sS",
                    version,
                    "--cacert",
                    String.valueOf(tls.files.authority()),
                    "-H",
                    "Cookie: a=b",
                    "-H",
                    "Cookie: c=d",
                    "-w",
                    " %{http_version} %{http_code} ",
                    url + "/page/1",
                    url + "/page/1");
            assertThat(got).startsWith("this is /page/1 " + (version.equals("--http2") ? "2" : "1.1") + " 200 ");
            String posted = run(
                    "x".repeat(100_000),
                    "curl",
                    "-sS",
                    version,
                    "--cacert",
                    String.valueOf(tls.files.authority()),
                    "-T",
                    "-",
                    url + "/echo");
            assertThat(posted).isEqualTo("x".repeat(100_000));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-tls1_2", "-tls1_3"})
    void aSessionIsResumed(String version) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/openssl")), "no openssl here");
        try (ProxyServer proxy = proxy(ReloadingTls.of(tls.files))) {
            assertThat(handshake(proxy, version, "-sess_out"))
                    .contains("\nNew, TLSv1.")
                    .contains("this is /page/1");
            assertThat(handshake(proxy, version, "-sess_in"))
                    .contains("\nReused, TLSv1.")
                    .contains("this is /page/1");
        }
    }

    @Test
    void anOldVersionOfTlsIsRefused() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/openssl")), "no openssl here");
        try (ProxyServer proxy = proxy(ReloadingTls.of(tls.files))) {
            assertThat(handshake(proxy, "-tls1_1", "-sess_out")).doesNotContain("this is /page/1");
        }
    }

    private String handshake(ProxyServer proxy, String version, String session) throws Exception {
        return run(
                "GET /page/1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                "openssl",
                "s_client",
                "-ign_eof",
                version,
                "-connect",
                "localhost:" + proxy.address().getPort(),
                "-CAfile",
                String.valueOf(tls.files.authority()),
                session,
                tls.folder().resolve("session").toString());
    }

    private String run(String input, String... command) throws Exception {
        Path in = Files.writeString(tls.folder().resolve("in"), input);
        Process process = new ProcessBuilder(command)
                .redirectInput(in.toFile())
                .redirectErrorStream(true)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return out;
    }
}
