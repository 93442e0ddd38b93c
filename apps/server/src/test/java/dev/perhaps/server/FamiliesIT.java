package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A key of each family survives a kill and goes out and comes back by DUMP; what no server dumped is refused. */
@Timeout(300)
class FamiliesIT {
    private static final int SKETCH = 6;
    private static final int GUARD = 9;
    private static final int LEAKED_HASHES = 10;

    /** The commands that make its key, KEY, and those that ask it. */
    private record Family(String key, List<String> makes, List<String> asks) {
        void make(Wire wire) throws IOException {
            for (String line : makes) {
                assertThat(call(wire, line, key)).as(line).doesNotStartWith("-");
            }
        }

        /** All that can be asked of a key that has this family's type. */
        List<String> answers(Wire wire, String of) throws IOException {
            List<String> answers = new ArrayList<>();
            for (String line : asks) {
                answers.add(call(wire, line, of));
            }
            answers.add(wire.call("TYPE", of));
            answers.add(wire.call("PERHAPS.STATS", of).replaceAll("memory⏎:\\d+⏎", ""));
            return answers;
        }

        private static String call(Wire wire, String line, String key) throws IOException {
            return wire.call(line.replace("KEY", key).split(" ", -1));
        }
    }

    private static final String HASH = "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8";

    private static final List<Family> FAMILIES = List.of(
            new Family(
                    "expiring",
                    List.of("BF.RESERVE KEY 0.01 100 WINDOW 7d", "BF.MADD KEY a b"),
                    List.of("BF.MEXISTS KEY a b c d", "BF.INFO KEY")),
            new Family(
                    "counts",
                    List.of("CMS.INITBYDIM KEY 50 3 WINDOW 7d", "CMS.INCRBY KEY a 5 b 2"),
                    List.of("CMS.QUERY KEY a b c", "CMS.INFO KEY")),
            new Family(
                    "list",
                    List.of("TOPK.RESERVE KEY 2 WINDOW 7d", "TOPK.INCRBY KEY a 5 b 2 c 1"),
                    List.of("TOPK.LIST KEY WITHCOUNT", "TOPK.QUERY KEY a b c", "TOPK.COUNT KEY a c", "TOPK.INFO KEY")),
            new Family(
                    "similar",
                    List.of(
                            "SIM.RESERVE KEY THRESHOLD 0.5 CHARS 4",
                            "SIM.ADD KEY text TEXT the-quick-brown-fox-jumps-over-the-lazy-dog",
                            "SIM.ADD KEY again TEXT the-quick-brown-fox-jumps-over-the-lazy-cat",
                            "SIM.ADD KEY set SET a b c",
                            "SIM.ADD KEY gone SET a b c",
                            "SIM.REM KEY gone"),
                    List.of(
                            "SIM.QUERY KEY ID text",
                            "SIM.QUERY KEY TEXT the-quick-brown-fox-jumps-over-the-lazy-dogs",
                            "SIM.QUERY KEY SET a b c",
                            "SIM.CLUSTERS KEY")),
            new Family(
                    "guard",
                    List.of("GUARD.RESERVE KEY LOOKUP 1 ORIGIN 10", "GUARD.REPORT KEY HIT 3 MISS 997 FILTER 0.1"),
                    List.of("GUARD.ASK KEY", "GUARD.INFO KEY")),
            new Family(
                    "leaked",
                    List.of(
                            "PWNED.ADD KEY " + HASH + " 7",
                            "PWNED.ADD KEY 5BAA600000000000000000000000000000000001",
                            "PWNED.ADD KEY FFFFF00000000000000000000000000000000001 2147483647"),
                    List.of(
                            "PWNED.RANGE KEY 5BAA6",
                            "PWNED.RANGE KEY FFFFF",
                            "PWNED.RANGE KEY 00000",
                            "PWNED.INFO KEY")),
            new Family(
                    "ranges",
                    List.of("RANGE.CREATE KEY 0.1 BITS 16", "RANGE.ADD KEY 12 250 250"),
                    List.of("RANGE.COUNT KEY 0 100", "RANGE.QUANTILE KEY 0.5", "RANGE.INFO KEY")),
            new Family(
                    "quotient",
                    List.of("QF.RESERVE KEY 0.01 100", "QF.MADD KEY a a b"),
                    List.of("QF.COUNT KEY a", "QF.EXISTS KEY c", "QF.INFO KEY")),
            new Family(
                    "ring",
                    List.of("RING.CREATE KEY", "RING.ADD KEY alpha", "RING.ADD KEY beta"),
                    List.of("RING.GET KEY user:42", "RING.INFO KEY")));

    @TempDir
    private Path folder;

    private static SketchServer open() throws IOException {
        return SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .memoryBytes(4 << 20)
                .open();
    }

    private static byte[] dump(Wire wire, String key) throws IOException {
        return DumpIT.bulkOf(wire.callBytes(Wire.bytes("DUMP", key)));
    }

    private static String restore(Wire wire, String key, byte[] payload) throws IOException {
        byte[][] words = Arrays.copyOf(Wire.bytes("RESTORE", key, "0", "", "REPLACE"), 5);
        words[3] = payload;
        return Wire.text(wire.callBytes(words));
    }

