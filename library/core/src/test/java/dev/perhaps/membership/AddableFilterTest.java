package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.Perhaps;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.Mergeable;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every filter that can be added to takes many values at once, is collected from a stream, and can be emptied. */
@SuppressWarnings({"NullAway", "ReturnValueIgnored"}) // both groups are there; a refusal is what is tested
class AddableFilterTest {
    private static final int ITEMS = 1_000;
    private static final List<Long> VALUES =
            LongStream.range(0, ITEMS).map(i -> i * i).boxed().toList();

    static Stream<Subject> fillable() {
        return Subject.all().filter(subject -> subject.plan().apply(ITEMS) instanceof FilterPlan.Fillable<?>);
    }

    private static HashFilter.Adds<Long> empty(Subject subject) {
        return ((FilterPlan.Fillable<Long>) subject.plan().apply(ITEMS)).build();
    }

    private static HashFilter.Adds<Long> filled(Subject subject) {
        HashFilter.Adds<Long> filter = empty(subject);
        for (long value : VALUES) {
            assertThat(filter.add(value)).isNotEqualTo(Added.FULL);
        }
        return filter;
    }

    @Test
    void onlyWhatWasCertainlyNotThereIsNew() {
        assertThat(Stream.of(Added.values()).filter(Added::isNew)).containsExactly(Added.ADDED);
        assertThat(BloomFilter.expecting(10).build().add("a").isNew()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("fillable")
    void takesAllValuesAsOneByOne(Subject subject) {
        byte[] oneByOne = filled(subject).toBytes();
        HashFilter.Adds<Long> list = empty(subject);
        assertThat(list.addAll(VALUES)).isEqualTo(ITEMS);
        assertThat(list.toBytes()).isEqualTo(oneByOne);
        HashFilter.Adds<Long> array = empty(subject);
        assertThat(array.addAll(VALUES.toArray(new Long[0]))).isEqualTo(ITEMS);
        assertThat(array.toBytes()).isEqualTo(oneByOne);
    }

    @ParameterizedTest
    @MethodSource("fillable")
    void isAsBuiltWhenCleared(Subject subject) {
        byte[] built = empty(subject).toBytes();
        HashFilter.Adds<Long> filter = filled(subject);
        byte[] full = filter.toBytes();
        filter.clear();
        assertThat(filter.toBytes()).isEqualTo(built);
        assertThat(filter.mightContain(VALUES.get(1))).isFalse();
        assertThat(filter.itemsNow()).isZero();
        filter.addAll(VALUES);
        assertThat(filter.toBytes()).isEqualTo(full);
    }

    @ParameterizedTest
    @MethodSource("fillable")
    void isCollectedFromAStream(Subject subject) {
        HashFilter.Adds<Long> collected = VALUES.stream().collect(Perhaps.collector(() -> empty(subject)));
        assertThat(collected.toBytes()).isEqualTo(filled(subject).toBytes());
    }

    /** Ten rounds: threads that added without taking turns would lose some in nearly every one. */
    @ParameterizedTest
    @MethodSource("fillable")
    void losesNothingOfAParallelStream(Subject subject) {
        for (int round = 0; round < 10; round++) {
            HashFilter.Adds<Long> collected = VALUES.parallelStream().collect(Perhaps.collector(() -> empty(subject)));
            assertThat(VALUES).allMatch(collected::mightContain);
        }
    }

    /** A collector inside groups of a parallel stream fills several structures. */
    @ParameterizedTest
    @MethodSource("mergeable")
    void isMergedInsideGroups(Subject subject) {
        Stream<Long> parallel = Arrays.stream(VALUES.toArray(new Long[0])).parallel();
        Map<Boolean, HashFilter.Adds<Long>> groups = parallel.collect(
                Collectors.partitioningBy(value -> value % 2 == 0, Perhaps.collector(() -> empty(subject))));
        assertThat(VALUES).allMatch(value -> groups.get(value % 2 == 0).mightContain(value));
    }

    @ParameterizedTest
    @MethodSource("notMergeable")
    void saysInsideGroupsThatItCannotBeMerged(Subject subject) {
        HashFilter.Adds<Long> one = empty(subject);
        assertThatThrownBy(() -> combined(Perhaps.collector(() -> one)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("cannot be merged");
    }

    static Stream<Subject> mergeable() {
        return fillable().filter(subject -> empty(subject) instanceof Mergeable<?>);
    }

    static Stream<Subject> notMergeable() {
        return fillable().filter(subject -> !(empty(subject) instanceof Mergeable<?>));
    }

    private static <A> void combined(Collector<Long, A, HashFilter.Adds<Long>> collector) {
        collector
                .combiner()
                .apply(collector.supplier().get(), collector.supplier().get());
    }

    @Test
    void stopsWhereItIsFullAndSaysSo() {
        CuckooFilter.Plan<Long> plan = CuckooFilter.expecting(10).of(Key.longs());
        CuckooFilter<Long> small = plan.build();
        long taken = small.addAll(VALUES);
        assertThat(taken).isBetween(10L, 100L).isEqualTo(small.itemsNow());
        assertThatThrownBy(() -> VALUES.stream().collect(Perhaps.collector(plan::build)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the cuckoo filter is full: plan it for more items");
    }

    @Test
    void aScalableFilterGivesItsStagesBackWhenCleared() {
        ScalableBloom<Long> filter = ScalableBloom.expecting(10).of(Key.longs()).build();
        filter.addAll(VALUES);
        assertThat(filter.stages()).isGreaterThan(1);
        filter.clear();
        assertThat(filter.stages()).isEqualTo(1);
        assertThat(filter.toBytes())
                .isEqualTo(ScalableBloom.expecting(10).of(Key.longs()).build().toBytes());
    }
}
