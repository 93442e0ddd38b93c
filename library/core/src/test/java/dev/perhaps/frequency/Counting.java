package dev.perhaps.frequency;

import dev.perhaps.sketch.Sketch;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;

/**
 * How a sketch that states a bound is asked for the count of one item. A kind with a {@code bound()} that has no line here
 * fails the contract.
 *
 * @param limit an estimate that is equal to it means "at least"
 * @param covers the items that the answer is about
 */
record Counting(LongUnaryOperator estimate, Supplier<Bound> bound, long limit, LongPredicate covers) {
    @SuppressWarnings("unchecked") // all subjects have a key of numbers
    static Counting of(Sketch sketch) {
        if (sketch instanceof CountMin<?> any) {
            CountMin<Long> counts = (CountMin<Long>) any;
            return new Counting(counts::estimate, counts::bound, counts.limit(), item -> true);
        }
        if (sketch instanceof HeavyHitters<?> any) {
            HeavyHitters<Long> heavy = (HeavyHitters<Long>) any;
            return new Counting(heavy::estimate, heavy::bound, heavy.counts.limit(), item -> true);
        }
        if (sketch instanceof RangeCounts ranges) {
            return new Counting(item -> ranges.estimate(item, item), ranges::bound, Long.MAX_VALUE, item -> true);
        }
        if (sketch instanceof SlidingCounts<?> any) {
            // An item's number is its time: what is older than the window is not counted.
            SlidingCounts<Long> counts = (SlidingCounts<Long>) any;
            long since = counts.sinceMillis();
            return new Counting(counts::estimate, counts::bound, Long.MAX_VALUE, item -> item >= since);
        }
        throw new AssertionError("no way to ask a " + sketch.getClass().getSimpleName() + ": it needs a line here");
    }

    /** True if the sketch states how far an estimate may be off. */
    static boolean isStated(Sketch sketch) {
        try {
            return sketch.getClass().getMethod("bound").getReturnType() == Bound.class;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    /** Takes back what was added, where a sketch can. */
    @SuppressWarnings("unchecked")
    static boolean remove(Sketch sketch, long item, long count) {
        if (sketch instanceof CountMin.Turnstile<?> counts) {
            return ((CountMin.Turnstile<Long>) counts).remove(item, count);
        }
        return ((HeavyHitters.Turnstile<Long>) sketch).remove(item, count);
    }

    static boolean canRemove(Sketch sketch) {
        return sketch instanceof CountMin.Turnstile || sketch instanceof HeavyHitters.Turnstile;
    }
}
