package dev.perhaps.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Timeouts;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How many connections a client may have, and how much it may send that nobody has asked for. */
@Timeout(60)
class ClientLimitsTest {
    private static final String PAGE = "HTTP/1.1 200 OK\nCache-Control: max-age=60\nContent-Length: 5\n\nhello";
    private static final int MEMORY_BYTES = 1 << 20;

    private static boolean isServed(RawClient client) throws IOException {
        try {
            return client.get("/a").status() == 200;
        } catch (EOFException | SocketException e) {
            return false;
        }
    }

    @Test
    void oneAddressHasItsShareOfConnectionsAndAllOfThemTheirs() throws Exception {
        Limits limits = Limits.ofCache(8 << 20).clients(4).addressClients(3);
        try (Passage passage = new Passage(RawOrigin.saying(PAGE), plan -> plan.limits(limits))) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                clients.add(passage.client());
                assertThat(isServed(clients.get(i))).isTrue();
            }
            assertThat(isServed(passage.client()))
                    .as("the fourth of one address")
                    .isFalse();
            try (SocketChannel other = SocketChannel.open()) {
                other.bind(new InetSocketAddress("127.0.0.2", 0));
                other.connect(passage.proxy.address());
                other.write(
                        ByteBuffer.wrap("GET /a HTTP/1.1\r\nHost: h\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1)));
                assertThat(other.read(ByteBuffer.allocate(100)))
                        .as("of another address")
                        .isPositive();
                try (SocketChannel third = SocketChannel.open()) {
                    third.bind(new InetSocketAddress("127.0.0.3", 0));
                    third.connect(passage.proxy.address());
                    assertThat(third.read(ByteBuffer.allocate(100)))
                            .as("the fifth of all")
                            .isNegative();
                }
            }
            assertThat(passage.counters.text())
                    .contains("perhaps_proxy_turned_away_total{limit=\"address\"} 1\n")
                    .contains("perhaps_proxy_turned_away_total{limit=\"clients\"} 1\n");
            clients.get(0).close();
            passage.waitFor(() -> passage.clients() < 3);
            assertThat(isServed(passage.client())).as("when one has left").isTrue();
        }
    }

