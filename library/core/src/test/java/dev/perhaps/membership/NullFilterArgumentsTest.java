package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.Perhaps;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Mergeable;
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
        HashFilter<Long> filter = subject.plan().apply(10).buildFrom(Hashes.of(Subject.hashes(10, 1)));
        refused("value must not be null", () -> filter.mightContain(null));
        refused(
                "key must not be null",
                () -> Perhaps.planFilter(subject.kind(), 10).of((Key<Long>) null));
        if (filter instanceof HashFilter.Adds<Long> adds) {
            refused("value must not be null", () -> adds.add(null));
            refused("values must not be null", () -> adds.addAll((Iterable<Long>) null));
        }
        if (filter instanceof HashFilter.Removes<Long> removes) {
            refused("value must not be null", () -> removes.remove(null));
        }
        if (filter instanceof Mergeable<?> mergeable) {
            refused("other must not be null", () -> mergeable.merge(null));
        }
    }

    private static void refused(String message, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessage(message);
    }
}
