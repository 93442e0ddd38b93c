package dev.perhaps.frequency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.Perhaps;
import dev.perhaps.frame.Frame;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TinyTopKTest {
    @TempDir
    private Path folder;

    /**
     * Eleven streams of 300,000 events of Zipf(1.1) over 100,000 values, in 5,120 bytes. The 100th value comes about 260 times and
     * the 110th 230, so an honest estimate may swap a few: the median recall must reach 0.9, and none may fall below 0.8.
     * The first 20 came over 1,300 times each; their estimates must be within 10 %, which is no promise, but the point of it.
     */
    @Test
    void findsTheTopHundredInFiveKilobytes() {
        double[] recalls = new double[11];
        for (int seed = 0; seed < recalls.length; seed++) {
            long[] stream = Streams.zipf(300_000, 100_000, 1.1, seed);
            TinyTopK<Long> top = TinyTopK.of(100)
                    .memoryBytes(5_120)
                    .of(Key.longs().seeded(seed))
                    .build();
            assertThat(top.sizeBytes()).isLessThanOrEqualTo(5_120);
            for (long value : stream) {
                top.add(value);
            }
            Map<Long, Long> truth = Streams.counts(stream);
            recalls[seed] = recall(top, truth);
            for (Estimated<Long> one : top.top().subList(0, 20)) {
                double ratio = (double) one.estimate() / truth.getOrDefault(one.value(), 0L);
                assertThat(ratio).as("%s of stream %d", one, seed).isBetween(0.9, 1.1);
            }
        }
        Arrays.sort(recalls);
        assertThat(recalls[recalls.length / 2]).isGreaterThanOrEqualTo(0.9);
        assertThat(recalls[0]).isGreaterThanOrEqualTo(0.8);
    }

    private static double recall(TinyTopK<Long> top, Map<Long, Long> truth) {
        List<Long> best = truth.entrySet().stream()
                .sorted(Map.Entry.<Long, Long>comparingByValue().reversed())
                .limit(top.k())
                .map(Map.Entry::getKey)
                .toList();
        return top.top().stream().filter(one -> best.contains(one.value())).count() / (double) top.k();
    }

    @Test
    void countsExactlyWhileALineHasRoom() {
        TinyTopK<String> words = TinyTopK.of(3).memoryBytes(256).build();
        words.add("to", 4);
        words.add("be");
        words.add("to", 3);
        words.add("or", 0);
        assertThat(words.top()).containsExactly(new Estimated<>("to", 7), new Estimated<>("be", 1));
        assertThat(words.estimate("or")).isZero();
        assertThat(words.total()).isEqualTo(8);
        assertThat(words.describe().toString()).containsPattern("bounded +no");
    }

    @Test
    void mergesBySumsAndKeepsTheLarger() {
        TinyTopK<Long> left = TinyTopK.of(4).memoryBytes(256).of(Key.longs()).build();
        TinyTopK<Long> right = TinyTopK.of(4).memoryBytes(256).of(Key.longs()).build();
        for (long i = 1; i <= 16; i++) {
            left.add(i, 10 * i);
            right.add(i + 8, 5);
        }
        left.merge(right);
        assertThat(left.total()).isEqualTo(1360 + 80);
        assertThat(left.top())
                .containsExactly(
                        new Estimated<>(16L, 165),
                        new Estimated<>(15L, 155),
                        new Estimated<>(14L, 145),
                        new Estimated<>(13L, 135));
        assertThat(left.estimate(20L)).isZero();
        assertThat(left.estimate(1L)).isEqualTo(10);
        assertThatThrownBy(() -> left.merge(
                        TinyTopK.of(4).memoryBytes(512).of(Key.longs()).build()))
                .hasMessageContaining("capacity 16 against 32");
    }

    @Test
    void keepsBytesApartFromTheBufferTheyCameIn() throws IOException {
        TinyTopK<byte[]> lines = TinyTopK.of(2).of(Key.bytes()).build();
        byte[] line = "line".getBytes(StandardCharsets.UTF_8);
        lines.add(line);
        line[0] = 'f';
        Path file = folder.resolve("lines");
        lines.save(file);
        assertThat(TinyTopK.open(file, Key.strings()).top()).containsExactly(new Estimated<>("line", 1));
        assertThat(Perhaps.open(file).kind()).isEqualTo(Kind.TINY_TOP);
    }

    @Test
    void refusesWhatCannotBe() {
        assertThatThrownBy(() -> TinyTopK.of(0)).hasMessageContaining("got 0");
        assertThatThrownBy(() -> TinyTopK.of(100).memoryBytes(1_599)).hasMessageContaining("must be at least 1792");
        TinyTopK<String> top = TinyTopK.of(1).build();
        top.add("a", Long.MAX_VALUE);
        assertThatThrownBy(() -> top.add("a", 1)).hasMessageContaining("total below 2^63");
        assertThatThrownBy(() -> top.add("a", -2)).hasMessageContaining("got -2");
    }

    @Test
    void refusesAValueInAWrongPlace() throws IOException {
        refuses("a count of 9", 1, new long[] {9}, 1);
        refuses("do not stand where they belong", 1, new long[] {0, 1}, 1);
        refuses("do not stand where they belong", 1, new long[] {1, 1}, 2);
        refuses("k 17", 17, new long[] {1}, 1);
        refuses("cannot be read", 1, new long[] {1, 1}, 1);
    }

    private static void refuses(String why, int k, long[] counts, int values) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Frame.of(Kind.TINY_TOP, Key.longs(), 128 + 8L * values, k, 1, 8, 1).write(out, payload -> {
            payload.longs(Arrays.copyOf(counts, 16));
            payload.bytes(new byte[8 * values]);
        });
        assertThatThrownBy(() -> Perhaps.readFrom(new ByteArrayInputStream(out.toByteArray()), 1_000))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining(why);
    }
}
