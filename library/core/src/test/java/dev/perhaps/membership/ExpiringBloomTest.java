package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.Golden;
import dev.perhaps.Perhaps;
import dev.perhaps.frame.Corruption;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Sketch;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an expiring Bloom filter promises of time; what it promises as a filter is in the contract tests. */
class ExpiringBloomTest {
    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final long GENERATION = HOUR / ExpiringBloom.GENERATIONS;

    /** 2020-09-13T12:26:40Z, which is no boundary of a generation. */
    private static final long START = 1_600_000_000_000L;

    private static final double ERROR = 0.02;
    private static final int ITEMS = 1_000;

    private static ExpiringBloom.Plan<Long> plan() {
        return ExpiringBloom.expecting(ITEMS)
                .within(Duration.ofMillis(HOUR))
                .falsePositives(ERROR)
                .of(Key.longs());
    }

    /**
     * 20 seeds, 10 windows, evenly spaced items at a multiple of the planned rate; 24 moments per window. At each of
     * them every item of the window is found. n: 1,000 new absent items and up to 1,000 of those that expired last, per
     * moment. Bound: below or at plan each count is under 6σ above the planned error (α under 10⁻⁶ per count, 10⁻² for
     * all 9,600), at any rate the sum over absent items is within 4σ of the sum of what was stated (α 1 in 16,000 per
     * rate), and the sum over expired ones, which are asked again and again, within a tenth more.
     */
    @ParameterizedTest
    @ValueSource(doubles = {0.3, 1, 3})
    void missesNoYoungerItemAndKeepsItsErrorAtEveryMoment(double rate) {
        int moments = 0;
        int overfilled = 0;
        double stated = 0;
        double absentFound = 0;
        double expiredStated = 0;
        double expiredFound = 0;
        for (int seed = 1; seed <= 20; seed++) {
            ExpiringBloom<Long> filter = plan().build();
            SplittableRandom random = new SplittableRandom(seed);
            long start = START + random.nextLong(HOUR);
            double spacing = HOUR / (ITEMS * rate);
            int count = (int) (10 * ITEMS * rate);
            long[] hashes = random.longs(count).toArray();
            int next = 0;
            for (long now = start; now <= start + 10 * HOUR; now += GENERATION / 2) {
                while (next < count && start + (long) (next * spacing) <= now) {
                    filter.addHash(hashes[next], start + (long) (next * spacing));
                    next++;
                }
                int youngFrom = Math.max(0, (int) Math.ceil((now - HOUR - start) / spacing));
                assertThat(found(filter, now, Arrays.copyOfRange(hashes, youngFrom, next)))
                        .as("seed %d, %d ms", seed, now - start)
                        .isEqualTo(next - youngFrom);

                long[] absent = random.longs(1_000).toArray();
                int oldTo = Math.max(0, (int) Math.floor((now - HOUR - GENERATION - 1 - start) / spacing));
                long[] expired = Arrays.copyOfRange(hashes, Math.max(0, oldTo - 1_000), oldTo);
                double error = filter.errorNow(now);
                int foundHere = found(filter, now, absent);
                int expiredHere = found(filter, now, expired);
                if (rate <= 1) {
                    assertThat(error).isLessThan(ERROR * 1.1);
                    assertThat(filter.overfilled(now)).isFalse();
                    assertThat(foundHere).isLessThan(47);
                    assertThat(expiredHere).isLessThan(47);
                }
                moments++;
                overfilled += filter.overfilled(now) ? 1 : 0;
                stated += error * absent.length;
                absentFound += foundHere;
                expiredStated += error * expired.length;
                expiredFound += expiredHere;
            }
        }
        assertThat(absentFound).isBetween(stated - 4 * Math.sqrt(stated), stated + 4 * Math.sqrt(stated));
        double swing = expiredStated * 0.1 + 4 * Math.sqrt(expiredStated);
        assertThat(expiredFound).isBetween(expiredStated - swing, expiredStated + swing);
        if (rate > 1) {
            // Reported when a window's worth is in, which is after a third of the first window.
            assertThat((double) overfilled / moments).isBetween(0.95, 0.97);
            assertThat(stated / moments / 1_000).isGreaterThan(5 * ERROR);
        }
    }