    /** Once from the log, and once from a snapshot. */
    @Test
    void aKeyOfEachFamilySurvivesAKill() throws Exception {
        List<List<String>> answers = new ArrayList<>();
        List<byte[]> dumps = new ArrayList<>();
        try (ServerProcess server = ServerProcess.start(folder, "always");
                Wire wire = server.connect()) {
            for (Family family : FAMILIES) {
                family.make(wire);
                answers.add(family.answers(wire, family.key));
                dumps.add(dump(wire, family.key));
            }
        }
        for (String source : List.of("log", "snapshot")) {
            try (ServerProcess server = ServerProcess.start(folder, "always");
                    Wire wire = server.connect()) {
                for (int i = 0; i < FAMILIES.size(); i++) {
                    Family family = FAMILIES.get(i);
                    assertThat(family.answers(wire, family.key)).as(source).isEqualTo(answers.get(i));
                    assertThat(dump(wire, family.key))
                            .as(source + " " + family.key)
                            .isEqualTo(dumps.get(i));
                }
                assertThat(wire.call("SAVE")).isEqualTo("+OK⏎");
            }
        }
    }

    @Test
    void whatWasDumpedGivesTheSameAnswersElsewhere() throws IOException {
        try (SketchServer server = open();
                SketchServer other = open();
                Wire wire = Wire.open(server, 2);
                Wire there = Wire.open(other, 2)) {
            for (Family family : FAMILIES) {
                family.make(wire);
                byte[] payload = dump(wire, family.key);
                assertThat(restore(there, "copy", payload)).isEqualTo("+OK⏎");
                assertThat(family.answers(there, "copy")).isEqualTo(family.answers(wire, family.key));
                assertThat(dump(there, "copy")).isEqualTo(payload);
            }
        }
    }

    /**
     * Every byte is changed, with the right sum of all of them. Files of the library have sums of their own, and are refused; what
     * has none is refused, or is another value of that type.
     */
    @Test
    void aForgedDumpIsRefusedOrIsAnotherValue() throws IOException {
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 2)) {
            for (Family family : FAMILIES) {
                family.make(wire);
                byte[] payload = dump(wire, family.key);
                int type = payload[4];
                byte[] content = Arrays.copyOfRange(payload, 5, payload.length - 4);
                int step = Math.max(1, content.length / 2_000);
                for (int i = 0; i < content.length; i += step) {
                    byte[] forged = content.clone();
                    forged[i] ^= (byte) (1 << i % 8);
                    String reply = restore(wire, "forged", DumpIT.payload(type, forged));
                    if (type == SKETCH || !reply.equals("+OK⏎")) {
                        assertThat(reply).as(family.key + " byte " + i).matches("-ERR Bad data format⏎|-OOM .*⏎");
                    } else {
                        assertThat(family.answers(wire, "forged").toString()).doesNotContain("internal error");
                        assertThat(wire.call("DEL", "forged")).isEqualTo(":1⏎");
                    }
                }
                byte[] cut = Arrays.copyOf(content, content.length - 1);
                byte[] longer = Arrays.copyOf(content, content.length + 1);
                for (byte[] forged : List.of(cut, longer, new byte[0])) {
                    assertThat(restore(wire, "forged", DumpIT.payload(type, forged)))
                            .as("%s of %d bytes", family.key, forged.length)
                            .isEqualTo("-ERR Bad data format⏎");
                }
                assertThat(wire.call("EXISTS", "forged")).isEqualTo(":0⏎");
            }
        }
    }

    /** The bytes of leaked hashes: their number, and each with its count. */
    private static byte[] leaked(long count, String... entries) {
        ByteBuffer content =
                ByteBuffer.allocate(Long.BYTES + entries.length * 24).putLong(count);
        for (String entry : entries) {
            String[] hashAndLeaks = entry.split(" ", -1);
            content.put(Arrays.copyOf(hashAndLeaks[0].getBytes(StandardCharsets.US_ASCII), 20));
            content.putInt(Integer.parseInt(hashAndLeaks[1]));
        }
        return content.array();
    }

    @Test
    void forgedHashesAndTalliesAreRefused() throws IOException {
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 2)) {
            assertThat(restore(wire, "p", DumpIT.payload(LEAKED_HASHES, leaked(2, "aaaa 1", "bbbb 2"))))
                    .isEqualTo("+OK⏎");
            // 60,000 hashes of 24 bytes fit into the memory, but not if each has a range of its own.
            ByteBuffer apart = ByteBuffer.allocate(Long.BYTES + 60_000 * 24).putLong(60_000);
            for (int i = 0; i < 60_000; i++) {
                apart.putInt(i << 12).put(new byte[16]).putInt(1);
            }
            for (byte[] content : List.of(
                    leaked(2, "bbbb 2", "aaaa 1"),
                    leaked(2, "aaaa 1", "aaaa 1"),
                    leaked(1, "aaaa 0"),
                    leaked(1, "aaaa -1"),
                    leaked(-1, "aaaa 1"),
                    leaked(Long.MAX_VALUE, "aaaa 1"),
                    leaked(100_000, "aaaa 1"),
                    apart.array())) {
                assertThat(restore(wire, "p", DumpIT.payload(LEAKED_HASHES, content)))
                        .isEqualTo("-ERR Bad data format⏎");
            }
            assertThat(wire.call("PWNED.INFO", "p")).endsWith("+Hashes⏎:2⏎");
            wire.call("GUARD.RESERVE", "g");
            byte[] tally = dump(wire, "g");
            for (double error : new double[] {-0.1, 1.1, Double.NaN, Double.POSITIVE_INFINITY}) {
                byte[] content = Arrays.copyOfRange(tally, 5, tally.length - 4);
                ByteBuffer.wrap(content).putDouble(0, error);
                assertThat(restore(wire, "g", DumpIT.payload(GUARD, content))).isEqualTo("-ERR Bad data format⏎");
            }
        }
    }
}
