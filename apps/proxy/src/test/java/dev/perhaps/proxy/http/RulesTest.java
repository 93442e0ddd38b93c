package dev.perhaps.proxy.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What the table of rules cannot reach through a socket. */
class RulesTest {
    private static final long NOW = 1_767_225_600_000L;

    @Test
    void readsDatesInThreeFormsAndWritesThemInOne() {
        long date = 784_111_777;
        assertThat(HttpDate.read("Sun, 06 Nov 1994 08:49:37 GMT", NOW)).isEqualTo(date);
        assertThat(HttpDate.read("Sunday, 06-Nov-94 08:49:37 GMT", NOW)).isEqualTo(date);
        assertThat(HttpDate.read("Sun Nov  6 08:49:37 1994", NOW)).isEqualTo(date);
        assertThat(HttpDate.write(1000 * date)).isEqualTo("Sun, 06 Nov 1994 08:49:37 GMT");
        assertThat(HttpDate.read("Sunday, 06-Nov-75 08:49:37 GMT", NOW)).isPositive();
        assertThat(HttpDate.read("Sunday, 06-Nov-80 08:49:37 GMT", NOW)).isLessThan(date);
        for (String none : List.of(
                "",
                "0",
                "-1",
                "Sun, 06 Nov 1994",
                "Sun, 31 Feb 1994 08:49:37 GMT",
                "Sun, 06 Nov 1994 25:49:37 GMT",
                "Sun, 06 Xyz 1994 08:49:37 GMT",
                "Sun, 06 Nov 1994 08:49:37 CET",
                "x".repeat(100))) {
            assertThat(HttpDate.read(none, NOW)).as(none).isEqualTo(HttpDate.NONE);
        }
    }

    @Test
    void splitsListsAtCommasOutsideOfQuotes() {
        Headers headers = Headers.of("A", " a, \"b,\\\"c\" ,,d", "B", "x", "a", "e");
        assertThat(headers.list("A")).containsExactly("a", "\"b,\\\"c\"", "d", "e");
        assertThat(headers.joined("a")).isEqualTo(" a, \"b,\\\"c\" ,,d, e");
        assertThat(headers.list("none")).isEmpty();
    }

    @Test
    void takesTheReadingThatKeepsLess() {
        CacheControl twice = CacheControl.ofResponse(Headers.of("Cache-Control", "max-age=5, max-age=3, x=y"));
        assertThat(twice.maxAge()).isEqualTo(3);
        assertThat(CacheControl.ofResponse(Headers.of("Cache-Control", "max-age=-5"))
                        .maxAge())
                .isZero();
        assertThat(CacheControl.ofRequest(Headers.of("Cache-Control", "min-fresh=5, min-fresh=7"))
                        .minFresh())
                .isEqualTo(7);
        assertThat(CacheControl.ofResponse(Headers.of("Cache-Control", "PRIVATE=\"a, no-store\""))
                        .noStore())
                .isFalse();
    }

    @Test
    void knowsItselfInViaByItsWholeName() {
        assertThat(HopByHop.wasAt("fred", Headers.of("Via", "1.0 alice, 1.1 fred (x)")))
                .isTrue();
        assertThat(HopByHop.wasAt("fred", Headers.of("Via", "HTTP/1.1 fred"))).isTrue();
        assertThat(HopByHop.wasAt("fred", Headers.of("Via", "1.1 freddy", "Via", "1.1 al.fred")))
                .isFalse();
    }

    @Test
    void findsOneRangeOfBytes() {
        assertThat(ByteRange.of("bytes=0-0", 10)).isEqualTo(new ByteRange(0, 0));
        assertThat(ByteRange.of("bytes=-20", 10)).isEqualTo(new ByteRange(0, 9));
        assertThat(ByteRange.of("bytes=9-", 10)).isEqualTo(new ByteRange(9, 9));
        assertThat(ByteRange.of("bytes=10-", 10)).matches(range -> !range.satisfiable());
        assertThat(ByteRange.of("bytes=-0", 10)).matches(range -> !range.satisfiable());
        assertThat(ByteRange.of("bytes=0-", 0)).matches(range -> !range.satisfiable());
        for (String whole : List.of(
                "bytes=",
                "bytes=-",
                "bytes=5-4",
                "bytes=a-b",
                "lines=1-2",
                "bytes=1-2,4-5",
                "bytes 1-2",
                "bytes=99999999999999999999-")) {
            assertThat(ByteRange.of(whole, 10)).as(whole).isNull();
        }
    }

