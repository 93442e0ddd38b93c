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
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlidingTest {
    private record Event(long value, long count, long atMillis) {}

    @TempDir
    private Path folder;

    @Test
    void askingAtATimeIsAskingACopyThatWasMovedToIt() {
        SplittableRandom random = new SplittableRandom(7);
        SlidingCounts<byte[]> counts = SlidingCounts.last(Duration.ofMillis(100))
                .width(64)
                .depth(3)
                .cells(CountMin.Cells.BITS_16)
                .of(Key.bytes())
                .build();
        SlidingTopK<byte[]> top = SlidingTopK.last(Duration.ofMillis(100))
                .k(3)
                .capacity(20)
                .of(Key.bytes())
                .build();
        assertThat(counts.sizing().width()).isEqualTo(64);
        assertThat(counts.sizing().depth()).isEqualTo(3);
        assertThat(counts.sizing().cells()).isEqualTo(CountMin.Cells.BITS_16);
        assertThat(counts.total(5)).isZero();
        assertThat(top.top(5)).isEmpty();
        for (int i = 0; i < 2_000; i++) {
            byte[] value = new byte[1 + random.nextInt(40)];
            counts.add(value, 1, i);
            top.add(value, 1, i);
        }
        for (long at : new long[] {0, 1_999, 2_000, 2_050, 2_099, 2_110, 2_200}) {
            SlidingCounts<byte[]> countsThen = counts.copy();
            countsThen.advanceTo(at);
            SlidingTopK<byte[]> topThen = top.copy();
            topThen.advanceTo(at);
            assertThat(counts.total(at)).isEqualTo(countsThen.total());
            assertThat(counts.bound(at)).isEqualTo(countsThen.bound());
            assertThat(top.total(at)).isEqualTo(topThen.total());
            assertThat(top.missed(at))
                    .isEqualTo(topThen.panes.living().stream()
                            .mapToLong(TopK::missed)
                            .sum());
            assertThat(top.top(at)).usingRecursiveComparison().isEqualTo(topThen.top());
            for (int length = 1; length <= 40; length++) {
                byte[] value = new byte[length];
                long hash = counts.key().hash(value);
                assertThat(counts.estimateHash(hash, at)).isEqualTo(countsThen.estimate(value));
                assertThat(top.atMost(value, at)).isEqualTo(topThen.atMost(value));
            }
        }
        assertThat(counts.newestMillis()).isEqualTo(1_999);
        assertThat(counts.window()).isEqualTo(Duration.ofMillis(100));
    }

    /** The sums went below 0: the bound of a total of −2 was refused, and so was a second late event. */
    @Test
    void sumsThatAreTooLargeStayAtTheLargestNumber() throws IOException {
        SlidingCounts<Long> counts = SlidingCounts.last(Duration.ofMillis(100))
                .cells(CountMin.Cells.BITS_64)
                .of(Key.longs())
                .build();
        SlidingTopK<Long> top =
                SlidingTopK.last(Duration.ofMillis(100)).of(Key.longs()).build();
        for (long at : new long[] {0, 50, -1_000, -2_000}) {
            assertThat(counts.add(7L, Long.MAX_VALUE, at)).isEqualTo(at >= 0);
            assertThat(top.add(7L, Long.MAX_VALUE, at)).isEqualTo(at >= 0);
        }
        assertThat(counts.estimate(7L)).isEqualTo(Long.MAX_VALUE);
        assertThat(counts.limit()).isEqualTo(Long.MAX_VALUE);
        assertThat(counts.total()).isEqualTo(counts.total(50)).isEqualTo(Long.MAX_VALUE);
        assertThat(counts.bound().error()).isPositive();
        assertThat(counts.late()).isEqualTo(top.late()).isEqualTo(Long.MAX_VALUE);
        assertThat(counts.describe().toString()).contains("9,223,372,036,854,775,807");
        assertThat(top.total()).isEqualTo(Long.MAX_VALUE);
        assertThat(top.atMost(7L)).isEqualTo(top.atLeast(7L)).isEqualTo(Long.MAX_VALUE);

        SlidingCounts<Long> other = counts.copy();
        other.advanceTo(60);
        byte[] before = other.toBytes();
        assertThatThrownBy(() -> other.merge(counts))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the counts of pane 0 sum up to more than 9223372036854775807");
        assertThat(other.toBytes()).isEqualTo(before);
    }

    /** The capacity was dropped by k, and the width of a counter by a limit of memory, without a word. */
    @Test
    void plansDoNotDependOnTheOrderInWhichTheyAreMade() {
        assertThat(SlidingTopK.last(Duration.ofMinutes(1))
                        .capacity(5_000)
                        .k(100)
                        .build()
                        .capacity())
                .isEqualTo(5_000);
        assertThatThrownBy(() ->
                        SlidingTopK.last(Duration.ofMinutes(1)).capacity(50).k(100))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("k must be in [1, capacity = 50], got 100");
        SlidingCounts.Plan<String> plan = SlidingCounts.last(Duration.ofMinutes(1));
        for (SlidingCounts.Plan<String> same : List.of(
                plan.cells(CountMin.Cells.BITS_64).depth(3).memoryBytes(1 << 20),
                plan.memoryBytes(1 << 20).cells(CountMin.Cells.BITS_64).depth(3))) {
            CountMin.Sizing sizing = same.build().sizing();
            assertThat(sizing.cells()).isEqualTo(CountMin.Cells.BITS_64);
            assertThat(sizing.depth()).isEqualTo(3);
            assertThat(same.sizeBytes()).isBetween((1 << 20) * 9L / 10, 1L << 20);
        }
        CountMin.Sizing wide = plan.cells(CountMin.Cells.BITS_64)
                .confidence(0.5)
                .width(100)
                .build()
                .sizing();
        assertThat(wide.cells()).isEqualTo(CountMin.Cells.BITS_64);
        assertThat(wide.depth()).isEqualTo(1);
    }

    /** 1.5 ms were taken for 1 ms: what was counted left its window early. */
    @Test
    void aWindowIsRoundedUpToWholeMilliseconds() {
        Duration window = Duration.ofNanos(1_500_000);
        assertThat(SlidingCounts.last(window).build().window()).isEqualTo(Duration.ofMillis(2));
        assertThat(SlidingTopK.last(window).build().window()).isEqualTo(Duration.ofMillis(2));
        for (Duration refused : List.of(Duration.ofNanos(999_999), Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> SlidingCounts.last(refused))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("the window must be at least 1 ms and at most PT")
                    .hasMessageEndingWith("got " + refused);
        }
    }

    @Test
    void theBytesOfValuesAreKnownThroughEvictionMergingAndFiles() throws IOException {
        SlidingTopK<byte[]> top = SlidingTopK.last(Duration.ofSeconds(1))
                .k(3)
                .capacity(20)
                .of(Key.bytes())
                .build();
        SplittableRandom random = new SplittableRandom(8);
        for (int i = 0; i < 5_000; i++) {
            top.add(new byte[random.nextInt(200)], 1, i);
        }
        assertThat(top.valueBytes()).isEqualTo(counted(top)).isPositive();
        SlidingTopK<byte[]> other = SlidingTopK.fromBytes(top.toBytes(), Key.bytes());
        assertThat(other.valueBytes()).isEqualTo(top.valueBytes());
        other.merge(top);
        assertThat(other.valueBytes()).isEqualTo(counted(other));
        assertThat(other.copy().valueBytes()).isEqualTo(counted(other));
        other.clear();
        assertThat(other.valueBytes()).isZero();
    }

    private static long counted(SlidingTopK<byte[]> top) {
        long sum = 0;
        for (TopK<byte[]> pane : top.panes.living()) {
            for (TopK.Ranked<byte[]> each : pane.top(pane.size())) {
                sum += (16 + each.value().length + 7L) / 8 * 8;
            }
        }
        return sum;
    }

    /** 300 streams whose events come out of order, some too late, against a list of all events. */
    @Test
    void countsWhatTheModelCountsAndTellsWhatIsLate() {
        for (int run = 0; run < 300; run++) {
            SplittableRandom random = new SplittableRandom(run);
            long window = random.nextInt(1, 1_000);
            int steps = 1 + random.nextInt(20);
            SlidingCounts<Long> counts = SlidingCounts.last(Duration.ofMillis(window))
                    .panes(steps)
                    .within(0.01)
                    .of(Key.longs())
                    .build();
            SlidingTopK<Long> top = SlidingTopK.last(Duration.ofMillis(window))
                    .panes(steps)
                    .k(3)
                    .capacity(15)
                    .of(Key.longs())
                    .build();
            List<Event> taken = new ArrayList<>();
            long late = 0;
            long now = random.nextInt(2) == 0 ? -5_000 : 1_700_000_000_000L;
            for (int i = 0; i < 400; i++) {
                now += random.nextInt(20);
                Event event = new Event(random.nextInt(30), random.nextInt(3), now - random.nextInt((int) window + 50));
                boolean inTime = counts.add(event.value, event.count, event.atMillis);
                assertThat(top.add(event.value, event.count, event.atMillis)).isEqualTo(inTime);
                if (inTime) {
                    taken.add(event);
                } else {
                    late += event.count;
                }
            }
            assertThat(counts.late()).isEqualTo(late);
            assertThat(top.late()).isEqualTo(late);
            long since = counts.sinceMillis();
            long pane = (window + steps - 1) / steps;
            assertThat(since).isEqualTo(top.sinceMillis());
            assertThat(since).isBetween(counts.newestMillis() - window - pane + 1, counts.newestMillis() - window);
            Map<Long, Long> truth = new HashMap<>();
            for (Event event : taken) {
                if (event.atMillis >= since) {
                    truth.merge(event.value, event.count, Long::sum);
                }
            }
            assertThat(counts.total())
                    .isEqualTo(
                            truth.values().stream().mapToLong(Long::longValue).sum());
            truth.forEach((value, count) -> {
                assertThat(counts.estimate(value)).isGreaterThanOrEqualTo(count);
                assertThat(top.atMost(value)).isGreaterThanOrEqualTo(count);
                assertThat(top.atLeast(value)).isLessThanOrEqualTo(count);
            });
            TopKProperty.assertWithin(top.merged(), truth);
            assertThat(top.top()).isEqualTo(top.merged().top());
        }
    }

    /** One event a millisecond; 100 more than the last second is the most that a tenth of it adds. */
    @Test
    void reachesBackTheWindowAndAtMostAPaneMore() {
        SlidingCounts<String> counts = SlidingCounts.last(Duration.ofSeconds(1)).build();
        for (long millis = 0; millis < 5_000; millis++) {
            assertThat(counts.add("tick", 1, millis)).isTrue();
            if (millis >= 1_100) {
                assertThat(counts.estimate("tick")).isBetween(1_000L, 1_100L);
            }
        }
        assertThat(counts.add("tick", 3, 3_899)).isFalse();
        assertThat(counts.add("tick", 1, 3_900)).isTrue();
        assertThat(counts.late()).isEqualTo(3);
        counts.advanceTo(5_950);
        assertThat(counts.estimate("tick")).isEqualTo(100 + 50 - 50);
        counts.advanceTo(2);
        assertThat(counts.newestMillis()).isEqualTo(5_950);
        counts.advanceTo(1_000_000);
        assertThat(counts.total()).isZero();
    }

    /** Panes of 2 ms for a window of 11 ms: ten of them would reach back 20 ms. */
    @Test
    void reachesBackAtMostAPaneMoreWherePanesDoNotDivideTheWindow() throws IOException {
        SlidingCounts<String> counts =
                SlidingCounts.last(Duration.ofMillis(11)).panes(10).build();
        for (long millis = 0; millis < 100; millis++) {
            counts.add("tick", 1, millis);
            assertThat(millis - counts.sinceMillis()).isBetween(11L, 12L);
            if (millis > 20) {
                assertThat(counts.estimate("tick")).isEqualTo(millis - counts.sinceMillis() + 1);
            }
        }
        counts.save(folder.resolve("uneven"));
        assertThat(SlidingCounts.open(folder.resolve("uneven"), Key.strings()).sinceMillis())
                .isEqualTo(counts.sinceMillis());
    }

    @Test
    void mergesPaneByPaneSeenFromTheNewerTime() {
        SlidingTopK<String> early = sliding();
        SlidingTopK<String> later = sliding();
        early.add("a", 5, 0);
        early.add("b", 2, 900);
        later.add("a", 1, 1_000);
        later.add("c", 7, 1_150);
        assertThat(early.fits(later)).isTrue();
        early.merge(later);
        assertThat(early.newestMillis()).isEqualTo(1_150);
        assertThat(early.top())
                .containsExactly(
                        new TopK.Ranked<>("c", 7, 7), new TopK.Ranked<>("b", 2, 2), new TopK.Ranked<>("a", 1, 1));
        assertThat(later.top()).hasSize(2);
    }

    private static SlidingTopK<String> sliding() {
        return SlidingTopK.last(Duration.ofSeconds(1)).k(3).build();
    }

    @Test
    void opensWhatItSaved() throws IOException {
        SlidingTopK<String> top = sliding();
        SlidingCounts<String> counts =
                SlidingCounts.last(Duration.ofSeconds(1)).memoryBytes(10_000).build();
        top.add("x", 3, 500);
        counts.add("x", 3, 500);
        assertThat(counts.sizeBytes()).isLessThanOrEqualTo(10_000);
        top.save(folder.resolve("top"));
        counts.save(folder.resolve("counts"));
        assertThat(SlidingTopK.open(folder.resolve("top"), Key.strings()).top()).isEqualTo(top.top());
        assertThat(SlidingCounts.open(folder.resolve("counts"), Key.strings()).estimate("x"))
                .isEqualTo(3);
        assertThat(Perhaps.open(folder.resolve("top")).describe()).isEqualTo(top.describe());
        assertThat(Perhaps.open(folder.resolve("counts")).describe()).isEqualTo(counts.describe());
    }

    @Test
    void refusesWhatCannotBe() {
        assertThatThrownBy(() -> SlidingCounts.last(Duration.ZERO)).hasMessageContaining("got PT0S");
        assertThatThrownBy(() -> SlidingTopK.last(Duration.ofMillis(-5))).hasMessageContaining("got PT-0.005S");
        assertThatThrownBy(() -> SlidingTopK.last(Duration.ofDays(1)).panes(0)).hasMessageContaining("got 0");
        assertThatThrownBy(() -> SlidingCounts.last(Duration.ofDays(1)).panes(10_001))
                .hasMessageContaining("got 10001");
        SlidingTopK<String> top = sliding();
        assertThatThrownBy(() -> top.add("a", -1, 0)).hasMessageContaining("got -1");
        assertThatThrownBy(() -> top.add("a", 1, Long.MAX_VALUE)).hasMessageContaining("not a time in milliseconds");
        assertThat(top.total()).isZero();
        assertThatThrownBy(() ->
                        top.merge(SlidingTopK.last(Duration.ofSeconds(2)).k(3).build()))
                .hasMessageContaining("a window of 1000 ms against 2000");
        assertThatThrownBy(() -> top.merge(
                        SlidingTopK.last(Duration.ofSeconds(1)).panes(7).k(3).build()))
                .hasMessageContaining("10 panes against 7");
        assertThatThrownBy(() -> top.merge(
                        SlidingTopK.last(Duration.ofSeconds(1)).k(3).capacity(9).build()))
                .hasMessageContaining("panes of 1000 counters against 9 counters");
    }

    @Test
    void opensWhatItSavedBeforeTheFirstEvent() throws IOException {
        SlidingCounts<String> empty = SlidingCounts.last(Duration.ofMinutes(1)).build();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        empty.writeTo(out);
        assertThat(out.size()).isEqualTo((int) empty.fileBytes());
        SlidingCounts<String> opened =
                SlidingCounts.readFrom(new ByteArrayInputStream(out.toByteArray()), Key.strings(), out.size());
        assertThat(opened.add("a", 1, 1_000)).isTrue();
        assertThat(opened.estimate("a")).isEqualTo(1);
    }

    /** A file without payload asked for 14 GiB with the first event. */
    @Test
    void refusesFewBytesThatAnnounceALargePane() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Frame.of(Kind.SLIDING_COUNT, Key.strings(), 0, 60_000, 6, Long.MIN_VALUE, 0, 0, 1 << 28, 7, 64)
                .write(out, payload -> {});
        assertThatThrownBy(() ->
                        SlidingCounts.readFrom(new ByteArrayInputStream(out.toByteArray()), Key.strings(), 10_000))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("cut short");
    }

    @Test
    void refusesPanesThatDoNotFit() throws IOException {
        TopK<String> pane = TopK.of(3).capacity(9).build();
        pane.add("a");
        assertThat(read(pane, 0, 1, 9).top()).containsExactly(new TopK.Ranked<>("a", 1, 1));
        assertThatThrownBy(() -> read(pane, 0, 1, 8)).hasMessageContaining("a pane that does not fit");
        assertThatThrownBy(() -> read(pane, 1, 1, 9)).hasMessageContaining("a pane 1");
        assertThatThrownBy(() -> read(pane, -11, 1, 9)).hasMessageContaining("a pane -11");
        assertThatThrownBy(() -> read(pane, 0, 12, 9))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("living panes 12");
        assertThatThrownBy(() -> read(pane, 0, 2, 9)).isInstanceOf(FormatException.class);
    }

    private static SlidingTopK<String> read(TopK<String> pane, long index, long living, long capacity)
            throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Frame.of(Kind.SLIDING_TOP, Key.strings(), 8 + pane.fileBytes(), 1_000, 10, 50, 0, living, 3, capacity)
                .write(out, payload -> {
                    payload.longs(new long[] {index});
                    NestedFrames.write(pane, payload);
                });
        return SlidingTopK.readFrom(new ByteArrayInputStream(out.toByteArray()), Key.strings(), 10_000);
    }
}
