package dev.perhaps.web.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.web.Role;
import dev.perhaps.web.metrics.Metrics;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pages over real sockets, asked well and badly. */
@Timeout(60)
class AdminServerIT {
    private static AdminServer.Plan plan() {
        return AdminServer.at(new InetSocketAddress("localhost", 0));
    }

    private static Socket connect(AdminServer server) throws IOException {
        Socket socket =
                new Socket(InetAddress.getByName("localhost"), server.address().getPort());
        socket.setSoTimeout(30_000);
        return socket;
    }

    /** Sends these bytes, and returns all that comes back until the connection is closed. */
    private static String raw(AdminServer server, String request) throws IOException {
        try (Socket socket = connect(server)) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String ask(AdminServer server, String method, String path, String... headers) throws IOException {
        return raw(
                server,
                method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + String.join("", headers)
                        + "\r\n");
    }

    private static String get(AdminServer server, String path) throws IOException {
        return ask(server, "GET", path);
    }

    private static void watch(Socket socket, String path) throws IOException {
        socket.getOutputStream()
                .write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.UTF_8));
    }

    private static void waitFor(BooleanSupplier happened) throws InterruptedException {
        while (!happened.getAsBoolean()) {
            Thread.sleep(5);
        }
    }

    /** Reads until this text has come. */
    @CanIgnoreReturnValue
    private static String readUntil(Socket socket, String wanted) throws IOException {
        StringBuilder heard = new StringBuilder();
        byte[] buffer = new byte[1 << 14];
        while (heard.indexOf(wanted) < 0) {
            int n = socket.getInputStream().read(buffer);
            assertThat(n).as(heard.toString()).isPositive();
            heard.append(new String(buffer, 0, n, StandardCharsets.UTF_8));
        }
        return heard.toString();
    }

    @Test
    void showsHealthMetricsAndPages() throws Exception {
        AtomicBoolean ready = new AtomicBoolean();
        Metrics metrics = new Metrics();
        metrics.counter("a_total", "A.").increment();
        try (AdminServer server = plan().health(() -> true, "stuck")
                .readiness(ready::get, "it is stopping")
                .metrics(metrics)
                .page("/api/n", request -> AdminReply.json(json -> json.field("n", request.count("n", 5, 10))))
                .page("/plain", request -> AdminReply.text(request.path()).status(202))
                .open()) {
            assertThat(server.url())
                    .isEqualTo("http://localhost:" + server.address().getPort() + "/");
            assertThat(get(server, "/healthz"))
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .endsWith("\r\n\r\nok\n");
            assertThat(get(server, "/readyz")).startsWith("HTTP/1.1 503 ").endsWith("\r\n\r\nit is stopping\n");
            ready.set(true);
            assertThat(get(server, "/readyz")).startsWith("HTTP/1.1 200 ");
            assertThat(get(server, "/metrics"))
                    .contains("content-type: text/plain; version=0.0.4; charset=utf-8\r\n")
                    .endsWith("# HELP a_total A.\n# TYPE a_total counter\na_total 1\n");
            assertThat(get(server, "/api/n"))
                    .contains("content-type: application/json\r\n")
                    .contains("cache-control: no-store\r\n")
                    .endsWith("\r\n\r\n{\"n\":5}");
            assertThat(get(server, "/api/n?n=7")).endsWith("{\"n\":7}");
            assertThat(get(server, "/plain?x")).startsWith("HTTP/1.1 202 ").endsWith("\r\n\r\n/plain");
        }
    }

    @Test
    void everyResponseCarriesTheSecurityHeaders() throws Exception {
        try (AdminServer server = plan().health(() -> true, "")
                        .page("/page", request -> AdminReply.html("<p>"))
                        .events("/events", round -> round.event("a", "1"))
                        .open();
                Socket watcher = connect(server)) {
            watch(watcher, "/events");
            for (String response : List.of(
                    get(server, "/healthz"),
                    get(server, "/page"),
                    get(server, "/nothing"),
                    get(server, "/style.css"),
                    ask(server, "POST", "/page"),
                    raw(server, "nonsense\r\n\r\n"),
                    readUntil(watcher, "event: a"))) {
                assertThat(response)
                        .contains("Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self';")
                        .contains("frame-ancestors 'none'\r\n")
                        .contains("X-Content-Type-Options: nosniff\r\n")
                        .contains("X-Frame-Options: DENY\r\n")
                        .contains("Referrer-Policy: no-referrer\r\n")
                        .contains("Cross-Origin-Resource-Policy: same-origin\r\n");
            }
        }
    }

    @Test
    void sendsFilesOnceWhileTheyStayTheSame() throws Exception {
        Assets assets = Assets.of(
                name -> new ByteArrayInputStream(("<!-- " + name).getBytes(StandardCharsets.UTF_8)),
                "index.html",
                "page.js");
        try (AdminServer server = plan().assets(assets).open()) {
            String index = get(server, "/");
            assertThat(index)
                    .contains("content-type: text/html; charset=utf-8\r\n")
                    .contains("cache-control: no-cache\r\n")
                    .endsWith("<!-- index.html");
            assertThat(get(server, "/index.html")).isEqualTo(index);
            String tag = index.substring(index.indexOf("etag: ") + 6, index.indexOf("\r\n", index.indexOf("etag: ")));
            assertThat(ask(server, "GET", "/", "If-None-Match: " + tag + "\r\n"))
                    .startsWith("HTTP/1.1 304 ")
                    .endsWith("\r\n\r\n");
            assertThat(get(server, "/page.js")).contains("content-type: text/javascript; charset=utf-8\r\n");
            assertThat(get(server, "/style.css"))
                    .contains("content-type: text/css; charset=utf-8\r\n")
                    .contains("prefers-color-scheme: dark");
        }
        assertThatThrownBy(() -> Assets.of(name -> null, "gone.js"))
                .isInstanceOf(IOException.class)
                .hasMessage("a part of the page is missing: gone.js");
    }

    @Test
    void headHasTheLengthAndNoBody() throws Exception {
        try (AdminServer server = plan().page("/page", request -> AdminReply.text("twelve bytes"))
                .events("/events", round -> round.event("a", "1"))
                .open()) {
            assertThat(ask(server, "HEAD", "/page"))
                    .startsWith("HTTP/1.1 200 ")
                    .contains("content-length: 12\r\n")
                    .endsWith("\r\n\r\n");
            assertThat(ask(server, "HEAD", "/style.css"))
                    .startsWith("HTTP/1.1 200 ")
                    .endsWith("\r\n\r\n");
            assertThat(ask(server, "HEAD", "/events"))
                    .startsWith("HTTP/1.1 405 ")
                    .endsWith("\r\n\r\n");
        }
    }

    @Test
    void badRequestsAreRefusedWithAReason() throws Exception {
        try (AdminServer server = plan().page(
                        "/page",
                        request -> AdminReply.text(request.parameter("key")
                                        .orElseThrow(() -> new IllegalArgumentException("key is missing"))
                                + request.count("n", 1, 9)))
                .page("/busy", request -> {
                    throw new IOException("not now");
                })
                .page("/broken", request -> {
                    throw new IllegalStateException("a mistake");
                })
                .open()) {
            String long9k = "x".repeat(9_000);
            assertThat(get(server, "/nothing"))
                    .startsWith("HTTP/1.1 404 ")
                    .endsWith("{\"error\":\"there is no /nothing\"}");
            assertThat(get(server, "/../style.css")).startsWith("HTTP/1.1 404 ");
            assertThat(get(server, "/%zz"))
                    .startsWith("HTTP/1.1 400 ")
                    .endsWith("{\"error\":\"the address cannot be decoded\"}");
            assertThat(get(server, "/page")).startsWith("HTTP/1.1 400 ").endsWith("{\"error\":\"key is missing\"}");
            assertThat(get(server, "/page?key=a&key=b")).endsWith("{\"error\":\"key is given 2 times: give it once\"}");
            assertThat(get(server, "/page?key=a&n=10")).endsWith("{\"error\":\"n must be in 1..9, got '10'\"}");
            assertThat(get(server, "/page?key=a&n=x")).endsWith("{\"error\":\"n must be in 1..9, got 'x'\"}");
            assertThat(get(server, "/busy")).startsWith("HTTP/1.1 503 ").endsWith("{\"error\":\"not now\"}");
            assertThat(get(server, "/broken")).startsWith("HTTP/1.1 500 ").contains("a mistake");
            assertThat(ask(server, "POST", "/page", "Content-Length: 2\r\n", "\r\nab"))
                    .startsWith("HTTP/1.1 405 ")
                    .contains("allow: GET, HEAD\r\n");
            assertThat(ask(server, "BREW", "/page")).startsWith("HTTP/1.1 405 ");
            assertThat(ask(server, "POST", "/page", "Content-Length: 99999999\r\n"))
                    .startsWith("HTTP/1.1 413 ");
            assertThat(get(server, "/" + long9k)).startsWith("HTTP/1.1 414 ");
            assertThat(ask(server, "GET", "/page", "X: " + long9k + long9k + "\r\n"))
                    .startsWith("HTTP/1.1 431 ");
            assertThat(raw(server, "hello\r\n\r\n")).startsWith("HTTP/1.1 400 ");
            assertThat(raw(server, "\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n"))
                    .startsWith("HTTP/1.1 400 ");
            assertThat(raw(server, "GET /page HTTP/2.0\r\nHost: localhost\r\n\r\n"))
                    .startsWith("HTTP/1.1 505 ");
        }
    }

    @Test
    void aHostThatIsNotThisServerIsRefused() throws Exception {
        try (AdminServer server = plan().health(() -> true, "")
                .metrics(new Metrics())
                .page("/page", request -> AdminReply.text("secret"))
                .open()) {
            for (String path : List.of("/page", "/healthz", "/metrics", "/style.css")) {
                assertThat(raw(server, "GET " + path + " HTTP/1.1\r\nHost: evil.example\r\n\r\n"))
                        .startsWith("HTTP/1.1 421 ")
                        .doesNotContain("secret");
                assertThat(raw(server, "GET " + path + " HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 400 ");
                assertThat(raw(server, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"))
                        .startsWith("HTTP/1.1 400 ");
                assertThat(ask(server, "GET", path, "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"))
                        .startsWith("HTTP/1.1 403 ");
                assertThat(ask(server, "GET", path, "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"))
                        .startsWith("HTTP/1.1 200 ");
                assertThat(raw(server, "GET " + path + " HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 200 ");
                assertThat(raw(server, "GET " + path + " HTTP/1.0\r\nHost: evil.example\r\n\r\n"))
                        .startsWith("HTTP/1.1 421 ");
            }
        }
    }

    @Test
    void requestsOfOneConnectionAreServedInTheirOrder() throws Exception {
        CountDownLatch second = new CountDownLatch(1);
        try (AdminServer server = plan().page("/slow", request -> {
                            try {
                                second.await();
                            } catch (InterruptedException e) {
                                throw new IOException(e);
                            }
                            return AdminReply.text("first");
                        })
                        .page("/release", request -> {
                            second.countDown();
                            return AdminReply.text("released");
                        })
                        .page("/quick", request -> AdminReply.text("second"))
                        .open();
                Socket socket = connect(server)) {
            watch(socket, "/slow");
            watch(socket, "/quick");
            assertThat(get(server, "/release")).endsWith("released");
            String replies = readUntil(socket, "second");
            assertThat(replies.indexOf("first")).isPositive().isLessThan(replies.indexOf("second"));
        }
    }

    @Test
    void healthIsToldWhileAllThreadsAreBusyAndRequestsBeyondTheLimitAreRefused() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        AtomicInteger started = new AtomicInteger();
        List<Socket> sockets = new ArrayList<>();
        try (AdminServer server = plan().health(() -> true, "")
                .page("/stuck", request -> {
                    started.incrementAndGet();
                    try {
                        stuck.await();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                    return AdminReply.text("late");
                })
                .open()) {
            for (int i = 0; i < 40; i++) {
                Socket socket = connect(server);
                sockets.add(socket);
                watch(socket, "/stuck");
            }
            int refused = 0;
            while (refused < 4) { // of 40 requests, 4 are worked on and 32 wait
                refused = 0;
                for (Socket socket : sockets) {
                    refused += socket.getInputStream().available() > 0 ? 1 : 0;
                }
            }
            assertThat(started).hasValue(4);
            assertThat(get(server, "/healthz")).startsWith("HTTP/1.1 200 ");
            stuck.countDown();
            int late = 0;
            for (Socket socket : sockets) {
                String reply = readUntil(socket, "\r\n\r\n");
                late += reply.startsWith("HTTP/1.1 200 ") ? 1 : 0;
                assertThat(reply).matches("(?s)HTTP/1.1 (200|503) .*");
            }
            assertThat(late).isEqualTo(36);
        } finally {
            stuck.countDown();
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void connectionsBeyondTheLimitAreClosed() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        AdminServer.Plan plan = plan();
        for (int i = 0; i < 4; i++) {
            plan = plan.events("/events" + i, round -> round.event("a", "1"));
        }
        try (AdminServer server = plan.open()) {
            for (int i = 0; i < 128; i++) {
                Socket socket = connect(server);
                sockets.add(socket);
                watch(socket, "/events" + i / EventStream.MAX_WATCHERS);
                readUntil(socket, "HTTP/1.1 200 ");
            }
            try (Socket socket = connect(server)) {
                watch(socket, "/style.css");
                assertThat(isClosed(socket)).isTrue();
            }
            sockets.remove(0).close();
            waitFor(() -> server.watchers() == 127);
            assertThat(get(server, "/style.css")).startsWith("HTTP/1.1 200 ");
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private static boolean isClosed(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException e) {
            return true; // a reset
        }
    }

    @Test
    void halfARequestIsCutOff() throws Exception {
        try (AdminServer server = plan().open();
                Socket socket = connect(server)) {
            socket.getOutputStream().write("GET / HT".getBytes(StandardCharsets.UTF_8));
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void eventsAreSentToTheNewAndWhenTheyChange() throws Exception {
        AtomicInteger value = new AtomicInteger(1);
        try (AdminServer server = plan().events(
                                "/events",
                                round -> round.event("value", "{\"n\":" + value.get() + "}")
                                        .event("lines", "a\nb")
                                        .pauseMillis(1))
                        .open();
                Socket early = connect(server)) {
            watch(early, "/events");
            assertThat(readUntil(early, "event: beat"))
                    .contains("content-type: text/event-stream\r\n")
                    .contains("retry: 1000\n\n")
                    .contains("event: value\ndata: {\"n\":1}\n\n")
                    .contains("event: lines\ndata: a\ndata: b\n\n")
                    .contains("event: trouble\ndata: {\"error\":null}\n\n");
            try (Socket late = connect(server)) {
                watch(late, "/events");
                assertThat(readUntil(late, "event: beat")).contains("event: value\ndata: {\"n\":1}\n\n");
                value.set(2);
                for (Socket each : List.of(early, late)) {
                    assertThat(readUntil(each, "{\"n\":2}")).doesNotContain("data: a\n");
                }
            }
        }
    }

    @Test
    void troubleIsToldAndTheStreamGoesOn() throws Exception {
        AtomicBoolean broken = new AtomicBoolean(true);
        try (AdminServer server = plan().events("/events", round -> {
                            round.event("before", "1").pauseMillis(1);
                            if (broken.get()) {
                                throw new IOException("nobody answers");
                            }
                            round.event("after", "2");
                        })
                        .open();
                Socket watcher = connect(server)) {
            watch(watcher, "/events");
            assertThat(readUntil(watcher, "event: trouble\ndata: {\"error\":\"nobody answers\"}"))
                    .contains("event: before\ndata: 1\n");
            broken.set(false);
            readUntil(watcher, "event: trouble\ndata: {\"error\":null}");
        }
    }

    @Test
    void aWatcherThatDoesNotReadIsDisconnectedAndTheOthersAreNot() throws Exception {
        AtomicInteger rounds = new AtomicInteger();
        String padding = "x".repeat(200_000);
        try (AdminServer server = plan().events(
                                "/events",
                                round -> round.event("big", rounds.incrementAndGet() + padding)
                                        .pauseMillis(1))
                        .open();
                Socket slow = new Socket();
                Socket quick = connect(server)) {
            slow.setReceiveBufferSize(4_096);
            slow.connect(new InetSocketAddress(
                    InetAddress.getByName("localhost"), server.address().getPort()));
            watch(slow, "/events");
            waitFor(() -> server.watchers() == 1);
            watch(quick, "/events");
            byte[] buffer = new byte[1 << 16];
            boolean both = false;
            while (!both || server.watchers() == 2) { // reads all the time, so that it is not the slow one
                assertThat(quick.getInputStream().read(buffer)).isPositive();
                both |= server.watchers() == 2;
            }
            assertThat(server.watchers()).isEqualTo(1);
            int now = rounds.get();
            while (rounds.get() < now + 3) {
                assertThat(quick.getInputStream().read(buffer)).isPositive();
            }
        }
    }

    @Test
    void nothingIsLookedAtAfterTheLastWatcherIsCutOff() throws Exception {
        AtomicInteger rounds = new AtomicInteger();
        try (AdminServer server = plan().events(
                        "/events",
                        round -> round.event("n", "" + rounds.incrementAndGet()).pauseMillis(1))
                .open()) {
            for (int visit = 0; visit < 2; visit++) {
                try (Socket watcher = connect(server)) {
                    watch(watcher, "/events");
                    readUntil(watcher, "event: beat");
                    watcher.setSoLinger(true, 0); // a reset, as of a machine that is gone
                }
                waitFor(() -> server.watchers() == 0 && !server.isLooking());
            }
            assertThat(rounds).hasPositiveValue();
        }
    }

    @Test
    void tooManyWatchersAreRefused() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try (AdminServer server =
                plan().events("/events", round -> round.event("a", "1")).open()) {
            for (int i = 0; i < EventStream.MAX_WATCHERS; i++) {
                Socket socket = connect(server);
                sockets.add(socket);
                watch(socket, "/events");
                readUntil(socket, "HTTP/1.1 200");
            }
            assertThat(get(server, "/events"))
                    .startsWith("HTTP/1.1 503 ")
                    .endsWith("{\"error\":\"too many watch already: try later\"}");
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void aRoundRefusesNamesThatWouldBreakTheFormat() {
        EventSource.Round round = new EventSource.Round();
        for (String name : List.of("", "a\nb", "a b", "a:b", "1", "beat", "trouble", "x".repeat(65))) {
            assertThatThrownBy(() -> round.event(name, "")).as(name).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> round.pauseMillis(0)).hasMessage("a pause takes at least 1 ms, got 0");
    }

    @Test
    void aPlanIsNotChangedByWhatIsAddedToItsCopies() throws Exception {
        AdminServer.Plan common = plan().page("/a", request -> AdminReply.text("a"));
        AdminServer.Plan more = common.page("/b", request -> AdminReply.text("b"));
        try (AdminServer one = common.open();
                AdminServer two = more.open()) {
            assertThat(get(one, "/b")).startsWith("HTTP/1.1 404 ");
            assertThat(get(two, "/b")).startsWith("HTTP/1.1 200 ");
        }
        assertThatThrownBy(() -> more.page("/a", request -> AdminReply.text("again")))
                .hasMessage("a page needs a path of its own that begins with /, got '/a'");
        assertThatThrownBy(() -> common.page("c", request -> AdminReply.text("c")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> common.role(Role.OPERATOR).open()).hasMessageContaining("set tls too");
        assertThatThrownBy(() -> AdminServer.at(InetSocketAddress.createUnresolved("nowhere.invalid", 0)))
                .hasMessage("nowhere.invalid: unknown host");
    }

    @Test
    void saysWhereItCannotListen() throws Exception {
        try (AdminServer server = plan().open()) {
            assertThatThrownBy(() -> AdminServer.at(server.address()).open())
                    .isInstanceOf(IOException.class)
                    .hasMessageMatching("127.0.0.1:\\d+: cannot listen there: .*");
        }
    }
}
