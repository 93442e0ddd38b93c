package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.frequency.SlidingTopK;
import dev.perhaps.key.Key;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A command that would hold its key for minutes is refused before it begins; what is usual runs. */
@Timeout(120)
class CommandWorkIT {
    private static final String TOO_MUCH =
            "steps, more than the 268435456 of one command: send fewer items per command⏎";

    private SketchServer server;
    private Wire wire;

    @BeforeEach
    void open() throws IOException {
        server = SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .memoryBytes(200 << 20)
                .open();
        wire = Wire.open(server, 2);
    }

    @AfterEach
    void close() throws IOException {
        wire.close();
        server.close();
    }

    /** These words, and then one word this number of times. */
    private String repeated(int times, String word, String... first) throws IOException {
        String[] words = Arrays.copyOf(first, first.length + times);
        Arrays.fill(words, first.length, words.length, word);
        return wire.call(words);
    }

    /** Who shared a thread with a pipeline of slow commands waited for all of them. */
    @Test
    void aPipelineOfSlowCommandsLetsOtherClientsHaveTheirTurn() throws IOException {
        int queries = 60;
        try (SketchServer server = SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .threads(1)
                        .open();
                Wire slow = Wire.open(server, 2);
                Wire other = Wire.open(server, 2)) {
            // Some 20 ms per query.
            assertThat(slow.call("CMS.INITBYDIM", "c", "1", "4000000")).isEqualTo("+OK⏎");
            ByteArrayOutputStream pipeline = new ByteArrayOutputStream();
            for (int i = 0; i < queries; i++) {
                pipeline.writeBytes(Wire.request(Wire.bytes("CMS.QUERY", "c", "item")));
            }
            slow.send(pipeline.toByteArray());
            assertThat(slow.read()).isEqualTo("*1⏎:0⏎");
            String stats = other.call("INFO", "commandstats");
            String calls = stats.replaceAll(".*cmdstat_cms\\.query:calls=(\\d+).*", "$1");
            assertThat(Integer.parseInt(calls)).isLessThan(queries);
            for (int i = 1; i < queries; i++) {
                assertThat(slow.read()).isEqualTo("*1⏎:0⏎");
            }
        }
    }

    @Test
    void countsOfATopListOfManyRows() throws IOException {
        assertThat(wire.call("TOPK.RESERVE", "deep", "1", "1", "1000000", "0.9"))
                .isEqualTo("+OK⏎");
        assertThat(wire.call("TOPK.INCRBY", "deep", "a", "100000"))
                .startsWith("-ERR 'topk.incrby' would take 100000000000 ")
                .endsWith(TOO_MUCH);
        assertThat(repeated(1_000, "a", "TOPK.ADD", "deep")).endsWith(TOO_MUCH);
        assertThat(repeated(1_000, "a", "TOPK.COUNT", "deep")).endsWith(TOO_MUCH);
        assertThat(wire.call("TOPK.RESERVE", "top", "10", "2000", "7", "0.925")).isEqualTo("+OK⏎");
        assertThat(wire.call("TOPK.INCRBY", "top", "a", "100000", "b", "100000"))
                .isEqualTo("*2⏎$-1⏎$-1⏎");
        assertThat(repeated(900_000, "100000", "TOPK.INCRBY", "top")).endsWith(TOO_MUCH);
    }