    /** 60 heads of 30 KB, without an end: a quarter of the memory is for one address, and 16 KiB for each connection. */
    @Test
    void halfHeadsTakeTheMemoryOfTheirAddressAndAreRefusedBeyondIt() throws Exception {
        Limits limits = Limits.ofCache(8 << 20).memoryBytes(MEMORY_BYTES);
        try (Passage passage = new Passage(RawOrigin.saying(PAGE), plan -> plan.limits(limits))) {
            List<RawClient> halves = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                RawClient client = passage.client();
                halves.add(client);
                try {
                    client.send("GET / HTTP/1.1\r\nHost: h\r\nX: " + "x".repeat(30_000));
                } catch (SocketException e) {
                    assertThat(i).as("refused before it had sent all").isPositive();
                }
            }
            passage.waitFor(() -> turnedAway(passage) >= 60 - 2 * MEMORY_BYTES / 4 / (16 << 10));
            assertThat(turnedAway(passage)).isLessThan(60);
            assertThat(isServed(passage.client()))
                    .as("an honest client of the same address")
                    .isTrue();
            for (RawClient client : halves) {
                client.close();
            }
            passage.waitFor(() -> passage.counters.text().contains("perhaps_proxy_client_memory_bytes 0\n"));
        }
    }

    private static long turnedAway(Passage passage) {
        return metric(passage, "perhaps_proxy_turned_away_total{limit=\"memory\"} ");
    }

    /** What a client sends behind a request that is being answered stays in the sockets, and is answered in its turn. */
    @Test
    void pipelinedBytesAreNotReadBeforeTheirTurn() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        int padding = 4_000;
        int most = 2_000;
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
                    if (request.line().contains("/slow")) {
                        go.await();
                    }
                    out.write(RawOrigin.wire(PAGE));
                    return true;
                }));
                SocketChannel channel = SocketChannel.open(new InetSocketAddress(
                        InetAddress.getLoopbackAddress(),
                        passage.proxy.address().getPort()))) {
            write(channel, "GET /slow HTTP/1.1\r\nHost: h\r\n\r\n");
            passage.waitFor(() -> passage.origin.requests().size() == 1);
            channel.configureBlocking(false);
            byte[] next = ("GET /a HTTP/1.1\r\nHost: h\r\nX: " + "x".repeat(padding) + "\r\n\r\n")
                    .getBytes(StandardCharsets.ISO_8859_1);
            int sent = 0;
            ByteBuffer buffer = ByteBuffer.wrap(next);
            while (sent < most && channel.write(buffer) > 0) {
                if (!buffer.hasRemaining()) {
                    sent++;
                    buffer.clear();
                }
            }
            assertThat(passage.counters.text()).contains("perhaps_proxy_client_memory_bytes ");
            long held = passage.counters
                    .text()
                    .lines()
                    .filter(line -> line.startsWith("perhaps_proxy_client_memory_bytes "))
                    .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
                    .sum();
            assertThat(held).isLessThanOrEqualTo(64 << 10);
            go.countDown();
            channel.configureBlocking(true);
            ByteBuffer responses = ByteBuffer.allocate(1 << 16);
            int hellos = 0;
            StringBuilder text = new StringBuilder();
            while (hellos < 1 + sent) {
                responses.clear();
                assertThat(channel.read(responses)).isPositive();
                text.append(new String(responses.array(), 0, responses.position(), StandardCharsets.ISO_8859_1));
                for (int at = text.indexOf("\r\n\r\nhello"); at >= 0; at = text.indexOf("\r\n\r\nhello")) {
                    text.delete(0, at + 9);
                    hellos++;
                }
            }
            assertThat(hellos).isGreaterThan(1);
        }
    }

    private static final int LOOPS = Runtime.getRuntime().availableProcessors();
    private static final int LINES = 4;
    private static final Timeouts LONG =
            Timeouts.usual().responseMillis(300_000).originMillis(300_000).lockMillis(300_000);

    /** An origin whose responses to /slow/ never come, or never end, or are never read; all others come at once. */
    private static RawOrigin slow(String how, CountDownLatch end) throws IOException {
        return new RawOrigin((request, out) -> {
            if (request.line().contains("/slow/")) {
                switch (how) {
                    case "no response" -> end.await();
                    case "half a body" -> {
                        out.write(RawOrigin.wire("HTTP/1.1 200 OK\nContent-Length: 10\n\nhello"));
                        end.await();
                    }
                    default -> {
                        out.write(RawOrigin.wire(
                                "HTTP/1.1 200 OK\nCache-Control: private\nContent-Length: 99999999\n\n"));
                        for (int i = 0; i < 99; i++) {
                            out.write(new byte[1_000_000]);
                        }
                    }
                }
                return false;
            }
            out.write(RawOrigin.wire(PAGE));
            return true;
        });
    }

    /** On every event loop of the proxy, since each has connections of its own: they take clients in turn. */
    private static void assertAllServed(Passage passage, String path) throws IOException {
        for (int i = 0; i < 2 * LOOPS; i++) {
            try (RawClient honest = new RawClient(passage.proxy.address(), "127.0.0.2")) {
                assertThat(honest.get(path + i).body()).isEqualTo("hello");
            }
        }
    }

    /** Symptom: one address that asked for many slow pages had all connections to the origin, and nobody else got any. */
    @ParameterizedTest
    @ValueSource(strings = {"no response", "half a body", "a body that the client does not read"})
    void slowPagesOfOneAddressLeaveConnectionsToTheOriginForOthers(String how) throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Limits limits = Limits.ofCache(8 << 20).originConnections(LINES * LOOPS);
        List<RawClient> attackers = new ArrayList<>();
        try (Passage passage =
                new Passage(slow(how, end), plan -> plan.limits(limits).timeouts(LONG))) {
            for (int i = 0; i < 3 * LINES * LOOPS; i++) {
                attackers.add(passage.client().request("GET", "/slow/" + i));
            }
            passage.waitFor(() -> waiting(passage) == 3 * LINES * LOOPS - LINES / 2 * LOOPS);
            assertThat(passage.origin.requests())
                    .as("half of the connections")
                    .hasSizeLessThanOrEqualTo(LINES / 2 * LOOPS);
            assertAllServed(passage, "/honest/");
            assertThat(waiting(passage))
                    .as("attackers wait, and have not failed")
                    .isPositive();
            end.countDown();
            for (RawClient client : attackers) {
                client.close();
            }
            passage.waitFor(() -> waiting(passage) == 0);
        }
    }

    /** Symptom: who asked for a page for which an attacker waited had to wait with it. */
    @Test
    void aPageThatAnAttackerWaitsForIsFetchedForOthers() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Limits limits = Limits.ofCache(8 << 20).originConnections(LINES * LOOPS);
        List<RawClient> attackers = new ArrayList<>();
        try (Passage passage = new Passage(
                slow("no response", end), plan -> plan.limits(limits).timeouts(LONG))) {
            int slow = LINES * LOOPS;
            for (int i = 0; i < slow; i++) {
                attackers.add(passage.client().request("GET", "/slow/" + i));
            }
            passage.waitFor(() -> waiting(passage) == slow - LINES / 2 * LOOPS);
            for (int i = 0; i < 2 * LOOPS; i++) {
                attackers.add(passage.client().request("GET", "/popular/" + i));
            }
            passage.waitFor(() -> waiting(passage) == slow - LINES / 2 * LOOPS + 2 * LOOPS);
            assertAllServed(passage, "/popular/");
            end.countDown();
            for (RawClient client : attackers) {
                client.close();
            }
        }
    }

    /** The streams of an HTTP/2 connection share what their address has. */
    @Test
    void slowPagesOnStreamsLeaveConnectionsToTheOriginForOthers(@TempDir Path folder) throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Limits limits = Limits.ofCache(8 << 20).originConnections(LINES * LOOPS);
        TlsFixture tls = new TlsFixture(folder);
        try (Passage passage = new Passage(
                        slow("no response", end),
                        plan -> tls.in(plan.limits(limits).timeouts(LONG)));
                RawHttp2Client attacker = new RawHttp2Client(passage.proxy.address(), tls)) {
            for (int i = 0; i < 50; i++) {
                attacker.get("/slow/" + i);
            }
            passage.waitFor(() -> waiting(passage) == 50 - LINES / 2);
            for (int i = 0; i < 2 * LOOPS; i++) {
                try (RawHttp2Client honest = new RawHttp2Client(passage.proxy.address(), tls, "127.0.0.2")) {
                    RawHttp2Client.Stream page = honest.get("/honest/" + i);
                    passage.waitFor(() -> page.heard.contains("data 5"));
                }
            }
            end.countDown();
        }
    }

    private static long waiting(Passage passage) {
        return metric(passage, "perhaps_proxy_origin_waiting ");
    }

    private static long metric(Passage passage, String name) {
        return passage.counters
                .text()
                .lines()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.substring(name.length())))
                .sum();
    }

    private static void write(SocketChannel channel, String text) throws IOException {
        channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)));
    }
}
