package dev.perhaps.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One line per request, whatever is in it. */
@Timeout(60)
class AccessLogTest {
    private static final String PAGE = "HTTP/1.1 200 OK\nCache-Control: max-age=60\nContent-Length: 5\n\nhello";
    private static final String CLIENT = "127\\.0\\.0\\.1 - - \\[\\d\\d/\\w{3}/\\d{4}:\\d\\d:\\d\\d:\\d\\d \\+0000] ";
    private static final String SECONDS = " \\d+\\.\\d{6}";

    @TempDir
    private Path folder;

    private static List<String> lines(Path file) {
        try {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void saysWhoAskedForWhatAndWhatCameOfIt() throws Exception {
        Path file = folder.resolve("access.log");
        try (AccessLog log = AccessLog.to(file.toString());
                Passage passage = new Passage(RawOrigin.saying(PAGE), plan -> plan.accessLog(log));
                RawClient client = passage.client()) {
            client.get("/a?b", "User-Agent: a\tb\"c\\\u009b", "Referer: http://x/");
            client.get("/a?b");
            client.request("HEAD", "/a?b").response("HEAD");
            client.request("POST", "/p", "Content-Length: 3").send("abc").response();
            client.send("nonsense\r\n\r\n").response();
            passage.waitFor(() -> lines(file).size() == 5);
        }
        List<String> lines = lines(file);
        assertThat(lines.get(0))
                .matches(CLIENT
                        + "\"GET /a\\?b HTTP/1\\.1\" 200 5 \"http://x/\" \"a\\\\x09b\\\\x22c\\\\x5c\\\\x9b\" miss"
                        + SECONDS);
        assertThat(lines.get(1)).matches(CLIENT + "\"GET /a\\?b HTTP/1\\.1\" 200 5 \"-\" \"-\" hit" + SECONDS);
        assertThat(lines.get(2)).matches(CLIENT + "\"HEAD /a\\?b HTTP/1\\.1\" 200 0 \"-\" \"-\" hit" + SECONDS);
        assertThat(lines.get(3)).matches(CLIENT + "\"POST /p HTTP/1\\.1\" 200 5 \"-\" \"-\" pass" + SECONDS);
        assertThat(lines.get(4)).matches(CLIENT + "\"-\" 400 \\d+ \"-\" \"-\" refused" + SECONDS);
    }

    @Test
    void goesOnInANewFileWhenTheOldOneWasMovedAway() throws Exception {
        Path file = folder.resolve("access.log");
        Path moved = folder.resolve("access.log.1");
        try (AccessLog log = AccessLog.to(file.toString());
                Passage passage = new Passage(RawOrigin.saying(PAGE), plan -> plan.accessLog(log));
                RawClient client = passage.client()) {
            client.get("/before");
            passage.waitFor(() -> lines(file).size() == 1);
            Files.move(file, moved);
            client.get("/after");
            passage.waitFor(() -> lines(file).size() == 1);
            assertThat(lines(moved)).hasSize(1).allMatch(line -> line.contains("/before"));
            assertThat(lines(file)).allMatch(line -> line.contains("/after"));
            assertThat(log.dropped()).isZero();
        }
    }
}