    @Test
    void readsChunksHoweverTheyAreCut() throws BadMessage {
        byte[] wire = "5;a=b\r\nhello\r\n00d\r\n big, wide wo\r\n3 \r\nrld\r\n0\r\nA: b\r\nC: d\r\n\r\nNEXT"
                .getBytes(StandardCharsets.US_ASCII);
        SplittableRandom random = new SplittableRandom(7);
        for (int round = 0; round < 2_000; round++) {
            BodyReader reader = new BodyReader(new Framing(Framing.Kind.CHUNKED, 0));
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            int at = 0;
            while (!reader.done()) {
                int to = Math.min(wire.length, at + 1 + random.nextInt(9));
                at = reader.read(wire, at, to, (bytes, from, end) -> body.write(bytes, from, end - from));
            }
            assertThat(body).hasToString("hello big, wide world");
            assertThat(new String(wire, at, wire.length - at, StandardCharsets.US_ASCII))
                    .isEqualTo("NEXT");
        }
    }

    /** n = 200,000 heads that were damaged in up to three bytes: each is read or refused with a status, never anything else. */
    @Test
    void survivesDamagedHeads() {
        String head = """
                POST /a?b HTTP/1.1
                Host: h:80
                Content-Length: 5
                Via: 1.1 x, 1.0 y
                Cache-Control: max-age=5, private="x"
                Transfer-Encoding: chunked
                If-None-Match: "a"

                """;
        byte[] good = head.replace("\n", "\r\n").getBytes(StandardCharsets.US_ASCII);
        SplittableRandom random = new SplittableRandom(11);
        String signs = "\r\n \t:,;\"\0%/*=x0\u007f\u00ff";
        int read = 0;
        for (int round = 0; round < 200_000; round++) {
            byte[] bad = good.clone();
            for (int i = random.nextInt(4); i > 0; i--) {
                bad[random.nextInt(bad.length)] = (byte) signs.charAt(random.nextInt(signs.length()));
            }
            try {
                RequestHead request = new HeadReader(100).request(bad, bad.length);
                Target.of(request);
                CacheControl.ofRequest(request.headers());
                HopByHop.wasAt("x", request.headers());
                HopByHop.endToEnd(request.headers());
                Framing.of(request);
                read++;
            } catch (BadMessage e) {
                assertThat(e.status()).isIn(400, 501, 505);
            }
        }
        // Length and chunks together are refused: only heads in which one of the two was hit are read.
        assertThat(read).isBetween(1_000, 100_000);
    }

    /**
     * Symptom: a size and a second number behind it were read as the size, where other readers take both digits or refuse it.
     */
    @Test
    void refusesAChunkWhoseSizeIsTwoNumbers() {
        for (String size : List.of("5 5", "5\t0", "5  a;b", "5 =")) {
            byte[] wire = (size + "\r\nhello\r\n0\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
            BodyReader reader = new BodyReader(new Framing(Framing.Kind.CHUNKED, 0));
            assertThatThrownBy(() -> reader.read(wire, 0, wire.length, (bytes, from, to) -> {}))
                    .as(size)
                    .isInstanceOf(BadMessage.class);
        }
    }

    /** Symptom: one request with a long run of blanks in a field that a page varies by stopped an event loop for seconds. */
    @Test
    void comparesAFieldOfManyBlanksInOnePass() {
        String blanks = " ".repeat(100_000);
        Vary vary = Vary.of(Headers.of("Vary", "Accept"));
        List<String> selected = vary.select(Headers.of("Accept", "a,b" + blanks + "c"));
        assertTimeoutPreemptively(Duration.ofSeconds(10), () -> {
            assertThat(vary.matches(selected, Headers.of("Accept", "a , b" + blanks + "c")))
                    .isTrue();
            assertThat(vary.matches(selected, Headers.of("Accept", "a," + blanks + "bc")))
                    .isFalse();
        });
    }

    /** Symptom: a long string in CDN-Cache-Control overflowed the stack of the event loop. */
    @Test
    void readsADirectiveWithAStringOfAnyLength() {
        for (String content : List.of("x".repeat(100_000), "\\\"".repeat(50_000), "")) {
            CacheControl says = CacheControl.ofResponse(
                    Headers.of("CDN-Cache-Control", "a=\"" + content + "\", max-age=60;b=\"" + content + "\""));
            assertThat(says.isTargeted()).isTrue();
            assertThat(says.maxAge()).isEqualTo(60);
        }
        for (String broken : List.of("a=\"", "a=\"b", "a=\"\\\"", "a=\"\\b\"", "a=\"\u00e4\"", "a=\"b\"c")) {
            assertThat(Dictionary.read(broken)).as(broken).isNull();
        }
    }

    @Test
    void refusesHeadersThatAreNotInTurn() {
        assertThatThrownBy(() -> Headers.of("A")).isInstanceOf(IllegalArgumentException.class);
    }
}
