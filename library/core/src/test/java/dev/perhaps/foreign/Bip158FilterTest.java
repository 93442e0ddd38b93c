package dev.perhaps.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.sketch.FormatException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class Bip158FilterTest {
    private static final byte[] BLOCK = Bip158Filter.wireOrder("0".repeat(63) + "7");

    /** A block of the published vectors: the fields of a line. */
    record Vector(List<String> fields) {
        byte[] blockHash() {
            return Bip158Filter.wireOrder(fields.get(1));
        }

        List<byte[]> outputs() {
            return scripts(fields.get(2));
        }

        List<byte[]> spent() {
            return scripts(fields.get(3));
        }

        byte[] previousHeader() {
            return Bip158Filter.wireOrder(fields.get(4));
        }

        byte[] filter() {
            return bytes(fields.get(5));
        }

        byte[] header() {
            return Bip158Filter.wireOrder(fields.get(6));
        }

        private static List<byte[]> scripts(String field) {
            return Stream.of(field.split(",", -1))
                    .filter(script -> !script.isEmpty())
                    .map(script -> bytes(script.equals("-") ? "" : script))
                    .toList();
        }

        @Override
        public String toString() {
            return "block " + fields.get(0) + ": " + fields.get(7);
        }
    }

    static Stream<Vector> published() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(Bip158FilterTest.class.getResourceAsStream("/foreign/bip158-testnet-19.tsv"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> new Vector(List.of(line.split("\t", -1))));
        }
    }

    @Test
    void knowsAllPublishedBlocks() throws IOException {
        assertThat(published()).hasSize(10);
    }

    @ParameterizedTest
    @MethodSource("published")
    void writesThePublishedFilter(Vector vector) {
        Bip158Filter filter = Bip158Filter.ofBlock(vector.blockHash(), vector.outputs(), vector.spent());
        assertThat(filter.toBytes()).isEqualTo(vector.filter());
        assertThat(filter.sizeBytes()).isEqualTo(vector.filter().length);
    }

    @ParameterizedTest
    @MethodSource("published")
    void followsThePublishedChainOfHeaders(Vector vector) throws IOException {
        Bip158Filter filter = Bip158Filter.readFrom(vector.blockHash(), vector.filter());
        assertThat(filter.header(vector.previousHeader())).isEqualTo(vector.header());
        filter.verify(vector.previousHeader(), vector.header());
        assertThatThrownBy(() -> filter.verify(vector.header(), vector.header()))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining(
                        "does not have the header " + vector.fields().get(6));
    }

    @ParameterizedTest
    @MethodSource("published")
    void findsEveryScriptOfThePublishedBlock(Vector vector) throws IOException {
        Bip158Filter filter = Bip158Filter.readFrom(vector.blockHash(), vector.filter());
        assertThat(filter.toBytes()).isEqualTo(vector.filter());
        TreeSet<byte[]> items = new TreeSet<>(Arrays::compare);
        Stream.concat(vector.outputs().stream(), vector.spent().stream())
                .filter(script -> script.length > 0 && script[0] != 0x6A)
                .forEach(items::add);
        assertThat(filter.items()).isEqualTo(items.size());
        assertThat(items).allMatch(filter::mightContain);
        assertThat(filter.mightContainAny(items)).isEqualTo(!items.isEmpty());
    }

    @ParameterizedTest
    @MethodSource("published")
    void findsNoScriptOfAnotherPublishedBlock(Vector vector) throws IOException {
        Bip158Filter filter = Bip158Filter.readFrom(vector.blockHash(), vector.filter());
        List<byte[]> others = published()
                .filter(other -> !Arrays.equals(other.blockHash(), vector.blockHash()))
                .flatMap(other -> Stream.concat(other.outputs().stream(), other.spent().stream()))
                .toList();
        assertThat(others).noneMatch(filter::mightContain);
        assertThat(filter.mightContainAny(others)).isFalse();
    }

    @Test
    void answersAllAtOnceAsOneByOne() {
        List<byte[]> items = items(2_000, 1);
        Bip158Filter filter = Bip158Filter.of(BLOCK, items);
        assertThat(items).allMatch(filter::mightContain);
        for (int i = 0; i < 50; i++) {
            List<byte[]> asked = new ArrayList<>(items(20, 100 + i));
            assertThat(filter.mightContainAny(asked)).isEqualTo(asked.stream().anyMatch(filter::mightContain));
            asked.set(i % 20, items.get(i * 17));
            assertThat(filter.mightContainAny(asked)).isTrue();
        }
        assertThat(filter.mightContainAny(List.of())).isFalse();
    }

    @Test
    void countsEqualItemsOnceAndMindsNoOrder() {
        List<byte[]> items = items(50, 2);
        List<byte[]> shuffled = new ArrayList<>(items);
        Collections.shuffle(shuffled, new Random(3));
        shuffled.addAll(items(20, 2));
        assertThat(Bip158Filter.of(BLOCK, shuffled).toBytes())
                .isEqualTo(Bip158Filter.of(BLOCK, items).toBytes());
        assertThat(Bip158Filter.of(BLOCK, shuffled).items()).isEqualTo(50);
    }

    @Test
    void takesAbout21BitsAnItem() {
        Bip158Filter filter = Bip158Filter.of(BLOCK, items(10_000, 4));
        assertThat(filter.sizeBytes() * 8 / 10_000.0).isBetween(20.9, 21.3);
        assertThat(filter.toString()).contains("10,000 items", "KiB", "one error in 784,931");
        assertThat(Bip158Filter.of(BLOCK, List.of()).toBytes()).containsExactly(0);
        assertThat(Bip158Filter.of(BLOCK, List.of()).mightContain(new byte[0])).isFalse();
    }

    /** n = 8,000,000 questions, 10.2 errors expected; outside [1, 25] with α = 8·10⁻⁵ for a Poisson number. */
    @Test
    void errsOncePer784931() {
        Bip158Filter filter = Bip158Filter.of(BLOCK, items(1, 5));
        byte[] asked = new byte[8];
        ByteBuffer counter = ByteBuffer.wrap(asked);
        int found = 0;
        for (long i = 0; i < 8_000_000; i++) {
            counter.putLong(0, i);
            found += filter.mightContain(asked) ? 1 : 0;
        }
        assertThat(found).isBetween(1, 25);
    }

    @Test
    void refusesHashesOfAnotherLength() {
        assertThatThrownBy(() -> Bip158Filter.of(new byte[16], List.of()))
                .hasMessage("blockHash must have 32 bytes, got 16");
        assertThatThrownBy(() -> Bip158Filter.readFrom(new byte[33], new byte[1]))
                .hasMessage("blockHash must have 32 bytes, got 33");
        assertThatThrownBy(() -> Bip158Filter.of(BLOCK, List.of()).header(new byte[0]))
                .hasMessage("previousHeader must have 32 bytes, got 0");
        assertThatThrownBy(() -> Bip158Filter.wireOrder("00ff"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("64 hexadecimal digits, got 4");
        assertThatThrownBy(() -> Bip158Filter.wireOrder("g".repeat(64))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesMalformedBytes() {
        checkRefused("", "cut short in the number of items");
        checkRefused("0000", "something follows after its 0 items");
        checkRefused("01", "the number of items is 1, and at most 0 is possible");
        checkRefused("019dfc", "cut short in item 1 of 1");
        checkRefused("019dfca800", "something follows after its 1 items");
        checkRefused("019dfca801", "something follows");
        checkRefused("01ffffff", "cut short in item 1 of 1");
        checkRefused("01e00000", "item 1 of 1 has the value 1572864, and all must be below 784931");
        checkRefused("feffffffff9dfca8", "the number of items is 4294967295, and at most 3");
        checkRefused("ffffffffffffffffff9dfca8", "the number of items is 18446744073709551615");
        checkRefused("fd01009dfca8", "written in 3 bytes instead of 1");
    }

    private static void checkRefused(String filter, String message) {
        assertThatThrownBy(() -> Bip158Filter.readFrom(BLOCK, bytes(filter)))
                .as(filter)
                .isInstanceOf(FormatException.class)
                .hasMessageContaining(message);
    }

    @Test
    void refusesOrKeepsEveryCorruption() throws IOException {
        byte[] good = Bip158Filter.of(BLOCK, items(300, 6)).toBytes();
        int refused = Damage.refused(good, 7, bytes -> Bip158Filter.readFrom(BLOCK, bytes), Bip158Filter::toBytes);
        // Of what cuts, appends or hits the number of items, all; of what hits a gap, little.
        assertThat(refused).isBetween(500, 900);
    }

    @Test
    void refusesEveryCorruptionWhenHeldAgainstItsHeader() throws IOException {
        Bip158Filter filter = Bip158Filter.of(BLOCK, items(300, 6));
        byte[] header = filter.header(BLOCK);
        int refused = Damage.refused(
                filter.toBytes(),
                8,
                bytes -> {
                    Bip158Filter read = Bip158Filter.readFrom(BLOCK, bytes);
                    read.verify(BLOCK, header);
                    return read;
                },
                Bip158Filter::toBytes);
        assertThat(refused).isEqualTo(1_000);
    }

    private static List<byte[]> items(int count, long seed) {
        Random random = new Random(seed);
        return Stream.generate(() -> {
                    byte[] item = new byte[25];
                    random.nextBytes(item);
                    return item;
                })
                .limit(count)
                .toList();
    }

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }
}
