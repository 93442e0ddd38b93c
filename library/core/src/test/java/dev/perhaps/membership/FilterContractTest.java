package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.Perhaps;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Mergeable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What every kind of filter promises. */
class FilterContractTest {
    private static final int ITEMS = 20_000;

    @TempDir
    Path folder;

    static Stream<Subject> subjects() {
        return Subject.all();
    }

    static Stream<Subject> fillable() {
        return Subject.all().filter(subject -> subject.plan().apply(1) instanceof FilterPlan.Fillable<Long>);
    }

    static Stream<Subject> mergeable() {
        return Subject.all().filter(subject -> subject.full(0.01, 1) instanceof Mergeable<?>);
    }

    static Stream<Arguments> subjectsAtThreeErrors() {
        return Subject.all()
                .flatMap(subject -> Stream.of(0.03, 0.01, 0.0005).map(error -> Arguments.of(subject, error)));
    }

    /** A filter in the registry that has no subject would be tested as a file only. */
    @Test
    void holdsForEveryKindOfFilter() {
        assertThat(Subject.all().map(Subject::kind).collect(Collectors.toSet())).isEqualTo(Perhaps.filterKinds());
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void neverForgetsWhatItHolds(Subject subject) {
        for (int items : new int[] {1, 2, 3, 10, 100, 1_000, ITEMS}) {
            long[] hashes = Subject.hashes(items, items);
            HashFilter<Long> filter = subject.full(0.01, hashes);
            for (long hash : hashes) {
                assertThat(filter.mightContainHash(hash)).isTrue();
            }
        }
    }

    /** Positions of an item may coincide: a filter with such an item said that it held none. */
    @ParameterizedTest
    @MethodSource("subjects")
    void saysOneItemWhateverItIs(Subject subject) {
        for (long hash : Subject.hashes(200, 77)) {
            HashFilter<Long> filter = subject.full(0.01, hash);
            assertThat(filter.itemsNow()).as("of hash %d", hash).isEqualTo(1);
        }
    }

    /** α: 4σ both sides is 1 in 16,000 a case. The seeds are fixed. n: enough absent keys to expect at least 2,000. */
    @ParameterizedTest
    @MethodSource("subjectsAtThreeErrors")
    void statesTheErrorThatIsMeasured(Subject subject, double asked) {
        HashFilter<Long> filter = subject.full(asked, Subject.hashes(200_000, 1));
        double stated = filter.errorNow();
        assertThat(stated).isLessThanOrEqualTo(asked).isGreaterThanOrEqualTo(asked * subject.leastShare());

        int asks = Math.max(400_000, (int) (2_000 / stated));
        long found = positives(filter, Subject.hashes(asks, 2));
        double expected = stated * asks;
        double deviation = Math.sqrt(expected * (1 - stated));
        assertThat((double) found).isBetween(expected - 4 * deviation, expected + 4 * deviation);
    }

    /**
     * Filters of 1 to 10 items, where every item shows: stated is what is measured. n: 60 filters of each size, asked for
     * the same 20,000 absent keys. α: 5σ both sides over the filters together; what single filters state swings, and is
     * above what was asked in at most 1 of 20.
     */
    @ParameterizedTest
    @MethodSource("subjectsAtThreeErrors")
    void statesTheErrorThatIsMeasuredInTinyFilters(Subject subject, double asked) {
        long[] absent = Subject.hashes(20_000, 24);
        for (int items : new int[] {1, 2, 3, 5, 10}) {
            double expected = 0;
            long found = 0;
            int above = 0;
            for (int seed = 0; seed < 60; seed++) {
                HashFilter<Long> filter = subject.full(asked, Subject.hashes(items, 1_000 + seed));
                expected += filter.errorNow() * absent.length;
                found += positives(filter, absent);
                above += filter.errorNow() > asked ? 1 : 0;
            }
            double deviation = Math.sqrt(expected);
            assertThat((double) found)
                    .as("%d items", items)
                    .isBetween(expected - 5 * deviation - 1, expected + 5 * deviation + 1);
            assertThat(above).as("%d items", items).isLessThanOrEqualTo(3);
        }
    }

    /** A filter behind a shard sees only hashes of that shard; its error must not notice. */
    @ParameterizedTest
    @MethodSource("subjects")
    void keepsItsErrorBehindAShardOfTheSameHash(Subject subject) {
        for (int shift : new int[] {0, 58}) {
            long[] hashes = shard(Subject.hashes(ITEMS * 70, 3), shift);
            HashFilter<Long> filter = subject.full(0.01, Arrays.copyOf(hashes, ITEMS));
            long[] absent = shard(Subject.hashes(ITEMS * 70, 4), shift);
            double measured = (double) positives(filter, absent) / absent.length;
            assertThat(measured).isLessThan(0.015);
        }
    }

    private static long[] shard(long[] hashes, int shift) {
        return Arrays.stream(hashes).filter(hash -> (hash >>> shift & 63) == 17).toArray();
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void answersABatchAsOneByOne(Subject subject) {
        long[] present = Subject.hashes(ITEMS, 5);
        HashFilter<Long> filter = subject.full(0.03, present);
        long[] asked = Subject.hashes(1_000, 6);
        for (int i = 0; i < asked.length; i += 3) {
            asked[i] = present[i];
        }
        for (int[] range : new int[][] {{0, 1_000}, {0, 0}, {7, 8}, {1, 64}, {3, 67}, {100, 229}}) {
            long[] answers = new long[16];
            Arrays.fill(answers, -1);
            int found = filter.mightContainHashes(asked, range[0], range[1], answers);
            int expected = 0;
            for (int i = range[0]; i < range[1]; i++) {
                boolean single = filter.mightContainHash(asked[i]);
                int bit = i - range[0];
                assertThat((answers[bit >>> 6] >>> bit & 1) == 1).isEqualTo(single);
                expected += single ? 1 : 0;
            }
            assertThat(found).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void refusesABatchThatDoesNotFit(Subject subject) {
        HashFilter<Long> filter = subject.full(0.01, 1, 2, 3);
        assertThatThrownBy(() -> filter.mightContainHashes(new long[65], 0, 65, new long[1]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("65 answers need 2 words");
        assertThatThrownBy(() -> filter.mightContainHashes(new long[4], 1, 5, new long[1]))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void takesTheMemoryThatWasPlanned(Subject subject) {
        long[] hashes = Subject.hashes(ITEMS, 7);
        FilterPlan<Long> plan = subject.plan().apply(ITEMS).falsePositives(0.01);
        HashFilter<Long> filter = plan.buildFrom(Hashes.of(hashes));
        assertThat(filter.sizeBytes()).isEqualTo(plan.sizing().bytes());
        assertThat(filter.sizing()).isEqualTo(plan.sizing());
        assertThat(plan.sizing().error()).isLessThanOrEqualTo(0.01);
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void keepsWithinTheMemoryItIsAllowed(Subject subject) {
        long max = subject.plan().apply(ITEMS).falsePositives(0.05).sizing().bytes();
        FilterPlan<Long> plan = subject.plan().apply(ITEMS).memoryBytes(max);
        HashFilter<Long> filter = plan.buildFrom(Hashes.of(Subject.hashes(ITEMS, 8)));
        assertThat(filter.sizeBytes()).isLessThanOrEqualTo(max);
        assertThat(filter.errorNow()).isLessThan(0.06);
        assertThatThrownBy(() -> subject.plan()
                        .apply(ITEMS)
                        .memoryBytes(1_000)
                        .falsePositives(0.01)
                        .sizing())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 1000 are allowed");
    }

    /**
     * From 1 byte to kilobytes per item: a filter that works within the memory, or one line that refuses it. n: 20,000
     * absent keys. α: 5σ both sides, and 3 for the cases where the swing is that of single keys.
     */
    @ParameterizedTest
    @MethodSource("subjects")
    void worksWithinAnyMemoryOrRefusesIt(Subject subject) throws IOException {
        long[] absent = Subject.hashes(20_000, 22);
        for (int items : new int[] {1, 2, 10, 1_000}) {
            long[] hashes = Subject.hashes(items, 23);
            double errorOfLess = 1;
            for (long bytes : new long[] {1, 7, 8, 9, 16, 64, 100, 300, 1_000, 5_000, 40_000, 600_000, 1 << 21}) {
                String as = items + " items in " + bytes + " bytes";
                FilterPlan<Long> plan = within(subject, items, bytes);
                if (plan == null) {
                    assertThat(errorOfLess).as(as).isOne();
                    continue;
                }
                HashFilter<Long> filter = plan.buildFrom(Hashes.of(hashes));
                assertThat(filter.sizeBytes()).as(as).isEqualTo(plan.sizing().bytes());
                assertThat(filter.sizeBytes()).as(as).isLessThanOrEqualTo(bytes);
                assertThat(plan.sizing().error())
                        .as(as)
                        .isPositive()
                        .isLessThanOrEqualTo(Math.max(errorOfLess, 0x1p-64));
                errorOfLess = plan.sizing().error();
                assertThat(positives(filter, hashes)).as(as).isEqualTo(items);
                double stated = filter.errorNow();
                assertThat(stated).as(as).isBetween(0.0, 1.0);
                double expected = stated * absent.length;
                double deviation = Math.sqrt(expected * (1 - stated));
                assertThat((double) positives(filter, absent))
                        .as(as)
                        .isBetween(expected - 3 - 5 * deviation, expected + 3 + 5 * deviation);
                byte[] file = bytes(filter);
                assertThat(file).as(as).hasSize((int) filter.fileBytes());
                assertThat(bytes(Perhaps.openFilter(saved(file), Key.longs())))
                        .as(as)
                        .isEqualTo(file);
            }
        }
    }

    /** Memory that no array has is not taken, and no item is promised that does not fit. */
    @ParameterizedTest
    @MethodSource("subjects")
    void plansWithinAnyMemoryOrRefusesIt(Subject subject) {
        for (long items : new long[] {1, 2, 1_000, 1_000_000_000_000L, Long.MAX_VALUE}) {
            for (int log : new int[] {0, 3, 10, 31, 34, 40, 62}) {
                FilterPlan<Long> plan = within(subject, items, 1L << log);
                if (plan != null) {
                    assertThat(plan.sizing().bytes()).isPositive().isLessThanOrEqualTo(1L << log);
                    assertThat(plan.sizing().error()).isPositive().isLessThanOrEqualTo(1);
                    assertThat(plan.sizing().buildBytes()).isNotNegative();
                }
            }
        }
    }

    /** The plan by memory alone, or null if it is refused as it should be. */
    private static @Nullable FilterPlan<Long> within(Subject subject, long items, long bytes) {
        try {
            FilterPlan<Long> plan = subject.plan().apply(items).memoryBytes(bytes);
            assertThat(plan.sizing().bytes()).isPositive();
            return plan;
        } catch (IllegalArgumentException e) {
            assertThat(e)
                    .hasMessageNotContaining("\n")
                    .hasMessageMatching(".*(at least|at most|too few|more .*than).*");
            return null;
        }
    }

    private Path saved(byte[] file) throws IOException {
        return Files.write(folder.resolve("saved"), file);
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void refusesImpossiblePlans(Subject subject) {
        assertThatThrownBy(() -> subject.plan().apply(0)).hasMessageContaining("items must be at least 1, got 0");
        assertThatThrownBy(() -> subject.plan().apply(-5)).hasMessageContaining("got -5");
        for (double rate : new double[] {0, 1, -0.1, 1.5, Double.NaN}) {
            assertThatThrownBy(() -> subject.plan().apply(10).falsePositives(rate))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("falsePositives must be in (0, 1), got " + rate);
        }
        assertThatThrownBy(() -> subject.plan().apply(1L << 60).sizing()).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void answersTheSameAfterSavingAndOpening(Subject subject) throws IOException {
        long[] hashes = Subject.hashes(ITEMS, 9);
        HashFilter<Long> filter = subject.full(0.01, hashes);
        Path file = folder.resolve("filter");
        filter.save(file);
        assertThat(Files.size(file)).isEqualTo(filter.fileBytes());

        HashFilter<Long> opened = Perhaps.openFilter(file, Key.longs());
        assertSameAnswers(filter, opened);
        assertThat(opened.kind()).isEqualTo(subject.kind());
        assertThat(opened.sizing()).isEqualTo(filter.sizing());
        assertThat(bytes(opened)).isEqualTo(Files.readAllBytes(file));
    }

    @ParameterizedTest
    @MethodSource("fillable")
    void goesOnAfterOpeningAsIfItHadStayed(Subject subject) throws IOException {
        HashFilter.Adds<Long> filter = (HashFilter.Adds<Long>) subject.full(0.02, Subject.hashes(2_000, 10));
        Path file = folder.resolve("filter");
        filter.save(file);
        HashFilter.Adds<Long> opened = (HashFilter.Adds<Long>) Perhaps.openFilter(file, Key.longs());
        long[] more = Subject.hashes(100, 11);
        assertThat(opened.addHashes(more, 0, more.length)).isEqualTo(filter.addHashes(more, 0, more.length));
        assertThat(bytes(opened)).isEqualTo(bytes(filter));
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void opensOnlyWithTheKeyItWasWrittenWith(Subject subject) throws IOException {
        Path file = folder.resolve("filter");
        subject.full(0.01, 1, 2, 3).save(file);
        assertThatThrownBy(() -> Perhaps.openFilter(file, Key.strings()))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("written with key 'int64'");
        assertThatThrownBy(() -> Perhaps.openFilter(file, Key.longs().seeded(7)))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("seed 0");
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void answersTheSameAsItsCopy(Subject subject) {
        HashFilter<Long> filter = subject.full(0.01, Subject.hashes(ITEMS, 15));
        assertSameAnswers(filter, filter.copy());
    }

    @ParameterizedTest
    @MethodSource("fillable")
    void sharesNothingWithItsCopy(Subject subject) {
        HashFilter<Long> filter = subject.full(0.01, Subject.hashes(ITEMS, 15));
        double before = filter.errorNow();
        long items = filter.itemsNow();
        ((HashFilter.Adds<Long>) filter.copy()).addHashes(Subject.hashes(300, 16), 0, 300);
        assertThat(filter.errorNow()).isEqualTo(before);
        assertThat(filter.itemsNow()).isEqualTo(items);
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void describesItselfWithUnits(Subject subject) {
        HashFilter<Long> filter = subject.full(0.01, Subject.hashes(ITEMS, 17));
        assertThat(filter.describe().toString())
                .contains("kind", subject.kind().word(), "error now", "%", "items planned", "20,000", "bits per item");
        assertThat(filter.toString()).contains(subject.kind().word(), "20,000 items", "bits per item");
        assertThat((double) filter.itemsNow()).isBetween(ITEMS * 0.97, ITEMS * 1.03);
        assertThat(filter.load()).isBetween(0.1, 1.0);
    }

    @ParameterizedTest
    @MethodSource("fillable")
    void tellsNewFromPresent(Subject subject) {
        FilterPlan<Long> plan = subject.plan().apply(ITEMS).falsePositives(0.001);
        HashFilter.Adds<Long> filter = ((FilterPlan.Fillable<Long>) plan).build();
        long[] hashes = Subject.hashes(ITEMS, 18);
        int added = 0;
        for (long hash : hashes) {
            added += filter.addHash(hash) == Added.ADDED ? 1 : 0;
        }
        assertThat(added).isBetween((int) (ITEMS * 0.998), ITEMS);
        assertThat(filter.addHash(hashes[0])).isEqualTo(Added.PRESENT);
    }

    @ParameterizedTest
    @MethodSource("mergeable")
    void holdsBothSidesAfterAMerge(Subject subject) {
        long[] left = Subject.hashes(ITEMS / 2, 19);
        long[] right = Subject.hashes(ITEMS / 2, 20);
        FilterPlan<Long> plan = subject.plan().apply(ITEMS).falsePositives(0.01);
        HashFilter<Long> one = plan.buildFrom(Hashes.of(left));
        HashFilter<Long> two = plan.buildFrom(Hashes.of(right));
        merge(one, two);
        assertThat(positives(one, left)).isEqualTo(left.length);
        assertThat(positives(one, right)).isEqualTo(right.length);
        assertThat(one.errorNow()).isLessThanOrEqualTo(0.01);

        HashFilter<Long> seeded = subject.plan()
                .apply(ITEMS)
                .falsePositives(0.01)
                .of(Key.longs().seeded(99))
                .buildFrom(Hashes.of(left));
        assertThatThrownBy(() -> merge(one, seeded))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("seed 99");
    }

    @SuppressWarnings("unchecked") // every Mergeable filter merges with its own kind
    private static void merge(HashFilter<Long> into, HashFilter<Long> other) {
        ((Mergeable<HashFilter<Long>>) into).merge(other);
    }

    private static void assertSameAnswers(HashFilter<Long> expected, HashFilter<Long> actual) {
        assertThat(actual.errorNow()).isEqualTo(expected.errorNow());
        assertThat(actual.itemsNow()).isEqualTo(expected.itemsNow());
        for (long hash : Subject.hashes(5_000, 21)) {
            assertThat(actual.mightContainHash(hash)).isEqualTo(expected.mightContainHash(hash));
        }
    }

    private static long positives(HashFilter<Long> filter, long[] hashes) {
        return filter.mightContainHashes(hashes, 0, hashes.length, new long[(hashes.length + 63) / 64]);
    }

    private static byte[] bytes(HashFilter<Long> filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }
}
