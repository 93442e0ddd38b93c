package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one client can make the server hold, do or keep with a single command: each has a limit. */
class HostileClientIT {
    @TempDir
    Path directory;

    private static SketchServer.Plan plan() {
        return SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @Test
    void copiesOfOneItemDoNotGrowAFilterBeyondTheLimitOfAKey() throws IOException {
        try (SketchServer server = plan().keyBytes(5 << 20).open();
                Wire wire = Wire.open(server, 2)) {
            assertThat(wire.call("CF.RESERVE", "k", "1048576", "BUCKETSIZE", "1"))
                    .isEqualTo("+OK⏎");
            String[] insert = Stream.concat(
                            Stream.of("CF.INSERT", "k", "ITEMS"),
                            IntStream.range(0, 64).mapToObj(i -> "x"))
                    .toArray(String[]::new);
            String reply = wire.call(insert);
            assertThat(reply).startsWith("*64⏎:1⏎").endsWith(":-1⏎");
            String usage = wire.call("MEMORY", "USAGE", "k");
            assertThat(Long.parseLong(usage.substring(1, usage.length() - 1))).isLessThan(6 << 20);
        }
    }

    @Test
    void aReplyOfManyCopiesIsRefusedAndTheConnectionGoesOn() throws IOException {
        try (SketchServer server = plan().open();
                Wire wire = Wire.open(server, 2)) {
            wire.callBytes(Wire.bytes("SET", "k", "v".repeat(20 << 20)));
            assertThat(wire.call("MGET", "k", "k", "k", "k", "k"))
                    .isEqualTo("-ERR the reply is larger than 83886080 bytes⏎");
            assertThat(wire.call("PING")).isEqualTo("+PONG⏎");
            assertThat(wire.call("MULTI")).isEqualTo("+OK⏎");
            for (int i = 0; i < 5; i++) {
                assertThat(wire.call("GET", "k")).isEqualTo("+QUEUED⏎");
            }
            assertThat(wire.call("EXEC")).endsWith("-ERR the reply is larger than 83886080 bytes⏎");
        }
    }

    @Test
    void namesAndPatternsAndWatchedKeysHaveALength() throws IOException {
        try (SketchServer server = plan().open();
                Wire wire = Wire.open(server, 2)) {
            String large = "n".repeat(70_000);
            assertThat(wire.call("CLIENT", "SETNAME", large)).isEqualTo("-ERR Client names have at most 256 bytes.⏎");
            assertThat(wire.call("CLIENT", "SETINFO", "LIB-NAME", large)).startsWith("-ERR Client names");
            assertThat(wire.call("KEYS", large)).startsWith("-ERR a pattern has at most 1024 bytes");
            assertThat(wire.call("SCAN", "0", "MATCH", large)).startsWith("-ERR a pattern has at most 1024 bytes");
            assertThat(wire.call("WATCH", large)).startsWith("-ERR the watched keys take more than");
            assertThat(wire.call("WATCH", "a", "b")).isEqualTo("+OK⏎");
        }
    }

    /** A name of other bytes is longer when it is written again: the next snapshot could not be read. */
    @Test
    void aRingWithANameThatIsNotTextIsNotRestored() throws IOException {
        try (SketchServer server = plan().open();
                Wire wire = Wire.open(server, 2)) {
            String name = "n".repeat(100);
            wire.call("RING.CREATE", "r");
            assertThat(wire.call("RING.ADD", "r", name)).isEqualTo("$1⏎1⏎");
            byte[] reply = wire.callBytes(Wire.bytes("DUMP", "r"));
            int head = 0;
            while (reply[head] != '\n') {
                head++;
            }
            byte[] payload = Arrays.copyOfRange(reply, head + 1, reply.length - 2);
            assertThat(Wire.text(wire.callBytes(restore("same", payload)))).isEqualTo("+OK⏎");
            for (int i = 0; i < payload.length; i++) {
                payload[i] = payload[i] == 'n' ? (byte) 0xff : payload[i];
            }
            CRC32C sum = new CRC32C();
            sum.update(payload, 0, payload.length - 4);
            ByteBuffer.wrap(payload).putInt(payload.length - 4, (int) sum.getValue());
            assertThat(Wire.text(wire.callBytes(restore("other", payload)))).isEqualTo("-ERR Bad data format⏎");
        }
    }

    private static byte[][] restore(String key, byte[] payload) {
        byte[][] words = Wire.bytes("RESTORE", key, "0", "");
        words[3] = payload;
        return words;
    }

    /** It was switched on again by every start with --require-pass. */
    @Test
    void aUserThatWasSwitchedOffStaysSoAfterARestart() throws IOException {
        SketchServer.Plan plan = plan().directory(directory).password("first");
        try (SketchServer server = plan.open();
                Wire wire = new Wire(server.address())) {
            assertThat(wire.call("AUTH", "first")).isEqualTo("+OK⏎");
            assertThat(wire.call("ACL", "SETUSER", "admin", "on", ">secret", "+@all", "~*"))
                    .isEqualTo("+OK⏎");
            assertThat(wire.call("ACL", "SETUSER", "default", "off")).isEqualTo("+OK⏎");
        }
        try (SketchServer server = plan.open();
                Wire wire = new Wire(server.address())) {
            assertThat(wire.call("AUTH", "first")).startsWith("-WRONGPASS");
            assertThat(wire.call("AUTH", "admin", "secret")).isEqualTo("+OK⏎");
            assertThat(wire.call("ACL", "SETUSER", "default", "on")).isEqualTo("+OK⏎");
        }
        try (SketchServer server = plan.open();
                Wire wire = new Wire(server.address())) {
            assertThat(wire.call("AUTH", "first")).isEqualTo("+OK⏎");
        }
    }

    /** What was collected is read again with the room that it had, so that the log adds to it what was added. */
    @Test
    void collectedItemsAreThereAfterARestartUpToTheLimitOfAKey() throws IOException {
        int count = 0;
        try (SketchServer server = plan().directory(directory).keyBytes(150_000).open();
                Wire wire = Wire.open(server, 2)) {
            String reply = wire.call("FUSE.ADD", "f", "item-0");
            while (reply.startsWith(":")) {
                count++;
                if (count == 9_000) {
                    assertThat(wire.call("SAVE")).isEqualTo("+OK⏎");
                }
                reply = wire.call("FUSE.ADD", "f", "item-" + count);
            }
            assertThat(reply).startsWith("-OOM");
        }
        assertThat(count).isGreaterThan(9_000);
        try (SketchServer server = plan().directory(directory).open();
                Wire wire = Wire.open(server, 2)) {
            assertThat(wire.call("FUSE.BUILD", "f")).isEqualTo(":" + count + "⏎");
            for (int i = 0; i < count; i++) {
                assertThat(wire.call("FUSE.EXISTS", "f", "item-" + i))
                        .as("item " + i)
                        .isEqualTo(":1⏎");
            }
        }
    }
}
