package dev.perhaps.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Timeouts;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What goes through the proxy, in both directions, and what does not. */
@Timeout(60)
class ForwardingTest {
    private static final String KEPT =
            "HTTP/1.1 200 OK\nCache-Control: max-age=60\nETag: \"1\"\nContent-Length: 5\n\nhello";

    private static final String CHUNKS = "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nCache-Control: max-age=60\n\n"
            .concat("5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nX-Sum: 1\r\n\r\n");

    @Test
    void passesOnWhatBelongsToTheMessageAndNotWhatBelongsToTheConnection() throws IOException {
        String response =
                "HTTP/1.1 200 Fine\nX-Kept: 1\nX-Hop: 2\nConnection: X-Hop, keep-alive\nKeep-Alive: 5\nTrailer: X\n"
                        + "Via: 1.0 other\nProxy-Authenticate: Basic\nContent-Length: 5\n\nhello";
        try (Passage passage = new Passage(RawOrigin.saying(response));
                RawClient client = passage.client()) {
            RawClient.Response got = client.get(
                    "/a?b=%20c",
                    "Accept: x",
                    "Connection: X-Mine, close",
                    "X-Mine: 1",
                    "TE: trailers",
                    "Proxy-Authorization: x",
                    "Via: 1.0 fred",
                    "X-Forwarded-Host: evil.example",
                    "X-Forwarded-For: 1.2.3.4",
                    "Forwarded: for=1.2.3.4",
                    "X_Forwarded_Host: evil.example",
                    "X-Original-Host: evil.example",
                    "X-Original-URI: /evil",
                    "X-Forwarded-Uri: /evil",
                    "X-Forwarded-Ssl: on",
                    "Front-End-Https: on",
                    "Proxy: http://evil.example");
            assertThat(got.headers())
                    .contains("X-Kept: 1", "Connection: close", "Cache-Status: perhaps; fwd=uri-miss")
                    .noneMatch(line -> line.matches("(X-Hop|Keep-Alive|Trailer|Proxy-.*):.*"));
            assertThat(got.header("Via")).isEqualTo("1.0 other, 1.1 perhaps");
            assertThat(client.ended()).isTrue();
            RawOrigin.Request request = passage.origin.requests().get(0);
            assertThat(request.line()).isEqualTo("GET /a?b=%20c HTTP/1.1");
            assertThat(request.headers())
                    .containsExactly(
                            "Host: localhost:" + passage.origin.port(),
                            "Accept: x",
                            "Via: 1.0 fred",
                            "Via: 1.1 perhaps",
                            "X-Forwarded-For: 127.0.0.1");
        }
    }

    @Test
    void keepsPagesOfDifferentHostsApartWhenItPassesTheHostOn() throws IOException {
        try (Passage passage = new Passage(RawOrigin.saying(KEPT), plan -> plan.keepHost(true));
                RawClient client = passage.client()) {
            client.send("GET / HTTP/1.1\r\nHost: A.example\r\n\r\n").response();
            client.send("GET / HTTP/1.1\r\nHost: b.example\r\n\r\n").response();
            client.send("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n").response();
            client.send("GET http://B.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n")
                    .response();
            assertThat(passage.origin.requests())
                    .extracting(request -> request.header("Host"))
                    .containsExactly("a.example", "b.example");
        }
    }

