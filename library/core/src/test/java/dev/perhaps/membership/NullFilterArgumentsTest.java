package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.Perhaps;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Mergeable;
import java.util.Collection;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A null is refused with the name of the argument, by every filter. */
@SuppressWarnings("NullAway") // null is what is tested
class NullFilterArgumentsTest {
    static Stream<Subject> subjects() {
        return Subject.all();
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void namesTheArgumentThatIsNull(Subject subject) {
        HashFilter<Long> filter = filter(subject);
        refused("value must not be null", () -> filter.mightContain(null));
        refused("value must not be null", () -> filter.mightContainAll(new Long[] {1L, null}));
        refused("values must not be null", () -> filter.mightContainAll((Collection<Long>) null));
        refused("values must not be null", () -> filter.mightContainAll((Long[]) null));
        refused(
                "key must not be null",
                () -> Perhaps.planFilter(subject.kind(), 10).of((Key<Long>) null));
    }

    static Stream<Subject> fillable() {
        return Subject.all().filter(subject -> filter(subject) instanceof HashFilter.Adds<Long>);
    }

    @ParameterizedTest
    @MethodSource("fillable")
    void namesWhatIsNullWhereItemsAreAdded(Subject subject) {
        HashFilter.Adds<Long> adds = (HashFilter.Adds<Long>) filter(subject);
        refused("value must not be null", () -> adds.add(null));
        refused("values must not be null", () -> adds.addAll((Iterable<Long>) null));
        refused("values must not be null", () -> adds.addAll((Long[]) null));
        refused("value must not be null", () -> adds.addAll(new Long[] {1L, null}));
    }

    static Stream<Subject> removing() {
        return Subject.all().filter(subject -> filter(subject) instanceof HashFilter.Removes<Long>);
    }

    @ParameterizedTest
    @MethodSource("removing")
    void namesWhatIsNullWhereItemsAreRemoved(Subject subject) {
        HashFilter.Removes<Long> removes = (HashFilter.Removes<Long>) filter(subject);
        refused("value must not be null", () -> removes.remove(null));
    }

    static Stream<Subject> mergeable() {
        return Subject.all().filter(subject -> filter(subject) instanceof Mergeable<?>);
    }

    @ParameterizedTest
    @MethodSource("mergeable")
    void namesWhatIsNullWhereFiltersAreMerged(Subject subject) {
        Mergeable<?> mergeable = (Mergeable<?>) filter(subject);
        refused("other must not be null", () -> mergeable.merge(null));
    }

    private static HashFilter<Long> filter(Subject subject) {
        return subject.plan().apply(10).buildFrom(Hashes.of(Subject.hashes(10, 1)));
    }

    private static void refused(String message, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessage(message);
    }
}