    /** n: 100,000 absent items. Bound: 4σ around what is stated, α 1 in 16,000. */
    @Test
    void takesAWindowsItemsInOneBurst() {
        ExpiringBloom<Long> filter = plan().build();
        long[] items = Subject.hashes(ITEMS, 1);
        for (long hash : items) {
            filter.addHash(hash, START);
        }
        for (long now = START; now <= START + HOUR; now += GENERATION / 3) {
            assertThat(found(filter, now, items)).isEqualTo(ITEMS);
            assertThat(filter.overfilled(now)).isFalse();
            assertThat(filter.errorNow(now)).isLessThan(ERROR);
        }
        double expected = filter.errorNow(START) * 100_000;
        assertThat((double) found(filter, START, Subject.hashes(100_000, 2)))
                .isBetween(expected - 4 * Math.sqrt(expected), expected + 4 * Math.sqrt(expected));
    }

    @Test
    void isNotFilledByItemsThatComeAgain() {
        ExpiringBloom<Long> filter = plan().build();
        long[] items = Subject.hashes(ITEMS, 3);
        for (long now = START; now <= START + 10 * HOUR; now += GENERATION / 5) {
            for (long hash : items) {
                filter.addHash(hash, now);
            }
            assertThat(filter.errorNow(now)).isLessThan(ERROR);
        }
        assertThat((double) filter.itemsNow(START + 10 * HOUR)).isBetween(ITEMS * 0.95, ITEMS * 1.05);
    }

    /** Also where twelve does not divide the window, and where a generation is shorter than a millisecond. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 7, 12, 100, 3_599_999, 3_600_000, 86_400_001})
    void findsAnItemForTheWindowAndForgetsItATwelfthLater(long window) {
        SplittableRandom random = new SplittableRandom(window);
        for (int round = 0; round < 2_000; round++) {
            ExpiringBloom<Long> filter =
                    plan().within(Duration.ofMillis(window)).build();
            long at = round < 1_000 ? START + random.nextLong(3 * window + 1) : random.nextLong(-window, window + 1);
            assertThat(filter.add(7L, at)).isEqualTo(Added.ADDED);
            assertThat(filter.mightContain(7L, at)).isTrue();
            assertThat(filter.mightContain(7L, at + window)).isTrue();
            assertThat(filter.mightContain(7L, at + window + window / 12 + 1)).isFalse();
            assertThat(filter.add(7L, at + window)).isEqualTo(Added.PRESENT);
            assertThat(filter.mightContain(7L, at + 2 * window)).isTrue();
        }
    }

    @Test
    void findsItemsOfTheLongestWindowAtTheLastOfAllTimes() {
        ExpiringBloom<Long> filter =
                plan().within(Duration.ofMillis(ExpiringBloom.MAX_MILLIS)).build();
        for (long at : new long[] {-ExpiringBloom.MAX_MILLIS, 0, ExpiringBloom.MAX_MILLIS}) {
            filter.add(at, at);
            assertThat(filter.mightContain(at, at)).isTrue();
        }
        assertThat(filter.mightContain(0L, ExpiringBloom.MAX_MILLIS)).isTrue();
        assertThat(filter.mightContain(-ExpiringBloom.MAX_MILLIS, ExpiringBloom.MAX_MILLIS))
                .isFalse();
    }

    /** 20 seeds, in each 4,000 adds that are up to a window late. */
    @Test
    void missesNothingThatComesInAnyOrderWithinAWindow() {
        for (int seed = 1; seed <= 20; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            ExpiringBloom<Long> filter = plan().build();
            long[] hashes = random.longs(4_000).toArray();
            long[] times = new long[hashes.length];
            for (int i = 0; i < hashes.length; i++) {
                long clock = START + i * HOUR / 1_000;
                times[i] = clock - (random.nextInt(4) == 0 ? random.nextLong(HOUR) : 0);
                filter.addHash(hashes[i], times[i]);
                assertThat(filter.mightContainHash(hashes[i], times[i])).isTrue();
                int earlier = random.nextInt(i + 1);
                if (clock - times[earlier] <= HOUR) {
                    assertThat(filter.mightContainHash(hashes[earlier], clock)).isTrue();
                }
            }
        }
    }

    @Test
    void losesNothingYoungWhenTheClockIsSetBack() {
        for (long back : new long[] {1, GENERATION, HOUR / 2, HOUR, 3 * HOUR, 10_000 * HOUR}) {
            ExpiringBloom<Long> filter = plan().build();
            long now = fill(filter, 0, START, 2 * HOUR);
            long setBack = now - back;
            // What was young stays so, and what comes is young for its window.
            for (long later = 0; later <= HOUR; later += GENERATION / 4) {
                filter.add(-later - 1, setBack + later);
                for (long item = 1_000; item < 2_000; item++) {
                    if (setBack + later - (START + item * HOUR / ITEMS) <= HOUR) {
                        assertThat(filter.mightContain(item, setBack + later))
                                .as("back %d", back)
                                .isTrue();
                    }
                }
                for (long item = 0; item <= later; item += GENERATION / 4) {
                    assertThat(filter.mightContain(-item - 1, setBack + later))
                            .as("back %d", back)
                            .isTrue();
                }
            }
        }
    }

