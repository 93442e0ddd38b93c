package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The bytes of dumps, computed here a second time from the documented layout, and dumps that go out and come back. */
class DumpIT {
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

    /** MurmurHash64A, from its definition, byte by byte. */
    static long murmur64(byte[] data, long seed) {
        long m = 0xc6a4a7935bd1e995L;
        long h = seed ^ (data.length * m);
        int blocks = data.length / 8;
        for (int b = 0; b < blocks; b++) {
            long k = 0;
            for (int i = 0; i < 8; i++) {
                k |= (data[8 * b + i] & 0xffL) << (8 * i);
            }
            k *= m;
            k ^= k >>> 47;
            k *= m;
            h ^= k;
            h *= m;
        }
        int rest = data.length % 8;
        for (int i = rest - 1; i >= 0; i--) {
            h ^= (data[8 * blocks + i] & 0xffL) << (8 * i);
        }
        if (rest > 0) {
            h *= m;
        }
        h ^= h >>> 47;
        h *= m;
        h ^= h >>> 47;
        return h;
    }

    static byte[] bulkOf(byte[] reply) {
        String text = new String(reply, StandardCharsets.ISO_8859_1);
        int start = text.indexOf("\r\n", text.indexOf('$')) + 2;
        return Arrays.copyOfRange(reply, start, reply.length - 2);
    }

    @Test
    void aBloomDumpHasTheDocumentedBytes() throws IOException {
        try (Wire wire = new Wire(server.address())) {
            wire.call("BF.RESERVE", "b", "0.01", "100");
            String[] items = {"", "a", "hello", "exactly8", "more than eight bytes", "zwölf"};
            for (String item : items) {
                wire.callBytes(
                        "BF.ADD".getBytes(StandardCharsets.UTF_8),
                        "b".getBytes(StandardCharsets.UTF_8),
                        item.getBytes(StandardCharsets.UTF_8));
            }
            byte[] first = wire.callBytes(Wire.bytes("BF.SCANDUMP", "b", "0"));
            assertThat(Wire.text(first)).startsWith("*2⏎:1⏎$73⏎");
            double bpe = -Math.log(0.005) / 0.480453013918201;
            ByteBuffer header = ByteBuffer.allocate(73).order(ByteOrder.LITTLE_ENDIAN);
            header.putLong(items.length).putInt(1).putInt(5).putInt(2);
            header.putLong(144)
                    .putLong(1152)
                    .putLong(items.length)
                    .putDouble(0.005)
                    .putDouble(bpe);
            header.putInt(8).putLong(100).put((byte) 0);
            assertThat(bulkOf(first)).isEqualTo(header.array());

            byte[] bits = new byte[144];
            for (String item : items) {
                byte[] bytes = item.getBytes(StandardCharsets.UTF_8);
                long a = murmur64(bytes, 0xc6a4a7935bd1e995L);
                long b = murmur64(bytes, a);
                for (int i = 0; i < 8; i++) {
                    long p = Long.remainderUnsigned(a + i * b, 1152);
                    bits[(int) (p >> 3)] |= (byte) (1 << (p & 7));
                }
            }
            byte[] second = wire.callBytes(Wire.bytes("BF.SCANDUMP", "b", "1"));
            assertThat(Wire.text(second)).startsWith("*2⏎:145⏎$144⏎");
            assertThat(bulkOf(second)).isEqualTo(bits);
            assertThat(wire.call("BF.SCANDUMP", "b", "145")).isEqualTo("*2⏎:0⏎$0⏎⏎");
        }
    }

    @Test
    void aChainGoesOutAndComesBack() throws IOException {
        try (Wire wire = new Wire(server.address())) {
            wire.call("BF.RESERVE", "chain", "0.001", "50", "EXPANSION", "2");
            for (int i = 0; i < 1_000; i++) {
                wire.call("BF.ADD", "chain", "item" + i);
            }
            assertThat(wire.call("BF.INFO", "chain", "FILTERS")).isEqualTo("*1⏎:5⏎");
            String iterator = "0";
            while (true) {
                byte[] reply = wire.callBytes(Wire.bytes("BF.SCANDUMP", "chain", iterator));
                iterator = Wire.text(reply).split("⏎", -1)[1].substring(1);
                if (iterator.equals("0")) {
                    break;
                }
                assertThat(Wire.text(wire.callBytes(
                                "BF.LOADCHUNK".getBytes(StandardCharsets.UTF_8),
                                "back".getBytes(StandardCharsets.UTF_8),
                                iterator.getBytes(StandardCharsets.UTF_8),
                                bulkOf(reply))))
                        .isEqualTo("+OK⏎");
            }
            assertThat(wire.call("BF.DEBUG", "back")).isEqualTo(wire.call("BF.DEBUG", "chain"));
            assertThat(wire.callBytes(Wire.bytes("DUMP", "back")))
                    .isEqualTo(wire.callBytes(Wire.bytes("DUMP", "chain")));
            for (int i = 0; i < 1_000; i++) {
                assertThat(wire.call("BF.EXISTS", "back", "item" + i)).isEqualTo(":1⏎");
            }
        }
    }

