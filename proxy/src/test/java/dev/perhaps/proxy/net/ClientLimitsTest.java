package dev.perhaps.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.proxy.Limits;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
        Limits limits = Limits.ofCache(8 << 20).withClients(4, 3);
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
        Limits limits = Limits.ofCache(8 << 20).withMemoryBytes(MEMORY_BYTES);
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
        String name = "perhaps_proxy_turned_away_total{limit=\"memory\"} ";
        return passage.counters
                .text()
                .lines()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.substring(name.length())))
                .sum();
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
            ByteBuffer answers = ByteBuffer.allocate(1 << 16);
            int hellos = 0;
            StringBuilder text = new StringBuilder();
            while (hellos < 1 + sent) {
                answers.clear();
                assertThat(channel.read(answers)).isPositive();
                text.append(new String(answers.array(), 0, answers.position(), StandardCharsets.ISO_8859_1));
                for (int at = text.indexOf("\r\n\r\nhello"); at >= 0; at = text.indexOf("\r\n\r\nhello")) {
                    text.delete(0, at + 9);
                    hellos++;
                }
            }
            assertThat(hellos).isGreaterThan(1);
        }
    }

    private static void write(SocketChannel channel, String text) throws IOException {
        channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)));
    }
}
