package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What an operator sees of a server: metrics, and lines in the log. */
@Timeout(120)
class WatchingIT {
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final List<String> noticed = new CopyOnWriteArrayList<>();

    private SketchServer.Plan plan() {
        return SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .password("right")
                .complaints(told::add)
                .notices(noticed::add);
    }

    private static double value(SketchServer server, String name) {
        for (String line : server.metrics().text().split("\n", -1)) {
            if (line.startsWith(name + " ")) {
                return Double.parseDouble(line.substring(name.length() + 1));
            }
        }
        throw new AssertionError("no series " + name);
    }

    @Test
    void metricsShowTheDiskMemoryAndWhatClientsDo(@TempDir Path folder) throws Exception {
        long before = System.currentTimeMillis() / 1_000;
        try (SketchServer server = plan().directory(folder.resolve("keys"))
                        .memoryBytes(100_000_000)
                        .open();
                Wire wire = new Wire(server.address())) {
            assertThat(server.isReady()).isTrue();
            assertThat(wire.call("AUTH", "wrong")).startsWith("-WRONGPASS");
            assertThat(wire.call("HELLO", "3", "AUTH", "default", "wrong")).startsWith("-WRONGPASS");
            assertThat(wire.call("AUTH", "right")).isEqualTo("+OK⏎");
            assertThat(wire.call("CONFIG", "SET", "slowlog-log-slower-than", "0"))
                    .isEqualTo("+OK⏎");
            wire.call("BF.ADD", "seen", "x");
            wire.call("BF.ADD", "seen", "y");
            wire.call("CMS.INITBYDIM", "hits", "100", "3");
            assertThat(wire.call("SAVE")).isEqualTo("+OK⏎");
            wire.call("PING");

            assertThat(value(server, "perhaps_server_writable")).isEqualTo(1);
            assertThat(value(server, "perhaps_server_key_bytes_limit")).isEqualTo(100_000_000);
            assertThat(value(server, "perhaps_server_wrong_passwords_total")).isEqualTo(2);
            assertThat(value(server, "perhaps_server_slow_commands_total")).isPositive();
            assertThat(value(server, "perhaps_server_family_commands_total{family=\"bf\"}"))
                    .isEqualTo(2);
            assertThat(value(server, "perhaps_server_family_commands_total{family=\"cms\"}"))
                    .isEqualTo(1);
            assertThat(value(server, "perhaps_server_family_commands_total{family=\"tdigest\"}"))
                    .isZero();
            assertThat(value(server, "perhaps_server_snapshot_timestamp_seconds"))
                    .isBetween((double) before, before + 120.0);
            assertThat(value(server, "perhaps_server_snapshot_duration_seconds"))
                    .isNotNegative();
            assertThat(value(server, "perhaps_server_snapshot_ok")).isEqualTo(1);
            assertThat(value(server, "perhaps_server_snapshot_running")).isZero();
            assertThat(value(server, "perhaps_server_snapshot_bytes")).isPositive();
            assertThat(value(server, "perhaps_server_log_bytes")).isPositive();
        }
        assertThat(noticed).hasSize(4);
        assertThat(noticed.get(0)).startsWith("started: 0 keys were read in ");
        assertThat(noticed.get(1)).matches("a snapshot of 2 keys was written in \\d+ ms: \\d+ bytes");
        assertThat(noticed.get(2)).startsWith("stopping");
        assertThat(noticed.get(3)).isEqualTo("stopped");
        assertThat(told).hasSize(2).allMatch(line -> line.contains("wrong user or password of 127.0.0.1:"));
    }

    /** Attempts to guess passwords leave a trace, which cannot fill the disk. */
    @Test
    void manyWrongPasswordsAreFewLines() throws Exception {
        try (SketchServer server = plan().clients(1).open();
                Wire wire = new Wire(server.address())) {
            for (int i = 0; i < 500; i++) {
                assertThat(wire.call("AUTH", "name\n" + i, "wrong")).startsWith("-WRONGPASS");
            }
            assertThat(value(server, "perhaps_server_wrong_passwords_total")).isEqualTo(500);
            // Twenty per ten seconds, and what was left out.
            assertThat(told).hasSizeBetween(20, 200).noneMatch(line -> line.contains("\n"));
            wire.call("AUTH", "right");
        }
    }

    @Test
    void aClientThatIsRefusedIsALine() throws Exception {
        try (SketchServer server = plan().clients(1).open();
                Wire one = new Wire(server.address())) {
            assertThat(one.call("AUTH", "right")).isEqualTo("+OK⏎");
            try (Wire two = new Wire(server.address())) {
                assertThat(two.read()).startsWith("-ERR max number of clients");
            }
            assertThat(told)
                    .singleElement()
                    .asString()
                    .contains("was refused: there are 1 clients already (maxclients)");
        }
    }
}
