package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Where Redis puts an item, computed here a second time from the definitions: the cells of counts and top lists, and the bits of
 * Bloom filters that old servers wrote.
 */
class RedisHashesIT {
    private static final int DUMP_HEAD = 5;
    private static final int DUMP_SUM = 4;

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

    /** MurmurHash2 of 32 bits, from its definition, byte by byte; unsigned. */
    private static long murmur32(byte[] data, long seed) {
        int m = 0x5bd1e995;
        int h = (int) seed ^ data.length;
        int blocks = data.length / 4;
        for (int b = 0; b < blocks; b++) {
            int k = 0;
            for (int i = 0; i < 4; i++) {
                k |= (data[4 * b + i] & 0xff) << (8 * i);
            }
            k *= m;
            k ^= k >>> 24;
            k *= m;
            h = h * m ^ k;
        }
        int rest = data.length % 4;
        for (int i = rest - 1; i >= 0; i--) {
            h ^= (data[4 * blocks + i] & 0xff) << (8 * i);
        }
        if (rest > 0) {
            h *= m;
        }
        h ^= h >>> 13;
        h *= m;
        h ^= h >>> 15;
        return h & 0xffffffffL;
    }

    /** The number that SMHasher prints for a hash: that of the hashes of 0 to 255 growing keys. */
    @Test
    void bothHashesHaveTheirPublishedVerificationValues() {
        ByteBuffer narrow = ByteBuffer.allocate(256 * 4).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer wide = ByteBuffer.allocate(256 * 8).order(ByteOrder.LITTLE_ENDIAN);
        byte[] key = new byte[256];
        for (int i = 0; i < 256; i++) {
            key[i] = (byte) i;
            byte[] prefix = Arrays.copyOf(key, i);
            narrow.putInt((int) murmur32(prefix, 256 - i));
            wide.putLong(DumpIT.murmur64(prefix, 256 - i));
        }
        assertThat(murmur32(narrow.array(), 0)).isEqualTo(0x27864C1EL);
        assertThat((int) DumpIT.murmur64(wide.array(), 0)).isEqualTo(0x1F0D3804);
    }

    /** Items of 0 to 12 bytes, so that each length of the last block occurs, and bytes above 127. */
    private static List<byte[]> items() {
        List<byte[]> items = new ArrayList<>();
        for (int length = 0; length <= 12; length++) {
            byte[] item = new byte[length];
            for (int i = 0; i < length; i++) {
                item[i] = (byte) (37 * i + 101 * length);
            }
            items.add(item);
        }
        return items;
    }

    private static byte[] word(Object word) {
        return word instanceof byte[] bytes ? bytes : word.toString().getBytes(StandardCharsets.UTF_8);
    }

    @CanIgnoreReturnValue
    private static byte[] call(Wire wire, Object... words) throws IOException {
        return wire.callBytes(Arrays.stream(words).map(RedisHashesIT::word).toArray(byte[][]::new));
    }

