package dev.perhaps.frequency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.frame.Frame;
import dev.perhaps.frequency.EventStreams.Shape;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RangeCountsTest {
    private static final long[] ENDS = {
        Long.MIN_VALUE, Long.MIN_VALUE + 1, -2, -1, 0, 1, Long.MAX_VALUE - 1, Long.MAX_VALUE
    };

    @Test
    void isPlannedOverAllLevels() {
        RangeCounts.Sizing sizing = RangeCounts.within(0.01).universe(32).sizing();
        assertThat(sizing.width()).isEqualTo(17_398);
        assertThat(sizing.depth()).isEqualTo(5);
        // 18 levels of sketches; then 2^14, 2^13 … 2 counters.
        assertThat(sizing.bytes()).isEqualTo(18L * 5 * 17_398 * 8 + (2 * 16_384 - 2) * 8);
        assertThat(sizing.error()).isLessThanOrEqualTo(0.01);
        RangeCounts built = RangeCounts.within(0.01).universe(32).build();
        assertThat(built.sizeBytes()).isEqualTo(sizing.bytes());
        assertThat(built.sizing()).isEqualTo(sizing);
        assertThat(sizing.toString()).contains("ranges of 32 bits", "5 rows of 17,398 cells", "MiB");
    }

    @Test
    void countsASmallUniverseExactly() {
        RangeCounts counts = RangeCounts.within(0.1).universe(8).build();
        long[] exact = new long[256];
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1_000; i++) {
            int value = random.nextInt(256);
            counts.add(value, i % 5);
            exact[value] += i % 5;
        }
        assertThat(counts.bound()).isEqualTo(new Bound(0, 1));
        for (int from = 0; from < 256; from++) {
            long sum = 0;
            for (int to = from; to < 256; to++) {
                sum += exact[to];
                assertThat(counts.estimate(from, to)).isEqualTo(sum);
            }
        }
    }

    @Test
    void countsAtTheEndsOfAllLongs() {
        RangeCounts counts = RangeCounts.within(0.9).build();
        for (long end : ENDS) {
            counts.add(end);
        }
        for (int from = 0; from < ENDS.length; from++) {
            for (int to = from; to < ENDS.length; to++) {
                assertThat(counts.estimate(ENDS[from], ENDS[to])).isEqualTo(to - from + 1);
            }
        }
        assertThat(counts.estimate(2, Long.MAX_VALUE - 2)).isZero();
        assertThat(counts.quantile(0)).isEqualTo(Long.MIN_VALUE);
        assertThat(counts.quantile(0.5)).isEqualTo(-1);
        assertThat(counts.quantile(1)).isEqualTo(Long.MAX_VALUE);
    }

    /**
     * n = 400 streams of a shape, 10 ranges each; the bound is δ = e^-2 of them. Markov's inequality is wide, so it is
     * one-sided, but some estimate must be off: the levels are shared by twenty numbers per counter.
     */
    @ParameterizedTest
    @EnumSource(Shape.class)
    void keepsRangesWithinTheirBound(Shape shape) {
        int exceeded = 0;
        int off = 0;
        for (int s = 0; s < 400; s++) {
            long[] sorted = scattered(EventStreams.of(shape, 500, 400, s));
            RangeCounts counts = counted(sorted, s);
            SplittableRandom random = new SplittableRandom(s);
            for (int r = 0; r < 10; r++) {
                long one = random.nextLong(1L << 20);
                long two = random.nextLong(1L << 20);
                long from = Math.min(one, two);
                long to = Math.max(one, two);
                long truth = upTo(sorted, to) - upTo(sorted, from - 1);
                long estimate = counts.estimate(from, to);
                assertThat(estimate).isGreaterThanOrEqualTo(truth);
                exceeded += estimate - truth > counts.bound().error() ? 1 : 0;
                off += estimate > truth ? 1 : 0;
            }
        }
        assertThat(exceeded / 4_000.0).isLessThanOrEqualTo(Math.exp(-2));
        assertThat(off).isPositive();
    }

    /** n = 400 streams of a shape, 9 quantiles each; too low no more often than quantileBound says, too high never. */
    @ParameterizedTest
    @EnumSource(Shape.class)
    void keepsQuantilesWithinTheirBound(Shape shape) {
        int exceeded = 0;
        double allowed = 0;
        for (int s = 0; s < 400; s++) {
            long[] sorted = scattered(EventStreams.of(shape, 500, 400, s));
            RangeCounts counts = counted(sorted, s);
            Bound bound = counts.quantileBound();
            allowed += 9 * (1 - bound.confidence());
            for (double q = 0.1; q < 0.95; q += 0.1) {
                long value = counts.quantile(q);
                long rank = (long) Math.ceil(q * sorted.length);
                assertThat(upTo(sorted, value - 1)).isLessThan(rank);
                exceeded += upTo(sorted, value) < rank - bound.error() ? 1 : 0;
            }
        }
        assertThat((double) exceeded).isLessThanOrEqualTo(allowed);
    }

    @Test
    void findsQuantilesExactlyWhereLevelsAreExact() {
        RangeCounts counts = RangeCounts.within(0.05).universe(10).build();
        for (int value = 0; value < 1_000; value++) {
            counts.add(value);
        }
        for (int percent = 1; percent <= 100; percent++) {
            assertThat(counts.quantile(percent / 100.0)).isBetween(percent * 10L - 1, percent * 10L);
        }
        assertThat(counts.quantileBound().confidence()).isEqualTo(1);
    }

    private static long[] scattered(long[] stream) {
        return Arrays.stream(stream).map(item -> item * 2_621).sorted().toArray();
    }

    private static RangeCounts counted(long[] values, long seed) {
        RangeCounts counts = RangeCounts.within(0.4)
                .confidence(0.86)
                .universe(20)
                .seeded(seed)
                .build();
        for (long value : values) {
            counts.add(value);
        }
        return counts;
    }

    private static long upTo(long[] sorted, long value) {
        int at = Arrays.binarySearch(sorted, value);
        if (at < 0) {
            return -at - 1L;
        }
        while (at < sorted.length && sorted[at] == value) {
            at++;
        }
        return at;
    }

    @Test
    void refusesWhatIsOutsideItsUniverseAndStaysAsItIs() throws IOException {
        RangeCounts counts = RangeCounts.within(0.5)
                .universe(8)
                .cells(CountMin.Cells.BITS_16)
                .build();
        counts.add(7, 65_000);
        byte[] before = bytes(counts);
        assertThatThrownBy(() -> counts.add(256)).hasMessageContaining("value must be in [0, 255]", "got 256");
        assertThatThrownBy(() -> counts.add(-1)).hasMessageContaining("got -1");
        assertThatThrownBy(() -> counts.add(1, -4)).hasMessageContaining("count must be 0 or more, got -4");
        assertThatThrownBy(() -> counts.add(1, 536))
                .hasMessageContaining("at most 65535, got 536 at a total of 65000: plan it with cells of 64 bits");
        assertThatThrownBy(() -> counts.estimate(5, 4)).hasMessageContaining("got 5 and 4");
        assertThatThrownBy(() -> counts.estimate(0, 256)).hasMessageContaining("got 256");
        assertThatThrownBy(() -> counts.quantile(1.1)).hasMessageContaining("q must be in [0, 1], got 1.1");
        assertThatThrownBy(() -> counts.quantile(Double.NaN)).hasMessageContaining("got NaN");
        assertThatThrownBy(() -> counts.merge(counts.copy())).hasMessageContaining("at most 65535");
        assertThat(bytes(counts)).isEqualTo(before);
    }

    @Test
    void refusesImpossiblePlans() {
        assertThatThrownBy(() -> RangeCounts.within(1)).hasMessage("within must be in (0, 1), got 1.0");
        assertThatThrownBy(() -> RangeCounts.within(0.1).confidence(0)).hasMessageContaining("got 0.0");
        assertThatThrownBy(() -> RangeCounts.within(0.1).universe(65)).hasMessageContaining("got 65");
        assertThatThrownBy(() -> RangeCounts.within(1e-7).sizing()).hasMessageContaining("allow more error");
        assertThatThrownBy(() -> RangeCounts.within(0.1).build().quantile(0.5)).hasMessageContaining("total is 0");
    }

    @Test
    void namesTheFirstDifferenceInsteadOfMerging() {
        RangeCounts.Plan plan = RangeCounts.within(0.5).universe(12);
        RangeCounts counts = plan.build();
        assertRefused(counts, plan.universe(13).build(), "a universe of 12 bits against 13");
        assertRefused(counts, plan.confidence(0.5).build(), "depth 5 against 1");
        assertRefused(counts, plan.cells(CountMin.Cells.BITS_32).build(), "cells of 64 bits against 32");
        assertRefused(counts, RangeCounts.within(0.4).universe(12).build(), "width 131 against 164");
        assertThat(counts.fits(plan.build())).isTrue();
    }

    @Test
    void keepsWhatItsNumbersAreInTheFile() throws IOException {
        Key<Long> cents = Key.longs().seeded(3).on("cents", n -> n);
        RangeCounts counts = RangeCounts.within(0.5).universe(12).of(cents).build();
        counts.add(1_250);
        RangeCounts read = RangeCounts.fromBytes(bytes(counts));
        assertThat(read.key().name()).isEqualTo("int64 of cents");
        assertThat(read.key().seed()).isEqualTo(3);
        assertThat(read).isEqualTo(counts);
        assertThatThrownBy(() -> RangeCounts.within(0.5).of(Key.all("pair", Key.longs())))
                .hasMessage("range counts are of key 'int64', got 'pair'");
    }

    private static void assertRefused(RangeCounts counts, RangeCounts other, String difference) {
        assertThatThrownBy(() -> counts.merge(other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("these range counts do not fit: " + difference);
    }

    /** Files with good checksums whose numbers contradict each other. */
    @Test
    void refusesFilesThatContradictThemselves() throws IOException {
        assertRefusedFile("a universe of bits 65", new long[] {65, 9, 1, 64, 0}, 0, 0);
        assertRefusedFile("width 0", new long[] {1, 0, 1, 64, 0}, 0, 0);
        assertRefusedFile("depth 0", new long[] {1, 9, 0, 64, 0}, 0, 0);
        assertRefusedFile("cells of 9 bits", new long[] {1, 9, 1, 9, 0}, 0, 0);
        assertRefusedFile("a payload of 16", new long[] {2, 9, 1, 64, 0}, 0, 0);
        assertRefusedFile("a cell of 5", new long[] {1, 9, 1, 64, 2}, 5, 0);
        assertRefusedFile("a total of 2", new long[] {1, 9, 1, 64, 2}, 1, 0);
        assertRefusedFile("a total of -2", new long[] {1, 9, 1, 64, -2}, 1, 0);
    }

    private static void assertRefusedFile(String why, long[] parameters, long... words) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Frame.of(Kind.RANGES, Key.longs(), words.length * 8L, parameters).write(out, payload -> payload.longs(words));
        assertThatThrownBy(() -> RangeCounts.readFrom(new ByteArrayInputStream(out.toByteArray()), 1L << 40))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining(why);
    }

    private static byte[] bytes(RangeCounts counts) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        counts.writeTo(out);
        return out.toByteArray();
    }
}
