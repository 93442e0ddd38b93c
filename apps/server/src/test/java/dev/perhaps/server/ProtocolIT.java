package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What bad bytes get, the order of replies, and limits. */
class ProtocolIT {
    private static SketchServer server;

    @BeforeAll
    static void open() throws IOException {
        server = SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .open();
    }

    @AfterAll
    static void close() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            *x⏎                         | -ERR Protocol error: invalid multibulk length⏎
            *1048577⏎                   | -ERR Protocol error: invalid multibulk length⏎
            *99999999999999999999⏎      | -ERR Protocol error: invalid multibulk length⏎
            *1⏎$-1⏎                     | -ERR Protocol error: invalid bulk length⏎
            *1⏎$999999999999⏎           | -ERR Protocol error: invalid bulk length⏎
            *1⏎$67108865⏎               | -ERR Protocol error: invalid bulk length⏎
            *1⏎$x⏎                      | -ERR Protocol error: invalid bulk length⏎
            *1⏎+PING⏎                   | -ERR Protocol error: expected '$', got '+'⏎
            *1⏎*1⏎$4⏎PING⏎              | -ERR Protocol error: expected '$', got '*'⏎
            *1⏎$4⏎PINGPONG⏎             | -ERR Protocol error: a bulk string that does not end with CRLF⏎
            *00000000000000000000000000000000000001⏎ | -ERR Protocol error: too big mbulk count string⏎
            *1⏎$00000000000000000000000000000000000001⏎ | -ERR Protocol error: too big bulk count string⏎
            GET "a⏎                     | -ERR Protocol error: unbalanced quotes in request⏎
            GET "a"b⏎                   | -ERR Protocol error: unbalanced quotes in request⏎
            GET / HTTP/1.1⏎Host: x⏎⏎    | -ERR Protocol error: HTTP on a port for Redis clients⏎
            POST / HTTP/1.1⏎            | -ERR Protocol error: HTTP on a port for Redis clients⏎
            \\x16\\x03\\x01\\x02\\x00   | -ERR Protocol error: TLS on a port without TLS⏎
            """)
    void aMalformedFrameGetsAnErrorAndTheEnd(String bytes, String error) throws IOException {
        try (Wire wire = new Wire(server.address())) {
            wire.send(Wire.raw(bytes));
            assertThat(wire.read()).isEqualTo(error);
            assertThat(wire.isClosed()).isTrue();
        }
        isUnharmed();
    }

    private static void isUnharmed() throws IOException {
        try (Wire wire = new Wire(server.address())) {
            assertThat(wire.call("PING")).isEqualTo("+PONG⏎");
        }
    }

    @Test
    void aLineWithoutEndIsRefused() throws IOException {
        try (Wire wire = new Wire(server.address())) {
            wire.send("A".repeat(70_000).getBytes(StandardCharsets.US_ASCII));
            assertThat(wire.read()).isEqualTo("-ERR Protocol error: too big inline request⏎");
        }
    }

    @Test
    void linesOfPeopleWork() throws IOException {
        try (Wire wire = new Wire(server.address())) {
            wire.send(
                    Wire.raw("⏎  ECHO \"a\\x41 b\\n\"⏎ECHO 'it\\'s'\nPING⏎*0⏎*-1⏎PING⏎".replace("\\x41", "\\x5cx41")));
            assertThat(wire.read()).isEqualTo("$5⏎aA b\\x0a⏎");
            assertThat(wire.read()).isEqualTo("$4⏎it's⏎");
            assertThat(wire.read()).isEqualTo("+PONG⏎");
            assertThat(wire.read()).isEqualTo("+PONG⏎");
        }
    }

    @Test
    void aRequestMayComeByteByByte() throws IOException {
        try (Wire wire = new Wire(server.address())) {
            for (byte b : Wire.request(Wire.bytes("ECHO", "hello⏎world"))) {
                wire.send(new byte[] {b});
            }
            assertThat(wire.read()).isEqualTo("$12⏎hello⏎world⏎");
        }
    }

    /** More than all buffers together, sent before anything is read: the server stops reading, and nothing is lost. */
    @Test
    void repliesToAPipelineComeInOrderToASlowReader() throws Exception {
        byte[] large = new byte[100_000];
        int count = 300;
        ExecutorService sender = Executors.newSingleThreadExecutor();
        try (Wire wire = new Wire(server.address())) {
            wire.callBytes(Wire.bytes("SET", "large", new String(large, StandardCharsets.US_ASCII).replace('\0', 'x')));
            Future<?> sent = sender.submit((Callable<Void>) () -> {
                for (int i = 0; i < count; i++) {
                    wire.send(Wire.request(Wire.bytes("GET", "large")));
                    wire.send(Wire.request(Wire.bytes("ECHO", Integer.toString(i))));
                }
                return null;
            });
            for (int i = 0; i < count; i++) {
                assertThat(wire.reply()).hasSizeGreaterThan(100_000);
                assertThat(wire.read()).endsWith("⏎" + i + "⏎");
            }
            sent.get();
        } finally {
            sender.shutdownNow();
        }
    }

    @Test
    void garbageHarmsNobody() throws IOException {
        Random random = new Random(17);
        for (int round = 0; round < 200; round++) {
            byte[] bytes = new byte[1 + random.nextInt(300)];
            random.nextBytes(bytes);
            if (round % 2 == 0) {
                bytes[0] = '*';
            }
            try (Wire wire = new Wire(server.address())) {
                wire.send(bytes);
            } catch (java.net.SocketException e) {
                // It was closed while we wrote.
            }
        }
        isUnharmed();
    }

    @Test
    void moreClientsThanAllowedAreRefused() throws IOException {
        try (SketchServer small = SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .clients(2)
                        .open();
                Wire one = new Wire(small.address());
                Wire two = new Wire(small.address())) {
            one.call("PING");
            two.call("PING");
            try (Wire three = new Wire(small.address())) {
                assertThat(three.read()).isEqualTo("-ERR max number of clients reached⏎");
                assertThat(three.isClosed()).isTrue();
            }
            assertThat(one.call("PING")).isEqualTo("+PONG⏎");
        }
    }

    @Test
    void anIdleClientIsClosed() throws IOException {
        try (SketchServer impatient = SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .idleSeconds(1)
                        .open();
                Wire wire = new Wire(impatient.address())) {
            wire.call("PING");
            assertThat(wire.isClosed()).isTrue();
        }
    }

    /** It has nothing to send, and was closed as one that is idle. */
    @Test
    void aMonitorIsNotIdle() throws IOException {
        try (SketchServer impatient = SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .idleSeconds(1)
                        .threads(1)
                        .open();
                Wire monitor = new Wire(impatient.address());
                Wire idle = new Wire(impatient.address())) {
            assertThat(monitor.call("MONITOR")).isEqualTo("+OK⏎");
            assertThat(idle.call("PING")).isEqualTo("+PONG⏎");
            assertThat(monitor.read()).contains("PING");
            assertThat(idle.isClosed()).isTrue();
            try (Wire later = new Wire(impatient.address())) {
                assertThat(later.call("ECHO", "later")).isEqualTo("$5⏎later⏎");
                assertThat(monitor.read()).contains("later");
            }
        }
    }

    @Test
    void strangersGetNothingBeforeTheyAuthenticate() throws IOException {
        try (SketchServer closed = SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .password("secret")
                .open()) {
            try (Wire wire = new Wire(closed.address())) {
                assertThat(wire.call("GET", "a")).isEqualTo("-NOAUTH Authentication required.⏎");
                assertThat(wire.call("HELLO", "3")).startsWith("-NOAUTH HELLO must be called");
                assertThat(wire.call("AUTH", "wrong")).startsWith("-WRONGPASS");
                assertThat(wire.call("HELLO", "3", "AUTH", "default", "secret")).startsWith("%7⏎");
                assertThat(wire.call("GET", "a")).isEqualTo("_⏎");
            }
            try (Wire wire = new Wire(closed.address())) {
                wire.send(Wire.raw("*11⏎"));
                assertThat(wire.read()).isEqualTo("-ERR Protocol error: unauthenticated multibulk length⏎");
            }
            try (Wire wire = new Wire(closed.address())) {
                wire.send(Wire.raw("*2⏎$4⏎AUTH⏎$16385⏎"));
                assertThat(wire.read()).isEqualTo("-ERR Protocol error: unauthenticated bulk length⏎");
            }
        }
    }

    @Test
    void usersMayDoWhatTheirRulesSay() throws IOException {
        try (Wire admin = new Wire(server.address());
                Wire ann = new Wire(server.address())) {
            admin.call("ACL", "SETUSER", "ann", "on", ">pw", "~cache:*", "+@bloom", "-bf.debug");
            assertThat(ann.call("AUTH", "ann", "pw")).isEqualTo("+OK⏎");
            assertThat(ann.call("BF.ADD", "cache:1", "x")).isEqualTo(":1⏎");
            assertThat(ann.call("BF.ADD", "other", "x")).isEqualTo("-NOPERM No permissions to access a key⏎");
            assertThat(ann.call("BF.DEBUG", "cache:1"))
                    .isEqualTo("-NOPERM User ann has no permissions to run the 'bf.debug' command⏎");
            assertThat(ann.call("CONFIG", "GET", "*")).startsWith("-NOPERM User ann");
            assertThat(admin.call("ACL", "DELUSER", "ann")).isEqualTo(":1⏎");
            assertThat(ann.isClosed()).isTrue();
        }
    }

    /** Four clients add to one filter and read it: every item is there, and MULTI is seen whole or not at all. */
    @Test
    void commandsOfManyClientsAreAtomic() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<Void>> all = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int own = t;
                all.add(threads.submit(() -> {
                    try (Wire wire = new Wire(server.address())) {
                        for (int i = 0; i < 300; i++) {
                            wire.call("BF.ADD", "shared", own + ":" + i);
                            ByteArrayOutputStream out = new ByteArrayOutputStream();
                            out.writeBytes(Wire.request(Wire.bytes("MULTI")));
                            out.writeBytes(Wire.request(Wire.bytes("INCR", "left")));
                            out.writeBytes(Wire.request(Wire.bytes("INCR", "right")));
                            out.writeBytes(Wire.request(Wire.bytes("EXEC")));
                            wire.send(out.toByteArray());
                            for (int r = 0; r < 3; r++) {
                                wire.read();
                            }
                            String both = wire.read();
                            String[] parts = both.split("⏎", -1);
                            assertThat(parts[1]).isEqualTo(parts[2]);
                        }
                    }
                    return null;
                }));
            }
            for (Future<Void> each : all) {
                each.get();
            }
            try (Wire wire = new Wire(server.address())) {
                assertThat(wire.call("MGET", "left", "right")).isEqualTo("*2⏎$4⏎1200⏎$4⏎1200⏎");
                for (int t = 0; t < 4; t++) {
                    for (int i = 0; i < 300; i++) {
                        assertThat(wire.call("BF.EXISTS", "shared", t + ":" + i))
                                .isEqualTo(":1⏎");
                    }
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void memoryIsRefusedBeforeItIsTaken() throws IOException {
        try (SketchServer small = SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .memoryBytes(1 << 20)
                        .keyBytes(1 << 19)
                        .open();
                Wire wire = new Wire(small.address())) {
            assertThat(wire.call("BF.RESERVE", "b", "0.01", "1000000"))
                    .isEqualTo("-ERR Insufficient memory to create filter⏎");
            assertThat(wire.call("BF.RESERVE", "a", "0.01", "300000")).isEqualTo("+OK⏎");
            assertThat(wire.call("BF.RESERVE", "b", "0.01", "300000")).isEqualTo("+OK⏎");
            assertThat(wire.call("BF.RESERVE", "c", "0.01", "300000"))
                    .isEqualTo("-ERR Insufficient memory to create filter⏎");
            assertThat(wire.call("SET", "s", "x".repeat(600_000)))
                    .isEqualTo("-OOM command not allowed when used memory > 'maxmemory'.⏎");
            assertThat(wire.call("DBSIZE")).isEqualTo(":2⏎");
        }
    }

    @Test
    void keysExpireWithoutBeingAskedFor() throws IOException {
        try (Wire wire = new Wire(server.address())) {
            wire.call("SET", "brief", "x", "PX", "20");
            String info;
            do {
                info = wire.call("INFO", "stats");
            } while (info.contains("expired_keys:0"));
            assertThat(wire.call("EXISTS", "brief")).isEqualTo(":0⏎");
        }
    }

    /** The page lists them in brackets, HELP line by line; each is one that the command knows. */
    @Test
    void subcommandsAreThoseOfThePageAndOfHelp() throws IOException {
        String page = Files.readString(Path.of("../../docs/server.md"));
        int commands = 0;
        try (Wire wire = new Wire(server.address())) {
            for (String name :
                    List.of("CLIENT", "COMMAND", "CONFIG", "ACL", "SLOWLOG", "LATENCY", "OBJECT", "MEMORY", "DEBUG")) {
                String[] lines = wire.call(name, "HELP").split("⏎", -1);
                List<String> words = new ArrayList<>();
                for (int i = 2; !lines[i].equals("+HELP"); i += 2) {
                    words.add(lines[i].substring(1).replaceFirst(" .*", ""));
                }
                assertThat(page).contains("`" + name + "` (" + String.join(", ", words) + ")");
                for (String word : words) {
                    assertThat(wire.call(name, word, "a")).doesNotStartWith("-ERR unknown subcommand");
                    commands++;
                }
            }
        }
        assertThat(commands).isGreaterThan(30);
    }
}
