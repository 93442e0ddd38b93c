package dev.perhaps.frequency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.key.Key;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

/** Holds top lists of every type against an exact count. */
class TopKProperty {
    private static final int MAX_KEYS = 400;

    @Property(tries = 400)
    void theTruthIsAlwaysWithinTheBounds(
            @ForAll Streams.Order order,
            @ForAll @IntRange(min = 1, max = 3000) int events,
            @ForAll @DoubleRange(min = 0, max = 2) double exponent,
            @ForAll @IntRange(min = 1, max = 100) int capacity,
            @ForAll long seed) {
        long[] stream = Streams.ordered(Streams.zipf(events, MAX_KEYS, exponent, seed), order);
        TopLongs top = TopLongs.of(TopK.of(1).capacity(capacity));
        top.addAll(stream, 0, stream.length);

        assertWithin(top, Streams.counts(stream));
        assertThat(top.missed()).as("missed").isLessThanOrEqualTo(2 * events / capacity);
    }

    @Property(tries = 400)
    void theTruthIsWithinTheBoundsAfterMergesAndRoundTrips(
            @ForAll @IntRange(min = 0, max = 300) int steps,
            @ForAll @IntRange(min = 1, max = 40) int capacity,
            @ForAll long seed)
            throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        List<TopK<String>> lists = new ArrayList<>();
        List<Map<String, Long>> truths = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            lists.add(TopK.of(1).capacity(capacity + i).build());
            truths.add(new HashMap<>());
        }
        for (int step = 0; step < steps; step++) {
            int i = random.nextInt(3);
            int action = random.nextInt(40);
            if (action == 0) {
                int j = random.nextInt(3);
                Map<String, Long> more = new HashMap<>(truths.get(j));
                more.forEach((value, count) -> truths.get(i).merge(value, count, Long::sum));
                lists.get(i).merge(lists.get(j));
            } else if (action == 1) {
                lists.set(i, copy(lists.get(i)));
            } else {
                String value = "v" + (int) (MAX_KEYS * Math.pow(random.nextDouble(), 4));
                long count = random.nextInt(20) == 0 ? random.nextLong(1000) : 1;
                lists.get(i).add(value, count);
                truths.get(i).merge(value, count, Long::sum);
            }
        }
        for (int i = 0; i < 3; i++) {
            assertWithin(lists.get(i), truths.get(i));
        }
    }

    private static TopK<String> copy(TopK<String> top) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        top.writeTo(out);
        assertThat(out.size()).isEqualTo(top.fileBytes());
        TopK<String> again = TopK.readFrom(new ByteArrayInputStream(out.toByteArray()), Key.strings(), Long.MAX_VALUE);
        assertThat(again.top(Integer.MAX_VALUE)).isEqualTo(top.top(Integer.MAX_VALUE));
        assertThat(again.describe().facts())
                .filteredOn(fact -> !fact.name().equals("sizeBytes"))
                .isEqualTo(top.describe().facts().stream()
                        .filter(fact -> !fact.name().equals("sizeBytes"))
                        .toList());
        return again;
    }

    static <T> void assertWithin(TopK<T> top, Map<T, Long> truth) {
        assertThat(top.total())
                .isEqualTo(truth.values().stream().mapToLong(Long::longValue).sum());
        assertThat(top.size()).isLessThanOrEqualTo(top.capacity());
        long different = truth.values().stream().filter(count -> count > 0).count();
        if (top.missed() == 0) {
            assertThat(top.size()).isEqualTo((int) different);
        }
        truth.forEach((value, count) -> {
            assertThat(top.atLeast(value)).as("%s at least", value).isLessThanOrEqualTo(count);
            assertThat(top.atMost(value)).as("%s at most", value).isGreaterThanOrEqualTo(count);
        });
        List<TopK.Ranked<T>> all = top.top(Integer.MAX_VALUE);
        assertThat(all).hasSize(top.size());
        assertThat(all).isSortedAccordingTo((a, b) -> Long.compare(b.atMost(), a.atMost()));
        for (TopK.Ranked<T> ranked : all) {
            assertThat(truth).containsKey(ranked.value());
            assertThat(ranked.atMost()).isEqualTo(top.atMost(ranked.value()));
            assertThat(ranked.atLeast()).isEqualTo(top.atLeast(ranked.value()));
        }
    }
}