    /** A clock that was set back for good: after two windows what was before is gone, and the error is as planned. */
    @Test
    void recoversFromAClockThatWasSetBack() {
        ExpiringBloom<Long> filter = plan().build();
        long wrong = START + 10_000 * HOUR;
        fill(filter, 0, wrong, 2 * HOUR);
        long now = fill(filter, 10_000, START, 5 * HOUR);
        assertThat(filter.overfilled(now)).isFalse();
        assertThat(filter.errorNow(now)).isLessThan(ERROR * 1.1);
        long[] before = new long[1_000];
        Arrays.setAll(before, i -> Key.longs().hash(i + 1_000L));
        assertThat(found(filter, now, before)).isLessThan(47);
        long[] young = new long[ITEMS - 1];
        Arrays.setAll(young, i -> Key.longs().hash(14_001L + i));
        assertThat(found(filter, now, young)).isEqualTo(young.length);
    }

    @Test
    void losesNothingWhenTheClockJumpsAheadAndBack() {
        for (long ahead : new long[] {HOUR, 3 * HOUR, 10_000 * HOUR, ExpiringBloom.MAX_MILLIS - START - 3 * HOUR}) {
            ExpiringBloom<Long> filter = plan().build();
            long now = fill(filter, 0, START, 2 * HOUR);
            for (int i = 0; i < 100; i++) {
                filter.add(100_000L + i, now + ahead + i * GENERATION / 100);
            }
            assertThat(filter.mightContain(100_000L, now + ahead)).isTrue();
            for (long item = 1_000; item < 2_000; item++) {
                assertThat(filter.mightContain(item, now)).as("ahead %d", ahead).isTrue();
            }
            long end = fill(filter, 2_000, now, HOUR);
            for (long item = 2_000; item < 3_000; item++) {
                assertThat(filter.mightContain(item, end)).as("ahead %d", ahead).isTrue();
            }
        }
    }

    /**
     * Any clock: 100 seeds, 1,500 adds each, at times that mostly go on, often by more than a generation, and sometimes
     * jump by windows or by years in either direction. An item must be found at any time up to the end of its window if
     * no add since then was given a time more than a window before or after its own; and what is saved can always be
     * read.
     */
    @Test
    void missesAnItemOnlyAfterAnAddMoreThanAWindowAway() throws IOException {
        int due = 0;
        for (int seed = 1; seed <= 100; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            ExpiringBloom<Long> filter = plan().build();
            long[] hashes = random.longs(1_500).toArray();
            long[] times = new long[hashes.length];
            long clock = START;
            for (int i = 0; i < times.length; i++) {
                clock += switch (random.nextInt(100)) {
                    case 0 -> random.nextLong(-5 * HOUR, 5 * HOUR);
                    case 1 -> random.nextLong(-10_000 * HOUR, 10_000 * HOUR);
                    case 2, 3, 4, 5 -> random.nextLong(-HOUR, HOUR);
                    default -> random.nextLong(HOUR / 10);
                };
                times[i] = clock;
                filter.addHash(hashes[i], clock);
                long earliest = clock;
                long latest = clock;
                for (int item = i; item >= Math.max(0, i - 50); item--) {
                    earliest = Math.min(earliest, times[item]);
                    latest = Math.max(latest, times[item]);
                    if (latest - times[item] <= HOUR && times[item] - earliest <= HOUR) {
                        long asked = times[item] + random.nextLong(-3 * HOUR, HOUR + 1);
                        assertThat(filter.mightContainHash(hashes[item], asked))
                                .as("seed %d, item %d after add %d", seed, item, i)
                                .isTrue();
                        due++;
                    }
                }
            }
            byte[] saved = bytes(filter);
            ExpiringBloom<Long> opened =
                    ExpiringBloom.readFrom(new ByteArrayInputStream(saved), Key.longs(), saved.length);
            assertThat(opened.describe(clock)).isEqualTo(filter.describe(clock));
        }
        assertThat(due).isGreaterThan(1_000_000);
    }

    @Test
    void forgetsEverythingOldWhenTheClockJumpsAheadForGood() {
        ExpiringBloom<Long> filter = plan().build();
        long now = fill(filter, 0, START, 2 * HOUR);
        long later = now + 10_000 * HOUR;
        assertThat(filter.itemsNow(later)).isZero();
        assertThat(filter.errorNow(later)).isZero();
        filter.add(5_000L, later);
        assertThat(filter.itemsNow(later)).isOne();
        assertThat(filter.mightContain(5_000L, later)).isTrue();
        assertThat(filter.mightContain(1_999L, later)).isFalse();
    }

