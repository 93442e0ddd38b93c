package dev.perhaps.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.proxy.Limits;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Large pages that are asked for and hardly read: what they take in memory has a limit, and is given back. */
@Timeout(120)
class SlowReadersTest {
    private static final int SIZE = 12 << 20; // more than the buffers of two sockets take
    private static final int PIECE = 1 << 16;
    private static final Limits LIMITS = Limits.ofCache(8L * SIZE).entryBytes(SIZE);

    private static void write(OutputStream out, boolean chunked, int size) throws IOException {
        out.write(RawOrigin.wire("HTTP/1.1 200 OK\nCache-Control: max-age=60\n"
                + (chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + size) + "\n\n"));
        byte[] piece = new byte[PIECE];
        for (int at = 0; at < size; at += PIECE) {
            out.write(chunked ? HeadWriter.chunk(piece) : piece);
        }
        if (chunked) {
            out.write(HeadWriter.LAST_CHUNK);
        }
    }

    private static Passage passage(boolean chunked, int size) throws IOException {
        return new Passage(
                new RawOrigin((request, out) -> {
                    write(out, chunked, size);
                    return true;
                }),
                plan -> plan.limits(LIMITS));
    }

    /** Asks, and reads nothing. */
    private static Socket lazy(Passage passage, String path) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(16 << 10);
        socket.connect(passage.proxy.address());
        socket.getOutputStream()
                .write(("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
        return socket;
    }

    private static long metric(Passage passage, String name) {
        return passage.counters
                .text()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToLong(line -> Long.parseLong(line.substring(name.length() + 1)))
                .sum();
    }

    /** 16 pages of which 8 fit: two more may be read after they were evicted, who reads the others is cut off. */
    @Test
    void pagesThatWereEvictedDoNotStayForAllWhoHardlyReadThem() throws Exception {
        try (Passage passage = passage(false, SIZE)) {
            List<Socket> readers = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                int asked = i + 1;
                readers.add(lazy(passage, "/" + i));
                passage.waitFor(() -> passage.origin.requests().size() == asked
                        && metric(passage, "perhaps_proxy_origin_bytes_total") == (long) asked * SIZE
                        && metric(passage, "perhaps_proxy_incoming_bytes") == 0);
                assertThat(metric(passage, "perhaps_proxy_evicted_bytes")).isLessThanOrEqualTo(2L * SIZE);
            }
            passage.waitFor(() -> passage.clients() <= 10);
            assertThat(passage.clients()).isPositive();
            for (Socket reader : readers) {
                reader.close();
            }
            passage.waitFor(() -> metric(passage, "perhaps_proxy_evicted_bytes") == 0);
            try (RawClient honest = passage.client()) {
                assertThat(honest.get("/new").bytes()).hasSize(SIZE);
            }
        }
    }

    @Test
    void whatWasKeptOfAPageThatIsTooBigIsCountedUntilItIsRead() throws Exception {
        int size = 2 * SIZE;
        try (Passage passage = passage(true, size)) {
            Socket reader = lazy(passage, "/big");
            passage.waitFor(() -> metric(passage, "perhaps_proxy_origin_bytes_total") > SIZE);
            assertThat(metric(passage, "perhaps_proxy_incoming_bytes")).isGreaterThan(SIZE / 4);
            reader.close();
            passage.waitFor(() -> metric(passage, "perhaps_proxy_incoming_bytes") == 0
                    && metric(passage, "perhaps_proxy_client_memory_bytes") == 0);
            try (RawClient honest = passage.client()) {
                honest.request("GET", "/big").head();
                for (int at = 0; at < size; at += PIECE) {
                    honest.chunk(PIECE);
                }
            }
            passage.waitFor(() -> metric(passage, "perhaps_proxy_incoming_bytes") == 0);
        }
    }

    /** Answers that are not kept wait at the origin: the window of each reader counts in the memory of all clients. */
    @Test
    void answersThatAreNotReadStayWithinTheMemoryOfClients() throws Exception {
        int size = 8 << 20;
        Limits limits = Limits.ofCache(8 << 20).memoryBytes(1 << 20);
        try (Passage passage = new Passage(
                new RawOrigin((request, out) -> {
                    write(out, false, size);
                    return true;
                }),
                plan -> plan.limits(limits))) {
            List<Socket> readers = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                readers.add(lazy(passage, "/" + i));
            }
            passage.waitFor(() -> passage.origin.requests().size() == 40);
            passage.waitFor(() -> metric(passage, "perhaps_proxy_client_memory_bytes") > 1 << 19);
            assertThat(metric(passage, "perhaps_proxy_client_memory_bytes")).isLessThanOrEqualTo(1 << 20);
            try (RawClient honest = passage.client()) {
                assertThat(honest.get("/whole").bytes()).hasSize(size);
            }
            for (Socket reader : readers) {
                reader.close();
            }
            passage.waitFor(() -> metric(passage, "perhaps_proxy_client_memory_bytes") == 0);
        }
    }
}
