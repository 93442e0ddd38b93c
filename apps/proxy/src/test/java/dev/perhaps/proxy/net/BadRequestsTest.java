package dev.perhaps.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.proxy.Timeouts;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests that are malformed, too much, too slow, or hide another one: a clear status, a closed connection, nothing passed on. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadRequestsTest {
    private static final String GET = "GET / HTTP/1.1\r\nHost: h\r\n";
    private static final String POST = "POST / HTTP/1.1\r\nHost: h\r\n";

    record Bad(String name, int status, String bytes) {
        @Override
        public String toString() {
            return name + ": " + status;
        }
    }

    @SuppressWarnings("NullAway.Init") // before all
    private Passage passage;

    /** With short timeouts, for those who are slow. */
    @SuppressWarnings("NullAway.Init") // before all
    private Passage hasty;

    @BeforeAll
    void start() throws IOException {
        String page = "HTTP/1.1 200 OK\nContent-Length: 2\n\nok";
        passage = new Passage(RawOrigin.saying(page));
        Timeouts quick = Timeouts.usual().headMillis(700).clientMillis(700).idleMillis(700);
        hasty = new Passage(RawOrigin.saying(page), plan -> plan.timeouts(quick));
    }

    @AfterAll
    void stop() throws IOException {
        passage.close();
        hasty.close();
    }

    static Stream<Bad> bad() {
        return Stream.of(
                new Bad("no method", 400, " / HTTP/1.1\r\nHost: h\r\n\r\n"),
                new Bad("no request at all", 400, "hello there\r\n\r\n"),
                new Bad("an unknown sign in the method", 400, "G(T / HTTP/1.1\r\nHost: h\r\n\r\n"),
                new Bad("a method without end", 501, "G".repeat(40) + " / HTTP/1.1\r\nHost: h\r\n\r\n"),
                new Bad("no version", 400, "GET /\r\nHost: h\r\n\r\n"),
                new Bad("the version of the future", 505, "GET / HTTP/2.0\r\nHost: h\r\n\r\n"),
                new Bad("the start of HTTP/2", 505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
                new Bad("two spaces", 400, "GET  / HTTP/1.1\r\nHost: h\r\n\r\n"),
                new Bad("a space in the target", 400, "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n"),
                new Bad("a tab in the target", 400, "GET /a\tb HTTP/1.1\r\nHost: h\r\n\r\n"),
                new Bad("a byte 0 in the target", 400, "GET /a\0b HTTP/1.1\r\nHost: h\r\n\r\n"),
                new Bad("a byte above 127 in the target", 400, "GET /\u00e4 HTTP/1.1\r\nHost: h\r\n\r\n"),
                new Bad("a fragment", 400, "GET /a#b HTTP/1.1\r\nHost: h\r\n\r\n"),
                new Bad("a target without a slash", 400, "GET a HTTP/1.1\r\nHost: h\r\n\r\n"),
                new Bad("a target of another scheme", 400, "GET ftp://h/a HTTP/1.1\r\nHost: h\r\n\r\n"),
                new Bad("no host", 400, "GET / HTTP/1.1\r\n\r\n"),
                new Bad("two hosts", 400, GET + "Host: i\r\n\r\n"),
                new Bad("a host with a path", 400, "GET / HTTP/1.1\r\nHost: h/a\r\n\r\n"),
                new Bad("a host with a user", 400, "GET http://u@h/a HTTP/1.1\r\nHost: h\r\n\r\n"),
                new Bad("an LF alone", 400, "GET / HTTP/1.1\nHost: h\n\r\n\r\n"),
                new Bad("a head with LFs alone", 400, "GET / HTTP/1.1\nHost: h\n\n"),
                new Bad("the start of a head with an LF alone", 400, "GET / HTTP/1.1\nHo"),
                new Bad("the start of a head with a CR alone", 400, "GET / HTTP/1.1\rHo"),
                new Bad("an LF before everything", 400, "\nGET / HTTP/1.1\r\n"),
                new Bad("a CR alone in a value", 400, GET + "A: b\rc: d\r\n\r\n"),
                new Bad("a byte 0 in a value", 400, GET + "A: b\0c\r\n\r\n"),
                new Bad("a control character in a value", 400, GET + "A: b\u0001c\r\n\r\n"),
                new Bad("a space before the colon", 400, GET + "Content-Length : 5\r\n\r\n"),
                new Bad("a folded line", 400, GET + "A: b\r\n c\r\n\r\n"),
                new Bad("a first line that is folded", 400, "GET / HTTP/1.1\r\n Host: h\r\n\r\n"),
                new Bad("no colon", 400, GET + "hello\r\n\r\n"),
                new Bad("no name", 400, GET + ": b\r\n\r\n"),
                new Bad("a quote in a name", 400, GET + "\"A\": b\r\n\r\n"),
                new Bad("two lengths that differ", 400, POST + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"),
                new Bad("two lengths that agree", 400, POST + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"),
                new Bad("a list of lengths", 400, POST + "Content-Length: 5, 5\r\n\r\nhello"),
                new Bad("a negative length", 400, POST + "Content-Length: -5\r\n\r\nhello"),
                new Bad("a length with a sign", 400, POST + "Content-Length: +5\r\n\r\nhello"),
                new Bad("a length in hexadecimal", 400, POST + "Content-Length: 0x5\r\n\r\nhello"),
                new Bad("an empty length", 400, POST + "Content-Length:\r\n\r\nhello"),
                new Bad("a length above all numbers", 400, POST + "Content-Length: 99999999999999999999\r\n\r\n"),
                new Bad("a length above the limit", 413, POST + "Content-Length: 9999999999999999\r\n\r\n"),
                new Bad(
                        "length and chunks",
                        400,
                        POST + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                new Bad(
                        "chunks and length",
                        400,
                        POST + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
                new Bad("chunks of HTTP/1.0", 400, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                new Bad("chunks twice", 501, POST + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"),
                new Bad("chunks that are something else", 501, POST + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
                new Bad("chunks in other words", 501, POST + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"),
                new Bad(
                        "chunks behind a vertical tab",
                        400,
                        POST + "Transfer-Encoding: \u000bchunked\r\n\r\n0\r\n\r\n"),
                new Bad("a chunk without a size", 400, POST + "Transfer-Encoding: chunked\r\n\r\n\r\n0\r\n\r\n"),
                new Bad("a chunk of no number", 400, POST + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"),
                new Bad("a negative chunk", 400, POST + "Transfer-Encoding: chunked\r\n\r\n-1\r\n"),
                new Bad(
                        "a chunk above all numbers",
                        400,
                        POST + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"),
                new Bad(
                        "a chunk that is longer than it says",
                        400,
                        POST + "Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n"),
                new Bad(
                        "a chunk that ends with an LF",
                        400,
                        POST + "Transfer-Encoding: chunked\r\n\r\n2\nab\r\n0\r\n\r\n"),
                new Bad(
                        "an endless chunk extension",
                        400,
                        POST + "Transfer-Encoding: chunked\r\n\r\n2;" + "x".repeat(2000)),
                new Bad(
                        "an endless trailer",
                        400,
                        POST + "Transfer-Encoding: chunked\r\n\r\n0\r\nA: " + "x".repeat(9000)),
                new Bad("a long target", 414, "GET /" + "x".repeat(9000) + " HTTP/1.1\r\nHost: h\r\n\r\n"),
                new Bad("an endless target", 414, "GET /" + "x".repeat(9000)),
                new Bad("a long field", 431, GET + "A: " + "x".repeat(40_000) + "\r\n\r\n"),
                new Bad("an endless head", 431, GET + "A: " + "x".repeat(60_000)),
                new Bad("101 fields", 431, GET + "A: b\r\n".repeat(100) + "\r\n"),
                new Bad("half a head", 408, "GET / HTTP/1.1\r\nHo"),
                new Bad("half a body", 408, POST + "Content-Length: 5\r\n\r\nhe"));
    }

    @ParameterizedTest
    @MethodSource("bad")
    void isRefusedAndTheConnectionClosed(Bad bad) throws IOException {
        try (RawClient client = (bad.status() == 408 ? hasty : passage).client()) {
            // A second request rides behind: it must not be taken for one.
            boolean whole = bad.bytes.endsWith("\r\n\r\n");
            client.send(bad.bytes + (whole ? "GET /hidden HTTP/1.1\r\nHost: h\r\n\r\n" : ""));
            RawClient.Response response = client.response();
            assertThat(response.status()).as(response.body()).isEqualTo(bad.status);
            assertThat(response.header("Connection")).isEqualTo("close");
            assertThat(client.ended()).isTrue();
        }
        assertThat(passage.origin.requests())
                .noneMatch(request -> request.line().contains("hidden"));
    }

    static Stream<Arguments> unsupported() {
        return Stream.of(
                Arguments.of("TRACE / HTTP/1.1\r\nHost: h\r\n\r\n", "405: method TRACE is not supported by this proxy"),
                Arguments.of(GET + "Upgrade: websocket\r\n\r\n", "501: Upgrade is not supported: only HTTP/1.1"),
                Arguments.of(GET + "Expect: tea\r\n\r\n", "417: unsupported Expect value: only 100-continue"),
                Arguments.of(GET + "A: b\nC: d\r\n\r\n", "400: bare CR or LF in the header: lines end with CRLF"));
    }

    @ParameterizedTest
    @MethodSource("unsupported")
    void namesWhatIsNotSupported(String request, String message) throws IOException {
        try (RawClient client = passage.client()) {
            client.send(request);
            assertThat(client.response().body()).isEqualTo(message + "\n");
        }
    }

    @Test
    void oneWhoSendsAByteAtATimeIsSentAway() throws Exception {
        try (RawClient client = hasty.client()) {
            String drops = GET + "A: " + "x".repeat(200);
            int sent = 0;
            try {
                for (; sent < drops.length(); sent++) {
                    client.send(drops.substring(sent, sent + 1));
                    Thread.sleep(20);
                }
                assertThat(client.response().status()).isEqualTo(408);
            } catch (SocketException e) {
                assertThat(sent).isPositive();
            }
        }
    }

    /** Never still for as long as is allowed, but slower than 1 KiB/s for longer than that. */
    @Test
    void oneWhoSendsABodyByteByByteIsSentAway() throws Exception {
        try (RawClient client = hasty.client()) {
            client.send(POST + "Content-Length: 100000\r\n\r\n");
            int sent = 0;
            try {
                for (; sent < 500; sent++) {
                    client.send("x");
                    Thread.sleep(20);
                }
                assertThat(client.response().status()).isEqualTo(408);
            } catch (SocketException e) {
                assertThat(sent).isPositive();
            }
        }
        assertThat(hasty.origin.requests())
                .noneMatch(request -> request.header("Content-Length").equals("100000"));
    }

    @Test
    void oneWhoSaysNothingIsSentAway() throws IOException {
        try (RawClient client = hasty.client()) {
            assertThat(client.ended()).isTrue();
        }
        try (RawClient client = hasty.client()) {
            assertThat(client.get("/").status()).isEqualTo(200);
            assertThat(client.ended()).isTrue();
        }
    }

    @Test
    void oneWhoDoesNotReadIsSentAwayAndTheOthersAreServed() throws Exception {
        String page = "HTTP/1.1 200 OK\nCache-Control: max-age=60\nContent-Length: 900000\n\n" + "x".repeat(900_000);
        Timeouts quick = Timeouts.usual().clientMillis(700);
        try (Passage big = new Passage(RawOrigin.saying(page), plan -> plan.timeouts(quick));
                RawClient lazy = big.client();
                RawClient keen = big.client()) {
            for (int i = 0; i < 30; i++) {
                lazy.request("GET", "/a");
            }
            for (int i = 0; i < 3; i++) {
                assertThat(keen.get("/a").bytes()).hasSize(900_000);
            }
            big.waitFor(() -> big.clients() == 1);
            int whole = 0;
            try {
                for (; whole < 30; whole++) {
                    lazy.response();
                }
            } catch (EOFException | SocketException e) {
                assertThat(whole).isLessThan(30);
            }
            assertThat(whole).isLessThan(30);
        }
    }

    @Test
    void readsAHeadThatComesInPieces() throws Exception {
        String request = "\r\nGET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
        for (int cut : List.of(1, 3, 10, 17, 18, request.length() - 3, request.length() - 1)) {
            try (RawClient client = passage.client()) {
                client.send(request.substring(0, cut));
                Thread.sleep(30);
                assertThat(client.send(request.substring(cut)).response().status())
                        .isEqualTo(200);
            }
        }
    }
}
