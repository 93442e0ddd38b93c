package dev.perhaps.chord.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.Settings;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.host.PeerHost;
import dev.perhaps.chord.store.FileClient;
import dev.perhaps.chord.store.FileStore;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page over real sockets: three peers with files, asked well and badly. */
@Timeout(60)
class PeerPageIT {
    private static final Settings QUICK = new Settings(4, 3, 300, 100, 100, 300, 64);
    private static final String HOSTILE = "<img src=x onerror=alert(1)>\"'&\u202e";

    /** Two beats with nothing between them but the sizes of chunks: what has not changed is not told again. */
    private static final Pattern QUIET = Pattern.compile("event: beat\ndata: [^\n]*\n\n\\s*[0-9a-f]*\\s*event: beat\n");

    private static final List<PeerHost> HOSTS = new ArrayList<>();
    private static final List<FileStore> STORES = new ArrayList<>();
    private static final List<String> LOG = Collections.synchronizedList(new ArrayList<>());
    private static Id report = Id.hashOf("");
    private static final List<PeerPage> PAGES = new ArrayList<>();

    @TempDir
    private static Path folder;

    @BeforeAll
    static void threePeersWithFiles() throws Exception {
        for (int i = 0; i < 3; i++) {
            PeerHost host = new PeerHost(Cluster.open(), QUICK, LOG::add);
            HOSTS.add(host);
            host.listen(HostPort.of("127.0.0.1:0"), null);
            STORES.add(FileStore.open(host, Cluster.open(), FileStore.Setup.usual(folder.resolve("p" + i)), LOG::add));
            if (i == 0) {
                PAGES.add(PeerPage.open(HostPort.of("localhost:0"), host, STORES.get(0), Cluster.open(), LOG::add));
                host.begin(1, 1L << 32).get(10, TimeUnit.SECONDS);
            } else {
                host.join(i, 1L << 32, List.of(HOSTS.get(0).address())).get(20, TimeUnit.SECONDS);
            }
        }
        awaitRing("\"settled\":true");
        Path file = Files.writeString(folder.resolve("report"), "all is well");
        report = FileClient.idOf(file);
        try (FileClient client = FileClient.open(HostPort.of(HOSTS.get(1).address()), Cluster.open())) {
            client.put(file, report, 3, bytes -> {});
            client.name(HOSTILE, report, 3);
        }
    }

    @AfterAll
    static void closeAll() {
        PAGES.forEach(PeerPage::close);
        STORES.forEach(FileStore::close);
        HOSTS.forEach(PeerHost::close);
    }

    @CanIgnoreReturnValue
    private static String awaitRing(String wanted) throws Exception {
        String ring = get("/api/ring");
        while (!ring.contains(wanted)) {
            Thread.sleep(100);
            ring = get("/api/ring");
        }
        return ring;
    }

    private static Socket open() throws IOException {
        URI at = URI.create(PAGES.get(0).url());
        Socket socket = new Socket(at.getHost(), at.getPort());
        socket.setSoTimeout(20_000);
        return socket;
    }

