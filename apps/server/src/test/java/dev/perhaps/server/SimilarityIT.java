package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An index of many documents: what is removed, what it takes, and what is refused. */
class SimilarityIT {
    @TempDir
    Path directory;

    private SketchServer open() throws IOException {
        return SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directory(directory.resolve("data"))
                .open(System::currentTimeMillis, 1);
    }

    private static long usage(Wire wire) throws IOException {
        String usage = wire.call("MEMORY", "USAGE", "s");
        return Long.parseLong(usage.substring(1, usage.length() - 1));
    }

    @Test
    void removedDocumentsGiveTheirMemoryBackAndStayRemovedAfterARestart() throws IOException {
        String dump;
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 2)) {
            wire.call("SIM.RESERVE", "s");
            long most = 0;
            for (int i = 0; i < 4_000; i++) {
                String item = "item" + i;
                assertThat(wire.call("SIM.ADD", "s", "d" + i, "SET", item, item + "x"))
                        .isEqualTo(":1⏎");
                most = Math.max(most, usage(wire));
                if (i % 4 != 0) {
                    assertThat(wire.call("SIM.REM", "s", "d" + i)).isEqualTo(":1⏎");
                }
            }
            assertThat(wire.call("SIM.INFO", "s")).contains("+Documents⏎:1000⏎");
            // 1,000 are there, and no more than about as many removed ones: some 400 bytes each.
            assertThat(usage(wire)).isLessThan(1_100_000);
            assertThat(most).isLessThan(1_100_000);
            assertThat(wire.call("SIM.QUERY", "s", "SET", "item8", "item8x")).isEqualTo("*1⏎*2⏎$2⏎d8⏎$1⏎1⏎");
            assertThat(wire.call("SIM.QUERY", "s", "SET", "item9", "item9x")).isEqualTo("*0⏎");
            dump = wire.call("DUMP", "s");
        }
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 2)) {
            assertThat(wire.call("DUMP", "s")).isEqualTo(dump);
        }
    }

    @Test
    void memoryAndTextsThatAreTooLargeAreRefusedAndNothingChanges() throws IOException {
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 2)) {
            wire.call("SIM.RESERVE", "s");
            assertThat(wire.call("SIM.ADD", "s", "long", "TEXT", "x".repeat((1 << 20) + 1)))
                    .isEqualTo("-ERR a text has at most 1048576 bytes⏎");
            assertThat(wire.call("SIM.ADD", "s", "i".repeat(256), "TEXT", "x"))
                    .isEqualTo("-ERR an id has 1 to 255 bytes of UTF-8⏎");
            wire.call("CONFIG", "SET", "max-key-memory", "50000");
            String reply = "";
            int added = 0;
            while (added < 1_000 && !reply.startsWith("-")) {
                reply = wire.call("SIM.ADD", "s", "d" + added++, "TEXT", "text number " + added);
            }
            assertThat(reply).startsWith("-OOM");
            assertThat(added).isBetween(80, 130);
            assertThat(wire.call("SIM.INFO", "s")).contains("+Documents⏎:" + (added - 1) + "⏎");
            assertThat(usage(wire)).isLessThan(50_500);
        }
    }

    @Test
    void groupsAreFoundInALimitedNumberOfDocumentsAndPairs() throws IOException {
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 2)) {
            wire.call("SIM.RESERVE", "s");
            for (int i = 0; i < 150; i++) {
                wire.call("SIM.ADD", "s", "d" + i, "SET", "same", "items");
            }
            assertThat(wire.call("SIM.CLUSTERS", "s")).startsWith("*1⏎*2⏎:150⏎*100⏎$2⏎d0⏎$2⏎d1⏎");
            for (int i = 150; i < 20_000; i++) {
                wire.send(Wire.request(Wire.bytes("SIM.ADD", "s", "d" + i, "SET", "item" + i)));
            }
            for (int i = 150; i < 20_000; i++) {
                assertThat(wire.read()).isEqualTo(":1⏎");
            }
            assertThat(wire.call("SIM.CLUSTERS", "s")).startsWith("*1⏎*2⏎:150⏎*100⏎$2⏎d0⏎$2⏎d1⏎");
            wire.call("SIM.ADD", "s", "d20000", "SET", "item20000");
            assertThat(wire.call("SIM.CLUSTERS", "s"))
                    .startsWith("-ERR groups are found among at most 20000 documents");
        }
    }
}
