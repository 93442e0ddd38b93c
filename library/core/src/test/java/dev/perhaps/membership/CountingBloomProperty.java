package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.key.Key;
import dev.perhaps.membership.counting.OverflowTable;
import dev.perhaps.membership.counting.StickyCounters;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/**
 * Random operations against an exact multiset. The filters are tiny, down to one counter, so that positions coincide,
 * counters stick and tables overflow all the time.
 */
class CountingBloomProperty {
    /** An operation in one number: what to do, and with which of 24 items. */
    private static final int ITEMS = 24;

    @Property(tries = 500)
    void neverForgetsAndNeverCountsTooLow(
            @ForAll boolean compact,
            @ForAll @IntRange(min = 1, max = 200) int counters,
            @ForAll @IntRange(min = 1, max = 9) int hashes,
            @ForAll @Size(max = 300) List<@IntRange(min = 0, max = 4 * ITEMS - 1) Integer> operations)
            throws IOException {
        CountingBloom.Plan<Long> plan = CountingBloom.expecting(ITEMS)
                .of(Key.longs())
                .counters(counters)
                .hashes(hashes);
        CountingBloom<Long> filter = (compact ? plan.compact() : plan).build();
        Map<Long, Integer> exact = new HashMap<>();
        for (int operation : operations) {
            long item = Key.longs().hash(operation % ITEMS);
            int there = exact.getOrDefault(item, 0);
            switch (operation / ITEMS) {
                case 0, 1 -> {
                    byte[] before = bytes(filter);
                    boolean perhaps = filter.mightContainHash(item);
                    Added added = filter.addHash(item);
                    if (added == Added.FULL) {
                        assertThat(compact).isTrue();
                        assertThat(bytes(filter)).isEqualTo(before);
                    } else {
                        assertThat(added).isEqualTo(perhaps ? Added.PRESENT : Added.ADDED);
                        exact.put(item, there + 1);
                    }
                }
                case 2 -> {
                    // Only what is there is removed: the rest is the caller's promise.
                    if (there > 0) {
                        assertThat(filter.removeHash(item)).isTrue();
                        exact.put(item, there - 1);
                    }
                }
                default -> {
                    if (!filter.mightContainHash(item)) {
                        byte[] before = bytes(filter);
                        assertThat(filter.removeHash(item)).isFalse();
                        assertThat(bytes(filter)).isEqualTo(before);
                    }
                }
            }
            holds(filter, exact);
        }
        CountingBloom<Long> opened =
                CountingBloom.readFrom(new ByteArrayInputStream(bytes(filter)), Key.longs(), 1 << 20);
        assertThat(bytes(opened)).isEqualTo(bytes(filter));
        removeAll(filter, exact);
    }

    private static void holds(CountingBloom<Long> filter, Map<Long, Integer> exact) {
        long items = 0;
        for (Map.Entry<Long, Integer> entry : exact.entrySet()) {
            int there = entry.getValue();
            items += there;
            assertThat(there == 0 || filter.mightContainHash(entry.getKey())).isTrue();
            long least = filter.kind() == Kind.COUNTING ? Math.min(there, StickyCounters.MAX_COUNT) : there;
            assertThat(filter.countHash(entry.getKey())).isGreaterThanOrEqualTo(least);
        }
        assertThat(filter.itemsNow()).isEqualTo(items);
    }

    /** While nothing sticks, removal is exact: what is left at the end is an empty filter. */
    private static void removeAll(CountingBloom<Long> filter, Map<Long, Integer> exact) {
        exact.forEach((item, there) -> {
            for (int i = 0; i < there; i++) {
                assertThat(filter.removeHash(item)).isTrue();
            }
        });
        assertThat(filter.itemsNow()).isZero();
        if (filter.stuck() == 0) {
            assertThat(filter.load()).isZero();
        }
    }

    @Property(tries = 200)
    void addsUpInAMergeAsIfAllHadBeenAddedToOne(
            @ForAll boolean compact,
            @ForAll @IntRange(min = 1, max = 300) int counters,
            @ForAll @Size(max = 60) List<@IntRange(min = 0, max = ITEMS - 1) Integer> left,
            @ForAll @Size(max = 60) List<@IntRange(min = 0, max = ITEMS - 1) Integer> right) {
        CountingBloom.Plan<Long> plan =
                CountingBloom.expecting(120).of(Key.longs()).counters(counters).hashes(4);
        CountingBloom.Plan<Long> chosen = compact ? plan.compact() : plan;
        CountingBloom<Long> one = chosen.build();
        CountingBloom<Long> two = chosen.build();
        CountingBloom<Long> all = chosen.build();
        boolean full = add(one, left) || add(two, right) || add(all, left) || add(all, right);
        if (full) {
            return;
        }
        boolean fits = one.fits(two);
        assertThat(fits).isTrue();
        one.merge(two);
        for (int item = 0; item < ITEMS; item++) {
            long hash = Key.longs().hash(item);
            assertThat(one.countHash(hash)).isEqualTo(all.countHash(hash));
        }
        assertThat(one.stuck()).isEqualTo(all.stuck());
        assertThat(one.errorNow()).isEqualTo(all.errorNow());
        assertThat(one.itemsNow()).isEqualTo(all.itemsNow());
    }

    private static boolean add(CountingBloom<Long> filter, List<Integer> items) {
        boolean full = false;
        for (int item : items) {
            full |= filter.addHash(Key.longs().hash(item)) == Added.FULL;
        }
        return full;
    }

    /** The table alone, driven to its end: it forgets nothing, and is empty when all is taken out. */
    @Property(tries = 300)
    void keepsEveryEntryOfTheOverflowTable(
            @ForAll @IntRange(min = 1, max = 400) int counters,
            @ForAll @Size(max = 600) List<@IntRange(min = -400, max = 400) Integer> operations) {
        OverflowTable table = OverflowTable.empty(OverflowTable.Shape.forEntries(1, counters));
        Map<Integer, Integer> exact = new HashMap<>();
        for (int operation : operations) {
            int position = Math.abs(operation) % counters;
            int there = exact.getOrDefault(position, 0);
            if (operation >= 0) {
                int before = table.increment(position);
                assertThat(before).isEqualTo(there == 0 && exact.size() == table.room() ? -1 : there);
                if (before >= 0) {
                    exact.put(position, there + 1);
                }
            } else {
                assertThat(table.decrement(position)).isEqualTo(there > 0);
                if (there > 1) {
                    exact.put(position, there - 1);
                } else {
                    exact.remove(position);
                }
            }
            assertThat(table.entries()).isEqualTo(exact.size());
        }
        for (int position = 0; position < counters; position++) {
            assertThat(table.get(position)).isEqualTo(exact.getOrDefault(position, 0));
        }
        exact.forEach((position, there) -> {
            for (int i = 0; i < there; i++) {
                assertThat(table.decrement(position)).isTrue();
            }
        });
        assertThat(table.sum()).isZero();
    }

    private static byte[] bytes(HashFilter<Long> filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }
}
