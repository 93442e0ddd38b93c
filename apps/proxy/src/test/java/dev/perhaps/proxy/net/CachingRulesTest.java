package dev.perhaps.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The rules of caching, each told to a real origin and a real client. A line is: what the first client asks with, what the origin
 * answers, how many seconds pass, what the second client asks with, and where its response comes from. {@code (n)} is a
 * date n seconds from the beginning.
 *
 * <p>{@code cache}: the origin hears nothing; {@code validated}: it is asked whether the page still holds, and says so;
 * {@code origin}: it is asked for the page; {@code 504}, {@code 304}: the cache says so, and the origin hears nothing.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CachingRulesTest {
    private static final String RULES = """
        -- lifetime (RFC 9111, 4.2.1)
                              | 200 Cache-Control: max-age=60                             |  59 |                                    | cache
                              | 200 Cache-Control: max-age=60                             |  60 |                                    | origin
                              | 200 Cache-Control: max-age="60"                           |  59 |                                    | cache
                              | 200 Cache-Control: MAX-AGE=60                             |  59 |                                    | cache
                              | 200 Cache-Control: max-age=60, s-maxage=10                |   9 |                                    | cache
                              | 200 Cache-Control: max-age=60, s-maxage=10                |  10 |                                    | origin
                              | 200 Cache-Control: max-age=10, s-maxage=60                |  59 |                                    | cache
                              | 200 Cache-Control: max-age=60, max-age=10                 |  11 |                                    | origin
                              | 200 Cache-Control: max-age=abc                            |   0 |                                    | origin
                              | 200 Cache-Control: max-age=-1                             |   0 |                                    | origin
                              | 200 Cache-Control: max-age=99999999999999999999           | 999 |                                    | cache
                              | 200 Date: (0) + Expires: (60)                             |  59 |                                    | cache
                              | 200 Date: (0) + Expires: (60)                             |  60 |                                    | origin
                              | 200 Date: (-50) + Expires: (10)                           |   9 |                                    | cache
                              | 200 Date: (0) + Expires: 0                                |   0 |                                    | origin
                              | 200 Expires: (60) + Cache-Control: max-age=10             |  11 |                                    | origin
                              | 200 Expires: (0) + Cache-Control: max-age=10              |   9 |                                    | cache
                              | 200 Expires: (60) + Expires: (90)                         |   0 |                                    | origin
        -- guessed: a tenth of the time since the last change, a day at most (4.2.2)
                              | 200 Date: (0) + Last-Modified: (-1000)                    |  99 |                                    | cache
                              | 200 Date: (0) + Last-Modified: (-1000)                    | 100 |                                    | validated
                              | 200 Date: (0) + Last-Modified: (-99000000)                | 86399 |                                  | cache
                              | 200 Date: (0) + Last-Modified: (-99000000)                | 86400 |                                  | validated
                              | 200 Date: (0) + Last-Modified: (1000)                     |   0 |                                    | validated
                              | 302 Date: (0) + Last-Modified: (-1000)                    |   9 |                                    | origin
        Cookie: a=b           | 200 Date: (0) + Last-Modified: (-1000)                    |   9 | Cookie: a=b                        | origin
        Cookie: a=b           | 200 Cache-Control: max-age=60                             |   9 | Cookie: a=b                        | cache
                              | 200 X-Nothing: said                                       |   0 |                                    | origin
        -- age (4.2.3)
                              | 200 Cache-Control: max-age=60 + Age: 50                   |   9 |                                    | cache
                              | 200 Cache-Control: max-age=60 + Age: 50                   |  10 |                                    | origin
                              | 200 Cache-Control: max-age=60 + Age: 60                   |   0 |                                    | origin
                              | 200 Cache-Control: max-age=60 + Date: (-50)               |   9 |                                    | cache
                              | 200 Cache-Control: max-age=60 + Date: (-50)               |  10 |                                    | origin
                              | 200 Cache-Control: max-age=60 + Date: (500)               |  59 |                                    | cache
                              | 200 Cache-Control: max-age=60 + Age: nonsense             |  59 |                                    | cache
        -- what must not be stored (3, 5.2.2)
                              | 200 Cache-Control: no-store, max-age=60                   |   0 |                                    | origin
                              | 200 Cache-Control: private, max-age=60                    |   0 |                                    | origin
                              | 200 Cache-Control: private="X-A", max-age=60              |   0 |                                    | origin
                              | 200 Cache-Control: max-age=60 + Cache-Control: no-store   |   0 |                                    | origin
                              | 200 Cache-Control: max-age=60 + Vary: *                   |   0 |                                    | origin
                              | 200 Cache-Control: max-age=60 + Set-Cookie: a=b           |   0 |                                    | origin
                              | 200 Cache-Control: public, max-age=60 + Set-Cookie: a=b   |   0 |                                    | cache
                              | 200 Cache-Control: s-maxage=60 + Set-Cookie: a=b          |   0 |                                    | cache
        Cache-Control: no-store | 200 Cache-Control: max-age=60                           |   0 |                                    | origin
                              | 200 Cache-Control: must-understand, no-store, max-age=60  |   0 |                                    | cache
                              | 299 Cache-Control: must-understand, max-age=60            |   0 |                                    | origin
                              | 206 Cache-Control: max-age=60 + Content-Range: bytes 0-5/9 |  0 |                                    | origin
        -- who has logged in (3.5)
        Authorization: Basic x | 200 Cache-Control: max-age=60                            |   0 |                                    | origin
        Authorization: Basic x | 200 Cache-Control: max-age=60                            |   0 | Authorization: Basic x             | origin
        Authorization: Basic x | 200 Cache-Control: public, max-age=60                    |   0 |                                    | cache
        Authorization: Basic x | 200 Cache-Control: s-maxage=60                           |   0 |                                    | cache
        Authorization: Basic x | 200 Cache-Control: must-revalidate, max-age=60           |   0 |                                    | cache
        -- statuses (RFC 9110, 15.1)
                              | 404 Cache-Control: max-age=60                             |   9 |                                    | cache
                              | 404 Date: (0) + Last-Modified: (-1000)                    |   9 |                                    | cache
                              | 301 Cache-Control: max-age=60 + Location: /b              |   9 |                                    | cache
                              | 302 Cache-Control: max-age=60 + Location: /b              |   9 |                                    | cache
                              | 302 Location: /b                                          |   0 |                                    | origin
                              | 204 Cache-Control: max-age=60                             |   9 |                                    | cache
                              | 410 Date: (0) + Last-Modified: (-1000)                    |   9 |                                    | cache
                              | 500 X-Nothing: said                                       |   0 |                                    | origin
                              | 503 Cache-Control: max-age=60                             |   9 |                                    | cache
        -- validation (4.3)
                              | 200 Cache-Control: max-age=60 + ETag: "1"                 |  60 |                                    | validated
                              | 200 Cache-Control: max-age=60 + ETag: W/"1"               |  60 |                                    | validated
                              | 200 Cache-Control: max-age=60 + Last-Modified: (-9)       |  60 |                                    | validated
                              | 200 Cache-Control: no-cache + ETag: "1"                   |   0 |                                    | validated
                              | 200 Cache-Control: no-cache="X", max-age=60 + ETag: "1"   |   0 |                                    | validated
                              | 200 Cache-Control: max-age=0 + ETag: "1"                  |   0 |                                    | validated
                              | 200 ETag: "1"                                             |   0 |                                    | validated
                              | 200 Cache-Control: no-cache, max-age=60                   |   0 |                                    | origin
        -- what the second client says (5.2.1, 5.4)
                              | 200 Cache-Control: max-age=60 + ETag: "1"                 |   9 | Cache-Control: no-cache            | validated
                              | 200 Cache-Control: max-age=60 + ETag: "1"                 |   9 | Pragma: no-cache                   | validated
                              | 200 Cache-Control: max-age=60 + ETag: "1"                 |   9 | Pragma: no-cache + Cache-Control: max-age=20 | cache
                              | 200 Cache-Control: max-age=60 + ETag: "1"                 |   9 | Cache-Control: max-age=0           | validated
                              | 200 Cache-Control: max-age=60 + ETag: "1"                 |   9 | Cache-Control: max-age=9           | cache
                              | 200 Cache-Control: max-age=60 + ETag: "1"                 |   9 | Cache-Control: max-age=8           | validated
                              | 200 Cache-Control: max-age=60 + ETag: "1"                 |   9 | Cache-Control: min-fresh=51        | cache
                              | 200 Cache-Control: max-age=60 + ETag: "1"                 |   9 | Cache-Control: min-fresh=52        | validated
                              | 200 Cache-Control: max-age=60 + ETag: "1"                 |  70 | Cache-Control: max-stale=10        | cache
                              | 200 Cache-Control: max-age=60 + ETag: "1"                 |  71 | Cache-Control: max-stale=10        | validated
                              | 200 Cache-Control: max-age=60 + ETag: "1"                 | 999 | Cache-Control: max-stale           | cache
                              | 200 Cache-Control: max-age=60, must-revalidate + ETag: "1" | 61 | Cache-Control: max-stale           | validated
                              | 200 Cache-Control: max-age=60, proxy-revalidate + ETag: "1" | 61 | Cache-Control: max-stale          | validated
                              | 200 Cache-Control: s-maxage=60 + ETag: "1"                |  61 | Cache-Control: max-stale           | validated
                              | 200 Cache-Control: max-age=60                             |   9 | Cache-Control: only-if-cached      | cache
                              | 200 Cache-Control: max-age=60 + ETag: "1"                 |  60 | Cache-Control: only-if-cached      | 504
                              | 200 Cache-Control: no-store                               |   0 | Cache-Control: only-if-cached      | 504
        -- what the second client has already (RFC 9110, 13)
                              | 200 Cache-Control: max-age=60 + ETag: "1"                 |   9 | If-None-Match: "1"                 | 304
                              | 200 Cache-Control: max-age=60 + ETag: "1"                 |   9 | If-None-Match: W/"1"               | 304
                              | 200 Cache-Control: max-age=60 + ETag: "1"                 |   9 | If-None-Match: "0", "1"            | 304
                              | 200 Cache-Control: max-age=60 + ETag: "1"                 |   9 | If-None-Match: *                   | 304
                              | 200 Cache-Control: max-age=60 + ETag: "1"                 |   9 | If-None-Match: "2"                 | cache
                              | 200 Cache-Control: max-age=60 + ETag: "a,b"               |   9 | If-None-Match: "x", "a,b"          | 304
                              | 200 Cache-Control: max-age=60 + Last-Modified: (-9)       |   9 | If-Modified-Since: (-9)            | 304
                              | 200 Cache-Control: max-age=60 + Last-Modified: (-9)       |   9 | If-Modified-Since: (-8)            | 304
                              | 200 Cache-Control: max-age=60 + Last-Modified: (-9)       |   9 | If-Modified-Since: (-10)           | cache
                              | 200 Cache-Control: max-age=60 + Last-Modified: (-9)       |   9 | If-Modified-Since: yesterday       | cache
                              | 200 Cache-Control: max-age=60 + Last-Modified: (-9) + ETag: "1" | 9 | If-None-Match: "2" + If-Modified-Since: (-9) | cache
                              | 404 Cache-Control: max-age=60 + ETag: "1"                 |   9 | If-None-Match: "1"                 | cache
                              | 200 Cache-Control: max-age=60 + ETag: "1"                 |   9 | If-Match: "1"                      | origin
                              | 200 Cache-Control: max-age=60 + Last-Modified: (-9)       |   9 | If-Unmodified-Since: (-9)          | origin
        -- variants (4.1)
        Accept: a             | 200 Cache-Control: max-age=60 + Vary: Accept              |   9 | Accept: a                          | cache
        Accept: a             | 200 Cache-Control: max-age=60 + Vary: Accept              |   9 | Accept: b                          | origin
        Accept: a             | 200 Cache-Control: max-age=60 + Vary: Accept              |   9 |                                    | origin
                              | 200 Cache-Control: max-age=60 + Vary: Accept              |   9 |                                    | cache
        Accept: a, b          | 200 Cache-Control: max-age=60 + Vary: accept              |   9 | Accept: a + Accept: b              | cache
        Accept: a,b           | 200 Cache-Control: max-age=60 + Vary: Accept              |   9 | Accept: a , b                      | cache
        Accept: a + A: 1      | 200 Cache-Control: max-age=60 + Vary: Accept, A           |   9 | Accept: a + A: 2                   | origin
        Accept: a + A: 1      | 200 Cache-Control: max-age=60 + Vary: Accept + Vary: A    |   9 | Accept: a + A: 2                   | origin
        Accept: a             | 200 Cache-Control: max-age=60 + Connection: Vary + Vary: Accept | 9 | Accept: b                      | origin
        -- variants by what the origin sees: not what belongs to the connection, or what a client must not say
        Accept: a + Connection: Accept | 200 Cache-Control: max-age=60 + Vary: Accept     |   9 | Accept: a                          | origin
        Accept: a + Connection: Accept | 200 Cache-Control: max-age=60 + Vary: Accept     |   9 |                                    | cache
        Accept: a             | 200 Cache-Control: max-age=60 + Vary: Accept              |   9 | Accept: a + Connection: accept     | origin
        X-Host: a             | 200 Cache-Control: max-age=60 + Vary: X-Host              |   9 | X-Host: b                          | cache
        -- ages that are lists or more than a number: the first counts, and one that is not a number is ignored (5.1)
                              | 200 Cache-Control: max-age=3600 + Age: 7200, 0            |   0 |                                    | origin
                              | 200 Cache-Control: max-age=3600 + Age: 0, 7200            |   0 |                                    | cache
                              | 200 Cache-Control: max-age=3600 + Age: 7200 + Age: 0      |   0 |                                    | origin
                              | 200 Cache-Control: max-age=3600 + Age: 7200;a=b           |   0 |                                    | cache
                              | 200 Cache-Control: max-age=3600 + Age: -7200              |   0 |                                    | cache
                              | 200 Cache-Control: max-age=3600 + Age: 0, 0               |   9 |                                    | cache
        -- fields for caches like this one only (RFC 9213)
                              | 200 CDN-Cache-Control: max-age=60 + Cache-Control: no-store |  9 |                                   | cache
                              | 200 CDN-Cache-Control: max-age=60 + Cache-Control: max-age=5 | 9 |                                   | cache
                              | 200 CDN-Cache-Control: max-age=60;a=b, public + Cache-Control: no-store | 9 |                        | cache
                              | 200 CDN-Cache-Control: max-age=60 + Expires: (-100)       |   9 |                                    | cache
                              | 200 CDN-Cache-Control: max-age=5 + Expires: (100)         |   9 |                                    | origin
                              | 200 CDN-Cache-Control: public + Expires: (100)            |   9 |                                    | origin
                              | 200 CDN-Cache-Control: no-store + Cache-Control: max-age=60 | 0 |                                    | origin
                              | 200 CDN-Cache-Control: private + Cache-Control: max-age=60 |  0 |                                    | origin
                              | 200 CDN-Cache-Control: max-age=0 + Cache-Control: max-age=60 | 0 |                                   | origin
                              | 200 CDN-Cache-Control: max-age="60" + Cache-Control: max-age=60 | 0 |                                | origin
                              | 200 CDN-Cache-Control: max-age=6.5 + Cache-Control: max-age=60 | 0 |                                 | origin
                              | 200 CDN-Cache-Control: no-store=?0, max-age=60 + Cache-Control: no-store | 9 |                       | cache
                              | 200 CDN-Cache-Control: no-store, + Cache-Control: max-age=60 |  9 |                                  | cache
                              | 200 CDN-Cache-Control: No-Store + Cache-Control: max-age=60 |  9 |                                   | cache
                              | 200 CDN-Cache-Control: max-age=60 &&& + Cache-Control: no-store | 0 |                                | origin
                              | 200 CDN-Cache-Control: + Cache-Control: max-age=60        |   9 |                                    | cache
        -- dates in other case; without Last-Modified, Date counts (4.3.2)
                              | 200 Date: (0) + Expires: Thu, 01 jan 2026 00:01:00 gmt    |   9 |                                    | cache
                              | 200 Cache-Control: max-age=60 + Date: (0)                 |   9 | If-Modified-Since: (0)             | 304
                              | 200 Cache-Control: max-age=60 + Date: (0)                 |   9 | If-Modified-Since: (-1)            | cache
        -- parts (RFC 9110, 14): of a whole page that is here, and else the origin's
                              | 200 Cache-Control: max-age=60                             |   9 | Range: bytes=1-2                   | cache
                              | 200 Cache-Control: max-age=60                             |  60 | Range: bytes=1-2                   | origin
        Range: bytes=0-1      | 200 Cache-Control: max-age=60                             |   0 |                                    | origin
        -- stale-while-revalidate (RFC 5861): the response is there before the origin's
                              | 200 Cache-Control: max-age=60, stale-while-revalidate=30 + ETag: "1" | 70 |                         | meanwhile
                              | 200 Cache-Control: max-age=60, stale-while-revalidate=30 + ETag: "1" | 91 |                         | validated
        """;

    private static final Pattern DATE = Pattern.compile("\\((-?\\d+)\\)");

    private record Rule(
            List<String> first, int status, List<String> response, long seconds, List<String> second, String from) {}

    @SuppressWarnings("NullAway.Init") // before all
    private Passage passage;

    private Rule rule = read("| 200 | 0 | | cache");
    private int asked;

    @BeforeAll
    void start() throws IOException {
        passage = new Passage(new RawOrigin((request, out) -> {
            asked++;
            boolean validates = !request.header("If-None-Match").isEmpty()
                    || !request.header("If-Modified-Since").isEmpty();
            String fields = String.join("\n", rule.response) + "\n";
            String body = "body " + asked;
            out.write(RawOrigin.wire(
                    validates
                            ? "HTTP/1.1 304 Not Modified\nDate: " + Passage.date(rule.seconds) + "\n\n"
                            : rule.status == 204
                                    ? "HTTP/1.1 204 No Content\n" + fields + "\n"
                                    : "HTTP/1.1 " + rule.status + " Said\n" + fields + "Content-Length: "
                                            + body.length() + "\n\n" + body));
            return true;
        }));
    }

    @AfterAll
    void stop() throws IOException {
        passage.close();
    }

    static Stream<String> rules() {
        return RULES.lines().filter(line -> line.contains("|"));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void isKept(String line) throws IOException, InterruptedException {
        rule = read(line);
        asked = 0;
        passage.reset();
        String path = "/" + Integer.toHexString(line.hashCode());
        int before = passage.origin.requests().size();
        try (RawClient client = passage.client()) {
            RawClient.Response first = client.get(path, rule.first.toArray(String[]::new));
            assertThat(first.status()).isEqualTo(rule.status);
            passage.pass(rule.seconds);
            RawClient.Response second = client.get(path, rule.second.toArray(String[]::new));
            String from = rule.from;
            if (from.equals("meanwhile")) {
                assertThat(second.body()).isEqualTo("body 1");
                passage.waitFor(() -> asked == 2);
                return;
            }
            List<RawOrigin.Request> requests = passage.origin.requests();
            RawOrigin.Request last = requests.get(requests.size() - 1);
            boolean validates = !last.header("If-None-Match").isEmpty()
                    || !last.header("If-Modified-Since").isEmpty();
            String heard = requests.size() == before + 1 ? "cache" : validates ? "validated" : "origin";
            String got = heard.equals("cache") && second.status() != rule.status && second.status() != 206
                    ? Integer.toString(second.status())
                    : heard;
            assertThat(got).as(second.toString()).isEqualTo(from);
            if (rule.status == 200 && second.status() == 200) {
                assertThat(second.body()).isEqualTo(from.equals("origin") ? "body 2" : "body 1");
            }
            assertThat(second.header("Cache-Status").contains("; hit"))
                    .as(second.header("Cache-Status"))
                    .isEqualTo(List.of("cache", "304").contains(from));
        }
    }

    private static Rule read(String line) {
        String[] cells = line.split("\\|", -1);
        String response = dated(cells[1].strip());
        return new Rule(
                fields(cells[0]),
                Integer.parseInt(response.substring(0, 3)),
                fields(response.substring(3)),
                Long.parseLong(cells[2].strip()),
                fields(cells[3]),
                cells[4].strip());
    }

    private static List<String> fields(String cell) {
        return Arrays.stream(dated(cell).split(" \\+ ", -1))
                .map(String::strip)
                .filter(field -> !field.isEmpty())
                .toList();
    }

    private static String dated(String text) {
        return DATE.matcher(text).replaceAll(match -> Passage.date(Long.parseLong(match.group(1))));
    }
}
