package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Structures of the library behind commands: time, memory, dumps and restarts. */
class OwnSketchesIT {
    private static final long HOUR = 3_600_000;

    @TempDir
    Path directory;

    private final AtomicLong now = new AtomicLong(1_700_000_000_000L);

    private SketchServer.Plan plan() {
        return SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @Test
    void itemsExpireAfterTheirWindowAndNotBefore() throws IOException {
        try (SketchServer server = plan().open(now::get, 1);
                Wire wire = Wire.open(server, 3)) {
            wire.call("BF.RESERVE", "w", "0.001", "1000", "WINDOW", "1h");
            wire.call("BF.MADD", "w", "a", "b");
            now.addAndGet(HOUR);
            assertThat(wire.call("BF.MEXISTS", "w", "a", "b")).isEqualTo("*2⏎#t⏎#t⏎");
            // Added again, it stays for a whole window from now.
            assertThat(wire.call("BF.ADD", "w", "a")).isEqualTo("#f⏎");
            now.addAndGet(HOUR / 12 + 1);
            assertThat(wire.call("BF.MEXISTS", "w", "a", "b")).isEqualTo("*2⏎#t⏎#f⏎");
            assertThat(wire.call("BF.CARD", "w")).isEqualTo(":1⏎");
            now.addAndGet(2 * HOUR);
            assertThat(wire.call("BF.MEXISTS", "w", "a", "b")).isEqualTo("*2⏎#f⏎#f⏎");
            assertThat(wire.call("BF.CARD", "w")).isEqualTo(":0⏎");
            assertThat(wire.call("BF.ADD", "w", "a")).isEqualTo("#t⏎");
        }
    }

    /** Every family, made by commands that also remove, merge, grow and build. */
    private static final List<String> MAKING = List.of(
            "BF.RESERVE w 0.01 100 WINDOW 1h",
            "BF.MADD w a b c",
            "BF.RESERVE b 0.01 10",
            "BF.MADD b 1 2 3 4 5 6 7 8 9 10 11 12 13",
            "BF.RESERVE c 0.01 20",
            "BF.MADD c 7 8 9",
            "BF.MERGE c b",
            "CF.RESERVE k 4 ERROR 0.001",
            "CF.INSERT k ITEMS 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16",
            "CF.DEL k 3",
            "QF.RESERVE q 0.01 10 GROWTO 40",
            "QF.MADD q a a b",
            "QF.GROW q",
            "QF.DEL q a",
            "QF.MERGE r q",
            "CBF.RESERVE n 0.01 10",
            "CBF.MADD n a a b",
            "CBF.DEL n a",
            "CBF.RESERVE m 0.01 10 COMPACT",
            "CBF.MADD m a a b",
            "FUSE.BUILD f ERROR 0.0001 ITEMS a b c",
            "FUSE.ADD g a b c",
            "FUSE.ADD h a b c",
            "FUSE.BUILD h",
            "PFADD p a b c",
            "RANGE.CREATE a 0.1 BITS 16",
            "RANGE.ADD a 1 2 3 500",
            "RING.CREATE o POINTS 16",
            "RING.ADD o alpha",
            "RING.ADD o beta 3",
            "RING.ADD o gamma",
            "RING.REMOVE o alpha",
            "CMS.INITBYDIM wc 20 3 WINDOW 1h",
            "CMS.INCRBY wc a 3 b 4",
            "CMS.INITBYDIM wd 20 3 WINDOW 1h",
            "CMS.MERGE wd 2 wc wc",
            "TOPK.RESERVE wt 3 WINDOW 1h",
            "TOPK.ADD wt a b b",
            "TOPK.INCRBY wt c 7",
            "SIM.RESERVE si THRESHOLD 0.5 CHARS 3",
            "SIM.ADD si one TEXT a-text-of-some-length",
            "SIM.ADD si two SET a b c",
            "SIM.ADD si three SET a b d",
            "SIM.REM si three",
            "GUARD.RESERVE gu LOOKUP 1 FILTER 0.01",
            "GUARD.REPORT gu HIT 30 MISS 70 ORIGIN 12.5",
            "PWNED.ADD pw 5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8 7",
            "PWNED.ADD pw 5BAA6FFFC9B93F3F0682250B6CF8331B7EE68FD8",
            "PWNED.ADD pw 7C4A8D09CA3762AF61E59520943DC26494F8941B 3");

    private static final List<String> KEYS = List.of(
            "w", "b", "c", "k", "q", "r", "n", "m", "f", "g", "h", "p", "a", "o", "wc", "wd", "wt", "si", "gu", "pw");

    private static List<String> dumps(Wire wire) throws IOException {
        List<String> dumps = new ArrayList<>();
        for (String key : KEYS) {
            dumps.add(wire.call("TYPE", key) + wire.call("DUMP", key));
        }
        return dumps;
    }

    @Test
    void valuesSurviveDumpsCopiesAndRestarts() throws IOException {
        List<String> before;
        try (SketchServer server = plan().directory(directory.resolve("data")).open(now::get, 1);
                Wire wire = Wire.open(server, 2)) {
            for (String command : MAKING) {
                assertThat(wire.call(command.split(" "))).as(command).doesNotStartWith("-");
            }
            before = dumps(wire);
            for (String key : KEYS) {
                String dump = wire.call("DUMP", key);
                byte[] bulk = Wire.raw(dump.substring(dump.indexOf('⏎') + 1, dump.length() - 1));
                assertThat(Wire.text(wire.callBytes(Wire.raw("RESTORE"), Wire.raw("copy-" + key), Wire.raw("0"), bulk)))
                        .as(key)
                        .isEqualTo("+OK⏎");
                assertThat(wire.call("DUMP", "copy-" + key)).isEqualTo(dump);
                assertThat(wire.call("COPY", key, "copy-" + key, "REPLACE")).isEqualTo(":1⏎");
                assertThat(wire.call("DUMP", "copy-" + key)).isEqualTo(dump);
                bulk[bulk.length / 2] ^= 1;
                assertThat(Wire.text(wire.callBytes(Wire.raw("RESTORE"), Wire.raw("bad-" + key), Wire.raw("0"), bulk)))
                        .startsWith("-ERR");
            }
        }
        // From the log, and then twice from a snapshot.
        for (int i = 0; i < 3; i++) {
            try (SketchServer server =
                            plan().directory(directory.resolve("data")).open(now::get, 2);
                    Wire wire = Wire.open(server, 2)) {
                assertThat(dumps(wire)).isEqualTo(before);
                assertThat(wire.call("BF.EXISTS", "w", "b")).isEqualTo(":1⏎");
                assertThat(wire.call("FUSE.MEXISTS", "h", "a", "x")).isEqualTo("*2⏎:1⏎:0⏎");
                assertThat(wire.call("SAVE")).isEqualTo("+OK⏎");
            }
        }
    }

    @Test
    void memoryIsRefusedBeforeItIsTakenAndNothingChanges() throws IOException {
        try (SketchServer server = plan().open(now::get, 1);
                Wire wire = Wire.open(server, 2)) {
            wire.call("QF.RESERVE", "q", "0.01", "20000", "GROWTO", "1000000");
            wire.call("CF.RESERVE", "c", "1000", "ERROR", "0.01");
            wire.call("CONFIG", "SET", "max-key-memory", "50000");
            for (String command : List.of(
                    "BF.RESERVE x 0.01 1000000 WINDOW 1h",
                    "CF.RESERVE x 1000000 ERROR 0.01",
                    "QF.RESERVE x 0.01 1000000",
                    "CBF.RESERVE x 0.01 1000000",
                    "QF.GROW q")) {
                assertThat(wire.call(command.split(" ")))
                        .as(command)
                        .isEqualTo("-ERR Insufficient memory to create filter⏎");
            }
            assertThat(wire.call("EXISTS", "x")).isEqualTo(":0⏎");
            // It grows as long as it may, and then says so.
            String reply = "";
            int added = 0;
            while (added < 100_000 && !reply.startsWith("-")) {
                reply = wire.call("CF.ADD", "c", "item-" + added++);
            }
            assertThat(reply).isEqualTo("-Filter is full⏎");
            assertThat(added).isBetween(10_000, 60_000);
            String usage = wire.call("MEMORY", "USAGE", "c");
            assertThat(Long.parseLong(usage.substring(1, usage.length() - 1))).isBetween(15_000L, 50_500L);
            // Sizes that no filter can have.
            assertThat(wire.call("CF.RESERVE", "y", "9000000000000000000", "ERROR", "0.01"))
                    .startsWith("-ERR could not create filter");
            assertThat(wire.call("EXISTS", "y")).isEqualTo(":0⏎");
        }
    }
}