    @Test
    void aCuckooDumpHasTheDocumentedBytes() throws IOException {
        try (Wire wire = new Wire(server.address())) {
            wire.call("CF.RESERVE", "c", "100");
            String[] items = {"", "a", "b", "hello", "hello", "hello", "exactly8", "more than eight bytes"};
            byte[] slots = new byte[128];
            for (String item : items) {
                wire.call("CF.ADD", "c", item);
                long hash = murmur64(item.getBytes(StandardCharsets.UTF_8), 0);
                long fingerprint = Long.remainderUnsigned(hash, 255) + 1;
                long[] buckets = {
                    Long.remainderUnsigned(hash, 64), Long.remainderUnsigned(hash ^ (fingerprint * 0x5bd1e995L), 64)
                };
                boolean isPlaced = false;
                for (int i = 0; i < 4 && !isPlaced; i++) {
                    int slot = (int) (2 * buckets[i / 2] + i % 2);
                    if (slots[slot] == 0) {
                        slots[slot] = (byte) fingerprint;
                        isPlaced = true;
                    }
                }
                assertThat(isPlaced).as("the items of this test need no pushes").isTrue();
            }
            ByteBuffer header = ByteBuffer.allocate(38).order(ByteOrder.LITTLE_ENDIAN);
            header.putLong(items.length).putLong(64).putLong(0).putLong(1);
            header.putShort((short) 2).putShort((short) 20).putShort((short) 1);
            byte[] first = wire.callBytes(Wire.bytes("CF.SCANDUMP", "c", "0"));
            assertThat(Wire.text(first)).startsWith("*2⏎:1⏎$38⏎");
            assertThat(bulkOf(first)).isEqualTo(header.array());
            byte[] second = wire.callBytes(Wire.bytes("CF.SCANDUMP", "c", "1"));
            assertThat(Wire.text(second)).startsWith("*2⏎:129⏎$128⏎");
            assertThat(bulkOf(second)).isEqualTo(slots);
            assertThat(wire.call("CF.SCANDUMP", "c", "129")).isEqualTo("*2⏎:0⏎$-1⏎");
        }
    }

    @Test
    void aCuckooFilterOfSeveralPartsGoesOutAndComesBack() throws IOException {
        try (Wire wire = new Wire(server.address())) {
            wire.call("CF.RESERVE", "parts", "64", "EXPANSION", "2");
            for (int i = 0; i < 1_000; i++) {
                assertThat(wire.call("CF.ADD", "parts", "item" + i)).isEqualTo(":1⏎");
            }
            String iterator = "0";
            while (true) {
                byte[] reply = wire.callBytes(Wire.bytes("CF.SCANDUMP", "parts", iterator));
                iterator = Wire.text(reply).split("⏎", -1)[1].substring(1);
                if (iterator.equals("0")) {
                    break;
                }
                assertThat(Wire.text(wire.callBytes(
                                "CF.LOADCHUNK".getBytes(StandardCharsets.UTF_8),
                                "again".getBytes(StandardCharsets.UTF_8),
                                iterator.getBytes(StandardCharsets.UTF_8),
                                bulkOf(reply))))
                        .isEqualTo("+OK⏎");
            }
            assertThat(wire.call("CF.DEBUG", "again")).isEqualTo(wire.call("CF.DEBUG", "parts"));
            assertThat(wire.callBytes(Wire.bytes("DUMP", "again")))
                    .isEqualTo(wire.callBytes(Wire.bytes("DUMP", "parts")));
            for (int i = 0; i < 1_000; i++) {
                assertThat(wire.call("CF.DEL", "again", "item" + i)).isEqualTo(":1⏎");
            }
            assertThat(wire.call("CF.DEBUG", "again")).contains(" items:0 ").contains(" filters:1 ");
        }
    }

