package dev.perhaps.proxy.siblings;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.perhaps.key.Key;
import dev.perhaps.proxy.Origin;
import dev.perhaps.proxy.sharing.Holdings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Proxies that share, with real sockets between them; siblings that die, lie and send nonsense. */
class SiblingSharingTest {
    private static void give(String name, HttpHandler pages, byte[] digest, Map<String, InetSocketAddress> all)
            throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        server.createContext("/", pages);
        server.createContext(DigestPage.PATH, exchange -> {
            exchange.sendResponseHeaders(200, digest.length);
            try (exchange) {
                exchange.getResponseBody().write(digest);
            }
        });
        server.start();
        all.put(name, server.getAddress());
    }

    private static HttpHandler saying(int status, String body, String cacheStatus) {
        return exchange -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Cache-Control", "max-age=1000");
            exchange.getResponseHeaders().set("Cache-Status", cacheStatus);
            exchange.sendResponseHeaders(status, bytes.length);
            try (exchange) {
                exchange.getResponseBody().write(bytes);
            }
        };
    }

    /** A digest, unsigned, that claims to have these pages. */
    private static byte[] claiming(Node.Web web, int pages) {
        Holdings claims = Holdings.of(Key.strings(), "a", pages, 16, 7, sentence -> {});
        for (int i = 0; i < pages; i++) {
            claims.stored(web.url() + "/news/" + i);
        }
        claims.publish();
        return claims.since(0, 0);
    }

    /** Without a secret, as on one machine. */
    private static SharingPlan open(SharingPlan plan) {
        return SharingPlan.usual(plan.name(), plan.origin(), null)
                .everyMillis(100)
                .timeoutMillis(500);
    }

    @Test
    void fetchesFromASiblingWhatItHolds() throws IOException, InterruptedException {
        Map<String, InetSocketAddress> all = new ConcurrentHashMap<>();
        try (Node.Web web = new Node.Web();
                Node one = new Node("one", web, all, plan -> plan);
                Node two = new Node("two", web, all, plan -> plan)) {
            for (int i = 0; i < 20; i++) {
                assertThat(one.get("/news/" + i).body()).isEqualTo(Node.Web.body("/news/" + i));
            }
            two.waitForDigest("one", 20);
            for (int i = 0; i < 20; i++) {
                HttpResponse<String> response = two.get("/news/" + i);
                assertThat(response.body()).isEqualTo(Node.Web.body("/news/" + i));
                assertThat(Node.cacheStatus(response))
                        .contains("two; fwd=uri-miss")
                        .contains("sibling:one");
                assertThat(response.headers().firstValue("Age")).isPresent();
                assertThat(web.times("/news/" + i)).isEqualTo(1);
            }
            assertThat(Node.cacheStatus(two.get("/news/3"))).endsWith("two; hit");
            assertThat(two.figure("perhaps_proxy_sibling_hits_total")).isEqualTo(20);
            assertThat(two.figure("perhaps_proxy_sibling_bytes_total")).isPositive();
            assertThat(two.figure("perhaps_proxy_digests_received_total")).isPositive();
            assertThat(one.figure("perhaps_proxy_digest_sent_bytes_total")).isPositive();
            assertThat(two.get("/other/1").body()).isEqualTo(Node.Web.body("/other/1"));
            assertThat(StatusPage.html(two.sharing.status())).contains("one").contains("20 pages");
        }
    }

    /** Symptom: a sibling whose host has an underscore, as names of containers do, was never asked. */
    @Test
    void fetchesFromASiblingWithAnUnderscoreInItsHost() throws IOException, InterruptedException {
        Map<String, InetSocketAddress> all = new ConcurrentHashMap<>();
        try (Node.Web web = new Node.Web();
                Node one = new Node("one", web, all, plan -> plan)) {
            InetAddress named = InetAddress.getByAddress("proxy_one", new byte[] {127, 0, 0, 1});
            all.put("one", new InetSocketAddress(named, one.server.address().getPort()));
            try (Node two = new Node("two", web, all, plan -> plan)) {
                one.get("/news/1");
                two.waitForDigest("one", 1);
                assertThat(Node.cacheStatus(two.get("/news/1"))).contains("sibling:one");
            }
        }
    }

    /** Symptom: the connection to a sibling that sends its digest a byte at a time stayed open, and one more with each try. */
    @Test
    void closesTheConnectionOfADigestThatIsLate() throws Exception {
        Map<String, InetSocketAddress> all = new ConcurrentHashMap<>();
        try (ServerSocket slow = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                Node.Web web = new Node.Web()) {
            all.put("a", new InetSocketAddress(slow.getInetAddress(), slow.getLocalPort()));
            try (Node two = new Node("two", web, all, plan -> open(plan).timeoutMillis(50));
                    Socket caller = slow.accept()) {
                caller.setSoTimeout(20_000);
                caller.getOutputStream()
                        .write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nx".getBytes(StandardCharsets.US_ASCII));
                byte[] rest = new byte[4_096];
                int read = caller.getInputStream().read(rest);
                while (read > 0) {
                    read = caller.getInputStream().read(rest);
                }
                assertThat(read).as("closed").isEqualTo(-1);
                assertThat(two.figure("perhaps_proxy_digests_received_total")).isZero();
            }
        }
    }

    @Test
    void asksTheOriginWhenTheSiblingHasItNoMore() throws IOException, InterruptedException {
        Map<String, InetSocketAddress> all = new ConcurrentHashMap<>();
        try (Node.Web web = new Node.Web();
                Node one = new Node("one", web, all, plan -> plan.everyMillis(3_600_000));
                Node two = new Node("two", web, all, plan -> plan.timeoutMillis(20_000))) {
            one.get("/news/1");
            two.waitForDigest("one", 1);
            one.server.store().remove(web.url() + "/news/1");
            HttpResponse<String> response = two.get("/news/1");
            assertThat(response.body()).isEqualTo(Node.Web.body("/news/1"));
            assertThat(Node.cacheStatus(response)).doesNotContain("sibling");
            assertThat(web.times("/news/1")).isEqualTo(2);
            assertThat(two.figure("perhaps_proxy_sibling_failures_total")).isZero();
        }
    }

    @Test
    void letsTheSiblingFetchAndKeepACopy() throws IOException, InterruptedException {
        Map<String, InetSocketAddress> all = new ConcurrentHashMap<>();
        try (Node.Web web = new Node.Web();
                Node one = new Node("one", web, all, plan -> plan.everyMillis(3_600_000));
                Node two = new Node("two", web, all, plan -> plan.fetches(true))) {
            one.get("/news/1");
            two.waitForDigest("one", 1);
            one.server.store().remove(web.url() + "/news/1");
            HttpResponse<String> response = two.get("/news/1");
            assertThat(response.body()).isEqualTo(Node.Web.body("/news/1"));
            assertThat(Node.cacheStatus(response)).contains("sibling:one");
            assertThat(Node.cacheStatus(one.get("/news/1")))
                    .as("it kept a copy")
                    .endsWith("one; hit");
            assertThat(web.times("/news/1")).isEqualTo(2);
            assertThat(two.figure("perhaps_proxy_sibling_hits_total"))
                    .as("still a miss")
                    .isZero();
        }
    }

    @Test
    void waitsOnceForADeadSiblingAndTakesItBack() throws IOException, InterruptedException {
        Map<String, InetSocketAddress> all = new ConcurrentHashMap<>();
        try (Node.Web web = new Node.Web();
                Node two = new Node("two", web, all, plan -> plan)) {
            Node one = new Node("one", web, all, plan -> plan);
            for (int i = 0; i < 10; i++) {
                one.get("/news/" + i);
            }
            two.waitForDigest("one", 10);
            one.close();
            for (int i = 0; i < 10; i++) {
                assertThat(two.get("/news/" + i).body()).isEqualTo(Node.Web.body("/news/" + i));
            }
            Node.waitFor(() -> two.figure("perhaps_proxy_sibling_down") == 1);
            assertThat(two.told).anyMatch(sentence -> sentence.contains("sibling one"));
            try (Node again = new Node("one", web, all, plan -> plan)) {
                again.get("/fresh/1");
                two.waitForDigest("one", 1);
                assertThat(Node.cacheStatus(two.get("/fresh/1"))).contains("sibling:one");
                assertThat(two.told).contains("sibling one is back");
            }
        }
    }

    @Test
    void isNotFooledByALiar() throws IOException, InterruptedException {
        Map<String, InetSocketAddress> all = new ConcurrentHashMap<>();
        try (Node.Web web = new Node.Web();
                Node two = new Node("two", web, all, SiblingSharingTest::open)) {
            give("liar", saying(504, "no", "liar; fwd=uri-miss"), claiming(web, 2_000), all);
            two.waitForDigest("liar", 2_000);
            for (int i = 0; i < 200; i++) {
                assertThat(two.get("/news/" + i).body()).isEqualTo(Node.Web.body("/news/" + i));
            }
            long wasted = two.figure("perhaps_proxy_sibling_false_hits_total")
                    + two.figure("perhaps_proxy_sibling_stale_hits_total");
            assertThat(wasted).isBetween(5L, 120L);
            assertThat(StatusPage.html(two.sharing.status())).contains("not trusted");
        }
    }

    /** A response that does not come from the sibling's cache, or is an error of its own, is not the page. */
    @Test
    void takesNothingButWhatASiblingHad() throws IOException, InterruptedException {
        for (HttpHandler odd : Arrays.asList(
                saying(200, "something else", "odd; fwd=uri-miss"),
                saying(200, "something else", ""),
                saying(500, "something else", "odd; hit"),
                saying(206, "something else", "odd; hit"))) {
            Map<String, InetSocketAddress> all = new ConcurrentHashMap<>();
            try (Node.Web web = new Node.Web();
                    Node two = new Node("two", web, all, SiblingSharingTest::open)) {
                give("odd", odd, claiming(web, 10), all);
                two.waitForDigest("odd", 10);
                assertThat(two.get("/news/1").body()).isEqualTo(Node.Web.body("/news/1"));
            }
        }
    }

    @Test
    void refusesDigestsThatAreCutUnsignedOrOfAnotherSeed() throws IOException, InterruptedException {
        Map<String, InetSocketAddress> all = new ConcurrentHashMap<>();
        try (Node.Web web = new Node.Web()) {
            byte[] good = claiming(web, 100);
            Holdings seeded = Holdings.of(Key.strings().seeded(3), "a", 10, 8, 7, sentence -> {});
            seeded.publish();
            give("cut", saying(504, "", "cut"), Arrays.copyOf(good, good.length - 9), all);
            give("seeded", saying(504, "", "seeded"), seeded.since(0, 0), all);
            give("text", saying(504, "", "text"), "<html>".repeat(20).getBytes(StandardCharsets.UTF_8), all);
            try (Node two = new Node("two", web, all, SiblingSharingTest::open)) {
                Node.waitFor(() -> two.told.stream()
                                .filter(each -> each.contains("refused"))
                                .count()
                        >= 3);
                assertThat(two.told)
                        .anyMatch(each -> each.contains("sibling cut") && each.contains("cut short"))
                        .anyMatch(each -> each.contains("sibling seeded") && each.contains("seed 3"))
                        .anyMatch(each -> each.contains("sibling text") && each.contains("not a digest"));
                assertThat(two.figure("perhaps_proxy_sibling_down")).isEqualTo(3);
                assertThat(two.get("/news/1").body()).isEqualTo(Node.Web.body("/news/1"));
            }
            Map<String, InetSocketAddress> unsigned = new ConcurrentHashMap<>();
            give("unsigned", saying(504, "", "unsigned"), good, unsigned);
            try (Node three = new Node("three", web, unsigned, plan -> plan)) {
                Node.waitFor(() -> three.told.stream().anyMatch(each -> each.contains("not signed")));
                assertThat(three.get("/news/1").body()).isEqualTo(Node.Web.body("/news/1"));
            }
        }
    }

    @Test
    void tellsItsDigestToSiblingsOnly() throws IOException, InterruptedException {
        Map<String, InetSocketAddress> all = new ConcurrentHashMap<>();
        try (Node.Web web = new Node.Web();
                Node one = new Node("one", web, all, plan -> plan)) {
            String target = DigestPage.target(Origin.of(web.url()), 0, 0);
            assertThat(one.get(target).statusCode()).isEqualTo(403);
            String signed = web.secret()
                    .sign("GET", target, "me", System.currentTimeMillis())
                    .header();
            assertThat(one.get(target, SiblingSecret.REQUEST, signed).statusCode())
                    .isEqualTo(200);
            assertThat(one.get(target, SiblingSecret.REQUEST, signed).statusCode())
                    .as("again")
                    .isEqualTo(403);
            String late = web.secret()
                    .sign("GET", target, "me", System.currentTimeMillis() - 100_000)
                    .header();
            assertThat(one.get(target, SiblingSecret.REQUEST, late).statusCode())
                    .as("late")
                    .isEqualTo(403);
            String other = DigestPage.target(Origin.of("http://elsewhere"), 0, 0);
            String forOther = web.secret()
                    .sign("GET", other, "me", System.currentTimeMillis())
                    .header();
            assertThat(one.get(target, SiblingSecret.REQUEST, forOther).statusCode())
                    .as("another target")
                    .isEqualTo(403);
            assertThat(one.get(other, SiblingSecret.REQUEST, forOther).statusCode())
                    .isEqualTo(409);
            String bad = DigestPage.PATH + "?origin=" + web.url() + "&epoch=x";
            String forBad = web.secret()
                    .sign("GET", bad, "me", System.currentTimeMillis())
                    .header();
            assertThat(one.get(bad, SiblingSecret.REQUEST, forBad).statusCode()).isEqualTo(400);
            assertThat(one.get("/news/1", SiblingSecret.REQUEST, "1 me 5 x y").statusCode())
                    .as("who claims to be a sibling must be one")
                    .isEqualTo(403);
        }
    }

    /** Two proxies whose digests claim everything: a request goes from one to the other and then to the origin, never round. */
    @Test
    void neverSendsASiblingsRequestToASibling() throws IOException, InterruptedException {
        Map<String, InetSocketAddress> all = new ConcurrentHashMap<>();
        try (Node.Web web = new Node.Web();
                Node one = new Node("one", web, all, plan -> plan.fetches(true));
                Node two = new Node("two", web, all, plan -> plan.fetches(true))) {
            for (int i = 0; i < 200; i++) {
                one.sharing.stored(web.url() + "/loop/" + i);
                two.sharing.stored(web.url() + "/loop/" + i);
            }
            one.waitForDigest("two", 200);
            two.waitForDigest("one", 200);
            for (int i = 0; i < 10; i++) {
                assertThat(one.get("/loop/" + i).body()).isEqualTo(Node.Web.body("/loop/" + i));
                assertThat(web.times("/loop/" + i)).isEqualTo(1);
            }
        }
    }

    @Test
    void drawsAPageThatNoNameCanBreak() {
        Status.Of odd = new Status.Of(
                null,
                new dev.perhaps.proxy.sharing.Siblings(dev.perhaps.proxy.sharing.Terms.usual(Key.strings()))
                        .add("<script>alert('x')</script>")
                        .report(0));
        String html = StatusPage.html(new Status("a&b", 5, 80, 1, 2e6, java.util.List.of(odd)));
        assertThat(html)
                .doesNotContain("<script")
                .contains("&lt;script&gt;")
                .contains("a&amp;b")
                .contains("2.00 ms");
    }

    @Test
    void aSiblingThatIsGoneIsNoLongerReported() throws Exception {
        ConcurrentHashMap<String, InetSocketAddress> all = new ConcurrentHashMap<>();
        try (Node.Web web = new Node.Web();
                Node one = new Node("one", web, all, plan -> plan)) {
            for (int visit = 0; visit < 2; visit++) {
                all.put("two", one.server.address());
                Node.waitFor(() -> one.counters.text().contains("perhaps_proxy_sibling_down{sibling=\"two\"}"));
                all.remove("two");
                Node.waitFor(() -> !one.counters.text().contains("two"));
            }
        }
    }
}