    @Test
    @SuppressWarnings("CheckReturnValue") // what lookups leave behind is compared, not what they return
    void isNotChangedByLookups() throws IOException {
        ExpiringBloom<Long> filter = plan().build();
        long now = fill(filter, 0, START, HOUR);
        byte[] before = bytes(filter);
        for (long at : new long[] {0, now, now + HOUR, now + 1_000 * HOUR, -now}) {
            filter.mightContain(3L, at);
            filter.describe(at);
        }
        assertThat(bytes(filter)).isEqualTo(before);
    }

    /** 20 seeds: saved and opened in the middle of ten windows, and at a different moment in each. */
    @Test
    void goesOnAfterARestartAsIfThereHadBeenNone() throws IOException {
        for (int seed = 1; seed <= 20; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            long restart = random.nextLong(10 * HOUR);
            ExpiringBloom<Long> filter = plan().salt(seed).build();
            long now = fill(filter, 0, START, restart);
            byte[] saved = bytes(filter);
            ExpiringBloom<Long> opened =
                    ExpiringBloom.readFrom(new ByteArrayInputStream(saved), Key.longs(), saved.length);
            assertThat(bytes(opened)).isEqualTo(saved);
            assertThat(opened.describe(now)).isEqualTo(filter.describe(now));
            long end = fill(filter, 50_000, now, 2 * HOUR);
            fill(opened, 50_000, now, 2 * HOUR);
            assertThat(bytes(opened)).isEqualTo(bytes(filter));
            assertThat(opened.errorNow(end)).isEqualTo(filter.errorNow(end));
        }
    }

    /** 20 seeds: items dealt to two filters, whose clocks stand up to two windows apart when they are merged. */
    @Test
    void holdsTheItemsOfBothAfterAMergeForAsLongAsEachWould() throws IOException {
        for (int seed = 1; seed <= 20; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            ExpiringBloom<Long> one = plan().build();
            ExpiringBloom<Long> other = plan().build();
            ExpiringBloom<Long> both = plan().build();
            long lag = random.nextLong(2 * HOUR);
            long[] hashes = random.longs(3 * ITEMS).toArray();
            long end = START + 3 * HOUR;
            for (int i = 0; i < hashes.length; i++) {
                long at = START + i * HOUR / ITEMS;
                boolean left = random.nextBoolean();
                if (left || at <= end - lag) {
                    (left ? one : other).addHash(hashes[i], at);
                    both.addHash(hashes[i], at);
                }
            }
            ExpiringBloom<Long> reverse = other.copy();
            reverse.merge(one);
            one.merge(other);
            assertThat(bytes(one)).isEqualTo(bytes(reverse));
            long[] asked = Arrays.copyOf(hashes, 6 * ITEMS);
            System.arraycopy(Subject.hashes(3 * ITEMS, seed), 0, asked, 3 * ITEMS, 3 * ITEMS);
            for (long now = end; now <= end + 2 * HOUR; now += GENERATION / 2) {
                for (long hash : asked) {
                    assertThat(one.mightContainHash(hash, now)).isEqualTo(both.mightContainHash(hash, now));
                }
                assertThat(one.errorNow(now)).isEqualTo(both.errorNow(now));
            }
            long later = fill(one, 0, end, HOUR);
            fill(both, 0, end, HOUR);
            assertThat(one.errorNow(later)).isEqualTo(both.errorNow(later));
        }
    }

    @Test
    void refusesToMergeGenerationsThatBeginAtDifferentTimes() throws IOException {
        ExpiringBloom<Long> one = plan().build();
        fill(one, 0, START, HOUR);
        byte[] before = bytes(one);
        ExpiringBloom<Long> longer = plan().within(Duration.ofHours(2)).build();
        assertThat(one.fits(longer)).isFalse();
        assertThatThrownBy(() -> one.merge(longer))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a window of PT1H against PT2H")
                .hasMessageContaining("build both with the same window");
        ExpiringBloom<Long> larger = plan().falsePositives(0.001).build();
        assertThatThrownBy(() -> one.merge(larger)).hasMessageContaining("cells against");
        assertThat(bytes(one)).isEqualTo(before);
    }

