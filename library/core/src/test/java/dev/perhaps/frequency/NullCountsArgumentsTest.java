package dev.perhaps.frequency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.sketch.Addable;
import dev.perhaps.sketch.Mergeable;
import dev.perhaps.sketch.Sketch;
import java.time.Duration;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A null is refused with the name of the argument, by every sketch of counts. */
@SuppressWarnings("NullAway") // null is what is tested
class NullCountsArgumentsTest {
    static Stream<FrequencySubject> subjects() {
        return FrequencySubject.all();
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void namesTheArgumentThatIsNullAndChangesNothing(FrequencySubject subject) {
        Sketch sketch = subject.of(1, 2, 3);
        byte[] before = sketch.toBytes();
        refused("other must not be null", () -> ((Mergeable<?>) sketch).merge(null));
        refused("other must not be null", () -> ((Mergeable<?>) sketch).fits(null));
        assertThat(sketch.toBytes()).isEqualTo(before);
    }

    static Stream<FrequencySubject> addable() {
        return FrequencySubject.all().filter(subject -> subject.of() instanceof Addable<?>);
    }

    @ParameterizedTest
    @MethodSource("addable")
    void namesTheValueThatIsNullAndChangesNothing(FrequencySubject subject) {
        Addable<?> addable = (Addable<?>) subject.of(1, 2, 3);
        byte[] before = addable.toBytes();
        refused("value must not be null", () -> addable.offer(null));
        refused("values must not be null", () -> addAll(addable, null));
        assertThat(addable.toBytes()).isEqualTo(before);
    }

    static Stream<FrequencySubject> slidingCounts() {
        return FrequencySubject.all().filter(subject -> subject.of() instanceof SlidingCounts<?>);
    }

    @ParameterizedTest
    @MethodSource("slidingCounts")
    void namesTheCountedValueThatIsNullAndMovesNoTime(FrequencySubject subject) {
        SlidingCounts<?> counts = (SlidingCounts<?>) subject.of(1, 2, 3);
        byte[] before = counts.toBytes();
        refused("value must not be null", () -> counts.add(null, 1, 1_000_000));
        assertThat(counts.toBytes()).isEqualTo(before);
    }

    static Stream<FrequencySubject> slidingTopLists() {
        return FrequencySubject.all().filter(subject -> subject.of() instanceof SlidingTopK<?>);
    }

    @ParameterizedTest
    @MethodSource("slidingTopLists")
    void namesTheRankedValueThatIsNullAndMovesNoTime(FrequencySubject subject) {
        SlidingTopK<?> top = (SlidingTopK<?>) subject.of(1, 2, 3);
        byte[] before = top.toBytes();
        refused("value must not be null", () -> top.add(null, 1, 1_000_000));
        assertThat(top.toBytes()).isEqualTo(before);
    }

    /** It was taken, and missed when the sketch was built. */
    @Test
    void namesTheCellsThatAreNull() {
        refused("cells must not be null", () -> CountMin.within(0.1).cells(null));
        refused("cells must not be null", () -> RangeCounts.within(0.1).cells(null));
        refused(
                "cells must not be null",
                () -> SlidingCounts.last(Duration.ofSeconds(1)).cells(null));
        refused("window must not be null", () -> SlidingCounts.last(null));
    }

    private static <T> long addAll(Addable<T> addable, Iterable<T> values) {
        return addable.addAll(values);
    }

    private static void refused(String message, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessage(message);
    }
}
