package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.key.Key;
import dev.perhaps.sketch.Added;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Scale;
import net.jqwik.api.constraints.Size;

/** Random additions against an exact set, in filters that start tiny and grow all the time. */
class ScalableBloomProperty {
    @Property(tries = 300)
    void neverForgetsAndNeverBreaksItsPromise(
            @ForAll @IntRange(min = 1, max = 20) int planned,
            @ForAll @DoubleRange(min = 0.0001, max = 0.9) @Scale(4) double error,
            @ForAll boolean guessed,
            @ForAll @Size(max = 400) List<Long> items) {
        ScalableBloom.Plan<Long> plan =
                ScalableBloom.expecting(planned).falsePositives(error).of(Key.longs());
        ScalableBloom<Long> filter = (guessed ? plan.guessed() : plan).build();
        Set<Long> exact = new HashSet<>();
        for (long item : items) {
            boolean perhaps = filter.mightContain(item);
            assertThat(perhaps || !exact.contains(item)).isTrue();
            assertThat(filter.add(item)).isEqualTo(perhaps ? Added.PRESENT : Added.ADDED);
            exact.add(item);
            assertThat(filter.errorNow()).isLessThanOrEqualTo(error);
        }
        for (long item : exact) {
            assertThat(filter.mightContain(item)).isTrue();
        }
    }
}
