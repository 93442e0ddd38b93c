package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that want to bring the proxy down: many connections, half heads, bytes that nobody asked for, answers that are not
 * read, bodies that do not end. All of it with a real process and little memory; an honest client is served meanwhile.
 */
@Timeout(180)
class ProxyHostileIT {
    private static final int LARGE_BYTES = 6 << 20;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    @TempDir
    private Path folder;

    private final HttpClient client = HttpClient.newHttpClient();

    @SuppressWarnings("NullAway.Init") // before each
    private ServerSocket origin;

    @BeforeEach
    void startOrigin() throws IOException {
        origin = new ServerSocket(0, 500, InetAddress.getLoopbackAddress());
        daemon(() -> {
            while (true) {
                Socket socket = origin.accept();
                daemon(() -> answer(socket));
            }
        });
    }

    @AfterEach
    void stopOrigin() throws IOException {
        origin.close();
    }

    private interface Work {
        void run() throws Exception;
    }

    private static void daemon(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Exception e) {
                assert e.getMessage() != null || e instanceof InterruptedException; // the other side has gone
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    /** Answers /page at once, /large/N with much, and /slow/N never. */
    private static void answer(Socket socket) throws IOException {
        try (socket) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
            OutputStream out = socket.getOutputStream();
            for (String first = in.readLine(); first != null; first = in.readLine()) {
                int length = 0;
                for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                    length = line.startsWith("Content-Length: ") ? Integer.parseInt(line.substring(16)) : length;
                }
                for (int i = 0; i < length; i++) {
                    if (in.read() < 0) {
                        return;
                    }
                }
                if (first.contains("/slow/")) {
                    in.read();
                    return;
                }
                byte[] body = new byte[first.contains("/large/") ? LARGE_BYTES : 5];
                String control = first.contains("/private/") ? "private" : "max-age=600";
                out.write(("HTTP/1.1 200 OK\r\nCache-Control: " + control + "\r\nContent-Length: " + body.length
                                + "\r\n\r\n")
                        .getBytes(StandardCharsets.ISO_8859_1));
                out.write(body);
            }
        }
    }

    /** A proxy that has been started. */
    private record Proxy(Shell.Running running, InetSocketAddress address, String admin) implements Closeable {
        @Override
        public void close() {
            running.process().destroyForcibly();
        }
    }

    private Proxy start(List<String> options, String... more) throws Exception {
        List<String> words = new ArrayList<>(List.of("proxy", "--listen", "127.0.0.1:0"));
        words.addAll(List.of("--origin", "http://127.0.0.1:" + origin.getLocalPort()));
        words.addAll(List.of(more));
        Shell.Running running = new Shell(folder).startAs(List.of(), options, words.toArray(String[]::new));
        waitFor("it listens", () -> read(running.out()).endsWith("\n"));
        String[] at = read(running.out())
                .strip()
                .replaceAll("listening on |, origin [^,]*, admin ", " ")
                .strip()
                .split(" ", -1);
        int port = Integer.parseInt(at[0].substring(at[0].indexOf(':') + 1));
        return new Proxy(running, new InetSocketAddress(InetAddress.getLoopbackAddress(), port), at[1]);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void waitFor(String what, BooleanSupplier happened) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (!happened.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("it did not happen in time: " + what);
            }
            Thread.sleep(10);
        }
    }

    private String get(String url) {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                    .timeout(Duration.ofSeconds(20))
                    .build();
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private String cacheStatus(String url) {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
            return client.send(request, HttpResponse.BodyHandlers.ofString())
                    .headers()
                    .firstValue("Cache-Status")
                    .orElse("");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private long metric(Proxy proxy, String name) {
        return get("http://" + proxy.admin + "/metrics")
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToLong(line -> Long.parseLong(line.substring(name.length() + 1)))
                .sum();
    }

    /** Connections of attackers, who send what they can and read nothing. */
    private static final class Flood implements Closeable {
        private final List<SocketChannel> channels = new ArrayList<>();

        /** One connection from this address of loopback, which sends as much as is taken. */
        void add(Proxy proxy, int host, byte[] bytes) throws IOException {
            SocketChannel channel = SocketChannel.open();
            try {
                channel.setOption(StandardSocketOptions.SO_RCVBUF, 16 << 10);
                channel.bind(new InetSocketAddress("127.0.0." + host, 0));
                channel.connect(proxy.address);
                channel.configureBlocking(false);
                channels.add(channel);
                send(channel, bytes);
            } catch (IOException e) {
                channel.close(); // turned away
            }
        }

        private static void send(SocketChannel channel, byte[] bytes) throws IOException {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining() && channel.write(buffer) > 0) {
                assert channel.isOpen();
            }
        }

        void sendMore(byte[] bytes) {
            for (SocketChannel channel : channels) {
                try {
                    send(channel, bytes);
                } catch (IOException e) {
                    assert e.getMessage() != null; // turned away
                }
            }
        }

        @Override
        public void close() throws IOException {
            for (SocketChannel channel : channels) {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
                channel.close();
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static final byte[] JUNK = bytes("GET /page HTTP/1.1\r\nHost: h\r\nX: " + "x".repeat(8_000) + "\r\n\r\n");

    /** Waits for an answer that never comes, and sends further requests meanwhile. */
    private static void pipelined(Proxy proxy, Flood flood, int connections) throws IOException {
        for (int i = 0; i < connections; i++) {
            flood.add(proxy, 2, bytes("GET /slow/" + i + " HTTP/1.1\r\nHost: h\r\n\r\n"));
        }
        for (int i = 0; i < 25; i++) {
            flood.sendMore(JUNK);
        }
    }

    private static void halfHeads(Proxy proxy, Flood flood, int connections) throws IOException {
        byte[] half = bytes("GET / HTTP/1.1\r\nHost: h\r\nX: " + "x".repeat(31_000));
        for (int i = 0; i < connections; i++) {
            flood.add(proxy, 2 + i % 8, half);
        }
    }

    private static void slowReaders(Proxy proxy, Flood flood, String path, int connections) throws IOException {
        for (int i = 0; i < connections; i++) {
            flood.add(proxy, 2 + i % 8, bytes("GET " + path + i + " HTTP/1.1\r\nHost: h\r\n\r\n"));
        }
    }

    private static void slowWriters(Proxy proxy, Flood flood, int connections) throws IOException {
        byte[] start = bytes("POST /page HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n" + "x".repeat(20_000));
        for (int i = 0; i < connections; i++) {
            flood.add(proxy, 2 + i % 8, start);
        }
    }

    /** All attacks, one after the other, and an honest client beside them. Returns how often it was served. */
    private int round(Proxy proxy) throws Exception {
        AtomicInteger served = new AtomicInteger();
        AtomicReference<@Nullable Throwable> trouble = new AtomicReference<>();
        AtomicBoolean over = new AtomicBoolean();
        Thread honest = new Thread(() -> {
            try {
                while (!over.get()) {
                    try (Socket socket = new Socket()) {
                        socket.connect(proxy.address, 20_000);
                        socket.setSoTimeout(20_000);
                        socket.getOutputStream()
                                .write(bytes("GET /page HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
                        InputStream in = socket.getInputStream();
                        assertThat(new String(in.readAllBytes(), StandardCharsets.ISO_8859_1))
                                .startsWith("HTTP/1.1 200 OK\r\n")
                                .contains("; hit");
                        served.incrementAndGet();
                    }
                }
            } catch (Throwable e) {
                trouble.set(e);
            }
        });
        honest.start();
        for (int attack = 0; attack < 5; attack++) {
            int before = served.get();
            try (Flood flood = new Flood()) {
                switch (attack) {
                    case 0 -> pipelined(proxy, flood, 1_200);
                    case 1 -> halfHeads(proxy, flood, 2_000);
                    case 2 -> slowReaders(proxy, flood, "/large/", 60);
                    case 3 -> slowReaders(proxy, flood, "/large/private/", 60);
                    default -> slowWriters(proxy, flood, 300);
                }
                waitFor("an honest client is served", () -> served.get() > before + 5 || trouble.get() != null);
                assertThat(trouble.get()).as("attack " + attack).isNull();
                assertThat(proxy.running.process().isAlive()).isTrue();
            }
            waitFor("the attackers are gone", () -> metric(proxy, "perhaps_proxy_clients") <= 3);
        }
        over.set(true);
        honest.join();
        assertThat(trouble.get()).isNull();
        return served.get();
    }

    /** Asks for many pages that the origin answers never: more than it has connections to the origin. */
    private static void slowPages(Proxy proxy, Flood flood, int connections) throws IOException {
        for (int i = 0; i < connections; i++) {
            flood.add(proxy, 3, bytes("GET /slow/" + i + " HTTP/1.1\r\nHost: h\r\n\r\n"));
        }
    }

    /** Symptom: one address that asked for many slow pages had all connections to the origin, and nobody else got any. */
    @Test
    void pagesComeFromTheOriginWhileOneAddressAsksForManySlowOnes() throws Exception {
        try (Proxy proxy = start(List.of("-Xmx160m", "-XX:MaxDirectMemorySize=96m"), "--cache", "32M");
                Flood flood = new Flood()) {
            slowPages(proxy, flood, 600);
            waitFor("the attacker waits", () -> metric(proxy, "perhaps_proxy_origin_waiting") > 400);
            for (int i = 0; i < 20; i++) {
                try (Socket socket = new Socket()) {
                    socket.bind(new InetSocketAddress("127.0.0.2", 0));
                    socket.connect(proxy.address, 20_000);
                    socket.setSoTimeout(20_000); // less than the requests of the attacker wait
                    socket.getOutputStream()
                            .write(bytes("GET /new/" + i + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
                    assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
                            .startsWith("HTTP/1.1 200 OK\r\n")
                            .contains("; fwd=uri-miss");
                }
            }
        }
    }

    /** Live bytes of the heap after a collection. */
    private static long heap(Proxy proxy) throws Exception {
        Path file = Files.createTempFile("histogram", ".txt");
        try {
            new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                    .toString(),
                            Long.toString(proxy.running.process().pid()),
                            "GC.class_histogram")
                    .redirectOutput(file.toFile())
                    .start()
                    .waitFor();
            String total = Files.readAllLines(file).stream()
                    .filter(line -> line.startsWith("Total"))
                    .findFirst()
                    .orElseThrow();
            return Long.parseLong(total.strip().split(" +", -1)[2]);
        } finally {
            Files.delete(file);
        }
    }

    private static long descriptors(Proxy proxy) throws IOException {
        try (var files = Files.list(Path.of("/proc/" + proxy.running.process().pid() + "/fd"))) {
            return files.count();
        }
    }

    private static void assertAbout(String what, long before, long after, long allowance) {
        assertThat(after).as(what + ", before: " + before).isLessThanOrEqualTo(before + before / 10 + allowance);
    }

    /** What was taken is given back: after a second round nothing is more than after the first. */
    @Test
    void anHonestClientIsServedWhileOthersFloodAndNothingIsLeftOfThem() throws Exception {
        try (Proxy proxy =
                start(List.of("-Xmx160m", "-XX:MaxDirectMemorySize=96m"), "--cache", "32M", "--largest", "8M")) {
            assertThat(get("http://127.0.0.1:" + proxy.address.getPort() + "/page"))
                    .hasSize(5);
            round(proxy);
            long heap = heap(proxy) - metric(proxy, "perhaps_proxy_cache_bytes");
            long direct = metric(proxy, "perhaps_proxy_direct_memory_bytes");
            long descriptors = descriptors(proxy);
            assertThat(round(proxy)).isPositive();
            waitFor("budgets are given back", () -> metric(proxy, "perhaps_proxy_incoming_bytes") == 0);
            assertThat(metric(proxy, "perhaps_proxy_evicted_bytes")).isZero();
            waitFor("memory is given back", () -> metric(proxy, "perhaps_proxy_client_memory_bytes") == 0);
            assertAbout("heap", heap, heap(proxy) - metric(proxy, "perhaps_proxy_cache_bytes"), 4 << 20);
            assertAbout("direct memory", direct, metric(proxy, "perhaps_proxy_direct_memory_bytes"), 8 << 20);
            assertAbout("descriptors", descriptors, descriptors(proxy), 20);
            // Pages of the attackers were asked for twice: the cache wants to see that this one is worth more.
            String large = "http://127.0.0.1:" + proxy.address.getPort() + "/large/again";
            waitFor("large pages are kept again", () -> cacheStatus(large).contains("; hit"));
            proxy.running.signal("-TERM");
            assertThat(proxy.running.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** With limits above what there is, which is the operator's mistake, it ends at once: it does not stay half alive. */
    @Test
    void aProxyThatIsOutOfMemoryEnds() throws Exception {
        String[] tooMuch = {
            "--client-memory", "4G", "--clients", "9000", "--clients-per-address", "9000", "--cache", "1M"
        };
        List<List<String>> shortages = List.of(
                List.of("-Xmx24m", "-XX:+ExitOnOutOfMemoryError"),
                List.of("-Xmx24m"),
                List.of("-Xmx256m", "-XX:MaxDirectMemorySize=6m"));
        for (List<String> options : shortages) {
            try (Proxy proxy = start(options, tooMuch);
                    Flood flood = new Flood()) {
                for (int i = 0; i < 40 && proxy.running.process().isAlive(); i++) {
                    halfHeads(proxy, flood, 100);
                    slowReaders(proxy, flood, "/large/private/" + i + "/", 20);
                }
                assertThat(proxy.running.process().waitFor(30, TimeUnit.SECONDS))
                        .as(options.toString())
                        .isTrue();
                assertThat(proxy.running.process().exitValue())
                        .as(options + read(proxy.running.err()))
                        .isEqualTo(3);
            }
        }
    }
}