    @Test
    void countsAndListsGoOutAndComeBack() throws IOException {
        try (Wire wire = new Wire(server.address())) {
            wire.call("CMS.INITBYDIM", "counts", "50", "3", "CELL_SIZE", "2");
            wire.call("TOPK.RESERVE", "list", "5", "20", "3", "0.9");
            wire.call("TDIGEST.CREATE", "digest", "COMPRESSION", "10");
            for (int i = 0; i < 500; i++) {
                wire.call("CMS.INCRBY", "counts", "item" + i % 30, Integer.toString(i % 7));
                wire.call("TOPK.INCRBY", "list", "item" + i % 40 * i % 11, Integer.toString(i % 7));
                wire.call("TDIGEST.ADD", "digest", Integer.toString(i * i % 101));
            }
            for (String key : new String[] {"counts", "list", "digest"}) {
                byte[] payload = bulkOf(wire.callBytes(Wire.bytes("DUMP", key)));
                assertThat(Wire.text(wire.callBytes(
                                "RESTORE".getBytes(StandardCharsets.UTF_8),
                                ("r" + key).getBytes(StandardCharsets.UTF_8),
                                "0".getBytes(StandardCharsets.UTF_8),
                                payload)))
                        .isEqualTo("+OK⏎");
                assertThat(bulkOf(wire.callBytes(Wire.bytes("DUMP", "r" + key))))
                        .isEqualTo(payload);
            }
            assertThat(wire.call("TOPK.LIST", "rlist", "WITHCOUNT"))
                    .isEqualTo(wire.call("TOPK.LIST", "list", "WITHCOUNT"));
            assertThat(wire.call("CMS.INFO", "rcounts")).isEqualTo(wire.call("CMS.INFO", "counts"));
        }
    }

    @Test
    void aDistinctCountGoesToAServerWithAnotherSeed() throws IOException {
        try (SketchServer other = SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .open();
                Wire wire = new Wire(server.address());
                Wire there = new Wire(other.address())) {
            for (int i = 0; i < 1_000; i++) {
                wire.call("PFADD", "visitors", "visitor " + i);
            }
            byte[] payload = bulkOf(wire.callBytes(Wire.bytes("DUMP", "visitors")));
            assertThat(Wire.text(there.callBytes(
                            "RESTORE".getBytes(StandardCharsets.UTF_8),
                            "visitors".getBytes(StandardCharsets.UTF_8),
                            "0".getBytes(StandardCharsets.UTF_8),
                            payload)))
                    .isEqualTo("+OK⏎");
            assertThat(bulkOf(there.callBytes(Wire.bytes("DUMP", "visitors")))).isEqualTo(payload);
            assertThat(there.call("PFCOUNT", "visitors")).isEqualTo(wire.call("PFCOUNT", "visitors"));
            for (int i = 0; i < 1_000; i++) {
                assertThat(there.call("PFADD", "visitors", "visitor " + i)).isEqualTo(":0⏎");
            }
            there.call("PFADD", "own", "visitor");
            assertThat(there.call("PFCOUNT", "own", "visitors")).startsWith("-ERR the keys do not fit: visitors was");
            assertThat(there.call("PFMERGE", "own", "visitors")).startsWith("-ERR the keys do not fit: visitors was");
            assertThat(there.call("PFMERGE", "copy", "visitors")).isEqualTo("+OK⏎");
            assertThat(there.call("PFCOUNT", "copy", "visitors")).isEqualTo(wire.call("PFCOUNT", "visitors"));
        }
    }

    /** What DUMP would return for a value of this type with these bytes. */
    static byte[] payload(int type, byte[] content) {
        ByteBuffer payload = ByteBuffer.allocate(9 + content.length);
        payload.put(new byte[] {(byte) 0x89, 'P', 'D', 1, (byte) type}).put(content);
        CRC32C sum = new CRC32C();
        sum.update(payload.array(), 0, payload.position());
        return payload.putInt((int) sum.getValue()).array();
    }

