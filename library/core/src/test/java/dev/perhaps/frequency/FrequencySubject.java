package dev.perhaps.frequency;

import dev.perhaps.key.Key;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sketch;
import java.time.Duration;
import java.util.function.LongFunction;
import java.util.stream.Stream;

/**
 * One way to plan a sketch of counts, under test. The contract tests loop over all of them: a new kind, or a new mode of a
 * kind, is one line in {@link #all}.
 *
 * @param name what the test report calls it
 * @param mergesExactly true if a merged sketch is, to the byte, that of everything together
 * @param empty an empty sketch whose key has this seed
 * @param adding how an item is counted
 */
public record FrequencySubject(
        String name, Kind kind, boolean mergesExactly, LongFunction<Sketch> empty, Adding<Sketch> adding) {
    /** Counts an item, which is a number, this number of times. */
    @FunctionalInterface
    public interface Adding<S> {
        void add(S sketch, long item, long count);
    }

    public static Stream<FrequencySubject> all() {
        return Stream.of(
                FrequencySubject.<CountMin<Long>>of(
                        "count", Kind.COUNT, true, seed -> plan(seed).build(), CountMin::add),
                FrequencySubject.<CountMin<Long>>of(
                        "count, 8 bits",
                        Kind.COUNT,
                        true,
                        seed -> plan(seed).cells(CountMin.Cells.BITS_8).build(),
                        CountMin::add),
                FrequencySubject.<CountMin<Long>>of(
                        "count, 16 bits",
                        Kind.COUNT,
                        true,
                        seed -> plan(seed).cells(CountMin.Cells.BITS_16).build(),
                        CountMin::add),
                FrequencySubject.<CountMin<Long>>of(
                        "count, 64 bits",
                        Kind.COUNT,
                        true,
                        seed -> plan(seed).cells(CountMin.Cells.BITS_64).build(),
                        CountMin::add),
                FrequencySubject.<CountMin<Long>>of(
                        "count, concurrent",
                        Kind.COUNT,
                        true,
                        seed -> plan(seed).concurrent().build(),
                        CountMin::add),
                FrequencySubject.<CountMin<Long>>of(
                        "count, conservative",
                        Kind.COUNT,
                        false,
                        seed -> plan(seed).conservative().build(),
                        CountMin::add),
                FrequencySubject.<CountMin<Long>>of(
                        "count, turnstile",
                        Kind.COUNT,
                        true,
                        seed -> plan(seed).turnstile().build(),
                        CountMin::add),
                FrequencySubject.<CountMin<Long>>of(
                        "count, turnstile, 8 bits",
                        Kind.COUNT,
                        true,
                        seed -> plan(seed)
                                .cells(CountMin.Cells.BITS_8)
                                .turnstile()
                                .build(),
                        CountMin::add),
                FrequencySubject.<RangeCounts>of(
                        "ranges",
                        Kind.RANGES,
                        true,
                        seed -> RangeCounts.within(0.5)
                                .confidence(0.8)
                                .universe(20)
                                .seeded(seed)
                                .build(),
                        RangeCounts::add),
                FrequencySubject.<RangeCounts>of(
                        "ranges, 32 bits",
                        Kind.RANGES,
                        true,
                        seed -> RangeCounts.within(0.9)
                                .confidence(0.5)
                                .cells(CountMin.Cells.BITS_32)
                                .seeded(seed)
                                .build(),
                        RangeCounts::add),
                FrequencySubject.<Flows<Long>>of(
                        "flows",
                        Kind.FLOWS,
                        true,
                        seed -> Flows.above(10)
                                .expecting(50)
                                .of(Key.longs().seeded(seed))
                                .build(),
                        Flows::add),
                FrequencySubject.<Distinct<Long>>of(
                        "distinct",
                        Kind.DISTINCT,
                        true,
                        seed -> Distinct.within(0.05)
                                .of(Key.longs().seeded(seed))
                                .build(),
                        (sketch, item, count) -> sketch.add(item)),
                FrequencySubject.<Distinct<Long>>of(
                        "distinct, concurrent",
                        Kind.DISTINCT,
                        true,
                        seed -> Distinct.within(0.05)
                                .of(Key.longs().seeded(seed))
                                .concurrent()
                                .build(),
                        (sketch, item, count) -> sketch.add(item)),
                FrequencySubject.<TopK<Long>>of(
                        "top",
                        Kind.TOP,
                        false,
                        seed -> TopK.of(10)
                                .capacity(200)
                                .of(Key.longs().seeded(seed))
                                .build(),
                        TopK::add),
                FrequencySubject.<TopK<Long>>of(
                        "top, concurrent",
                        Kind.TOP,
                        false,
                        seed -> TopK.of(10)
                                .capacity(200)
                                .of(Key.longs().seeded(seed))
                                .concurrent()
                                .build(),
                        TopK::add),
                FrequencySubject.<TinyTopK<Long>>of(
                        "tiny-top",
                        Kind.TINY_TOP,
                        false,
                        seed -> TinyTopK.of(10).of(Key.longs().seeded(seed)).build(),
                        TinyTopK::add),
                FrequencySubject.<HeavyHitters<Long>>of(
                        "heavy", Kind.HEAVY, false, seed -> heavy(seed).build(), HeavyHitters::add),
                FrequencySubject.<HeavyHitters<Long>>of(
                        "heavy, turnstile",
                        Kind.HEAVY,
                        false,
                        seed -> heavy(seed).turnstile(),
                        HeavyHitters::add),
                // An item's number is also its time, so that panes come, go and are missed.
                FrequencySubject.<SlidingCounts<Long>>of(
                        "sliding-count",
                        Kind.SLIDING_COUNT,
                        false,
                        seed -> SlidingCounts.last(Duration.ofMillis(50))
                                .panes(5)
                                .within(0.05)
                                .of(Key.longs().seeded(seed))
                                .build(),
                        (sketch, item, count) -> sketch.add(item, count, item)),
                FrequencySubject.<SlidingCounts<Long>>of(
                        "sliding-count, concurrent",
                        Kind.SLIDING_COUNT,
                        false,
                        seed -> SlidingCounts.last(Duration.ofMillis(50))
                                .panes(5)
                                .within(0.05)
                                .of(Key.longs().seeded(seed))
                                .concurrent()
                                .build(),
                        (sketch, item, count) -> sketch.add(item, count, item)),
                FrequencySubject.<SlidingCounts<Long>>of(
                        "sliding-count, panes that do not divide the window",
                        Kind.SLIDING_COUNT,
                        false,
                        seed -> SlidingCounts.last(Duration.ofMillis(53))
                                .panes(25)
                                .within(0.05)
                                .of(Key.longs().seeded(seed))
                                .build(),
                        (sketch, item, count) -> sketch.add(item, count, item)),
                FrequencySubject.<SlidingTopK<Long>>of(
                        "sliding-top",
                        Kind.SLIDING_TOP,
                        false,
                        seed -> SlidingTopK.last(Duration.ofMillis(500))
                                .panes(5)
                                .k(3)
                                .capacity(20)
                                .of(Key.longs().seeded(seed))
                                .build(),
                        (sketch, item, count) -> sketch.add(item, count, item)),
                FrequencySubject.<SlidingTopK<Long>>of(
                        "sliding-top, concurrent",
                        Kind.SLIDING_TOP,
                        false,
                        seed -> SlidingTopK.last(Duration.ofMillis(500))
                                .panes(5)
                                .k(3)
                                .capacity(20)
                                .of(Key.longs().seeded(seed))
                                .concurrent()
                                .build(),
                        (sketch, item, count) -> sketch.add(item, count, item)));
    }

    private static HeavyHitters.Plan<Long> heavy(long seed) {
        return HeavyHitters.atLeast(0.05).of(Key.longs().seeded(seed));
    }

    private static CountMin.Plan<Long> plan(long seed) {
        return CountMin.within(0.01).of(Key.longs().seeded(seed));
    }

    @SuppressWarnings("unchecked") // a subject adds only to what it built
    static <S extends Sketch> FrequencySubject of(
            String name, Kind kind, boolean mergesExactly, LongFunction<S> empty, Adding<S> adding) {
        return new FrequencySubject(
                name, kind, mergesExactly, empty::apply, (sketch, item, count) -> adding.add((S) sketch, item, count));
    }

    /** The sketch of these items, each counted once. */
    Sketch of(long... items) {
        Sketch sketch = empty.apply(Key.DEFAULT_SEED);
        for (long item : items) {
            adding.add(sketch, item, 1);
        }
        return sketch;
    }

    @Override
    public String toString() {
        return name;
    }
}
