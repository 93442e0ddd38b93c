package dev.perhaps.frequency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.frequency.EventStreams.Shape;
import dev.perhaps.key.Key;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Never below the truth, and above it by more than the bound no more often than the bound says, over many streams. */
class CountMinGuaranteeTest {
    private static final int STREAMS = 1_000;
    private static final int EVENTS = 600;
    private static final int ITEMS = 300;
    private static final double ERROR = 0.05;

    /** n = 1,000 streams of each shape, each with hashes of its own, and every item of them. */
    @ParameterizedTest
    @EnumSource(Shape.class)
    void isNeverBelowTheTruth(Shape shape) {
        for (int s = 0; s < STREAMS; s++) {
            long[] stream = EventStreams.of(shape, EVENTS, ITEMS, s);
            Key.Longs key = Key.longs().seeded(s);
            CountMin<Long> plain = CountMin.within(ERROR).of(key).build();
            CountMin<Long> conservative =
                    CountMin.within(ERROR).of(key).conservative().build();
            CountMin<Long> narrow =
                    CountMin.within(ERROR).of(key).cells(CountMin.Cells.BITS_8).build();
            for (long item : stream) {
                plain.add(item);
                conservative.add(item);
                narrow.add(item);
            }
            int wrong = 0;
            for (Map.Entry<Long, Long> exact : EventStreams.exactly(stream).entrySet()) {
                long truth = exact.getValue();
                long estimate = plain.estimate(exact.getKey());
                long closer = conservative.estimate(exact.getKey());
                wrong += closer < truth || estimate < closer ? 1 : 0;
                wrong += narrow.estimate(exact.getKey()) != Math.min(estimate, 255) ? 1 : 0;
            }
            assertThat(wrong).as("stream %d", s).isZero();
        }
    }

    /** n: about 100,000 items a shape; the bound is δ = e^-d of them. Markov's inequality is wide, so it is one-sided. */
    @ParameterizedTest
    @EnumSource(Shape.class)
    void exceedsItsBoundNoMoreOftenThanItSays(Shape shape) {
        for (double confidence : new double[] {0.6, 0.85, 0.95}) {
            long asked = 0;
            long exceeded = 0;
            CountMin.Sizing sizing =
                    CountMin.within(ERROR).confidence(confidence).sizing();
            for (int s = 0; s < STREAMS; s++) {
                long[] stream = EventStreams.of(shape, EVENTS, ITEMS, s);
                CountMin<Long> sketch = CountMin.within(ERROR)
                        .confidence(confidence)
                        .of(Key.longs().seeded(s))
                        .build();
                for (long item : stream) {
                    sketch.add(item);
                }
                Bound bound = sketch.bound();
                assertThat(bound.error()).isEqualTo(Math.E / sizing.width() * EVENTS);
                for (Map.Entry<Long, Long> exact : EventStreams.exactly(stream).entrySet()) {
                    asked++;
                    exceeded += sketch.estimate(exact.getKey()) - exact.getValue() > bound.error() ? 1 : 0;
                }
            }
            assertThat((double) exceeded / asked).isLessThanOrEqualTo(1 - sizing.confidence());
        }
    }

    /**
     * The worst stream for the bound: as many heavy items as can each alone exceed it. A light item exceeds it iff it meets
     * one of h in each of d rows: with chance (1 - (1 - 1/w)^h)^d exactly. n = 200,000 light items; 4σ both sides are
     * 1 in 16,000.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void comesAsCloseToItsBoundAsTheWorstStreamLetsIt(int depth) {
        int width = 55;
        int heavy = 19;
        int lights = 200;
        int rounds = 1_000;
        long exceeded = 0;
        for (int round = 0; round < rounds; round++) {
            CountMin<Long> sketch = CountMin.ofWidth(width)
                    .depth(depth)
                    .of(Key.longs().seeded(round))
                    .build();
            for (long item = 0; item < heavy; item++) {
                sketch.add(item, 1_000_000);
            }
            for (long light = heavy; light < heavy + lights; light++) {
                exceeded += sketch.estimate(light) > sketch.bound().error() ? 1 : 0;
            }
            assertThat(sketch.bound().error()).isLessThan(1_000_000);
        }
        double chance = Math.pow(1 - Math.pow(1 - 1.0 / width, heavy), depth);
        assertThat(chance).isLessThan(Math.exp(-depth));
        double expected = chance * rounds * lights;
        // Lights of one sketch share its heavy cells: the deviation is that of whole sketches, at most.
        double deviation = Math.sqrt(expected * 3);
        assertThat((double) exceeded).isBetween(expected - 4 * deviation, expected + 4 * deviation);
    }

    /** n = 200 merges: of conservative sketches the merged one is an upper bound, of plain ones it is that of both. */
    @Test
    void neverFallsBelowTheTruthByMerging() {
        for (int s = 0; s < 200; s++) {
            long[] left = EventStreams.of(Shape.ZIPF, EVENTS, ITEMS, s);
            long[] right = EventStreams.of(Shape.RAREST_FIRST, EVENTS, ITEMS, s + 10_000);
            CountMin<Long> one = conservative(left);
            one.merge(conservative(right));
            Map<Long, Long> exact = EventStreams.exactly(left);
            EventStreams.exactly(right).forEach((item, count) -> exact.merge(item, count, Long::sum));
            exact.forEach((item, count) -> assertThat(one.estimate(item)).isGreaterThanOrEqualTo(count));
            assertThat(one.total()).isEqualTo(2 * EVENTS);
        }
    }

    private static CountMin<Long> conservative(long[] stream) {
        CountMin<Long> sketch =
                CountMin.within(ERROR).of(Key.longs()).conservative().build();
        for (long item : stream) {
            sketch.add(item);
        }
        return sketch;
    }

    /** n = 300 streams in which a third is taken back again, one by one in another order. */
    @ParameterizedTest
    @EnumSource(CountMin.Cells.class)
    void staysAboveTheTruthWhenItemsAreTakenBack(CountMin.Cells cells) {
        for (int s = 0; s < 300; s++) {
            long[] stream = EventStreams.of(Shape.ZIPF, EVENTS, ITEMS, s);
            CountMin.Turnstile<Long> sketch = CountMin.within(ERROR)
                    .cells(cells)
                    .of(Key.longs().seeded(s))
                    .turnstile()
                    .build();
            Map<Long, Long> exact = EventStreams.exactly(stream);
            for (long item : stream) {
                sketch.add(item);
            }
            SplittableRandom random = new SplittableRandom(s);
            for (int i = 0; i < EVENTS / 3; i++) {
                long item = stream[random.nextInt(EVENTS)];
                if (exact.getOrDefault(item, 0L) > 0) {
                    assertThat(sketch.remove(item)).isTrue();
                    exact.merge(item, -1L, Long::sum);
                }
            }
            exact.forEach((item, count) -> {
                assertThat(sketch.estimate(item)).isGreaterThanOrEqualTo(Math.min(count, sketch.limit()));
            });
            assertThat(sketch.total())
                    .isEqualTo(
                            exact.values().stream().mapToLong(Long::longValue).sum());
        }
    }
}