    /** Sends these bytes, and gives all that comes back until the connection is closed. */
    private static String raw(String request) throws IOException {
        try (Socket socket = open()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String ask(String method, String path, String... headers) throws IOException {
        return raw(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + String.join("", headers) + "\r\n");
    }

    @CanIgnoreReturnValue
    private static String get(String path) throws IOException {
        String answer = ask("GET", path);
        assertThat(answer).startsWith("HTTP/1.1 200 OK\r\n");
        return answer.substring(answer.indexOf("\r\n\r\n") + 4);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Test
    void theRingHasAllNodesInTheirOrder() throws Exception {
        String ring = get("/api/ring");
        assertThat(ring).contains("\"settled\":true").contains("\"unreached\":[]");
        List<String> ids = Pattern.compile("(?<=\\{\"id\":\")[0-9a-f]{40}")
                .matcher(ring)
                .results()
                .map(MatchResult::group)
                .toList();
        assertThat(ids).hasSize(4).isSorted();
        assertThat(ring).contains("\"health\":\"settled\",").contains(",\"files\":1,\"lacking\":");
    }

    @Test
    void thePeerSaysWhomItKnows() throws Exception {
        assertThat(get("/api/peer"))
                .startsWith(
                        "{\"address\":\"" + HOSTS.get(0).address() + "\",\"cluster\":\"perhaps\",\"nodes\":[{\"id\":\"")
                .contains("\"status\":\"member\",\"predecessor\":{\"id\":")
                .contains("\"successors\":[{\"id\":")
                .contains("\"fingers\":[");
    }

    @Test
    void filesComeInPagesInTheOrderOfTheCircle() throws Exception {
        String all = get("/api/files");
        assertThat(all)
                .contains("\"files\":1,\"names\":1,\"deleted\":0,\"usedBytes\":11,")
                .contains(
                        "{\"id\":\"" + report + "\",\"kind\":\"file\",\"name\":null,\"target\":null,\"deleted\":false,"
                                + "\"sizeBytes\":11,\"replicas\":3,\"owned\":")
                .contains("\"name\":\"\\u003cimg src=x onerror=alert(1)>\\\"'&\u202e\",\"target\":\"" + report + "\"")
                .endsWith("\"next\":null}");
        String first = get("/api/files?most=1");
        String next = first.substring(first.indexOf("\"next\":\"") + 8, first.length() - 2);
        assertThat(next).matches("[0-9a-f]{40}");
        assertThat(get("/api/files?most=1&after=" + next))
                .doesNotContain("\"id\":\"" + next)
                .endsWith("\"next\":null}");
    }

    @Test
    void aLookupTellsItsWayAndWhoHasTheFile() throws Exception {
        for (String key : List.of(report.toString(), encoded(HOSTILE))) {
            assertThat(get("/api/lookup?key=" + key))
                    .contains("\"reached\":true,\"presumed\":false,\"owner\":{\"id\":\"")
                    .contains("\"hops\":[{\"id\":\"")
                    .contains("\"here\":true")
                    .contains("\"outcome\":\"owner\",\"millis\":")
                    .contains("\"entry\":{\"id\":\"")
                    .containsPattern(
                            "\"hosts\":\\[(\\{\"address\":\"127.0.0.1:[0-9]+\",\"reached\":true,\"has\":true},?){3}]");
        }
        assertThat(get("/api/lookup?key=nobody-put-this"))
                .contains("\"kind\":\"name\"")
                .doesNotContain("\"entry\"")
                .contains("\"reached\":true,\"has\":false}");
    }

    @Test
    void eventsTellWhatIsThereAndGoOn() throws Exception {
        try (Socket socket = open()) {
            socket.getOutputStream()
                    .write("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.UTF_8));
            InputStream in = socket.getInputStream();
            StringBuilder heard = new StringBuilder();
            byte[] buffer = new byte[1 << 14];
            while (!QUIET.matcher(heard).find()) {
                int n = in.read(buffer);
                assertThat(n).isPositive();
                heard.append(new String(buffer, 0, n, StandardCharsets.UTF_8));
            }
            assertThat(heard.toString())
                    .contains("content-type: text/event-stream\r\n")
                    .contains("event: peer\ndata: {")
                    .contains("event: files\ndata: {")
                    .contains("event: ring\ndata: {");
        }
    }

    @Test
    void thePartsOfThePageCarryTagsAndAStrictPolicy() throws Exception {
        String answer = ask("GET", "/");
        assertThat(answer)
                .startsWith("HTTP/1.1 200 OK\r\n")
                .contains("content-type: text/html; charset=utf-8\r\n")
                .contains("Content-Security-Policy: default-src 'none'; script-src 'self';")
                .contains("X-Content-Type-Options: nosniff\r\n")
                .contains("<!doctype html>");
        String tag = answer.substring(answer.indexOf("etag: ") + 6, answer.indexOf("\r\n", answer.indexOf("etag: ")));
        assertThat(ask("GET", "/", "If-None-Match: " + tag + "\r\n"))
                .startsWith("HTTP/1.1 304 Not Modified\r\n")
                .doesNotContain("<!doctype");
        assertThat(ask("HEAD", "/page.css")).startsWith("HTTP/1.1 200 OK\r\n").endsWith("\r\n\r\n");
        for (String link : List.of("page.css", "page.js", "icon.svg", "circle.js", "tables.js", "lookup.js")) {
            get("/" + link);
        }
    }

    @Test
    void badRequestsGetAClearAnswer() throws Exception {
        String long9k = "x".repeat(9_000);
        assertThat(ask("GET", "/nothing")).startsWith("HTTP/1.1 404 ").endsWith("{\"error\":\"there is no /nothing\"}");
        assertThat(ask("GET", "/../etc/passwd")).startsWith("HTTP/1.1 404 ");
        assertThat(ask("POST", "/api/ring", "Content-Length: 2\r\n", "\r\nab"))
                .startsWith("HTTP/1.1 405 ")
                .contains("allow: GET, HEAD\r\n");
        assertThat(ask("POST", "/", "Content-Length: 99999999\r\n")).startsWith("HTTP/1.1 413 ");
        assertThat(ask("BREW", "/")).startsWith("HTTP/1.1 405 ");
        assertThat(ask("HEAD", "/api/events")).startsWith("HTTP/1.1 405 ");
        assertThat(ask("GET", "/" + long9k)).startsWith("HTTP/1.1 414 ");
        assertThat(ask("GET", "/", "X: " + long9k + long9k + "\r\n")).startsWith("HTTP/1.1 431 ");
        assertThat(ask("GET", "/%zz"))
                .startsWith("HTTP/1.1 400 ")
                .endsWith("{\"error\":\"the address cannot be decoded\"}");
        assertThat(ask("GET", "/api/lookup")).endsWith("{\"error\":\"key is missing: an id or a name\"}");
        assertThat(ask("GET", "/api/lookup?key=")).contains("key must be an id or a name of 1 to 1000 bytes, got 0");
        assertThat(ask("GET", "/api/lookup?key=" + "x".repeat(1_001))).startsWith("HTTP/1.1 400 ");
        assertThat(ask("GET", "/api/lookup?key=a&key=b")).contains("key is given 2 times: give it once");
        assertThat(ask("GET", "/api/files?most=0")).endsWith("{\"error\":\"most must be in 1..1000, got '0'\"}");
        assertThat(ask("GET", "/api/files?most=many")).startsWith("HTTP/1.1 400 ");
        assertThat(ask("GET", "/api/files?after=zz")).startsWith("HTTP/1.1 400 ");
        assertThat(raw("hello\r\n\r\n")).startsWith("HTTP/1.1 400 ");
        assertThat(raw("\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n")).startsWith("HTTP/1.1 400 ");
        assertThat(raw("GET / HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 400 ");
        assertThat(raw("GET / HTTP/2.0\r\nHost: localhost\r\n\r\n")).startsWith("HTTP/1.1 505 ");
    }

    @Test
    void namesOfOthersAndOtherSitesAreTurnedAway() throws Exception {
        for (String host : List.of(
                "evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", "[", "")) {
            for (String path : List.of("/api/ring", "/healthz", "/readyz", "/metrics")) {
                assertThat(raw("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n"))
                        .as(host)
                        .startsWith("HTTP/1.1 421 ");
            }
        }
        for (String host : List.of("127.0.0.1", "LOCALHOST:99", "[::1]:8080", "10.0.0.7:1")) {
            assertThat(raw("GET /api/peer HTTP/1.1\r\nConnection: close\r\nHost: " + host + "\r\n\r\n"))
                    .as(host)
                    .startsWith("HTTP/1.1 200 ");
        }
        assertThat(ask("GET", "/api/ring", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"))
                .startsWith("HTTP/1.1 403 ");
        assertThat(ask("GET", "/", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"))
                .startsWith("HTTP/1.1 200 ");
    }

    @Test
    void requestsOfOneConnectionAreAnsweredInTheirOrder() throws Exception {
        String answers = raw(Stream.of("/api/ring", "/nothing", "/api/peer HTTP/1.1\r\nConnection: close")
                .map(path -> "GET " + path + (path.contains(" ") ? "" : " HTTP/1.1") + "\r\nHost: localhost\r\n\r\n")
                .collect(Collectors.joining()));
        assertThat(answers.indexOf("\"settled\":")).isPositive().isLessThan(answers.indexOf("there is no /nothing"));
        assertThat(answers.indexOf("there is no /nothing")).isLessThan(answers.indexOf("\"cluster\":"));
    }

    @Test
    void tooManyWatchersAreToldSo() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        List<String> answers = new ArrayList<>();
        try {
            for (int i = 0; i < 33; i++) {
                Socket socket = open();
                sockets.add(socket);
                socket.getOutputStream()
                        .write("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.UTF_8));
                answers.add(new String(socket.getInputStream().readNBytes(12), StandardCharsets.UTF_8));
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        assertThat(answers.subList(0, 31)).containsOnly("HTTP/1.1 200");
        assertThat(answers.get(32)).isEqualTo("HTTP/1.1 503");
        assertThat(get("/api/peer")).contains("\"cluster\":");
    }

    @Test
    void whoSendsHalfARequestIsCutOff() throws Exception {
        try (Socket socket = open()) {
            socket.getOutputStream().write("GET / HT".getBytes(StandardCharsets.UTF_8));
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }
}
