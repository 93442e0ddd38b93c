package dev.perhaps.frequency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.Perhaps;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Mergeable;
import dev.perhaps.sketch.Sketch;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every sketch of counts promises. */
class FrequencyContractTest {
    private static final int ITEMS = 5_000;

    @TempDir
    Path folder;

    static Stream<FrequencySubject> subjects() {
        return FrequencySubject.all();
    }

    static Stream<FrequencySubject> subjectsThatStateABound() {
        return subjects().filter(subject -> Counting.isStated(subject.of()));
    }

    @ParameterizedTest
    @MethodSource("subjectsThatStateABound")
    void statesTheSameBoundAfterOpening(FrequencySubject subject) throws IOException {
        for (int items : new int[] {0, 1, 2, 3, ITEMS}) {
            Sketch sketch = subject.of(items(items, 1));
            assertThat(Counting.of(reopened(sketch)).bound().get())
                    .isEqualTo(Counting.of(sketch).bound().get());
        }
    }

    /**
     * From no item to a few thousand, built at once, merged, and saved and opened again: never less than the truth, and
     * no more of the items are above the bound than its confidence leaves, and 4.4 standard errors of that (α = 10⁻⁵).
     */
    @ParameterizedTest
    @MethodSource("subjectsThatStateABound")
    void keepsItsBoundHoweverFewCameAndAfterMergingAndOpening(FrequencySubject subject) throws IOException {
        for (int count : new int[] {0, 1, 2, 3, 10, 100, ITEMS}) {
            long[] items = items(count, 12);
            Sketch merged = subject.of(Arrays.copyOf(items, count / 2));
            merge(merged, subject.of(Arrays.copyOfRange(items, count / 2, count)));
            for (Sketch sketch : List.of(subject.of(items), reopened(subject.of(items)), merged, reopened(merged))) {
                assertKeepsItsBound(sketch, items, 1);
            }
        }
    }

    static Stream<FrequencySubject> subjectsThatTakeBack() {
        return subjects().filter(subject -> Counting.canRemove(subject.of()));
    }

    /** Counters that came to their limit stay there: then the bound says so, also where it is told by a merge or a file. */
    @ParameterizedTest
    @MethodSource("subjectsThatTakeBack")
    void keepsItsBoundWhenEverythingIsTakenBack(FrequencySubject subject) throws IOException {
        for (int count : new int[] {1, 2, 500}) {
            long[] items = items(count, 13);
            Sketch emptied = subject.empty().apply(Key.DEFAULT_SEED);
            for (long item : items) {
                subject.adding().add(emptied, item, 300);
            }
            for (long item : items) {
                assertThat(Counting.remove(emptied, item, 300)).isTrue();
            }
            Sketch merged = subject.of(items);
            merge(merged, emptied);
            Sketch into = subject.of();
            merge(into, emptied);
            for (Sketch sketch : List.of(emptied, reopened(emptied), into, reopened(into))) {
                assertKeepsItsBound(sketch, items, 0);
            }
            assertKeepsItsBound(merged, items, 1);
            assertKeepsItsBound(reopened(merged), items, 1);
        }
    }

    /** Each occurrence in {@code items} stands for this count; items that never came are asked for, too. */
    private static void assertKeepsItsBound(Sketch sketch, long[] items, long each) {
        Map<Long, Long> truth = new HashMap<>();
        for (long absent = 0; absent < 1_000; absent++) {
            truth.put(absent, 0L);
        }
        for (long item : items) {
            truth.merge(item, each, Long::sum);
        }
        Counting counting = Counting.of(sketch);
        Bound bound = counting.bound().get();
        int asked = 0;
        int beyond = 0;
        for (Map.Entry<Long, Long> one : truth.entrySet()) {
            if (counting.covers().test(one.getKey())) {
                long estimate = counting.estimate().applyAsLong(one.getKey());
                assertThat(estimate).isGreaterThanOrEqualTo(Math.min(one.getValue(), counting.limit()));
                asked++;
                beyond += estimate > one.getValue() + bound.error() ? 1 : 0;
            }
        }
        double left = asked * (1 - bound.confidence());
        assertThat((double) beyond).isLessThanOrEqualTo(left + 4.4 * Math.sqrt(left * bound.confidence()));
    }

    private static Sketch reopened(Sketch sketch) throws IOException {
        return Perhaps.readFrom(new ByteArrayInputStream(bytes(sketch)), sketch.fileBytes());
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void goesOnAfterOpeningAsIfItHadStayed(FrequencySubject subject) throws IOException {
        long[] all = items(ITEMS, 2);
        Sketch first = subject.of(Arrays.copyOf(all, ITEMS / 2));
        Sketch opened = Perhaps.readFrom(new ByteArrayInputStream(bytes(first)), first.fileBytes());
        for (int i = ITEMS / 2; i < ITEMS; i++) {
            subject.adding().add(opened, all[i], 1);
        }
        assertThat(bytes(opened)).isEqualTo(bytes(subject.of(all)));
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void takesInAnotherAndLeavesItAsItIs(FrequencySubject subject) throws IOException {
        long[] left = items(ITEMS, 8);
        long[] right = items(ITEMS, 9);
        Sketch merged = subject.of(left);
        Sketch other = subject.of(right);
        merge(merged, other);
        assertThat(bytes(other)).isEqualTo(bytes(subject.of(right)));
        Path file = folder.resolve("merged");
        merged.save(file);
        assertThat(bytes(Perhaps.open(file))).isEqualTo(bytes(merged));
    }

    static Stream<FrequencySubject> mergedExactly() {
        return subjects().filter(FrequencySubject::mergesExactly);
    }

    @ParameterizedTest
    @MethodSource("mergedExactly")
    void mergesIntoTheSketchOfEverything(FrequencySubject subject) throws IOException {
        long[] left = items(ITEMS, 8);
        long[] right = items(ITEMS, 9);
        Sketch merged = subject.of(left);
        merge(merged, subject.of(right));
        long[] both =
                LongStream.concat(LongStream.of(left), LongStream.of(right)).toArray();
        assertThat(bytes(merged)).isEqualTo(bytes(subject.of(both)));
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void refusesToMergeAnotherSeedAndStaysAsItIs(FrequencySubject subject) throws IOException {
        Sketch sketch = subject.of(items(100, 10));
        Sketch seeded = subject.empty().apply(99);
        byte[] before = bytes(sketch);
        assertThatThrownBy(() -> merge(sketch, seeded))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("seed 0")
                .hasMessageContaining("seed 99");
        assertThat(bytes(sketch)).isEqualTo(before);
    }

    /** Items of a skewed choice: some come often, most once. */
    private static long[] items(int count, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return LongStream.generate(() -> (long) (1 / (random.nextDouble() + 1e-6)))
                .limit(count)
                .toArray();
    }

    @SuppressWarnings("unchecked") // every sketch of counts merges with its own kind
    private static void merge(Sketch into, Sketch other) {
        ((Mergeable<Sketch>) into).merge(other);
    }

    private static byte[] bytes(Sketch sketch) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        sketch.writeTo(out);
        return out.toByteArray();
    }
}
