package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three proxies as processes that share what they hold, while they are killed and started again. */
@Timeout(300)
class SiblingProxiesIT {
    /** Within far fewer the guard asks a sibling that has come back, whatever it thought of it: 128 with two siblings. */
    private static final int MAX_REQUESTS = 1_000;

    private static final int BATCH = 200;

    @TempDir
    private Path folder;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Map<String, AtomicInteger> asked = new ConcurrentHashMap<>();
    private final Map<String, Integer> ports = new LinkedHashMap<>();
    private final Map<String, String> admins = new HashMap<>();
    private final List<Shell.Running> all = new ArrayList<>();

    @SuppressWarnings("NullAway.Init") // before each
    private HttpServer origin;

    @BeforeEach
    void startOrigin() throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        origin = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        origin.setExecutor(Executors.newCachedThreadPool());
        origin.createContext("/", exchange -> {
            String path = exchange.getRequestURI().toString();
            asked.computeIfAbsent(path, same -> new AtomicInteger()).incrementAndGet();
            byte[] body = body(path).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Cache-Control", "public, max-age=600");
            exchange.sendResponseHeaders(200, body.length);
            try (exchange) {
                exchange.getResponseBody().write(body);
            }
        });
        origin.start();
        for (String name : List.of("a", "b", "c")) {
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                ports.put(name, free.getLocalPort());
            }
        }
        new Shell(folder).writeSecret("secret", "a secret that all three know");
    }

    @AfterEach
    void stopAll() throws Exception {
        for (Shell.Running each : all) {
            each.process().destroyForcibly().waitFor();
        }
        origin.stop(0);
    }

    private static String body(String path) {
        return ("the page " + path + " ").repeat(20);
    }

    private Shell.Running start(String name, String... more) throws Exception {
        List<String> words = new ArrayList<>(List.of(
                "proxy",
                "--name",
                name,
                "--listen",
                "127.0.0.1:" + ports.get(name),
                "--origin",
                "http://127.0.0.1:" + origin.getAddress().getPort(),
                "--cache",
                "8M",
                "--secret-file",
                folder.resolve("secret").toString(),
                "--digest-interval",
                "200ms"));
        words.addAll(List.of(more));
        Shell.Running proxy = new Shell(folder).start(words.toArray(new String[0]));
        all.add(proxy);
        return proxy;
    }

    private Shell.Running startWithSiblings(String name) throws Exception {
        List<String> words = new ArrayList<>();
        for (String other : ports.keySet()) {
            if (!other.equals(name)) {
                words.add("--sibling");
                words.add(other + "=127.0.0.1:" + ports.get(other));
            }
        }
        return start(name, words.toArray(new String[0]));
    }

    /** Waits until a proxy serves requests. */
    private void ready(String name, Shell.Running proxy) throws Exception {
        waitFor(() -> {
            if (!proxy.process().isAlive()) {
                throw new AssertionError("it is not ready: " + Files.readString(proxy.err()));
            }
            return Files.readString(proxy.out()).endsWith("\n");
        });
        String line = Files.readString(proxy.out()).strip();
        admins.put(name, line.substring(line.lastIndexOf(' ') + 1));
    }

    private static void waitFor(Callable<Boolean> happened) throws Exception {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!happened.call()) {
            if (System.nanoTime() - until > 0) {
                throw new AssertionError("it did not happen in time");
            }
            Thread.sleep(50);
        }
    }

    private HttpResponse<String> fetch(String url) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .timeout(Duration.ofSeconds(20))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** The page through a proxy, which must be right wherever it came from. Returns its Cache-Status. */
    private String get(String proxy, String path) throws IOException, InterruptedException {
        HttpResponse<String> answer = fetch("http://127.0.0.1:" + ports.get(proxy) + path);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(body(path));
        return String.join(", ", answer.headers().allValues("Cache-Status"));
    }

    private int times(String path) {
        return asked.getOrDefault(path, new AtomicInteger()).get();
    }

    /** Puts pages into one proxy, waits until another one knows of them, and asks it for them, until one comes from there. */
    private void shareSome(String holder, String asker, String prefix) throws Exception {
        int asked = 0;
        while (asked < MAX_REQUESTS) {
            List<String> paths = new ArrayList<>();
            for (int i = 0; i < BATCH; i++) {
                paths.add(prefix + asked++);
                get(holder, paths.get(i));
            }
            waitForDigest(holder, asker);
            for (String path : paths) {
                if (get(asker, path).contains("sibling:" + holder)) {
                    assertThat(times(path)).as("the origin was spared").isEqualTo(1);
                    return;
                }
            }
        }
        throw new AssertionError("none of " + asked + " pages came from " + holder + ": "
                + fetch("http://" + admins.get(asker) + "/siblings").body());
    }

    /** Waits until a proxy has fetched a digest in which everything is that the other one holds now. */
    private void waitForDigest(String holder, String asker) throws Exception {
        long version = figure(holder, "perhaps_proxy_digest_version");
        get(holder, "/mark/" + holder + asker + version); // a change, so that there will be a newer version
        waitFor(() -> figure(holder, "perhaps_proxy_digest_version") > version);
        String got = "perhaps_proxy_digests_received_total{sibling=\"" + holder + "\"}";
        long before = figure(asker, got);
        waitFor(() -> figure(asker, got) > before + 1); // the next one may have been on its way already
    }

    private long figure(String proxy, String name) throws Exception {
        return fetch("http://" + admins.get(proxy) + "/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .findFirst()
                .map(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                .orElse(-1L);
    }

    @Test
    void shareWhatTheyHoldThroughKillsAndRestarts() throws Exception {
        Shell.Running a = startWithSiblings("a");
        Shell.Running b = startWithSiblings("b");
        ready("c", startWithSiblings("c"));
        ready("a", a);
        ready("b", b);
        shareSome("a", "b", "/first/");
        shareSome("b", "c", "/second/");

        AtomicBoolean over = new AtomicBoolean();
        AtomicLong right = new AtomicLong();
        List<Throwable> wrong = new ArrayList<>();
        Thread load = new Thread(() -> {
            for (int i = 0; !over.get(); i++) {
                try {
                    get(i % 2 == 0 ? "b" : "c", "/load" + i % 7 + "/" + i % 300);
                    right.incrementAndGet();
                } catch (IOException | InterruptedException | AssertionError e) {
                    wrong.add(e);
                    return;
                }
            }
        });
        load.start();
        for (int i = 0; i < 20; i++) {
            get("a", "/only/" + i);
        }
        waitForDigest("a", "b");
        a.process().destroyForcibly().waitFor();
        for (int i = 0; i < 20; i++) {
            get("b", "/only/" + i);
        }
        waitFor(() -> figure("b", "perhaps_proxy_sibling_down{sibling=\"a\"}") == 1);
        ready("a", startWithSiblings("a"));
        waitFor(() -> figure("b", "perhaps_proxy_sibling_down{sibling=\"a\"}") == 0);
        shareSome("a", "b", "/third/");
        over.set(true);
        load.join();
        assertThat(wrong).isEmpty();
        assertThat(right.get()).isPositive();

        String page = fetch("http://" + admins.get("b") + "/siblings").body();
        assertThat(page).contains("Who holds how much").contains("127.0.0.1:" + ports.get("a"));
        assertThat(figure("b", "perhaps_proxy_sibling_bytes_total{sibling=\"a\"}"))
                .isPositive();
        assertThat(Files.readString(b.err())).contains("sibling a is back");
    }

    @Test
    void findEachOtherOnARing() throws Exception {
        try (PeerShell peers = new PeerShell(folder)) {
            Shell.Running peer = peers.start(
                    "--listen",
                    "127.0.0.1:0",
                    "--dir",
                    folder.resolve("peer").toString(),
                    "--secret-file",
                    folder.resolve("secret").toString());
            String ring = PeerShell.address(peer);
            Shell.Running a = start("a", "--ring", ring);
            ready("a", a);
            ready("b", start("b", "--ring", ring));
            try {
                shareSome("a", "b", "/ring/");
            } catch (AssertionError e) {
                throw new AssertionError(Files.readString(peer.err()) + Files.readString(a.err()), e);
            }
            a.signal("-TERM");
            a.finish();
        }
    }

    @Test
    void sayWhatIsWrongInOneLine() throws Exception {
        String proxy = "proxy --name a --listen 127.0.0.1:0 --origin http://h ";
        new Refusals(new Shell(folder))
                .of(proxy + "--sibling 127.0.0.1:1", "--sibling is NAME=HOST:PORT")
                .of(
                        proxy + "--sibling a=127.0.0.1:1",
                        "--sibling a=127.0.0.1:1: a sibling has the name of another proxy")
                .of(proxy + "--sibling b=127.0.0.1:0", "--sibling b=127.0.0.1:0: a port is in [1, 65535], got 0")
                .of(proxy + "--ring-ca ca.pem", "--ring-ca is for a ring: give --ring HOST:PORT")
                .of(proxy + "--ring 127.0.0.1:1 --ring-ca ca.pem", "--ring-ca takes both --tls-cert and --tls-key")
                .of(
                        "proxy --name a --listen 0.0.0.0:0 --origin http://h --ring 127.0.0.1:1 --secret-file "
                                + folder.resolve("secret"),
                        "siblings on the ring cannot reach 0.0.0.0: give --advertise HOST:PORT")
                .of(proxy + "--sibling b=127.0.0.1:1 --sibling b=127.0.0.1:2", "--sibling b is given twice")
                .of(proxy + "--sibling b=192.0.2.1:80", "is not on this machine: give --secret-file")
                .of(proxy + "--sibling b=127.0.0.1:1 --digest-bits 99", "must be in [1, 64], got 99")
                .of(proxy + "--sibling b=127.0.0.1:1 --digest-interval 1ms", "every 50 ms to 1 h, got 1 ms")
                .of("proxy --name a --listen 0.0.0.0:0 --origin http://h --sibling b=127.0.0.1:1", "give --secret-file")
                .hold();
    }
}
