package dev.perhaps.proxy.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a client or an origin sends is a message that has one meaning, or is refused. */
class HttpFuzz {
    private static final int MAX_HEADERS = 100;
    private static final long NOW_MILLIS = 1_800_000_000_000L;

    @MethodSource("requestSeeds")
    @FuzzTest(maxDuration = "1m")
    void readsARequestOrRefusesIt(byte[] head) {
        try {
            RequestHead request = new HeadReader(MAX_HEADERS).request(head, head.length);
            assertThat(request.method()).isNotEmpty();
            assertThat(Framing.of(request).lengthBytes()).isNotNegative();
            Target.of(request);
            look(request.headers());
        } catch (BadMessage e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    static Stream<byte[]> requestSeeds() {
        return Stream.of(
                        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
                        "POST /a?b HTTP/1.1\r\nHost: a:80\r\nContent-Length: 5\r\n\r\n",
                        "PUT http://a/b HTTP/1.1\r\nHost: b\r\nTransfer-Encoding: chunked\r\n\r\n",
                        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 2\r\n\r\n",
                        "GET / HTTP/1.0\r\nConnection: close, Accept\r\nAccept: x\r\n\r\n",
                        "GET / HTTP/1.1\nHost: a\n\n",
                        "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
                        "GET / HTTP/1.1\r\nHost: a\r\nRange: bytes=0-1,-5\r\nIf-None-Match: \"x\", W/\"y\"\r\n\r\n",
                        "GET / HTTP/1.1\r\nHost: a\r\nCache-Control: max-age=\"1\", no-cache=\"a,b\", x=;\r\n\r\n",
                        "GET /\0 HTTP/1.1\r\nHost: a\u00ff\r\nX_Y : 1\r\n\r\n")
                .map(text -> text.getBytes(ISO_8859_1));
    }

    @MethodSource("responseSeeds")
    @FuzzTest(maxDuration = "1m")
    void readsAResponseOrRefusesIt(byte[] head) {
        try {
            ResponseHead response = new HeadReader(MAX_HEADERS).response(head, head.length);
            assertThat(response.status()).isBetween(100, 999);
            assertThat(Framing.of("GET", response).lengthBytes()).isNotNegative();
            assertThat(Framing.of("HEAD", response).isEmpty()).isTrue();
            look(response.headers());
        } catch (BadMessage e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    static Stream<byte[]> responseSeeds() {
        return Stream.of(
                        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nETag: \"a\"\r\nVary: *, Accept\r\n\r\n",
                        "HTTP/1.1 204 \r\n\r\n",
                        "HTTP/1.0 304 x\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nAge: 7200, 0\r\n\r\n",
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\nDate: Sunday, 06-Nov-94 08:49:37 GMT\r\n\r\n",
                        "HTTP/1.1 206 P\r\nContent-Range: bytes 0-1/2\r\nExpires: Sun Nov  6 08:49:37 1994\r\n\r\n",
                        "HTTP/1.1 200\r\n\r\n",
                        "HTTP/1.1 99 x\r\n\r\n",
                        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
                        "HTTP/1.1 200 OK\r\nCache-Control: s-maxage=99999999999999999999, stale-if-error=-1\r\n\r\n")
                .map(text -> text.getBytes(ISO_8859_1));
    }

    /** All that reads fields. None of it refuses: what it does not understand, it leaves. */
    private static void look(Headers headers) throws BadMessage {
        CacheControl response = CacheControl.ofResponse(headers);
        CacheControl.ofRequest(headers);
        assertThat(response.maxAge()).isGreaterThanOrEqualTo(-1);
        Vary vary = Vary.of(headers);
        if (!vary.everything()) {
            assertThat(vary.matches(vary.select(headers), headers)).isTrue();
        }
        for (String name : List.of("Date", "Expires", "Last-Modified", "If-Modified-Since")) {
            HttpDate.read(headers.first(name), NOW_MILLIS);
        }
        Validators.clientHas(headers, headers, NOW_MILLIS);
        Validators.rangeApplies(headers, headers, NOW_MILLIS);
        HopByHop.endToEnd(headers);
        String range = headers.first("Range");
        if (range != null) {
            ByteRange part = ByteRange.of(range, 1_000);
            assertThat(part == null || !part.satisfiable() || part.from() >= 0 && part.to() < 1_000 + 1)
                    .isTrue();
        }
    }

    @MethodSource("bodySeeds")
    @FuzzTest(maxDuration = "1m")
    void readsChunksOrRefusesThem(byte[] bytes) {
        long whole = taken(bytes, bytes.length);
        assertThat(taken(bytes, 1))
                .as("the pieces in which they come do not matter")
                .isEqualTo(whole);
    }

    /** The number of bytes in the chunks, or less than 0 if they were refused. */
    private static long taken(byte[] bytes, int pieceBytes) {
        BodyReader body = new BodyReader(new Framing(Framing.Kind.CHUNKED, 0));
        long[] taken = {0};
        int at = 0;
        try {
            while (at < bytes.length && !body.done()) {
                int read = body.read(bytes, at, Math.min(bytes.length, at + pieceBytes), (from, start, end) -> {
                    taken[0] += end - start;
                });
                assertThat(read).isGreaterThan(at);
                at = read;
            }
            return taken[0];
        } catch (BadMessage e) {
            return -1;
        }
    }

    static Stream<byte[]> bodySeeds() {
        return Stream.of(
                        "3\r\nabc\r\n0\r\n\r\n",
                        "3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nrest",
                        "ffffffffffffffff\r\n",
                        "3\nabc\n0\n\n",
                        "-1\r\n\r\n",
                        "0x3\r\nabc\r\n",
                        "3\r\nabcd\r\n")
                .map(text -> text.getBytes(ISO_8859_1));
    }

    @MethodSource("dateSeeds")
    @FuzzTest(maxDuration = "1m")
    void readsADateOrNone(byte[] bytes) {
        String text = new String(bytes, ISO_8859_1);
        long seconds = HttpDate.read(text, NOW_MILLIS);
        if (seconds > 0) {
            assertThat(HttpDate.read(HttpDate.write(seconds * 1_000), NOW_MILLIS))
                    .isEqualTo(seconds);
        }
    }

    static Stream<byte[]> dateSeeds() {
        return Stream.of(
                        "Sun, 06 Nov 1994 08:49:37 GMT",
                        "Sunday, 06-Nov-94 08:49:37 GMT",
                        "Sun Nov  6 08:49:37 1994",
                        "sun, 06 nov 1994 08:49:37 gmt",
                        "Sun, 31 Feb 9999 24:00:60 GMT",
                        "0")
                .map(text -> text.getBytes(ISO_8859_1));
    }
}
