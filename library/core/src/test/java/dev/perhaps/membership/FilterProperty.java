package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.Perhaps;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Added;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

/**
 * Random operations on every kind of filter that items are added to, against an exact multiset: what is in it is always found, a count is never too
 * low, a full filter has not changed, a removal is refused only of what is not there.
 */
class FilterProperty {
    private static final int ITEMS = 40;

    @Provide
    Arbitrary<Subject> fillable() {
        return Arbitraries.of(Subject.all()
                .filter(subject -> subject.plan().apply(1) instanceof FilterPlan.Fillable<Long>)
                .toList());
    }

    /** An operation is a number: its value tells what is done, and to which of a few items. */
    @Property(tries = 1_500)
    void neverForgetsWhateverIsDoneToIt(
            @ForAll("fillable") Subject subject,
            @ForAll @Size(min = 1, max = 150) List<@IntRange(min = 0, max = 10 * ITEMS - 1) Integer> operations,
            @ForAll @LongRange(min = 0, max = 1_000_000) long seed)
            throws IOException {
        long[] universe = Subject.hashes(ITEMS, seed);
        FilterPlan<Long> plan = subject.plan().apply(ITEMS).falsePositives(0.02);
        HashFilter.Adds<Long> filter = ((FilterPlan.Fillable<Long>) plan).build();
        Map<Long, Integer> model = new HashMap<>();
        for (int operation : operations) {
            long item = universe[operation % ITEMS];
            switch (operation / ITEMS) {
                case 0, 1, 2, 3, 4, 5 -> add(filter, item, model);
                case 6, 7 -> remove(filter, item, model);
                case 8 -> filter = filter.copy();
                default -> filter = reopened(filter);
            }
            for (Map.Entry<Long, Integer> held : model.entrySet()) {
                assertThat(filter.mightContainHash(held.getKey()))
                        .as(subject.name())
                        .isTrue();
                if (filter instanceof HashFilter.Counts<Long> counts) {
                    assertThat(counts.countHash(held.getKey())).isGreaterThanOrEqualTo(Math.min(16, held.getValue()));
                }
            }
        }
    }

    private static void add(HashFilter.Adds<Long> filter, long item, Map<Long, Integer> model) throws IOException {
        byte[] before = bytes(filter);
        if (filter.addHash(item) == Added.FULL) {
            assertThat(bytes(filter)).isEqualTo(before);
        } else {
            model.merge(item, 1, Integer::sum);
        }
    }

    /** Only what was added is removed: anything else may take another item with it, by contract. */
    private static void remove(HashFilter.Adds<Long> filter, long item, Map<Long, Integer> model) {
        if (filter instanceof HashFilter.Removes<Long> removes && model.containsKey(item)) {
            assertThat(removes.removeHash(item)).isTrue();
            model.computeIfPresent(item, (key, count) -> count == 1 ? null : count - 1);
        }
    }

    private static HashFilter.Adds<Long> reopened(HashFilter.Adds<Long> filter) throws IOException {
        HashFilter<?> read = (HashFilter<?>) Perhaps.readFrom(new ByteArrayInputStream(bytes(filter)), 1 << 20);
        assertThat(read.key().name()).isEqualTo(Key.longs().name());
        @SuppressWarnings("unchecked") // it was written with that key
        HashFilter.Adds<Long> same = (HashFilter.Adds<Long>) read;
        return same;
    }

    private static byte[] bytes(HashFilter<Long> filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }
}
