package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Memory of requests that have not run yet: of all clients together, and of one that has not authenticated. */
class InputMemoryIT {
    private static final String REFUSAL = "-ERR requests that have not run yet take more than the 1048576 bytes";
    private static final int CLIENTS = 40;
    private static final int WORD_BYTES = 60_000;
    private static final int SENT_BYTES = 50_000;

    private static SketchServer.Plan small() {
        return SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .inputBytes(1 << 20);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Half requests of twice the budget: some clients are refused, those that fit end theirs, small requests always run. */
    @Test
    void halfRequestsOfManyClientsDoNotTakeMoreThanTheyMayTogether() throws IOException {
        List<Wire> clients = new ArrayList<>();
        try (SketchServer server = small().open();
                Wire honest = new Wire(server.address())) {
            for (int i = 0; i < CLIENTS; i++) {
                Wire client = new Wire(server.address());
                clients.add(client);
                client.send(ascii("*2\r\n$4\r\nECHO\r\n$" + WORD_BYTES + "\r\n" + "x".repeat(SENT_BYTES)));
                assertThat(honest.call("BF.ADD", "seen", "item" + i)).isEqualTo(":1⏎");
                for (byte b : Wire.request(Wire.bytes("BF.EXISTS", "seen", "item" + i))) {
                    honest.send(new byte[] {b});
                }
                assertThat(honest.read()).isEqualTo(":1⏎");
            }
            // Each that is left holds what it sent, of which 4 KiB are not counted.
            int fitting = (1 << 20) / (SENT_BYTES - (4 << 10));
            while (connected(honest) > fitting + 1) {
                Thread.onSpinWait();
            }
            int served = 0;
            int refused = 0;
            for (Wire client : clients) {
                String reply = end(client);
                if (reply.startsWith("$" + WORD_BYTES + "⏎")) {
                    served++;
                } else {
                    assertThat(reply).startsWith(REFUSAL);
                    assertThat(client.isClosed()).isTrue();
                    refused++;
                }
            }
            assertThat(served).isBetween(1, fitting);
            assertThat(refused).isEqualTo(CLIENTS - served);
            try (Wire late = new Wire(server.address())) {
                assertThat(late.call("ECHO", "x".repeat(500_000))).startsWith("$500000⏎");
            }
        } finally {
            for (Wire client : clients) {
                client.close();
            }
        }
    }

    private static int connected(Wire wire) throws IOException {
        String info = wire.call("INFO", "clients").replaceAll("(?s).*connected_clients:(\\d+).*", "$1");
        return Integer.parseInt(info);
    }

    private static String end(Wire client) throws IOException {
        return send(client, ascii("x".repeat(WORD_BYTES - SENT_BYTES) + "\r\n"));
    }

    private static String send(Wire client, byte[] bytes) throws IOException {
        try {
            client.send(bytes);
        } catch (IOException e) {
            // It was closed; why, is there to be read.
            assertThat(e).isNotNull();
        }
        return client.read();
    }

    @Test
    void whatWaitsForExecCounts() throws IOException {
        try (SketchServer server = small().open();
                Wire wire = new Wire(server.address())) {
            assertThat(wire.call("MULTI")).isEqualTo("+OK⏎");
            String reply = "+QUEUED⏎";
            int queued = 0;
            while (reply.equals("+QUEUED⏎") && queued < 20) {
                reply = send(wire, Wire.request(Wire.bytes("ECHO", "x".repeat(100_000))));
                queued++;
            }
            assertThat(reply).startsWith(REFUSAL);
            assertThat(queued).isBetween(8, 12);
            assertThat(wire.isClosed()).isTrue();
        }
    }

    @Test
    void aStrangerMayHoldLess() throws IOException {
        try (SketchServer server = small().password("secret").open();
                Wire wire = new Wire(server.address())) {
            String word = "$16000\r\n" + "x".repeat(16_000) + "\r\n";
            wire.send(ascii("*10\r\n" + word.repeat(5)));
            assertThat(wire.read())
                    .isEqualTo("-ERR Protocol error: an unauthenticated request of more than 65536 bytes⏎");
            assertThat(wire.isClosed()).isTrue();
        }
    }

    @Test
    void aLargeRequestFitsByDefault() throws IOException {
        try (SketchServer server = SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .open();
                Wire wire = new Wire(server.address())) {
            byte[] value = new byte[(64 << 20) - 200];
            assertThat(Wire.text(wire.callBytes(ascii("EXISTS"), value))).isEqualTo(":0⏎");
            wire.send(ascii("*2\r\n$6\r\nEXISTS\r\n$" + ((64 << 20) - 60) + "\r\n"));
            assertThat(wire.read()).isEqualTo("-ERR Protocol error: a request of more than 67108864 bytes⏎");
        }
    }
}