    /** An item is hashed again in each row: 60 MB in a million rows took hours. */
    @Test
    void longItemsInManyRows() throws IOException {
        String item = "x".repeat(10 << 20);
        assertThat(wire.call("CMS.INITBYDIM", "c", "1", "1000")).isEqualTo("+OK⏎");
        assertThat(wire.call("CMS.QUERY", "c", item)).endsWith(TOO_MUCH);
        assertThat(wire.call("CMS.INCRBY", "c", "a", "1", item, "1")).endsWith(TOO_MUCH);
        assertThat(wire.call("CMS.QUERY", "c", "a")).isEqualTo("*1⏎:0⏎");
        assertThat(wire.call("TOPK.RESERVE", "t", "1", "1", "1000", "0.9")).isEqualTo("+OK⏎");
        assertThat(wire.call("TOPK.ADD", "t", item)).endsWith(TOO_MUCH);
        assertThat(wire.call("TOPK.INCRBY", "t", item, "1")).endsWith(TOO_MUCH);
        assertThat(wire.call("TOPK.COUNT", "t", item)).endsWith(TOO_MUCH);
        assertThat(wire.call("CMS.INITBYPROB", "usual", "0.001", "0.01")).isEqualTo("+OK⏎");
        assertThat(wire.call("CMS.INCRBY", "usual", item, "2")).isEqualTo("*1⏎:2⏎");
    }

    /** A header that says there are no items makes every removal move all of them: each took a second, and as many as one likes. */
    @Test
    void removalsThatMoveItemsInOneTransaction() throws IOException {
        int tables = 16;
        int slots = 1 << 17;
        byte[] header = ByteBuffer.allocate(38)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(0)
                .putLong(slots / 2)
                .putLong(0)
                .putLong(tables)
                .putShort((short) 2)
                .putShort((short) 20)
                .putShort((short) 1)
                .array();
        assertThat(load("CF.LOADCHUNK", "f", 1, header)).isEqualTo("+OK⏎");
        byte[] full = new byte[slots];
        for (int i = 0; i < slots; i++) {
            full[i] = (byte) (1 + i % 255);
        }
        for (int i = 1; i <= tables; i++) {
            assertThat(load("CF.LOADCHUNK", "f", 1 + (long) i * slots, full)).isEqualTo("+OK⏎");
        }
        wire.call("MULTI");
        for (int i = 0; i < 1_000; i++) {
            wire.call("CF.DEL", "f", "item-" + i);
        }
        assertThat(wire.call("EXEC")).startsWith("*1000⏎:").endsWith("send fewer of them per transaction⏎");
        assertThat(wire.call("CF.EXISTS", "f", "item-1000")).startsWith(":");
    }

    private String load(String command, String key, long position, byte[] data) throws IOException {
        return Wire.text(wire.callBytes(Wire.raw(command), Wire.raw(key), Wire.raw(Long.toString(position)), data));
    }

    /** Links of one shape that do not fit are compared each with each. */
    @Test
    void filtersOfManyLinksOfOneShape() throws IOException {
        int links = 1_500;
        int linkBytes = 16 << 10;
        ByteBuffer header = ByteBuffer.allocate(20 + 53 * links).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(0).putInt(links).putInt(5).putInt(2);
        for (int i = 0; i < links; i++) {
            header.putLong(linkBytes).putLong(8L * linkBytes).putLong(0);
            header.putDouble(0.5).putDouble(1).putInt(1).putLong(0).put((byte) 0);
        }
        assertThat(load("BF.LOADCHUNK", "a", 1, header.array())).isEqualTo("+OK⏎");
        assertThat(load("BF.LOADCHUNK", "b", 1, header.array())).isEqualTo("+OK⏎");
        assertThat(wire.call("BF.MERGE", "c", "a", "b"))
                .isEqualTo("-ERR 'bf.merge' would take more than the 268435456 steps of one command: merge filters of"
                        + " fewer sub-filters⏎");
        assertThat(wire.call("EXISTS", "c")).isEqualTo(":0⏎");
    }