    /** What DUMP has between its head and its checksum. */
    private static ByteBuffer content(Wire wire, String key) throws IOException {
        byte[] payload = DumpIT.bulkOf(call(wire, "DUMP", key));
        return ByteBuffer.wrap(payload, DUMP_HEAD, payload.length - DUMP_HEAD - DUMP_SUM)
                .slice()
                .order(ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    void countsAreInTheCellsThatRedisHasThemIn() throws IOException {
        int width = 37;
        int depth = 5;
        long[] cells = new long[width * depth];
        try (Wire wire = new Wire(server.address())) {
            call(wire, "CMS.INITBYDIM", "counts", width, depth);
            int increment = 1;
            for (byte[] item : items()) {
                call(wire, "CMS.INCRBY", "counts", item, increment);
                for (int row = 0; row < depth; row++) {
                    cells[row * width + (int) (murmur32(item, row) % width)] += increment;
                }
                increment = 3 * increment;
            }
            ByteBuffer content = content(wire, "counts");
            assertThat(content.getLong()).isEqualTo(width);
            assertThat(content.getLong()).isEqualTo(depth);
            content.position(content.position() + 12);
            for (int i = 0; i < cells.length; i++) {
                assertThat(content.getInt()).as("cell %d", i).isEqualTo((int) cells[i]);
            }
            assertThat(content.remaining()).isZero();
        }
    }

    /** With a decay of 1 every unit of another item decays a count, so that no cell depends on random numbers. */
    @Test
    void topListsHaveTheFingerprintsAndCellsOfRedis() throws IOException {
        int width = 23;
        int depth = 4;
        long[] fingerprints = new long[width * depth];
        long[] counts = new long[width * depth];
        try (Wire wire = new Wire(server.address())) {
            call(wire, "TOPK.RESERVE", "list", 3, width, depth, 1);
            int increment = 40;
            for (byte[] item : items()) {
                call(wire, "TOPK.INCRBY", "list", item, increment);
                long fingerprint = murmur32(item, 1919);
                for (int row = 0; row < depth; row++) {
                    int at = row * width + (int) (murmur32(item, row) % width);
                    if (counts[at] == 0 || fingerprints[at] == fingerprint) {
                        fingerprints[at] = fingerprint;
                        counts[at] += increment;
                    } else if (increment >= counts[at]) {
                        // The unit that takes the last count is the first of the new one.
                        fingerprints[at] = fingerprint;
                        counts[at] = increment - counts[at] + 1;
                    } else {
                        counts[at] -= increment;
                    }
                }
                increment -= 3;
            }
            ByteBuffer content = content(wire, "list");
            content.position(40);
            for (int i = 0; i < counts.length; i++) {
                assertThat(content.getInt() & 0xffffffffL)
                        .as("fingerprint %d", i)
                        .isEqualTo(fingerprints[i]);
                assertThat(content.getInt()).as("count %d", i).isEqualTo((int) counts[i]);
            }
            for (byte[] item : items()) {
                long most = 0;
                for (int row = 0; row < depth; row++) {
                    int at = row * width + (int) (murmur32(item, row) % width);
                    most = fingerprints[at] == murmur32(item, 1919) ? Math.max(most, counts[at]) : most;
                }
                assertThat(Wire.text(call(wire, "TOPK.COUNT", "list", item))).isEqualTo("*1⏎:" + most + "⏎");
            }
        }
    }

    /** The header of one link; n2 is 0 where the number of bits is no power of two. */
    private static byte[] header(int options, int bytes, long items, int hashes, long capacity, int n2) {
        double bitsPerItem = hashes / 0.693147180559945 - 0.1;
        ByteBuffer header = ByteBuffer.allocate(73).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(items).putInt(1).putInt(options).putInt(2);
        header.putLong(bytes).putLong(8L * bytes).putLong(items);
        header.putDouble(Math.exp(-bitsPerItem * 0.480453013918201)).putDouble(bitsPerItem);
        return header.putInt(hashes).putLong(capacity).put((byte) n2).array();
    }

    private static void set(byte[] bits, byte[] item, int hashes, boolean isWide, long modulus) {
        long a = isWide ? DumpIT.murmur64(item, 0xc6a4a7935bd1e995L) : murmur32(item, 0x9747b28cL);
        long b = isWide ? DumpIT.murmur64(item, a) : murmur32(item, a);
        for (int i = 0; i < hashes; i++) {
            long bit = Long.remainderUnsigned(a + i * b, modulus);
            bits[(int) (bit >> 3)] |= (byte) (1 << (bit & 7));
        }
    }

    /** Loaded, asked, added to and dumped again; 4 says hashes of 64 bits, 1 says that sizes are no powers of two. */
    @ParameterizedTest
    @CsvSource({"0, 128, 10", "1, 120, 0", "4, 128, 10", "5, 120, 0", "0, 128, 9"})
    void filtersOfOldServersGoOnAsWhatTheyAre(int options, int bytes, int n2) throws IOException {
        int hashes = 5;
        boolean isWide = (options & 4) != 0;
        long modulus = n2 > 0 ? 1L << n2 : 8L * bytes;
        List<byte[]> items = items();
        List<byte[]> loaded = items.subList(0, 8);
        byte[] bits = new byte[bytes];
        loaded.forEach(item -> set(bits, item, hashes, isWide, modulus));
        String key = "old" + options + "," + n2;
        try (Wire wire = new Wire(server.address())) {
            byte[] header = header(options, bytes, loaded.size(), hashes, 100, n2);
            assertThat(Wire.text(call(wire, "BF.LOADCHUNK", key, 1, header))).isEqualTo("+OK⏎");
            assertThat(Wire.text(call(wire, "BF.LOADCHUNK", key, 1 + bytes, bits)))
                    .isEqualTo("+OK⏎");
            for (byte[] item : loaded) {
                assertThat(Wire.text(call(wire, "BF.EXISTS", key, item))).isEqualTo(":1⏎");
            }
            for (byte[] item : items.subList(8, items.size())) {
                assertThat(Wire.text(call(wire, "BF.EXISTS", key, item))).isEqualTo(":0⏎");
                assertThat(Wire.text(call(wire, "BF.ADD", key, item))).isEqualTo(":1⏎");
                set(bits, item, hashes, isWide, modulus);
            }
            ByteBuffer.wrap(header)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(0, items.size())
                    .putLong(36, items.size());
            assertThat(DumpIT.bulkOf(call(wire, "BF.SCANDUMP", key, 0))).isEqualTo(header);
            assertThat(DumpIT.bulkOf(call(wire, "BF.SCANDUMP", key, 1))).isEqualTo(bits);
        }
    }

    /** Bits are rounded up to the next power of two, and the room that this gives counts as capacity. */
    @Test
    void anOldFilterGrowsByALinkOfAPowerOfTwo() throws IOException {
        int hashes = 5;
        try (Wire wire = new Wire(server.address())) {
            byte[] header = header(0, 128, 0, hashes, 2, 10);
            double error =
                    ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getDouble(44) / 2;
            call(wire, "BF.LOADCHUNK", "grows", 1, header);
            call(wire, "BF.LOADCHUNK", "grows", 129, new byte[128]);
            List<byte[]> items = items().subList(1, 5);
            items.forEach(item -> {
                try {
                    assertThat(Wire.text(call(wire, "BF.ADD", "grows", item))).isEqualTo(":1⏎");
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            ByteBuffer grown = ByteBuffer.wrap(DumpIT.bulkOf(call(wire, "BF.SCANDUMP", "grows", 0)))
                    .order(ByteOrder.LITTLE_ENDIAN);
            double bitsPerItem = -Math.log(error) / 0.480453013918201;
            long wanted = Math.max(64, (long) (4 * bitsPerItem));
            int n2 = 1;
            while (1L << n2 <= wanted) {
                n2++;
            }
            grown.position(73);
            assertThat(grown.getLong()).isEqualTo((1L << n2) / 8);
            assertThat(grown.getLong()).isEqualTo(1L << n2);
            assertThat(grown.getLong()).isEqualTo(2);
            assertThat(grown.getDouble()).isEqualTo(error);
            assertThat(grown.getDouble()).isEqualTo(bitsPerItem);
            int more = grown.getInt();
            assertThat(more).isEqualTo((int) Math.ceil(0.693147180559945 * bitsPerItem));
            assertThat(grown.getLong()).isEqualTo(4 + (long) (((1L << n2) - 4 * bitsPerItem) / bitsPerItem));
            assertThat(grown.get()).isEqualTo((byte) n2);
            byte[] first = new byte[128];
            items.subList(0, 2).forEach(item -> set(first, item, hashes, false, 1024));
            assertThat(DumpIT.bulkOf(call(wire, "BF.SCANDUMP", "grows", 1))).isEqualTo(first);
            byte[] second = new byte[(1 << n2) / 8];
            items.subList(2, 4).forEach(item -> set(second, item, more, false, second.length * 8L));
            assertThat(DumpIT.bulkOf(call(wire, "BF.SCANDUMP", "grows", 129))).isEqualTo(second);
        }
    }

    /** The number after "*2", and the length of the bytes after it. */
    private static long[] head(byte[] reply) {
        String head = new String(Arrays.copyOf(reply, Math.min(reply.length, 64)), StandardCharsets.ISO_8859_1);
        String[] lines = head.split("\r\n", -1);
        return new long[] {Long.parseLong(lines[1].substring(1)), Long.parseLong(lines[2].substring(1))};
    }

    /** 16 MiB and a rest, and twice exactly 16 MiB. */
    @ParameterizedTest
    @CsvSource({
        "BF, BF.RESERVE large 0.01 15000000 NONSCALING, 73, 17971992, 0",
        "CF, CF.RESERVE large 20000000, 38, 33554432, -1"
    })
    void dumpsLargerThanAPartGoOutInPartsAndComeBack(String family, String reserve, int header, long bytes, int end)
            throws IOException {
        int part = 16 << 20;
        try (Wire wire = new Wire(server.address())) {
            assertThat(wire.call(Wire.words(reserve))).isEqualTo("+OK⏎");
            for (int i = 0; i < 500; i++) {
                call(wire, family + ".ADD", "large", "item" + i);
            }
            long[][] expected = {{1, header}, {1 + part, part}, {1 + bytes, bytes - part}, {0, end}};
            long iterator = 0;
            for (long[] each : expected) {
                byte[] reply = call(wire, family + ".SCANDUMP", "large", iterator);
                assertThat(head(reply)).isEqualTo(each);
                iterator = each[0];
                if (iterator > 0) {
                    assertThat(Wire.text(call(wire, family + ".LOADCHUNK", "back", iterator, DumpIT.bulkOf(reply))))
                            .isEqualTo("+OK⏎");
                }
            }
            assertThat(wire.call(family + ".DEBUG", "back")).isEqualTo(wire.call(family + ".DEBUG", "large"));
            for (int i = 0; i < 500; i++) {
                assertThat(Wire.text(call(wire, family + ".EXISTS", "back", "item" + i)))
                        .isEqualTo(":1⏎");
            }
            assertThat(call(wire, family + ".SCANDUMP", "back", 1))
                    .isEqualTo(call(wire, family + ".SCANDUMP", "large", 1));
            wire.call("DEL", "large", "back");
        }
    }
}
