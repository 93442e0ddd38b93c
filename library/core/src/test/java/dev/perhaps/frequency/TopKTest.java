package dev.perhaps.frequency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.perhaps.Perhaps;
import dev.perhaps.frame.Frame;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TopKTest {
    @TempDir
    private Path folder;

    @Test
    void ranksByCountAndCountsExactlyWhileAllFit() {
        TopK<String> words = TopK.of(2).build();
        for (String word : List.of("to", "be", "or", "not", "to", "be", "to")) {
            words.add(word);
        }
        words.add("nothing", 0);
        assertThat(words.top()).containsExactly(new TopK.Ranked<>("to", 3, 3), new TopK.Ranked<>("be", 2, 2));
        assertThat(words.top(9)).hasSize(4).allMatch(TopK.Ranked::isExact);
        assertThat(words.top(0)).isEmpty();
        assertThat(words.atLeast("or")).isEqualTo(1);
        assertThat(words.estimate("question")).isZero();
        assertThat(words.missed()).isZero();
        assertThat(words.total()).isEqualTo(7);
    }

    /** A key that stays from the first event on is counted exactly, whatever washes past. */
    @Test
    void countsExactlyWhoNeverLeft() {
        TopLongs top = TopLongs.of(TopK.of(3).capacity(100));
        for (long event = 0; event < 300_000; event++) {
            top.add(event % 10 == 0 ? 1 : 1_000 + event, 1L);
        }
        assertThat(top.top(1)).containsExactly(new TopK.Ranked<>(1L, 30_000, 30_000));
        assertThat(top.missed()).isBetween(1_000L, 6_000L);
    }

    @Test
    void keepsEveryTypeOfValue() throws IOException {
        keeps(Key.longs(), 7L, Long.MIN_VALUE);
        keeps(Key.ints(), 7, -1);
        keeps(Key.strings(), "Zürich", "");
        keeps(Key.uuids(), new UUID(1, 2), new UUID(2, 1));
        keeps(Key.addresses(), InetAddress.getByName("192.0.2.7"), InetAddress.getByName("2001:db8::1"));
    }

    private <T> void keeps(Key.Stored<T> key, T frequent, T rare) throws IOException {
        TopK<T> top = TopK.of(2).of(key).build();
        top.add(frequent, 3);
        top.add(rare);
        Path file = folder.resolve("top");
        top.save(file);
        List<TopK.Ranked<T>> expected = List.of(new TopK.Ranked<>(frequent, 3, 3), new TopK.Ranked<>(rare, 1, 1));
        assertThat(top.top()).isEqualTo(expected);
        assertThat(TopK.open(file, key).top()).isEqualTo(expected);
        assertThat(Perhaps.open(file).describe()).isEqualTo(top.describe());
    }

    @Test
    void countsBytesInABufferAsTheStringsTheyAre() throws IOException {
        byte[] buffer = "GET /a\nGET /b\nGET /a\n".getBytes(StandardCharsets.UTF_8);
        TopBytes lines = TopBytes.of(TopK.of(2));
        lines.add(buffer, 0, 6, 1);
        lines.add(buffer, 7, 13, 1);
        lines.add(buffer, 14, 20, 1);
        buffer[5] = '?';
        assertThat(lines.top())
                .extracting(line -> new String(line.value(), StandardCharsets.UTF_8))
                .containsExactly("GET /a", "GET /b");
        Path file = folder.resolve("lines");
        lines.save(file);
        assertThat(TopK.open(file, Key.strings()).top())
                .containsExactly(new TopK.Ranked<>("GET /a", 2, 2), new TopK.Ranked<>("GET /b", 1, 1));
    }

    @Test
    void allocatesNothingForWhatIsThere() {
        TopBytes lines = TopBytes.of(TopK.of(2));
        TopLongs longs = TopLongs.of(TopK.of(2));
        byte[] buffer = "the same line again and again".getBytes(StandardCharsets.UTF_8);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 10_000; i++) {
                lines.add(buffer, 4, 13, 1);
                longs.add(4711L, 2L);
            }
            allocated = Math.min(allocated, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(allocated).isLessThan(1_000);
    }

    /** 200,000 events of Zipf(1.1) over 100,000 values: 2,000 counters find all of the true top 50. */
    @Test
    void findsTheTopOfASkewedStream() {
        long[] stream = Streams.zipf(200_000, 100_000, 1.1, 5);
        Map<Long, Long> truth = Streams.counts(stream);
        TopLongs top = TopLongs.of(TopK.of(50).capacity(2_000));
        top.addAll(stream, 0, stream.length);
        List<Long> best = truth.entrySet().stream()
                .sorted(Map.Entry.<Long, Long>comparingByValue().reversed())
                .limit(45)
                .map(Map.Entry::getKey)
                .toList();
        assertThat(top.top()).extracting(TopK.Ranked::value).containsAll(best);
        TopKProperty.assertWithin(top, truth);
    }

    @Test
    void fitsIntoTheMemoryItWasGiven() {
        TopK.Plan<Long> plan = TopK.of(100).memoryBytes(18_432).of(Key.longs());
        assertThat(plan.sizeBytes()).isBetween(18_400L, 18_432L);
        assertThat(plan.build().sizeBytes()).isEqualTo(plan.sizeBytes());
        assertThat(plan.capacity()).isEqualTo(plan.build().capacity()).isBetween(700, 800);
        assertThat(TopK.of(100).capacity()).isEqualTo(2_000);
        assertThat(TopK.of(1).capacity()).isEqualTo(1_000);
    }

    @Test
    void mergesListsOfDifferentCapacity() {
        TopK<String> large = TopK.of(2).capacity(10).build();
        TopK<String> small = TopK.of(2).capacity(2).build();
        for (String word : List.of("a", "a", "a", "a", "b", "b", "b", "c", "c", "d")) {
            large.add(word);
            small.add(word);
        }
        assertThat(large.fits(small)).isTrue();
        large.merge(small);
        assertThat(large.total()).isEqualTo(20);
        TopKProperty.assertWithin(large, Map.of("a", 8L, "b", 6L, "c", 4L, "d", 2L));
        large.merge(large);
        TopKProperty.assertWithin(large, Map.of("a", 16L, "b", 12L, "c", 8L, "d", 4L));
    }

    /** Where all are equal and too many, none is known better than what is missed says of it. */
    @Test
    void opensAListThatAMergeLeftEmpty() throws IOException {
        TopK<String> one = TopK.of(1).capacity(2).build();
        TopK<String> other = TopK.of(1).capacity(2).build();
        for (String word : List.of("a", "b")) {
            one.add(word);
            other.add(word + word);
        }
        one.merge(other);
        assertThat(one.size()).isZero();
        assertThat(one.missed()).isEqualTo(1);
        Path file = folder.resolve("empty");
        one.save(file);
        TopKProperty.assertWithin(TopK.open(file, Key.strings()), Map.of("a", 1L, "b", 1L, "aa", 1L, "bb", 1L));
    }

    @Test
    void refusesCountsItCannotHoldAndStaysAsItIs() {
        TopK<String> top = TopK.of(1).build();
        top.add("a", Long.MAX_VALUE - 1);
        assertThatThrownBy(() -> top.add("a", 2)).hasMessageContaining("sum up to more than");
        assertThatThrownBy(() -> top.add("b", -1)).hasMessageContaining("count must be 0 or more, got -1");
        assertThatThrownBy(() -> top.merge(top)).hasMessageContaining("sum up to more than");
        assertThat(top.top()).containsExactly(new TopK.Ranked<>("a", Long.MAX_VALUE - 1, Long.MAX_VALUE - 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MAX_VALUE})
    void refusesAKThatCannotBe(int k) {
        assertThatThrownBy(() -> TopK.of(k)).hasMessageContaining("k must be in [1, 268435456], got " + k);
    }

    @Test
    void refusesPlansThatHoldLessThanK() {
        assertThatThrownBy(() -> TopK.of(10).capacity(9)).hasMessageContaining("capacity must be in [k = 10,");
        assertThatThrownBy(() -> TopK.of(10).memoryBytes(100).build())
                .hasMessageContaining("memoryBytes must be at least");
        assertThatThrownBy(() -> TopK.of(10).memoryBytes(0)).hasMessageContaining("got 0");
        assertThatThrownBy(() -> TopK.of(10).build().top(-1)).hasMessageContaining("got -1");
    }

    /** k, capacity, kept, total, missed; then bounds of one value. */
    @ParameterizedTest
    @CsvSource({
        "1, 2, 1, 9, 3, 5, 8, ''",
        "0, 2, 1, 9, 3, 5, 8, k 0",
        "3, 2, 1, 9, 3, 5, 8, k 3",
        "1, 0, 1, 9, 3, 5, 8, capacity 0",
        "1, 2, 3, 9, 3, 5, 8, kept values 3",
        "1, 2, 1, -1, 3, 5, 8, a total of -1",
        "1, 2, 1, 9, 10, 5, 8, missed 10",
        "1, 2, 1, 9, 3, 5, 10, a count of 10",
        "1, 2, 1, 9, 3, 5, 4, a count of at least 5",
        "1, 2, 1, 9, 3, 4, 8, a count of at least 4",
        "1, 2, 1, 9, 3, 0, 0, a count of 0"
    })
    void refusesAFileThatContradictsItself(
            long k, long capacity, long kept, long total, long missed, long least, long most, String refusal)
            throws IOException {
        byte[] file = file(16 + 8, k, capacity, kept, total, missed, least, most);
        if (refusal.isEmpty()) {
            assertThat(TopK.readFrom(new ByteArrayInputStream(file), Key.longs(), 100)
                            .top())
                    .containsExactly(new TopK.Ranked<>(5L, least, most));
        } else {
            assertThatThrownBy(() -> TopK.readFrom(new ByteArrayInputStream(file), Key.longs(), 100))
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining(refusal);
        }
    }

    @Test
    void refusesAValueTwiceAndValuesThatAreCutShort() throws IOException {
        TopK<Long> top = TopK.of(1).capacity(4).of(Key.longs()).build();
        top.add(5L);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Frame.of(Kind.TOP, Key.longs(), 48, 1, 4, 2, 9, 3).write(out, payload -> {
            payload.longs(new long[] {1, 4, 2, 3});
            payload.bytes(new byte[16]);
        });
        assertThatThrownBy(() -> Perhaps.readFrom(new ByteArrayInputStream(out.toByteArray()), 100))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("the same value twice");
        assertThatThrownBy(() ->
                        TopK.readFrom(new ByteArrayInputStream(file(16 + 7, 1, 2, 1, 9, 3, 5, 8)), Key.longs(), 100))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("value 0 of 1 cannot be read");
        assertThatThrownBy(() ->
                        TopK.readFrom(new ByteArrayInputStream(file(16 + 9, 1, 2, 1, 9, 3, 5, 8)), Key.longs(), 100))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("1 bytes are left");
    }

    /** One value of more than 1 MiB, and the list could neither be described nor saved: all that it had counted was lost. */
    @Test
    void savesValuesOfAnyLength() throws IOException {
        TopK<String> top = TopK.of(3).build();
        HeavyHitters<String> heavy = HeavyHitters.atLeast(0.1).build();
        for (int length : new int[] {0, 1, 65_535, 65_536, 65_537, 200_000, 3_000_000}) {
            top.add("x".repeat(length), 1 + length);
            heavy.add("x".repeat(length), 1);
        }
        assertThat(top.describe().toString()).contains("kept");
        assertThat(TopK.fromBytes(top.toBytes(), Key.strings()).top()).isEqualTo(top.top());
        assertThat(HeavyHitters.fromBytes(heavy.toBytes(), Key.strings()).heavy())
                .isEqualTo(heavy.heavy());
    }

    /** The list's own array was handed out: who changed it changed what was counted, and heavy hitters lost it. */
    @Test
    void bytesThatAreReturnedAreTheCallersToChange() throws IOException {
        byte[] value = {1, 2, 3};
        TopK<byte[]> top = TopK.of(3).of(Key.bytes()).build();
        TinyTopK<byte[]> tiny = TinyTopK.of(3).of(Key.bytes()).build();
        HeavyHitters<byte[]> heavy = HeavyHitters.atLeast(0.1).of(Key.bytes()).build();
        top.add(value, 5);
        tiny.add(value, 5);
        heavy.add(value, 5);
        top.top().get(0).value()[0] = 9;
        tiny.top().get(0).value()[0] = 9;
        heavy.heavy().get(0).value()[0] = 9;
        assertThat(top.atLeast(value)).isEqualTo(5);
        assertThat(top.top().get(0).value()).containsExactly(1, 2, 3);
        assertThat(tiny.estimate(value)).isEqualTo(5);
        assertThat(tiny.top().get(0).value()).containsExactly(1, 2, 3);
        assertThat(heavy.contains(value)).isTrue();
        assertThat(HeavyHitters.fromBytes(heavy.toBytes(), Key.bytes()).contains(value))
                .isTrue();
        assertThat(TinyTopK.fromBytes(tiny.toBytes(), Key.bytes()).estimate(value))
                .isEqualTo(5);
    }

    private static byte[] file(
            int payloadBytes, long k, long capacity, long kept, long total, long missed, long least, long most)
            throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Frame.of(Kind.TOP, Key.longs(), payloadBytes, k, capacity, kept, total, missed)
                .write(out, payload -> {
                    payload.longs(new long[] {least, most});
                    byte[] value = new byte[payloadBytes - 16];
                    value[Math.min(7, value.length - 1)] = 5;
                    payload.bytes(value);
                });
        return out.toByteArray();
    }
}