    /** Each copy moved all that were there: a command took minutes, and as long again to take back what did not fit. */
    @Test
    void copiesInAQuotientFilter() throws IOException {
        assertThat(wire.call("QF.RESERVE", "q", "0.01", "2000000")).isEqualTo("+OK⏎");
        assertThat(repeated(900_000, "x", "QF.MADD", "q"))
                .isEqualTo(
                        "-ERR 'qf.madd' would take more than the 268435456 steps of one command: send fewer copies of"
                                + " an item⏎");
        assertThat(wire.call("QF.COUNT", "q", "x")).isEqualTo(":0⏎");
        assertThat(repeated(20_000, "x", "QF.MADD", "q")).startsWith("*20000⏎:1⏎:0⏎");
        assertThat(wire.call("QF.COUNT", "q", "x")).isEqualTo(":20000⏎");
        assertThat(wire.call("QF.DEL", "q", "x")).isEqualTo(":1⏎");
        assertThat(wire.call("QF.RESERVE", "full", "0.01", "10000")).isEqualTo("+OK⏎");
        assertThat(repeated(20_000, "x", "QF.MADD", "full")).isEqualTo("-ERR filter is full: use QF.GROW⏎");
        assertThat(wire.call("QF.COUNT", "full", "x")).isEqualTo(":0⏎");
        String[] different = new String[900_002];
        Arrays.setAll(different, i -> i == 0 ? "QF.MADD" : i == 1 ? "q" : "item-" + i);
        assertThat(wire.call(different)).startsWith("*900000⏎:");
    }

    /** It was refused, as each pair was counted with all that came before it. */
    @Test
    void manyPairsInATransaction() throws IOException {
        String[] words = new String[1 + 2 * 30_000];
        Arrays.setAll(words, i -> i == 0 ? "MSET" : i % 2 == 1 ? "key-" + i : "v".repeat(100));
        wire.call("MULTI");
        assertThat(wire.call(words)).isEqualTo("+QUEUED⏎");
        assertThat(wire.call("EXEC")).isEqualTo("*1⏎+OK⏎");
    }

    @Test
    void manyPlansInATransaction() throws IOException {
        wire.call("MULTI");
        for (int i = 0; i < 4_200; i++) {
            wire.call("PERHAPS.PLAN", "1000");
        }
        assertThat(wire.call("EXEC")).startsWith("*4200⏎*8⏎").endsWith("send fewer of them per transaction⏎");
    }

    @Test
    void mergesOfTheSameKeyManyTimes() throws IOException {
        assertThat(wire.call("CMS.INITBYDIM", "c", "100000", "10")).isEqualTo("+OK⏎");
        assertThat(repeated(900_000, "c", "CMS.MERGE", "c", "900000")).endsWith(TOO_MUCH);
        assertThat(wire.call("CMS.MERGE", "c", "2", "c", "c")).isEqualTo("+OK⏎");
        assertThat(wire.call("PFADD", "p", "a")).isEqualTo(":1⏎");
        assertThat(repeated(900_000, "p", "PFCOUNT")).endsWith(TOO_MUCH);
        assertThat(repeated(100, "p", "PFCOUNT")).isEqualTo(":1⏎");
        assertThat(wire.call("BF.RESERVE", "b", "0.01", "1000000")).isEqualTo("+OK⏎");
        assertThat(repeated(900_000, "b", "BF.MERGE", "b")).endsWith(TOO_MUCH);
        assertThat(wire.call("RANGE.CREATE", "r", "0.01")).isEqualTo("+OK⏎");
        assertThat(repeated(900_000, "r", "RANGE.MERGE", "r")).endsWith(TOO_MUCH);
    }

    @Test
    void copiesInACuckooFilterThatDisplacesForLong() throws IOException {
        assertThat(wire.call("CF.RESERVE", "f", "1024", "MAXITERATIONS", "65535", "EXPANSION", "0"))
                .isEqualTo("+OK⏎");
        assertThat(repeated(900_000, "x", "CF.INSERT", "f", "ITEMS")).endsWith(TOO_MUCH);
        assertThat(wire.call("CF.INFO", "f")).contains("Number of items inserted⏎:0⏎");
        assertThat(repeated(1_000, "x", "CF.INSERT", "f", "ITEMS")).startsWith("*1000⏎:1⏎");
        assertThat(repeated(900_000, "x", "CF.INSERT", "usual", "ITEMS")).startsWith("*900000⏎:1⏎");
    }

