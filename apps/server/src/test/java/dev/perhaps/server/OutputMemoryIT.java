package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Memory of replies that were not sent yet, of all clients together. */
@Timeout(120)
class OutputMemoryIT {
    private static final String REFUSAL =
            "-ERR there is no memory for this reply, as clients have not read those before: try again later⏎";
    private static final int VALUE_BYTES = 10 << 20;
    private static final int CLIENTS = 20;

    @TempDir
    Path directory;

    private static SketchServer.Plan plan() {
        return SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** A value of 60 MB, asked for by seven clients that did not read it, ended the server. */
    @Test
    void repliesThatManyClientsDoNotReadTakeNoMoreThanTheyMayTogether() throws IOException {
        List<Wire> clients = new ArrayList<>();
        try (SketchServer server = plan().outputBytes(64 << 20).open();
                Wire honest = new Wire(server.address())) {
            honest.call("SET", "k", "v".repeat(VALUE_BYTES));
            for (int i = 0; i < CLIENTS; i++) {
                Wire client = new Wire(server.address());
                clients.add(client);
                client.send(Wire.request(Wire.bytes("GET", "k")));
                assertThat(honest.call("BF.ADD", "seen", "item" + i)).isEqualTo(":1⏎");
            }
            while (outputBytes(server) < 40 << 20) {
                Thread.onSpinWait();
            }
            int served = 0;
            for (Wire client : clients) {
                assertThat(outputBytes(server)).isLessThanOrEqualTo(64 << 20);
                String reply = client.read();
                if (reply.startsWith("$" + VALUE_BYTES + "⏎v")) {
                    served++;
                } else {
                    assertThat(reply).isEqualTo(REFUSAL);
                }
                // A client that was refused is still served.
                assertThat(client.call("PING")).isEqualTo("+PONG⏎");
            }
            assertThat(served).isBetween(4, CLIENTS - 1);
            assertThat(honest.call("GET", "k")).startsWith("$" + VALUE_BYTES);
            // What was read is counted no more.
            while (outputBytes(server) > 0) {
                Thread.onSpinWait();
            }
        } finally {
            for (Wire client : clients) {
                client.close();
            }
        }
    }

    private static long outputBytes(SketchServer server) {
        String line = server.metrics()
                .text()
                .lines()
                .filter(each -> each.startsWith("perhaps_server_output_bytes "))
                .findFirst()
                .orElseThrow();
        return (long) Double.parseDouble(line.substring(line.indexOf(' ') + 1));
    }

    /** Texts for people had no limit in RESP3, so that a transaction of INFO took a hundred times what it had. */
    @Test
    void aTransactionOfLongTextsStaysBelowTheLimitOfAReply() throws IOException {
        try (SketchServer server = plan().open();
                Wire wire = Wire.open(server, 3)) {
            int commands = 200_000;
            ByteArrayOutputStream requests = new ByteArrayOutputStream();
            requests.writeBytes(Wire.request(Wire.bytes("MULTI")));
            byte[] info = Wire.request(Wire.bytes("INFO"));
            for (int i = 0; i < commands; i++) {
                requests.writeBytes(info);
            }
            requests.writeBytes(Wire.request(Wire.bytes("EXEC")));
            Thread sender = new Thread(() -> {
                try {
                    wire.send(requests.toByteArray());
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            sender.start();
            assertThat(wire.read()).isEqualTo("+OK⏎");
            for (int i = 0; i < commands; i++) {
                assertThat(wire.reply()).hasSize("+QUEUED\r\n".length());
            }
            byte[] reply = wire.reply();
            assertThat(reply.length).isBetween(40 << 20, 80 << 20);
            assertThat(Wire.text(Arrays.copyOfRange(reply, reply.length - 60, reply.length)))
                    .endsWith("-ERR the reply is too large⏎");
            assertThat(wire.call("PING")).isEqualTo("+PONG⏎");
        }
    }

    /** What was changed is in the log, also where there was no memory to say so. */
    @Test
    void changesWhoseRepliesWereRefusedAreThereAfterARestart() throws IOException {
        int items = 300_000;
        String[] add = new String[2 + items];
        add[0] = "BF.MADD";
        add[1] = "f";
        for (int i = 0; i < items; i++) {
            add[2 + i] = "item" + i;
        }
        try (SketchServer server =
                        plan().directory(directory).outputBytes(1 << 20).open();
                Wire wire = new Wire(server.address())) {
            assertThat(wire.call(add)).isEqualTo(REFUSAL);
            assertThat(wire.call("BF.EXISTS", "f", "item7")).isEqualTo(":1⏎");
        }
        try (SketchServer server = plan().directory(directory).open();
                Wire wire = new Wire(server.address())) {
            assertThat(wire.call("BF.EXISTS", "f", "item" + (items - 1))).isEqualTo(":1⏎");
        }
    }
}
