package dev.perhaps.frequency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.Perhaps;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Addable;
import dev.perhaps.sketch.Sketch;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every sketch of counts takes many values at once, is collected from a stream, and can be emptied. */
@SuppressWarnings("NullAway") // both groups are there
class AddableCountsTest {
    private static final List<Long> VALUES =
            LongStream.range(0, 600).map(i -> i * i % 97).boxed().toList();

    static Stream<FrequencySubject> addable() {
        return FrequencySubject.all().filter(subject -> subject.of() instanceof Addable<?>);
    }

    static Stream<FrequencySubject> all() {
        return FrequencySubject.all();
    }

    @SuppressWarnings("unchecked") // all subjects count longs
    private static Addable<Long> empty(FrequencySubject subject) {
        return (Addable<Long>) subject.of();
    }

    private static Sketch oneByOne(FrequencySubject subject) {
        return subject.of(VALUES.stream().mapToLong(Long::longValue).toArray());
    }

    @ParameterizedTest
    @MethodSource("addable")
    void takesAllValuesAsOneByOne(FrequencySubject subject) {
        Addable<Long> sketch = empty(subject);
        assertThat(sketch.addAll(VALUES)).isEqualTo(VALUES.size());
        assertThat(sketch.toBytes()).isEqualTo(oneByOne(subject).toBytes());
    }

    @ParameterizedTest
    @MethodSource("addable")
    void isCollectedFromAStream(FrequencySubject subject) {
        Addable<Long> collected = VALUES.stream().collect(Perhaps.collector(() -> empty(subject)));
        assertThat(collected.toBytes()).isEqualTo(oneByOne(subject).toBytes());
    }

    @ParameterizedTest
    @MethodSource("all")
    void isAsBuiltWhenCleared(FrequencySubject subject) {
        Sketch sketch = oneByOne(subject);
        byte[] full = sketch.toBytes();
        cleared(sketch);
        assertThat(sketch.toBytes()).isEqualTo(subject.of().toBytes());
        for (long value : VALUES) {
            subject.adding().add(sketch, value, 1);
        }
        assertThat(sketch.toBytes()).isEqualTo(full);
    }

    private static void cleared(Sketch sketch) {
        if (sketch instanceof Addable<?> addable) {
            addable.clear();
        } else if (sketch instanceof SlidingCounts<?> counts) {
            counts.clear();
        } else {
            ((SlidingTopK<?>) sketch).clear();
        }
    }

    @Test
    void aTopListIsCollectedByGroups() {
        Map<Boolean, TopK<Long>> tops = VALUES.parallelStream()
                .collect(Collectors.partitioningBy(
                        value -> value % 2 == 0, Perhaps.collector(TopK.of(3).of(Key.longs())::build)));
        assertThat(tops.get(true).total() + tops.get(false).total()).isEqualTo(VALUES.size());
    }

    @Test
    void distinctWordsOfAStream() {
        Distinct<String> words =
                Stream.of("to", "be", "or", "not", "to", "be").collect(Perhaps.collector(Distinct.within(0.01)::build));
        assertThat(Math.round(words.estimate())).isEqualTo(4);
    }
}