    /** A new sub-filter for each item, and each of them asked for each item. */
    @Test
    void itemsInABloomFilterOfManyParts() throws IOException {
        assertThat(repeated(900_000, "x", "BF.INSERT", "b", "CAPACITY", "1", "EXPANSION", "1", "ITEMS"))
                .endsWith(TOO_MUCH);
        assertThat(wire.call("EXISTS", "b")).isEqualTo(":0⏎");
        assertThat(repeated(900_000, "x", "BF.MADD", "usual")).startsWith("*900000⏎:1⏎:0⏎");
    }

    @Test
    void queriesOfALargeDigest() throws IOException {
        assertThat(wire.call("TDIGEST.CREATE", "t", "COMPRESSION", "100000")).isEqualTo("+OK⏎");
        String[] add = new String[100_002];
        Arrays.setAll(add, i -> i == 0 ? "TDIGEST.ADD" : i == 1 ? "t" : Integer.toString(i));
        assertThat(wire.call(add)).isEqualTo("+OK⏎");
        assertThat(repeated(900_000, "0.5", "TDIGEST.QUANTILE", "t")).endsWith(TOO_MUCH);
        assertThat(repeated(900_000, "5", "TDIGEST.RANK", "t")).endsWith(TOO_MUCH);
        assertThat(wire.call("TDIGEST.QUANTILE", "t", "0.5", "0.99")).startsWith("*2⏎");
    }

    @Test
    void numbersInRangesOfManyRows() throws IOException {
        assertThat(wire.call("RANGE.CREATE", "r", "0.1", "CONFIDENCE", "0.999999999999"))
                .isEqualTo("+OK⏎");
        assertThat(repeated(900_000, "5", "RANGE.ADD", "r")).endsWith(TOO_MUCH);
        assertThat(wire.call("RANGE.ADD", "r", "5", "6")).isEqualTo(":2⏎");
    }

    @Test
    void itemsInCountsAndListsOfAWindow() throws IOException {
        assertThat(wire.call("CMS.INITBYDIM", "c", "10", "64", "WINDOW", "1h")).isEqualTo("+OK⏎");
        assertThat(repeated(900_000, "1", "CMS.INCRBY", "c")).endsWith(TOO_MUCH);
        assertThat(repeated(900_000, "1", "CMS.QUERY", "c")).endsWith(TOO_MUCH);
        assertThat(repeated(900_000, "c", "CMS.MERGE", "c", "900000")).endsWith(TOO_MUCH);
        assertThat(repeated(2, "1", "CMS.INCRBY", "c")).isEqualTo("*1⏎:1⏎");
        // No command makes such a list, but a file may hold it.
        SlidingTopK<byte[]> large =
                SlidingTopK.last(Duration.ofHours(1)).k(30_000).of(Key.bytes()).build();
        assertThat(Wire.text(wire.callBytes(
                        "RESTORE".getBytes(StandardCharsets.UTF_8),
                        "t".getBytes(StandardCharsets.UTF_8),
                        "0".getBytes(StandardCharsets.UTF_8),
                        DumpIT.payload(6, large.toBytes()))))
                .isEqualTo("+OK⏎");
        String refused = "-ERR 'topk.list' would take more than the 268435456 steps of one command: make a list with a"
                + " smaller k⏎";
        assertThat(wire.call("TOPK.LIST", "t")).isEqualTo(refused);
        assertThat(wire.call("TOPK.QUERY", "t", "a")).isEqualTo(refused.replace("list' would", "query' would"));
        assertThat(wire.call("TOPK.COUNT", "t", "a")).isEqualTo("*1⏎:0⏎");
        assertThat(wire.call("DEL", "t")).isEqualTo(":1⏎");
        assertThat(wire.call("CONFIG", "SET", "maxmemory", "400000000")).isEqualTo("+OK⏎");
        assertThat(wire.call("TOPK.RESERVE", "t", "25000", "WINDOW", "1h")).isEqualTo("+OK⏎");
        assertThat(wire.call("TOPK.LIST", "t")).isEqualTo("*0⏎");
    }

