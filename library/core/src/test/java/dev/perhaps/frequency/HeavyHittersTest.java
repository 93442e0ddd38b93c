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
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class HeavyHittersTest {
    @TempDir
    private Path folder;

    /**
     * 1,000 streams in each order, of uniform to steep frequencies. Every value of n/k or more must be reported, without exception.
     * A reported value falls short of n/k - n/(2k) with chance δ = 1 % at most, and only then may the list pass 2k: of those
     * reported, no more than δ; of the lists, no more than δ · 2k.
     */
    @ParameterizedTest
    @EnumSource(Streams.Order.class)
    void reportsAllThatAreHeavyAndNoneThatAreFarFromIt(Streams.Order order) {
        long reported = 0;
        long wrong = 0;
        long tooLong = 0;
        for (int run = 0; run < 1_000; run++) {
            SplittableRandom random = new SplittableRandom(run);
            int k = random.nextInt(2, 30);
            int events = random.nextInt(1, 2_000);
            long[] stream =
                    Streams.ordered(Streams.zipf(events, 1 + random.nextInt(300), random.nextDouble() * 2, run), order);
            HeavyHitters<Long> heavy =
                    HeavyHitters.atLeast(1.0 / k).of(Key.longs().seeded(run)).build();
            for (long value : stream) {
                heavy.add(value);
            }
            Map<Long, Long> truth = Streams.counts(stream);
            truth.forEach((value, count) -> {
                if (count * k >= events) {
                    assertThat(heavy.contains(value))
                            .as("%d of %d, k = %d", count, events, k)
                            .isTrue();
                }
            });
            for (Estimated<Long> one : heavy.heavy()) {
                long count = truth.getOrDefault(one.value(), 0L);
                assertThat(one.estimate()).isGreaterThanOrEqualTo(count);
                wrong += count * 2 * k < events ? 1 : 0;
            }
            reported += heavy.size();
            tooLong += heavy.size() > 2 * k ? 1 : 0;
        }
        assertThat(reported).isGreaterThan(1_500);
        assertThat(wrong).isLessThanOrEqualTo(reported / 100);
        assertThat(tooLong).isLessThanOrEqualTo(10);
    }

    /** Exactly a k-th is a k-th, also where 1/k has no exact double. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 7, 10, 49, 98, 103})
    void reportsWhoHasExactlyTheShare(int k) {
        HeavyHitters<Long> heavy =
                HeavyHitters.atLeast(1.0 / k).within(0.1 / k).of(Key.longs()).build();
        for (long round = 0; round < 50; round++) {
            for (long value = 0; value < k; value++) {
                heavy.add(value);
            }
        }
        assertThat(heavy.size()).isEqualTo(k);
    }

    @Test
    void mergesIntoTheHeavyOnesOfBoth() {
        for (int run = 0; run < 300; run++) {
            HeavyHitters<Long> left = HeavyHitters.atLeast(0.1).of(Key.longs()).build();
            HeavyHitters<Long> right = HeavyHitters.atLeast(0.1).of(Key.longs()).build();
            long[] stream = Streams.zipf(1_000, 100, 0.8, run);
            for (int i = 0; i < stream.length; i++) {
                (i % 3 == 0 ? left : right).add(stream[i]);
            }
            left.merge(right);
            assertThat(left.total()).isEqualTo(1_000);
            Streams.counts(stream).forEach((value, count) -> {
                if (count >= 100) {
                    assertThat(left.contains(value)).isTrue();
                }
                if (left.contains(value)) {
                    assertThat(left.estimate(value)).isGreaterThanOrEqualTo(100);
                }
            });
        }
    }

    @Test
    void forgetsWhoIsCountedDown() {
        HeavyHitters.Turnstile<String> heavy = HeavyHitters.atLeast(0.5).turnstile();
        heavy.add("a", 10);
        heavy.add("b", 8);
        assertThat(heavy.contains("a")).isTrue();
        assertThat(heavy.contains("b")).isFalse();
        assertThat(heavy.remove("a", 8)).isTrue();
        assertThat(heavy.contains("a")).isFalse();
        heavy.add("b");
        assertThat(heavy.heavy()).containsExactly(new Estimated<>("b", 9));
        assertThat(heavy.remove("c")).isFalse();
        assertThat(heavy.total()).isEqualTo(11);
    }

    @Test
    void keepsBytesByTheirContent() throws IOException {
        HeavyHitters<byte[]> heavy = HeavyHitters.atLeast(0.4).of(Key.bytes()).build();
        byte[] value = "ab".getBytes(StandardCharsets.UTF_8);
        heavy.add(value);
        value[1] = 'c';
        heavy.add(value, 2);
        assertThat(heavy.contains("ac".getBytes(StandardCharsets.UTF_8))).isTrue();
        Path file = folder.resolve("heavy");
        heavy.save(file);
        HeavyHitters<String> opened = HeavyHitters.open(file, Key.strings());
        assertThat(opened.heavy()).containsExactly(new Estimated<>("ac", 2));
        assertThat(Perhaps.open(file).describe()).isEqualTo(opened.describe());
    }

    @Test
    void statesTheMemoryOfItsOpening() {
        assertThat(HeavyHitters.atLeast(0.02).sizing().bytes()).isBetween(10_000L, 12_000L);
    }

    @Test
    void refusesWhatCannotBe() {
        assertThatThrownBy(() -> HeavyHitters.atLeast(0)).hasMessageContaining("share must be in (0, 1), got 0.0");
        assertThatThrownBy(() -> HeavyHitters.atLeast(Double.NaN)).hasMessageContaining("got NaN");
        assertThatThrownBy(() -> HeavyHitters.atLeast(0.1).within(0.1))
                .hasMessageContaining("below the share, got 0.1");
        assertThatThrownBy(() -> HeavyHitters.atLeast(0.1).confidence(1)).hasMessageContaining("got 1.0");
        assertThatThrownBy(() -> HeavyHitters.atLeast(0.1).build().add("a", -1)).hasMessageContaining("got -1");
        HeavyHitters<String> one = HeavyHitters.atLeast(0.1).build();
        HeavyHitters<String> other = HeavyHitters.atLeast(0.2).within(0.05).build();
        assertThat(one.fits(other)).isFalse();
        assertThatThrownBy(() -> one.merge(other)).hasMessageContaining("a share of 0.1 against 0.2");
    }

    @Test
    void refusesAHeavyValueThatIsNot() throws IOException {
        CountMin<Long> counts = CountMin.within(0.1).of(Key.longs()).build();
        counts.add(0L, 5);
        refuses("a heavy value with 4", counts, 4, 1);
        refuses("a heavy value with 6", counts, 6, 1);
        refuses("the same value twice, 0", counts, 5, 2);
        refuses("", counts, 5, 1);
    }

    private static void refuses(String why, CountMin<Long> counts, long count, int times) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        long share = Double.doubleToRawLongBits(0.9);
        Frame.of(Kind.HEAVY, Key.longs(), counts.fileBytes() + 16L * times, share, times)
                .write(out, payload -> {
                    NestedFrames.write(counts, payload);
                    for (int i = 0; i < times; i++) {
                        payload.longs(new long[] {count});
                    }
                    payload.bytes(new byte[8 * times]);
                });
        ByteArrayInputStream in = new ByteArrayInputStream(out.toByteArray());
        if (why.isEmpty()) {
            assertThat(HeavyHitters.readFrom(in, Key.longs(), 10_000).contains(0L))
                    .isTrue();
        } else {
            assertThatThrownBy(() -> HeavyHitters.readFrom(in, Key.longs(), 10_000))
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining(why);
        }
    }
}