    @Test
    void answersHeadFromThePageAndElseAsksTheOrigin() throws IOException {
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
                    boolean head = request.line().startsWith("HEAD");
                    out.write(RawOrigin.wire(head ? KEPT.substring(0, KEPT.length() - 5) : KEPT));
                    return true;
                }));
                RawClient client = passage.client()) {
            RawClient.Response before = client.request("HEAD", "/a").response("HEAD");
            assertThat(before.header("Content-Length")).isEqualTo("5");
            client.get("/a");
            RawClient.Response after = client.request("HEAD", "/a").response("HEAD");
            assertThat(after.header("Content-Length")).isEqualTo("5");
            assertThat(after.header("Cache-Status")).isEqualTo("perhaps; hit");
            assertThat(client.get("/a").body()).isEqualTo("hello");
            assertThat(passage.origin.requests()).hasSize(2);
        }
    }

    @Test
    void servesAPartOfAPage() throws IOException {
        try (Passage passage = new Passage(RawOrigin.saying(KEPT));
                RawClient client = passage.client()) {
            client.get("/a");
            RawClient.Response part = client.get("/a", "Range: bytes=1-2");
            assertThat(part.status()).isEqualTo(206);
            assertThat(part.body()).isEqualTo("el");
            assertThat(part.header("Content-Range")).isEqualTo("bytes 1-2/5");
            assertThat(client.get("/a", "Range: bytes=-2").body()).isEqualTo("lo");
            assertThat(client.get("/a", "Range: bytes=3-").body()).isEqualTo("lo");
            assertThat(client.get("/a", "Range: bytes=2-99").body()).isEqualTo("llo");
            assertThat(client.get("/a", "Range: bytes=0-0,2-2").status()).isEqualTo(200);
            assertThat(client.get("/a", "Range: bytes=x").status()).isEqualTo(200);
            assertThat(client.get("/a", "Range: bytes=2-1").status()).isEqualTo(200);
            RawClient.Response none = client.get("/a", "Range: bytes=5-");
            assertThat(none.status()).isEqualTo(416);
            assertThat(none.header("Content-Range")).isEqualTo("bytes */5");
            assertThat(client.get("/a", "Range: bytes=1-2", "If-Range: \"1\"").status())
                    .isEqualTo(206);
            assertThat(client.get("/a", "Range: bytes=1-2", "If-Range: \"2\"").status())
                    .isEqualTo(200);
            assertThat(client.get("/a", "Range: bytes=1-2", "If-Range: W/\"1\"").status())
                    .isEqualTo(200);
            assertThat(passage.origin.requests()).hasSize(1);
        }
    }

    @Test
    void forgetsAPageThatWasWritten() throws IOException {
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
                    String extra = request.line().startsWith("POST /a")
                            ? "Location: /b\nContent-Location: http://other.example/c\n"
                            : "";
                    int status = request.line().startsWith("PUT") ? 403 : 200;
                    out.write(RawOrigin.wire("HTTP/1.1 " + status + " OK\nCache-Control: max-age=60\n" + extra
                            + "Content-Length: 2\n\nok"));
                    return true;
                }));
                RawClient client = passage.client()) {
            client.get("/a");
            client.get("/b");
            client.get("/c");
            client.request("PUT", "/a", "Content-Length: 3").send("abc").response();
            assertThat(client.get("/a").header("Cache-Status")).contains("hit");
            RawClient.Response posted = client.request("POST", "/a", "Content-Length: 3")
                    .send("abc")
                    .response();
            assertThat(posted.header("Cache-Status")).isEqualTo("perhaps; fwd=method");
            assertThat(client.get("/a").header("Cache-Status")).doesNotContain("hit");
            assertThat(client.get("/b").header("Cache-Status")).doesNotContain("hit");
            assertThat(client.get("/c").header("Cache-Status")).contains("hit");
            client.request("DELETE", "/c").response();
            assertThat(client.get("/c").header("Cache-Status")).doesNotContain("hit");
            client.request("OPTIONS", "/c").response();
            assertThat(client.get("/c").header("Cache-Status")).contains("hit");
            assertThat(passage.origin.requests())
                    .extracting(RawOrigin.Request::body)
                    .contains("abc");
        }
    }

    @Test
    void doesNotBringBackAPageThatWasWrittenWhileItWasFetched() throws Exception {
        java.util.concurrent.CountDownLatch written = new java.util.concurrent.CountDownLatch(1);
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
                    if (request.line().startsWith("GET")) {
                        out.write(RawOrigin.wire(KEPT.replace("hello", "hel")));
                        out.flush();
                        written.await();
                        out.write(new byte[] {'l', 'o'});
                    } else {
                        out.write(RawOrigin.wire("HTTP/1.1 204 Done\n\n"));
                    }
                    return true;
                }));
                RawClient reads = passage.client();
                RawClient writes = passage.client()) {
            reads.request("GET", "/a").head();
            assertThat(writes.request("DELETE", "/a").response().status()).isEqualTo(204);
            written.countDown();
            assertThat(new String(reads.exactly(5), java.nio.charset.StandardCharsets.US_ASCII))
                    .isEqualTo("hello");
            assertThat(reads.get("/a").header("Cache-Status")).doesNotContain("hit");
        }
    }

    @Test
    void mergesWhatA304SaysAndServesTheBodyItHas() throws IOException {
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
                    out.write(RawOrigin.wire(
                            request.header("If-None-Match").isEmpty()
                                    ? KEPT.replace("ETag", "X-A: old\nX-B: old\nContent-MD5: old\nETag")
                                    : "HTTP/1.1 304 No\nDate: " + Passage.date(100)
                                            + "\nX-A: new\nCache-Control: max-age=10\nContent-Length: 99\n"
                                            + "Content-Type: text/new\nContent-MD5: new\n\n"));
                    return true;
                }));
                RawClient client = passage.client()) {
            client.get("/a");
            passage.pass(100);
            RawClient.Response second = client.get("/a");
            assertThat(second.body()).isEqualTo("hello");
            assertThat(second.header("X-A")).isEqualTo("new");
            assertThat(second.header("X-B")).isEqualTo("old");
            assertThat(second.header("Age")).isEqualTo("0");
            assertThat(second.header("Content-Type")).isEqualTo("text/new");
            assertThat(second.header("Content-MD5")).isEqualTo("old");
            assertThat(second.header("Cache-Status")).isEqualTo("perhaps; fwd=stale; fwd-status=304");
            passage.pass(9);
            assertThat(client.get("/a").header("Age")).isEqualTo("9");
            passage.pass(1);
            client.get("/a");
            assertThat(passage.origin.requests()).hasSize(3);
        }
    }

    @Test
    void asksAgainForAllOfAPageWhenA304SpeaksOfAnother() throws IOException {
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
                    out.write(RawOrigin.wire(
                            request.header("If-None-Match").isEmpty() ? KEPT : "HTTP/1.1 304 No\nETag: \"2\"\n\n"));
                    return true;
                }));
                RawClient client = passage.client()) {
            client.get("/a");
            passage.pass(100);
            assertThat(client.get("/a").body()).isEqualTo("hello");
            assertThat(passage.origin.requests()).hasSize(3);
        }
    }

    @Test
    void forgetsAPageThatTheOriginDoesNotAllowToKeepAnyMore() throws IOException {
        try (Passage passage = new Passage(RawOrigin.saying(KEPT), plan -> plan.staleIfErrorSeconds(1000));
                RawClient client = passage.client()) {
            client.get("/a");
            passage.pass(100);
            passage.origin.script((request, out) -> {
                out.write(RawOrigin.wire("HTTP/1.1 200 OK\nCache-Control: no-store\nContent-Length: 6\n\nsecret"));
                return true;
            });
            assertThat(client.get("/a").body()).isEqualTo("secret");
            passage.origin.close();
            assertThat(client.get("/a").status()).isEqualTo(502);
        }
    }

    /** Symptom: one client with no-store, or with a password, made the proxy forget a page that it had validated. */
    @Test
    void keepsAPageThatOneClientDoesNotWantToBeStored() throws IOException {
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
                    out.write(RawOrigin.wire(
                            request.header("If-None-Match").isEmpty() ? KEPT : "HTTP/1.1 304 No\nETag: \"1\"\n\n"));
                    return true;
                }));
                RawClient client = passage.client()) {
            client.get("/a");
            assertThat(client.get("/a", "Cache-Control: no-cache, no-store").header("Cache-Status"))
                    .contains("fwd-status=304");
            assertThat(client.get("/a", "Cache-Control: no-cache", "Authorization: Basic x")
                            .header("Cache-Status"))
                    .contains("fwd-status=304");
            assertThat(client.get("/a").header("Cache-Status")).isEqualTo("perhaps; hit");
            assertThat(passage.origin.requests()).hasSize(3);
        }
    }

    /** Symptom: after a 304 with a Vary that the page did not have before, everybody got the variant of one client. */
    @Test
    void aPageThatDependsOnMoreAfterA304IsServedToThoseItFits() throws IOException {
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
                    boolean first = request.header("If-None-Match").isEmpty();
                    boolean german = request.header("Accept-Language").equals("de");
                    out.write(RawOrigin.wire(
                            german
                                    ? KEPT.replace("ETag: \"1\"", "ETag: \"2\"\nVary: Accept-Language")
                                            .replace("hello", "hallo")
                                    : first
                                            ? KEPT
                                            : "HTTP/1.1 304 No\nETag: \"1\"\nVary: Accept-Language\nDate: "
                                                    + Passage.date(100) + "\nCache-Control: max-age=60\n\n"));
                    return true;
                }));
                RawClient client = passage.client()) {
            client.get("/a");
            passage.pass(100);
            RawClient.Response renewed = client.get("/a", "Accept-Language: en");
            assertThat(renewed.header("Cache-Status")).contains("fwd-status=304");
            assertThat(renewed.header("Vary")).isEqualTo("Accept-Language");
            assertThat(client.get("/a", "Accept-Language: de").body()).isEqualTo("hallo");
            assertThat(client.get("/a", "Accept-Language: en").body()).isEqualTo("hello");
            assertThat(client.get("/a", "Accept-Language: de").body()).isEqualTo("hallo");
            assertThat(passage.origin.requests()).hasSize(3);
        }
    }

    /** Symptom: a clock that was set back by an hour made all pages an hour younger, and they were served for that long. */
    @Test
    void pagesGrowOldThoughTheClockIsSetBack() throws IOException {
        try (Passage passage = new Passage(RawOrigin.saying(KEPT));
                RawClient client = passage.client()) {
            client.get("/a");
            passage.pass(40);
            assertThat(client.get("/a").header("Age")).isEqualTo("40");
            passage.pass(-3_600);
            assertThat(client.get("/a").header("Age")).isEqualTo("40");
            passage.pass(19);
            assertThat(client.get("/a").header("Age")).isEqualTo("59");
            passage.pass(1);
            assertThat(client.get("/a").header("Cache-Status")).contains("fwd=stale");
            passage.pass(86_400);
            assertThat(client.get("/a").header("Cache-Status")).contains("fwd=stale");
            assertThat(client.get("/a").header("Age")).isEqualTo("0");
        }
    }

    @Test
    void letsAStalePageStandInForAnOriginThatFails() throws IOException {
        String page = KEPT.replace("max-age=60", "max-age=60, stale-if-error=100");
        try (Passage passage = new Passage(RawOrigin.saying(page));
                RawClient client = passage.client()) {
            client.get("/a");
            client.get("/b");
            passage.origin.script((request, out) -> {
                out.write(RawOrigin.wire("HTTP/1.1 503 Busy\nContent-Length: 4\n\nbusy"));
                return true;
            });
            passage.pass(160);
            RawClient.Response stale = client.get("/a");
            assertThat(stale.status()).isEqualTo(200);
            assertThat(stale.body()).isEqualTo("hello");
            assertThat(stale.header("Age")).isEqualTo("160");
            assertThat(stale.header("Cache-Status")).isEqualTo("perhaps; hit; detail=stale");
            assertThat(client.get("/a", "Cache-Control: no-cache").status()).isEqualTo(503);
            passage.origin.close();
            assertThat(client.get("/b").body()).isEqualTo("hello");
            assertThat(client.get("/never").status()).isEqualTo(502);
            passage.pass(1);
            assertThat(client.get("/b").status()).isEqualTo(502);
        }
    }

    @Test
    void passesBodiesOnInBothDirectionsHoweverTheyAreFramed() throws IOException {
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
                    out.write(RawOrigin.wire(
                            request.line().contains("chunks")
                                    ? CHUNKS
                                    : "HTTP/1.0 200 OK\nCache-Control: max-age=60\n\nhello world"));
                    return request.line().contains("chunks");
                }));
                RawClient client = passage.client()) {
            RawClient.Response chunks = client.get("/chunks");
            assertThat(chunks.header("Transfer-Encoding")).isEqualTo("chunked");
            assertThat(chunks.body()).isEqualTo("hello world");
            RawClient.Response again = client.get("/chunks");
            assertThat(again.header("Content-Length")).isEqualTo("11");
            assertThat(again.body()).isEqualTo("hello world");
            assertThat(client.get("/old").body()).isEqualTo("hello world");
            assertThat(client.get("/old").header("Cache-Status")).doesNotContain("hit");
            try (RawClient old = passage.client()) {
                RawClient.Response plain =
                        old.send("GET /chunks?old HTTP/1.0\r\n\r\n").response();
                assertThat(plain.header("Transfer-Encoding")).isEmpty();
                assertThat(plain.body()).isEqualTo("hello world");
            }
            try (RawClient old = passage.client()) {
                old.send("GET /chunks HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                        .response();
                assertThat(old.send("GET /chunks HTTP/1.0\r\n\r\n").response().body())
                        .isEqualTo("hello world");
                assertThat(old.ended()).isTrue();
            }
        }
    }

    @Test
    void sendsRequestsInChunksOnAndSaysContinueWhenItIsAsked() throws IOException {
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
                    if (request.header("Transfer-Encoding").isEmpty()) {
                        out.write(RawOrigin.wire("HTTP/1.1 200 OK\nContent-Length: 2\n\nok"));
                        return true;
                    }
                    out.write(RawOrigin.wire("HTTP/1.1 200 OK\nContent-Length: 5\n\nchunk"));
                    return true;
                }));
                RawClient client = passage.client()) {
            client.request("POST", "/a", "Content-Length: 3", "Expect: 100-continue");
            assertThat(client.head().status()).isEqualTo(100);
            assertThat(client.send("abc").response().body()).isEqualTo("ok");
            assertThat(passage.origin.requests().get(0).body()).isEqualTo("abc");
            assertThat(passage.origin.requests().get(0).header("Expect")).isEmpty();
            client.request("POST", "/a", "Transfer-Encoding: chunked").send("3\r\nabc\r\n0\r\n\r\n");
            assertThat(client.response().body()).isEqualTo("chunk");
        }
    }

    @Test
    void doesNotUseAConnectionAgainOnWhichHalfARequestWasSent() throws Exception {
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
                    boolean late = request.line().startsWith("POST");
                    out.write(RawOrigin.wire(
                            late
                                    ? "HTTP/1.1 403 No\nContent-Length: 2\n\nno"
                                    : "HTTP/1.1 200 OK\nContent-Length: 2\n\nok"));
                    return true;
                }));
                RawClient sends = passage.client();
                RawClient reads = passage.client()) {
            // The origin of this test reads no chunks: it answers behind the head.
            sends.request("POST", "/a", "Transfer-Encoding: chunked")
                    .send("10000\r\n" + "x".repeat(0x10000) + "\r\n5\r\nhel");
            RawClient.Response early = sends.response();
            assertThat(early.status()).isEqualTo(403);
            assertThat(early.header("Connection")).isEqualTo("close");
            for (int i = 0; i < 5; i++) {
                assertThat(reads.get("/b").body()).isEqualTo("ok");
            }
        }
    }

    @Test
    void doesNotTakeAHeadForAPage() throws Exception {
        String page = KEPT.replace("max-age=60", "max-age=60, stale-while-revalidate=100")
                .replace("ETag: \"1\"\n", "");
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
                    boolean head = request.line().startsWith("HEAD");
                    out.write(RawOrigin.wire(head ? page.substring(0, page.length() - 5) : page));
                    return true;
                }));
                RawClient client = passage.client()) {
            client.get("/a");
            passage.pass(70);
            client.request("HEAD", "/a").response("HEAD");
            Thread.sleep(100);
            assertThat(client.get("/a").body()).isEqualTo("hello");
            passage.waitFor(() -> passage.origin.requests().size() == 3);
            Thread.sleep(100);
            assertThat(client.get("/a").body()).isEqualTo("hello");
        }
    }

    @Test
    void passesEarlyHintsOn() throws IOException {
        try (Passage passage = new Passage(RawOrigin.saying("HTTP/1.1 103 Early Hints\nLink: </a.css>\n\n"
                        + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"));
                RawClient client = passage.client()) {
            client.request("GET", "/a");
            RawClient.Response hint = client.head();
            assertThat(hint.status()).isEqualTo(103);
            assertThat(hint.header("Link")).isEqualTo("</a.css>");
            assertThat(client.response().body()).isEqualTo("hello");
        }
    }

    @Test
    void answersPipelinedRequestsInTheirOrder() throws IOException {
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
                    String path = request.line().split(" ", -1)[1];
                    Thread.sleep(path.equals("/slow") ? 300 : 0);
                    out.write(RawOrigin.wire("HTTP/1.1 200 OK\nCache-Control: max-age=60\nContent-Length: "
                            + path.length() + "\n\n" + path));
                    return true;
                }));
                RawClient client = passage.client()) {
            client.get("/kept");
            StringBuilder all = new StringBuilder();
            List<String> paths = List.of("/kept", "/slow", "/kept", "/b", "/c", "/kept");
            for (String path : paths) {
                all.append("GET ").append(path).append(" HTTP/1.1\r\nHost: h\r\n\r\n");
            }
            client.send(all.toString());
            for (String path : paths) {
                assertThat(client.response().body()).isEqualTo(path);
            }
        }
    }

    @Test
    void sendsOneThatTheOriginClosedMeanwhileOverANewConnection() throws Exception {
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
                    out.write(RawOrigin.wire("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello"));
                    return false; // it says nothing of it, and closes
                }));
                RawClient client = passage.client()) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.get("/a").body()).isEqualTo("hello");
            }
        }
    }

    @Test
    void refusesWhatItCannotDo() throws IOException {
        Limits limits = Limits.ofCache(8 << 20).requestBytes(10);
        try (Passage passage = new Passage(RawOrigin.saying(KEPT), plan -> plan.limits(limits))) {
            assertThat(status(passage, "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n"))
                    .isEqualTo(400);
            assertThat(status(passage, "TRACE / HTTP/1.1\r\nHost: h\r\n\r\n")).isEqualTo(405);
            assertThat(status(
                            passage, "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n"))
                    .isEqualTo(501);
            assertThat(status(passage, "GET / HTTP/1.1\r\nHost: h\r\nVia: 1.1 other, 1.1 perhaps\r\n\r\n"))
                    .isEqualTo(508);
            assertThat(status(passage, "GET / HTTP/1.1\r\nHost: h\r\nExpect: miracles\r\n\r\n"))
                    .isEqualTo(417);
            assertThat(status(passage, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\n"))
                    .isEqualTo(413);
            String body = "b\r\nhello world\r\n0\r\n\r\n";
            assertThat(status(passage, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + body))
                    .isEqualTo(413);
            assertThat(status(passage, "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n"))
                    .isEqualTo(200);
        }
    }

    private static int status(Passage passage, String request) throws IOException {
        try (RawClient client = passage.client()) {
            return client.send(request).response().status();
        }
    }

    @Test
    void breaksOffWhenTheOriginDoesAndKeepsNothing() throws IOException {
        for (String response : List.of(
                "HTTP/1.1 200 OK\nCache-Control: max-age=60\nContent-Length: 9\n\nhello",
                "HTTP/1.1 200 OK\nCache-Control: max-age=60\nTransfer-Encoding: chunked\n\n9\r\nhello",
                "HTTP/1.1 200 OK\nCache-Control: max-age=60\nTransfer-Encoding: chunked\n\n5\r\nhello\r\n",
                "HTTP/1.1 200 OK\nCache-Control: max-age=60\nTransfer-Encoding: chunked\n\n5\r\nhelloXX0\r\n\r\n")) {
            try (Passage passage = new Passage(new RawOrigin((request, out) -> {
                        out.write(RawOrigin.wire(response));
                        return false;
                    }));
                    RawClient client = passage.client()) {
                assertThatThrownBy(() -> client.get("/a")).as(response).isInstanceOf(IOException.class);
                assertThat(passage.proxy.store().pages()).isZero();
            }
        }
    }

    @Test
    void keepsNothingOfAnAnswerThatIsLongerThanItSays() throws IOException {
        try (Passage passage = new Passage(RawOrigin.saying(
                        "HTTP/1.1 200 OK\nCache-Control: max-age=60\nContent-Length: 5\n\nhelloHTTP/1.1"));
                RawClient client = passage.client()) {
            RawClient.Response first = client.get("/a");
            assertThat(first.body()).isEqualTo("hello");
            assertThat(first.header("Cache-Status")).isEqualTo("perhaps; fwd=uri-miss");
            assertThat(client.get("/a").header("Cache-Status")).doesNotContain("hit");
            passage.origin.script((request, out) -> {
                out.write(RawOrigin.wire(CHUNKS + "HTTP/1.1"));
                return true;
            });
            assertThat(client.get("/b").header("Cache-Status")).isEqualTo("perhaps; fwd=uri-miss");
        }
    }

    @Test
    void anErrorSaysWhereItCameFromAndHasNoBodyWhereTheClientWantsNone() throws IOException {
        try (Passage passage = new Passage(RawOrigin.saying(KEPT));
                RawClient client = passage.client()) {
            passage.origin.close();
            RawClient.Response get = client.get("/a");
            assertThat(get.status()).isEqualTo(502);
            assertThat(get.header("Cache-Status")).isEqualTo("perhaps; fwd=uri-miss; detail=error");
            RawClient.Response head = client.request("HEAD", "/a").response("HEAD");
            assertThat(head.status()).isEqualTo(502);
            assertThat(head.header("Content-Length")).isNotEqualTo("0");
            RawClient.Response cached = client.get("/a", "Cache-Control: only-if-cached");
            assertThat(cached.status()).isEqualTo(504);
            assertThat(cached.header("Cache-Status")).isEqualTo("perhaps; detail=error");
            client.send("HEAD / HTTP/1.1\r\nHost: h\r\nExpect: miracles\r\n\r\n");
            RawClient.Response refused = client.response("HEAD");
            assertThat(refused.status()).isEqualTo(417);
            assertThat(refused.header("Cache-Status")).isEqualTo("perhaps; detail=refused");
            assertThat(client.ended()).isTrue();
        }
    }

    @Test
    void answersForAnOriginThatIsWrong() throws IOException {
        try (Passage passage = new Passage(RawOrigin.saying(KEPT));
                RawClient client = passage.client()) {
            for (String bad : List.of(
                    "nonsense\n\n",
                    "HTTP/1.1 2OO OK\n\n",
                    "HTTP/1.1 999 OK\n\n",
                    "HTTP/2.0 200 OK\n\n",
                    "HTTP/1.1 200 OK\nContent-Length: 5\nContent-Length: 6\n\nhello",
                    "HTTP/1.1 200 OK\nContent-Length: 5\nTransfer-Encoding: chunked\n\nhello",
                    "HTTP/1.1 200 OK\nTransfer-Encoding: gzip, chunked\n\nhello",
                    "HTTP/1.1 200 OK\nContent-Length: -5\n\nhello",
                    "HTTP/1.1 200 OK\nA: b\n folded: yes\n\n",
                    "HTTP/1.1 200 OK\nA : b\n\n",
                    "HTTP/1.1 101 Switching\n\n",
                    "HTTP/1.1 200 OK\nA: " + "x".repeat(50_000) + "\n\n",
                    "HTTP/1.1 200 OK\n" + "A: b\n".repeat(101) + "\n")) {
                passage.origin.script((request, out) -> {
                    out.write(RawOrigin.wire(bad));
                    return true;
                });
                assertThat(client.get("/bad").status()).as(bad).isEqualTo(502);
            }
            for (String bare : List.of("HTTP/1.1 200 OK\nContent-Length: 0\n\n", "HTTP/1.1 200 OK\r\nA: b\rC: d")) {
                passage.origin.script((request, out) -> {
                    out.write(bare.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
                    return true;
                });
                assertThat(client.get("/bare").status()).as(bare).isEqualTo(502);
            }
            assertThat(passage.proxy.store().pages()).isZero();
        }
    }

    @Test
    void answersForAnOriginThatIsLate() throws IOException {
        Timeouts quick = Timeouts.usual().responseMillis(300).originMillis(300);
        CountDownLatch over = new CountDownLatch(1);
        try (Passage passage = new Passage(RawOrigin.saying(KEPT), plan -> plan.timeouts(quick));
                RawClient client = passage.client()) {
            passage.origin.script((request, out) -> {
                over.await();
                return false;
            });
            assertThat(client.get("/late").status()).isEqualTo(504);
            passage.origin.script((request, out) -> {
                out.write(RawOrigin.wire("HTTP/1.1 200 OK\nContent-Length: 9\n\nhello"));
                out.flush();
                over.await();
                return false;
            });
            assertThatThrownBy(() -> client.get("/stuck")).isInstanceOf(IOException.class);
            assertThat(passage.proxy.store().pages()).isZero();
        } finally {
            over.countDown();
        }
    }
}