    /** Thousands of documents that are alike: each is compared with each. */
    @Test
    void documentsThatAreAllAlike() throws IOException {
        wire.call("SIM.RESERVE", "s");
        wire.call("SIM.RESERVE", "wide", "THRESHOLD", "0.05", "COMPONENTS", "1024");
        addDocuments("s", 2_000, "");
        addDocuments("wide", 8_192, "i");
        String refused =
                " would take more than the 268435456 steps of one command: make an index with a higher threshold";
        assertThat(wire.call("SIM.CLUSTERS", "s"))
                .isEqualTo("-ERR 'sim.clusters'" + refused + ", or use perhaps dedup⏎");
        assertThat(wire.call("SIM.QUERY", "wide", "ID", "d0")).isEqualTo("-ERR 'sim.query'" + refused + "⏎");
        assertThat(wire.call("SIM.QUERY", "wide", "SET", "same", "i0")).isEqualTo("-ERR 'sim.query'" + refused + "⏎");
        assertThat(wire.call("SIM.QUERY", "s", "COUNT", "1", "SET", "same")).isEqualTo("*1⏎*2⏎$2⏎d0⏎$1⏎1⏎");
        assertThat(repeated(900_000, "d1", "SIM.REM", "s")).endsWith(TOO_MUCH);
        assertThat(wire.call("SIM.REM", "s", "d1", "d2", "d1")).isEqualTo(":2⏎");
        // Each of them is allowed; a transaction holds the locks for all.
        wire.call("MULTI");
        for (int i = 0; i < 20_000; i++) {
            wire.send(Wire.request(Wire.bytes("SIM.QUERY", "s", "COUNT", "1", "SET", "same")));
        }
        for (int i = 0; i < 20_000; i++) {
            wire.read();
        }
        assertThat(wire.call("EXEC")).startsWith("*20000⏎*1⏎").endsWith("send fewer of them per transaction⏎");
    }

    /** Documents of two items: the same one, and one of their own if that has a name. */
    private void addDocuments(String key, int count, String own) throws IOException {
        for (int i = 0; i < count; i++) {
            wire.send(
                    Wire.request(Wire.bytes("SIM.ADD", key, "d" + i, "SET", "same", own.isEmpty() ? "same" : own + i)));
        }
        for (int i = 0; i < count; i++) {
            assertThat(wire.read()).isEqualTo(":1⏎");
        }
    }

    @Test
    void aPatternOfManyStarsAgainstALongName() throws IOException {
        wire.call("SET", "a".repeat(8 << 20), "v");
        String hostile = "*" + "a".repeat(1_000) + "b";
        String refused = "-ERR to match this pattern takes more than 268435456 steps: use fewer stars, or SCAN with a"
                + " smaller COUNT⏎";
        assertThat(wire.call("KEYS", hostile)).isEqualTo(refused);
        assertThat(wire.call("SCAN", "0", "MATCH", hostile, "COUNT", "100")).isEqualTo(refused);
        assertThat(wire.call("KEYS", "*b")).isEqualTo("*0⏎");
    }

    /** Each of them is allowed: the transaction holds their locks for all. */
    @Test
    void manyLongCommandsInOneTransaction() throws IOException {
        wire.call("RING.CREATE", "r", "POINTS", "1048576");
        wire.call("BF.RESERVE", "b", "0.01", "10000000");
        wire.call("MULTI");
        for (int i = 0; i < 12; i++) {
            wire.call("RING.ADD", "r", "node");
        }
        String reply = wire.call("EXEC");
        assertThat(reply).startsWith("*12⏎$1⏎1⏎").endsWith("send fewer of them per transaction⏎");
        wire.call("MULTI");
        for (int i = 0; i < 1_000; i++) {
            wire.call("PERHAPS.STATS", "b");
        }
        assertThat(wire.call("EXEC")).startsWith("*1000⏎*16⏎").endsWith("send fewer of them per transaction⏎");
        assertThat(wire.call("RING.ADD", "r", "node")).startsWith("$1⏎");
    }
}