    @Test
    void asksTheClockWhereNoTimeIsGiven() {
        AtomicLong clock = new AtomicLong(START);
        ExpiringBloom<Long> filter = plan().clock(clock::get).build();
        assertThat(filter.add(1L)).isEqualTo(Added.ADDED);
        assertThat(filter.addHashes(new long[] {5, 6}, 0, 2)).isEqualTo(2);
        clock.addAndGet(HOUR);
        assertThat(filter.add(1L)).isEqualTo(Added.PRESENT);
        assertThat(filter.mightContainHashes(new long[] {5, 6}, 0, 2, new long[1]))
                .isEqualTo(2);
        assertThat(filter.copy().itemsNow()).isEqualTo(3);
        clock.addAndGet(HOUR);
        assertThat(filter.mightContain(1L)).isTrue();
        assertThat(filter.mightContainHash(5)).isFalse();
        assertThat(filter.itemsNow()).isOne();
        clock.addAndGet(HOUR);
        assertThat(filter.errorNow()).isZero();
        assertThat(filter.load()).isZero();
        assertThat(filter.overfilled()).isFalse();
    }

    @Test
    void refusesImpossibleTimesAndWindows() {
        ExpiringBloom<Long> filter = plan().build();
        long nanos = START * 1_000_000;
        for (long at : new long[] {nanos, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertThatThrownBy(() -> filter.add(1L, at)).hasMessageContaining("milliseconds since 1970", "got " + at);
            assertThatThrownBy(() -> filter.mightContain(1L, at)).hasMessageContaining("got " + at);
        }
        assertThat(filter.itemsNow(START)).isZero();
        for (Duration window : new Duration[] {Duration.ZERO, Duration.ofHours(-1), Duration.ofDays(1L << 40)}) {
            assertThatThrownBy(() -> plan().within(window))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("at least 1 ms")
                    .hasMessageContaining("got " + window);
        }
        assertThat(plan().within(Duration.ofNanos(1_500_000)).build().window()).isEqualTo(Duration.ofMillis(2));
    }

    @Test
    void describesItsWindowAndWhatItHoldsAtATime() {
        ExpiringBloom<Long> filter = plan().build();
        assertThat(filter.describe(START).toString()).containsPattern("newest generation +none");
        long now = fill(filter, 0, START, 2 * HOUR);
        assertThat(filter.describe(now).toString())
                .containsPattern("window millis +3,600,000")
                .containsPattern("generation millis +300,000 ms")
                .containsPattern("newest generation +2020-09-13T14:25:00Z")
                .containsPattern("overfilled +no");
        fill(filter, 10_000, now, 10);
        assertThat(filter.describe(now + 3 * HOUR).toString()).containsPattern("items now +0");
    }

    @Test
    void refusesCellsOfNoGeneration() throws IOException {
        byte[] good = bytes(plan().build());
        // The first cell holds number 5, which stands for no generation.
        int payload = good.length - 4 - (int) plan().sizing().bytes();
        byte[] forged = good.clone();
        forged[payload] = 5;
        Corruption.withChecksums(forged);
        assertThatThrownBy(() -> Perhaps.readFrom(new ByteArrayInputStream(forged), forged.length))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("cells of no generation: 1");
    }

    /** As {@link GoldenFilesTest}, at times of its own. */
    @Test
    void readsAndWritesTheFirstVersion() throws IOException {
        ExpiringBloom<Long> built =
                ExpiringBloom.expecting(100).of(Key.longs()).salt(2).build();
        long[] hashes = Subject.hashes(100, 24);
        for (int i = 0; i < hashes.length; i++) {
            built.addHash(hashes[i], START + i * HOUR / 50);
        }
        Sketch checked = Golden.check("expiring-1", built);
        ExpiringBloom<Long> read = ExpiringBloom.fromBytes(checked.toBytes(), Key.longs());
        long end = START + 2 * HOUR;
        assertThat(read.sizing()).isEqualTo(built.sizing());
        assertThat(found(read, end, Arrays.copyOfRange(hashes, 50, 100))).isEqualTo(50);
        assertThat(read.describe(end)).isEqualTo(built.describe(end));
    }

    /** Adds items at the planned rate from a time on, and returns the time of the end. */
    @CanIgnoreReturnValue
    private static long fill(ExpiringBloom<Long> filter, long firstItem, long from, long millis) {
        for (long i = 0; i * HOUR / ITEMS < millis; i++) {
            filter.add(firstItem + i, from + i * HOUR / ITEMS);
        }
        return from + millis;
    }

    private static int found(ExpiringBloom<Long> filter, long now, long[] hashes) {
        return filter.mightContainHashes(hashes, 0, hashes.length, new long[(hashes.length + 63) / 64], now);
    }

    private static byte[] bytes(ExpiringBloom<Long> filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }
}
