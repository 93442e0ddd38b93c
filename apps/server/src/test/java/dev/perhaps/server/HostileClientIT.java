package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
            String large = "n".repeat(300_000);
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

    /** Passwords that ACL had given were gone after a start with --require-pass, and one that was replaced in the file stayed. */
    @Test
    void theDefaultUserKeepsItsPasswordsAndThatOfTheFileIsTheOneOfTheFile() throws IOException {
        SketchServer.Plan plan = plan().directory(directory);
        try (SketchServer server = plan.password("first").open();
                Wire wire = new Wire(server.address())) {
            assertThat(wire.call("AUTH", "first")).isEqualTo("+OK⏎");
            assertThat(wire.call("ACL", "SETUSER", "ann", "on", ">pw")).isEqualTo("+OK⏎");
        }
        // Nobody has given it a password but the command line.
        try (SketchServer server = plan.open();
                Wire wire = new Wire(server.address())) {
            assertThat(wire.call("PING")).isEqualTo("+PONG⏎");
        }
        try (SketchServer server = plan.password("first").open();
                Wire wire = new Wire(server.address())) {
            assertThat(wire.call("AUTH", "first")).isEqualTo("+OK⏎");
            assertThat(wire.call("ACL", "SETUSER", "default", ">more", "-flushall"))
                    .isEqualTo("+OK⏎");
        }
        try (SketchServer server = plan.password("second").open();
                Wire wire = new Wire(server.address())) {
            assertThat(wire.call("AUTH", "first")).startsWith("-WRONGPASS");
            assertThat(wire.call("AUTH", "second")).isEqualTo("+OK⏎");
            assertThat(wire.call("AUTH", "more")).isEqualTo("+OK⏎");
            assertThat(wire.call("FLUSHALL")).startsWith("-NOPERM");
        }
        try (SketchServer server = plan.open();
                Wire wire = new Wire(server.address())) {
            assertThat(wire.call("PING")).startsWith("-NOAUTH");
            assertThat(wire.call("AUTH", "second")).startsWith("-WRONGPASS");
            assertThat(wire.call("AUTH", "more")).isEqualTo("+OK⏎");
        }
    }

    /** The connection was closed before the reply. */
    @Test
    void whoRemovesItselfIsToldSo() throws IOException {
        try (SketchServer server = plan().open();
                Wire ann = new Wire(server.address());
                Wire other = new Wire(server.address())) {
            ann.call("ACL", "SETUSER", "ann", "on", ">pw", "~*", "+@all");
            assertThat(ann.call("AUTH", "ann", "pw")).isEqualTo("+OK⏎");
            assertThat(other.call("AUTH", "ann", "pw")).isEqualTo("+OK⏎");
            assertThat(ann.call("ACL", "DELUSER", "ann")).isEqualTo(":1⏎");
            assertThat(ann.isClosed()).isTrue();
            assertThat(other.isClosed()).isTrue();
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

    /** Who is connected, and whether they stay, was open to every user; so were the commands that Redis calls dangerous. */
    @Test
    void ordinaryUsersNeitherSeeNorCloseOtherClients() throws IOException {
        try (SketchServer server = plan().open();
                Wire admin = new Wire(server.address());
                Wire ann = new Wire(server.address())) {
            admin.call("ACL", "SETUSER", "ann", "on", ">pw", "~*", "+@all", "-@dangerous");
            assertThat(ann.call("AUTH", "ann", "pw")).isEqualTo("+OK⏎");
            assertThat(ann.call("CLIENT", "LIST"))
                    .isEqualTo("-NOPERM User ann has no permissions to run the 'client|list' command⏎");
            assertThat(ann.call("client", "kill", "TYPE", "normal"))
                    .isEqualTo("-NOPERM User ann has no permissions to run the 'client|kill' command⏎");
            assertThat(ann.call("CLIENT", "SETNAME", "a")).isEqualTo("+OK⏎");
            for (String command : List.of("FLUSHALL", "FLUSHDB", "INFO", "KEYS *", "LASTSAVE", "RESTORE k 0 v")) {
                assertThat(ann.call(Wire.words(command))).startsWith("-NOPERM");
            }
            assertThat(ann.call("ACL", "WHOAMI")).isEqualTo("$3⏎ann⏎");
            assertThat(ann.call("ACL", "LIST")).startsWith("-NOPERM");
            assertThat(admin.call("ACL", "SETUSER", "ann", "+client|list")).isEqualTo("+OK⏎");
            assertThat(ann.call("CLIENT", "LIST")).contains("user=ann");
            assertThat(ann.call("CLIENT", "KILL", "TYPE", "normal")).startsWith("-NOPERM");
            assertThat(admin.call("ACL", "CAT", "dangerous")).contains("⏎client|kill⏎", "⏎flushall⏎");
        }
    }

    /** What was queued ran also after the right to it had been taken away. */
    @Test
    void rightsAreThoseOfTheMomentOfExec() throws IOException {
        try (SketchServer server = plan().open();
                Wire admin = new Wire(server.address());
                Wire ann = new Wire(server.address())) {
            admin.call("ACL", "SETUSER", "ann", "on", ">pw", "~*", "+@all");
            assertThat(ann.call("AUTH", "ann", "pw")).isEqualTo("+OK⏎");
            ann.call("MULTI");
            assertThat(ann.call("SET", "a", "1")).isEqualTo("+QUEUED⏎");
            assertThat(ann.call("GET", "a")).isEqualTo("+QUEUED⏎");
            admin.call("ACL", "SETUSER", "ann", "-set");
            assertThat(ann.call("EXEC"))
                    .isEqualTo("*2⏎-NOPERM User ann has no permissions to run the 'set' command⏎$-1⏎");
        }
    }

    /** A file of users of more than 64 MiB was written, and refused at the next start. */
    @Test
    void usersDoNotOutgrowTheirFile() throws IOException {
        try (SketchServer server = plan().directory(directory).open();
                Wire wire = new Wire(server.address())) {
            String pattern = "~" + "k".repeat(9 << 20);
            assertThat(wire.call("ACL", "SETUSER", "ann", pattern)).isEqualTo("+OK⏎");
            assertThat(wire.call("ACL", "SETUSER", "bob", pattern))
                    .isEqualTo("-ERR the rules of all users have more than 16777216 characters⏎");
            assertThat(wire.call("ACL", "USERS")).isEqualTo("*2⏎$3⏎ann⏎$7⏎default⏎");
        }
        try (SketchServer server = plan().directory(directory).open();
                Wire wire = new Wire(server.address())) {
            assertThat(wire.call("ACL", "USERS")).isEqualTo("*2⏎$3⏎ann⏎$7⏎default⏎");
        }
    }

    /** Strangers took all places, and kept them. */
    @Test
    void strangersMakePlaceForWhoComesLater() throws IOException {
        try (SketchServer server = plan().password("secret").clients(3).open();
                Wire first = new Wire(server.address())) {
            assertThat(first.call("AUTH", "secret")).isEqualTo("+OK⏎");
            try (Wire oldest = new Wire(server.address());
                    Wire other = new Wire(server.address())) {
                assertThat(oldest.call("GET", "a")).startsWith("-NOAUTH");
                assertThat(other.call("GET", "a")).startsWith("-NOAUTH");
                try (Wire honest = new Wire(server.address())) {
                    assertThat(honest.call("AUTH", "secret")).isEqualTo("+OK⏎");
                    assertThat(oldest.isClosed()).isTrue();
                    assertThat(other.call("AUTH", "secret")).isEqualTo("+OK⏎");
                    try (Wire late = new Wire(server.address())) {
                        assertThat(late.read()).isEqualTo("-ERR max number of clients reached⏎");
                    }
                    assertThat(first.call("PING")).isEqualTo("+PONG⏎");
                }
            }
        }
    }

    /** They were limited per client only, with a quarter of what they take. */
    @Test
    void watchedKeysOfManyClientsAreCounted() throws IOException {
        String[] watch = Stream.concat(
                        Stream.of("WATCH"), IntStream.range(0, 900).mapToObj(i -> "key" + i))
                .toArray(String[]::new);
        List<Wire> clients = new ArrayList<>();
        try (SketchServer server = plan().inputBytes(1 << 20).open()) {
            String reply = "+OK⏎";
            while (reply.equals("+OK⏎") && clients.size() < 20) {
                Wire client = new Wire(server.address());
                clients.add(client);
                reply = client.call(watch) + client.call("PING").replace("+PONG⏎", "");
            }
            assertThat(reply).contains("-ERR requests that have not run yet take more than the 1048576 bytes");
            assertThat(clients).hasSizeBetween(3, 6);
            assertThat(clients.get(0).call("MULTI")).isEqualTo("+OK⏎");
            assertThat(clients.get(0).call("EXEC")).isEqualTo("*0⏎");
        } finally {
            for (Wire client : clients) {
                client.close();
            }
        }
    }
}