    @Test
    void aSmallPayloadOfALargeValueIsRefused() throws IOException {
        ByteBuffer top = ByteBuffer.allocate(48).order(ByteOrder.LITTLE_ENDIAN);
        top.putInt(1 << 24).putInt(1).putInt(1).putInt(0).putDouble(0.9);
        ByteBuffer digest = ByteBuffer.allocate(40).order(ByteOrder.LITTLE_ENDIAN);
        digest.putInt(1 << 20).putInt(0).putInt(0).putInt(0).putLong(0);
        digest.putDouble(Double.POSITIVE_INFINITY).putDouble(Double.NEGATIVE_INFINITY);
        try (SketchServer small = SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .memoryBytes(1 << 20)
                        .open();
                Wire wire = new Wire(small.address())) {
            for (byte[] payload : new byte[][] {payload(4, top.array()), payload(5, digest.array())}) {
                assertThat(Wire.text(wire.callBytes(
                                "RESTORE".getBytes(StandardCharsets.UTF_8),
                                "large".getBytes(StandardCharsets.UTF_8),
                                "0".getBytes(StandardCharsets.UTF_8),
                                payload)))
                        .isEqualTo("-ERR Bad data format⏎");
            }
            assertThat(wire.call("DBSIZE")).isEqualTo(":0⏎");
            top.putInt(0, 10);
            digest.putInt(0, 10);
            for (byte[] payload : new byte[][] {payload(4, top.array()), payload(5, digest.array())}) {
                assertThat(Wire.text(wire.callBytes(
                                "RESTORE".getBytes(StandardCharsets.UTF_8),
                                ("small" + payload.length).getBytes(StandardCharsets.UTF_8),
                                "0".getBytes(StandardCharsets.UTF_8),
                                payload)))
                        .isEqualTo("+OK⏎");
            }
        }
    }

    @Test
    void damagedHeadersAreRefused() throws IOException {
        try (Wire wire = new Wire(server.address())) {
            wire.call("BF.RESERVE", "h", "0.01", "100");
            byte[] good = bulkOf(wire.callBytes(Wire.bytes("BF.SCANDUMP", "h", "0")));
            int[][] changes = {
                {8, 0}, // no links
                {8, 2}, // two links in the length of one
                {0, 7}, // items that no link has
                {12, 16}, // an option that is not known
                {20, 1}, // bytes that are not the bits
                {28, 0}, // bits that are not the bytes
                {51, 0x7f}, // an error beyond 1
                {51, 0xbf}, // an error below 0
                {60, 9}, // hashes that do not fit the bits per item
                {72, 64} // a power of two beyond 63
            };
            for (int[] change : changes) {
                byte[] bad = good.clone();
                bad[change[0]] = (byte) change[1];
                if (change[0] == 28) {
                    bad[29] = 0;
                }
                assertThat(Wire.text(wire.callBytes(
                                "BF.LOADCHUNK".getBytes(StandardCharsets.UTF_8),
                                "bad".getBytes(StandardCharsets.UTF_8),
                                "1".getBytes(StandardCharsets.UTF_8),
                                bad)))
                        .as("byte %d = %d", change[0], change[1])
                        .isEqualTo("-ERR received bad data⏎");
            }
            byte[] huge = good.clone();
            ByteBuffer.wrap(huge)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(20, 1L << 34)
                    .putLong(28, 1L << 37);
            assertThat(Wire.text(wire.callBytes(
                            "BF.LOADCHUNK".getBytes(StandardCharsets.UTF_8),
                            "bad".getBytes(StandardCharsets.UTF_8),
                            "1".getBytes(StandardCharsets.UTF_8),
                            huge)))
                    .isEqualTo("-ERR received bad data⏎");
            assertThat(wire.call("EXISTS", "bad")).isEqualTo(":0⏎");
        }
    }

    @Test
    void dumpAndRestoreKeepValueAndTime() throws IOException {
        try (Wire wire = new Wire(server.address())) {
            wire.call("BF.MADD", "d", "x", "y");
            byte[] payload = bulkOf(wire.callBytes(Wire.bytes("DUMP", "d")));
            assertThat(Wire.text(wire.callBytes(
                            "RESTORE".getBytes(StandardCharsets.UTF_8),
                            "r".getBytes(StandardCharsets.UTF_8),
                            "100000".getBytes(StandardCharsets.UTF_8),
                            payload)))
                    .isEqualTo("+OK⏎");
            assertThat(wire.call("BF.MEXISTS", "r", "x", "y", "z")).isEqualTo("*3⏎:1⏎:1⏎:0⏎");
            assertThat(wire.call("TTL", "r")).isEqualTo(":100⏎");
            for (int i = 0; i < payload.length; i++) {
                byte[] bad = payload.clone();
                bad[i] ^= 1;
                assertThat(Wire.text(wire.callBytes(
                                "RESTORE".getBytes(StandardCharsets.UTF_8),
                                "bad".getBytes(StandardCharsets.UTF_8),
                                "0".getBytes(StandardCharsets.UTF_8),
                                bad)))
                        .startsWith("-ERR DUMP payload");
            }
        }
    }
}
