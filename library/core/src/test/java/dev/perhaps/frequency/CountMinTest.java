package dev.perhaps.frequency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.frame.Frame;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CountMinTest {
    @Test
    void countsToTheLastOfItsTotalWhenItIsMadeConcurrent() {
        for (long before : new long[] {0, 1, 15, 16, 1_000_003, Long.MAX_VALUE - 17, Long.MAX_VALUE}) {
            CountMin<String> plain =
                    CountMin.ofWidth(10).cells(CountMin.Cells.BITS_64).build();
            plain.add("a", before);
            CountMin<String> shared = plain.concurrent();
            assertThat(shared.total()).isEqualTo(before);
            shared.add("a", Long.MAX_VALUE - before);
            assertThat(shared.total()).isEqualTo(Long.MAX_VALUE);
            assertThat(shared.estimate("a")).isEqualTo(Long.MAX_VALUE);
            assertThatThrownBy(() -> shared.add("a")).hasMessageContaining("below 2^63");
        }
    }

    @Test
    void isPlannedByErrorAndConfidence() {
        CountMin.Sizing sizing = CountMin.within(0.001).confidence(0.99).sizing();
        assertThat(sizing.width()).isEqualTo(2_719);
        assertThat(sizing.depth()).isEqualTo(5);
        assertThat(sizing.bytes()).isEqualTo(54_384);
        assertThat(sizing.error()).isLessThanOrEqualTo(0.001);
        assertThat(sizing.confidence()).isGreaterThanOrEqualTo(0.99);
        assertThat(sizing)
                .hasToString("count within 0.1000 % of the total at 99.3 % confidence: 5 rows of 2,719 cells of"
                        + " 32 bits, 53.1 KiB");
        assertThat(CountMin.within(0.001).confidence(0.999).sizing().depth()).isEqualTo(7);
        assertThat(CountMin.within(0.5).confidence(0.1).sizing().depth()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(CountMin.Cells.class)
    void keepsWithinTheMemoryItIsAllowed(CountMin.Cells cells) {
        for (long bytes : new long[] {40, 1_000, 5_120, 1_000_003}) {
            CountMin<String> sketch = CountMin.memoryBytes(bytes).cells(cells).build();
            assertThat(sketch.sizeBytes()).isLessThanOrEqualTo(bytes).isGreaterThan(bytes - 8 - 5 * 8);
            assertThat(sketch.sizing())
                    .isEqualTo(CountMin.memoryBytes(bytes).cells(cells).sizing());
        }
    }

    @Test
    void takesAShapeAsItIsTold() {
        CountMin.Sizing sizing = CountMin.ofWidth(65_536).depth(4).sizing();
        assertThat(sizing.width()).isEqualTo(65_536);
        assertThat(sizing.depth()).isEqualTo(4);
        assertThat(sizing.bytes()).isEqualTo(1 << 20);
    }

    @Test
    void refusesImpossiblePlans() {
        for (double share : new double[] {0, 1, -0.1, 1.5, Double.NaN}) {
            assertThatThrownBy(() -> CountMin.within(share)).hasMessage("within must be in (0, 1), got " + share);
            assertThatThrownBy(() -> CountMin.within(0.1).confidence(share))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("confidence must be in (0, 1), got " + share);
        }
        assertThatThrownBy(() -> CountMin.within(1e-9).sizing()).hasMessageContaining("5 rows of 2,718,281,829");
        assertThatThrownBy(() -> CountMin.memoryBytes(7)).hasMessage("memoryBytes must be at least 8 bytes, got 7");
        assertThatThrownBy(() -> CountMin.memoryBytes(8).sizing()).hasMessageContaining("5 rows, got 8 bytes");
        assertThatThrownBy(() -> CountMin.ofWidth(0)).hasMessageContaining("got 0");
        assertThatThrownBy(() -> CountMin.ofWidth(9).depth(65))
                .hasMessageContaining("depth must be in [1, 64], got 65");
    }

    @Test
    void isUpdatedInOneWayOnly() {
        CountMin.Plan<String> plan = CountMin.within(0.1);
        assertThatThrownBy(() -> plan.conservative().turnstile())
                .hasMessageContaining("got conservative and turnstile");
        assertThatThrownBy(() -> plan.conservative().concurrent()).hasMessageContaining("one of them");
        assertThatThrownBy(() -> plan.concurrent().turnstile()).hasMessageContaining("got concurrent and turnstile");
        assertThatThrownBy(() -> plan.conservative().build().concurrent())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("conservative update has no concurrent form");
        assertThatThrownBy(() -> plan.turnstile().build().concurrent()).hasMessageContaining("turnstile update");
    }

    @ParameterizedTest
    @EnumSource(CountMin.Cells.class)
    void countsFewItemsExactly(CountMin.Cells cells) {
        CountMin<String> sketch = CountMin.ofWidth(10_000).depth(6).cells(cells).build();
        sketch.add("a");
        sketch.add("b", 3);
        sketch.add("b", 0);
        sketch.add("c", 200);
        assertThat(sketch.estimate("a")).isEqualTo(1);
        assertThat(sketch.estimate("b")).isEqualTo(3);
        assertThat(sketch.estimate("c")).isEqualTo(200);
        assertThat(sketch.estimate("d")).isZero();
        assertThat(sketch.total()).isEqualTo(204);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 9})
    void hasOnePositionInEveryRowWhateverTheStore(int depth) {
        // Rows of 32 bits have loops of their own; those of 64 bits are the plain ones.
        CountMin<Long> fast = CountMin.ofWidth(37).depth(depth).of(Key.longs()).build();
        CountMin<Long> wide = CountMin.ofWidth(37)
                .depth(depth)
                .cells(CountMin.Cells.BITS_64)
                .of(Key.longs())
                .build();
        CountMin<Long> fastConservative =
                CountMin.ofWidth(37).depth(depth).of(Key.longs()).conservative().build();
        CountMin<Long> wideConservative = CountMin.ofWidth(37)
                .depth(depth)
                .cells(CountMin.Cells.BITS_64)
                .of(Key.longs())
                .conservative()
                .build();
        SplittableRandom random = new SplittableRandom(depth);
        for (int i = 0; i < 2_000; i++) {
            long hash = random.nextLong();
            long count = random.nextInt(100);
            fast.addHash(hash, count);
            wide.addHash(hash, count);
            fastConservative.addHash(hash, count);
            wideConservative.addHash(hash, count);
            long asked = random.nextLong();
            assertThat(fast.estimateHash(asked)).isEqualTo(wide.estimateHash(asked));
            assertThat(fastConservative.estimateHash(asked)).isEqualTo(wideConservative.estimateHash(asked));
        }
    }

    @Test
    void takesABatchAsOneByOne() {
        long[] hashes = new SplittableRandom(1).longs(1_000).toArray();
        for (CountMin.Plan<String> plan : plans()) {
            CountMin<String> batch = plan.build();
            CountMin<String> single = plan.build();
            batch.addHashes(hashes, 10, 990);
            for (int i = 10; i < 990; i++) {
                single.addHash(hashes[i], 1);
            }
            long[] estimates = new long[500];
            batch.estimateHashes(hashes, 0, 500, estimates);
            for (int i = 0; i < 500; i++) {
                assertThat(estimates[i]).isEqualTo(single.estimateHash(hashes[i]));
            }
            assertThat(batch.total()).isEqualTo(980);
        }
        assertThatThrownBy(() -> CountMin.within(0.1).build().addHashes(hashes, 5, 1_001))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> CountMin.within(0.1).build().estimateHashes(hashes, 0, 9, new long[8]))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    /** All numbers of rows, and batches around the parts in which they are estimated. */
    @ParameterizedTest
    @EnumSource(CountMin.Cells.class)
    void estimatesABatchAsOneByOneWithAnyNumberOfRows(CountMin.Cells cells) {
        long[] hashes = new SplittableRandom(2).longs(300).toArray();
        for (int depth = 1; depth <= 9; depth++) {
            CountMin<String> sketch =
                    CountMin.ofWidth(61).depth(depth).cells(cells).build();
            sketch.addHashes(hashes, 0, 200);
            for (int[] range : new int[][] {{0, 0}, {7, 8}, {0, 64}, {3, 68}, {50, 300}}) {
                long[] estimates = new long[range[1] - range[0]];
                sketch.estimateHashes(hashes, range[0], range[1], estimates);
                for (int i = 0; i < estimates.length; i++) {
                    assertThat(estimates[i]).isEqualTo(sketch.estimateHash(hashes[range[0] + i]));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(CountMin.Cells.class)
    void tellsWhenACounterIsAtItsLimit(CountMin.Cells cells) {
        CountMin<String> sketch = CountMin.ofWidth(1_000).depth(3).cells(cells).build();
        sketch.add("many", cells.limit() - 1);
        assertThat(sketch.saturated()).isZero();
        assertThat(sketch.estimate("many")).isEqualTo(cells.limit() - 1).isLessThan(sketch.limit());
        sketch.add("many", 1);
        assertThat(sketch.saturated()).isEqualTo(3);
        assertThat(sketch.estimate("many")).isEqualTo(sketch.limit());
        if (cells != CountMin.Cells.BITS_64) {
            sketch.add("many", 1_000);
            assertThat(sketch.estimate("many")).isEqualTo(sketch.limit());
            assertThat(sketch.total()).isEqualTo(cells.limit() + 1_000);
        }
        assertThat(sketch.describe().toString()).contains("saturated cells  3");
        assertThat(sketch.estimate("few")).isZero();
    }

    @Test
    void refusesWhatItCannotCountAndStaysAsItIs() throws IOException {
        for (CountMin.Plan<String> plan : plans()) {
            CountMin<String> sketch = plan.cells(CountMin.Cells.BITS_64).build();
            for (int i = 0; i < 15; i++) {
                sketch.add("a", Long.MAX_VALUE / 16);
            }
            byte[] before = bytes(sketch);
            assertThatThrownBy(() -> sketch.add("a", -3))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("count must be 0 or more, got -3");
            assertThatThrownBy(() -> sketch.add("a", Long.MAX_VALUE - 10))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(
                            "total below 2^63, got 9223372036854775797 at a total of 8646911284551352305");
            assertThatThrownBy(() -> sketch.merge(sketch.copy())).hasMessageContaining("total below 2^63");
            assertThat(bytes(sketch)).isEqualTo(before);
        }
    }

    @Test
    void takesBackWhatWasAdded() {
        CountMin.Turnstile<String> sketch =
                CountMin.ofWidth(1_000).depth(4).turnstile().build();
        sketch.add("a", 5);
        sketch.add("b", 2);
        assertThat(sketch.remove("a", 3)).isTrue();
        assertThat(sketch.remove("b")).isTrue();
        assertThat(sketch.estimate("a")).isEqualTo(2);
        assertThat(sketch.estimate("b")).isEqualTo(1);
        assertThat(sketch.total()).isEqualTo(3);
        assertThat(sketch.remove("a", 3)).isFalse();
        assertThat(sketch.remove("never")).isFalse();
        assertThat(sketch.total()).isEqualTo(3);
        assertThatThrownBy(() -> sketch.remove("a", -1)).hasMessageContaining("count must be 0 or more, got -1");
    }

    @Test
    void keepsWhatSticksWhenItemsAreTakenBack() throws IOException {
        CountMin.Turnstile<String> sketch = CountMin.ofWidth(100)
                .depth(2)
                .cells(CountMin.Cells.BITS_8)
                .turnstile()
                .build();
        sketch.add("a", 254);
        assertThat(sketch.bound().error()).isLessThan(10);
        sketch.add("a", 46);
        assertThat(sketch.remove("a", 299)).isTrue();
        assertThat(sketch.bound()).isEqualTo(new Bound(255, 1));
        assertThat(sketch.estimate("a")).isEqualTo(255);
        assertThat(sketch.total()).isEqualTo(1);
        assertThat(sketch.remove("a", 2)).isFalse();
        CountMin<String> read = CountMin.readFrom(new ByteArrayInputStream(bytes(sketch)), Key.strings(), 1 << 20);
        assertThat(read).isInstanceOf(CountMin.Turnstile.class);
        assertThat(read.estimate("a")).isEqualTo(255);
        assertThat(read.bound()).isEqualTo(new Bound(255, 1));
    }

    /** The bound said 0.0027 where an estimate was 255 and the truth 0. */
    @Test
    void statesTheBoundOfCountersThatAMergeBroughtToTheirLimit() {
        CountMin.TurnstilePlan<String> plan =
                CountMin.ofWidth(1_000).depth(2).cells(CountMin.Cells.BITS_8).turnstile();
        CountMin.Turnstile<String> emptied = plan.build();
        emptied.add("a", 300);
        assertThat(emptied.remove("a", 300)).isTrue();
        CountMin.Turnstile<String> sketch = plan.build();
        sketch.add("b");
        sketch.merge(emptied);
        assertThat(sketch.estimate("a")).isEqualTo(255);
        assertThat(sketch.bound())
                .isEqualTo(new Bound(255, 1))
                .isEqualTo(sketch.copy().bound());
    }

    /** It refused single counts above 2^59, and the last 15 up to 2^63 - 1. */
    @Test
    void countsUpToTheLimitOfTheTotalHoweverItIsUpdated() {
        for (CountMin.Plan<String> plan : plans()) {
            CountMin<String> sketch = plan.cells(CountMin.Cells.BITS_64).build();
            sketch.add("a", 1L << 62);
            sketch.add("a", (1L << 62) - 3);
            assertThat(sketch.total()).isEqualTo(Long.MAX_VALUE - 2);
            assertThatThrownBy(() -> sketch.add("b", 3)).hasMessageContaining("total below 2^63, got 3");
            assertThat(sketch.total()).isEqualTo(Long.MAX_VALUE - 2);
            sketch.add("c", 2);
            assertThat(sketch.total()).isEqualTo(Long.MAX_VALUE);
            assertThat(sketch.estimate("a")).isEqualTo(Long.MAX_VALUE - 2);
            assertThatThrownBy(() -> sketch.add("b")).hasMessageContaining("total below 2^63, got 1");
        }
    }

    @Test
    void namesTheFirstDifferenceInsteadOfMerging() {
        CountMin<String> sketch = CountMin.ofWidth(100).depth(4).build();
        assertRefused(sketch, CountMin.ofWidth(101).depth(4).build(), "width 100 against 101");
        assertRefused(sketch, CountMin.ofWidth(100).depth(5).build(), "depth 4 against 5");
        assertRefused(
                sketch,
                CountMin.ofWidth(100).depth(4).cells(CountMin.Cells.BITS_8).build(),
                "cells of 32 bits against 8");
        assertRefused(
                sketch, CountMin.ofWidth(100).depth(4).conservative().build(), "plain update against conservative");
        assertRefused(sketch, CountMin.ofWidth(100).depth(4).turnstile().build(), "plain update against turnstile");
        assertThat(sketch.fits(CountMin.ofWidth(100).depth(4).concurrent().build()))
                .isTrue();
    }

    private static void assertRefused(CountMin<String> sketch, CountMin<String> other, String difference) {
        assertThat(sketch.fits(other)).isFalse();
        assertThatThrownBy(() -> sketch.merge(other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("these Count-Min sketches do not fit: " + difference);
    }

    @Test
    void sharesNothingWithItsCopy() {
        for (CountMin.Plan<String> plan : plans()) {
            CountMin<String> sketch = plan.build();
            sketch.add("a", 7);
            CountMin<String> copy = sketch.copy();
            copy.add("a");
            assertThat(sketch.estimate("a")).isEqualTo(7);
            assertThat(copy.estimate("a")).isEqualTo(8);
            assertThat(sketch.total()).isEqualTo(7);
            assertThat(copy.total()).isEqualTo(8);
        }
        CountMin.Turnstile<String> turnstile = CountMin.within(0.1).turnstile().build();
        turnstile.add("a");
        assertThat(turnstile.copy().remove("a")).isTrue();
        assertThat(turnstile.estimate("a")).isEqualTo(1);
    }

    /** The ways of adding, but for turnstile, which adds as plain does. */
    private static List<CountMin.Plan<String>> plans() {
        CountMin.Plan<String> plain = CountMin.within(0.01);
        return List.of(plain, plain.conservative(), plain.concurrent());
    }

    /** Files with good checksums whose numbers contradict each other. */
    @Test
    void refusesFilesThatContradictThemselves() throws IOException {
        assertRefusedFile("a cell of 3", new long[] {4, 1, 32, 0, 2}, 3, 0);
        assertRefusedFile("a total of 2", new long[] {4, 1, 32, 0, 2}, 1, 0);
        assertRefusedFile("a total of -1", new long[] {4, 1, 32, 0, -1}, 0, 0);
        assertRefusedFile("width 0", new long[] {0, 1, 32, 0, 0}, 0, 0);
        assertRefusedFile("depth 65", new long[] {1, 65, 32, 0, 0}, 0, 0);
        assertRefusedFile("cells of 33 bits", new long[] {4, 1, 33, 0, 0}, 0, 0);
        assertRefusedFile("update 3", new long[] {4, 1, 32, 3, 0}, 0, 0);
        assertRefusedFile("bits behind its last cell", new long[] {3, 1, 32, 0, 1}, 1, 1L << 32);
        assertRefusedFile("bits behind its last cell", new long[] {7, 1, 16, 0, 1}, 1, 1L << 48);
        assertRefusedFile("268435456 numbers of payload", new long[] {1 << 28, 1, 32, 0, 0}, 0, 0);
        assertRefusedFile("too many for its parameters", new long[] {2, 1, 32, 0, 0}, 0, 0);
    }

    private static void assertRefusedFile(String why, long[] parameters, long... words) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Frame.of(Kind.COUNT, Key.strings(), words.length * 8L, parameters).write(out, payload -> payload.longs(words));
        assertThatThrownBy(
                        () -> CountMin.readFrom(new ByteArrayInputStream(out.toByteArray()), Key.strings(), 1L << 40))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining(why);
    }

    @Test
    void opensOnlyWithTheKeyItWasWrittenWith() throws IOException {
        byte[] bytes = bytes(CountMin.within(0.1).build());
        assertThatThrownBy(() -> CountMin.readFrom(new ByteArrayInputStream(bytes), Key.longs(), 1 << 20))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("written with key 'utf8'");
    }

    private static byte[] bytes(CountMin<String> sketch) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        sketch.writeTo(out);
        return out.toByteArray();
    }
}
