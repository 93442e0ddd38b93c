package dev.perhaps;

import dev.perhaps.frequency.CountMin;
import dev.perhaps.frequency.Distinct;
import dev.perhaps.frequency.Flows;
import dev.perhaps.frequency.HeavyHitters;
import dev.perhaps.frequency.RangeCounts;
import dev.perhaps.frequency.SlidingCounts;
import dev.perhaps.frequency.SlidingTopK;
import dev.perhaps.frequency.TinyTopK;
import dev.perhaps.frequency.TopK;
import dev.perhaps.guard.SelectiveCounting;
import dev.perhaps.key.Key;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.similarity.index.SimilarityIndex;
import dev.perhaps.sketch.Sketch;
import java.util.function.IntConsumer;

/** Goes on with a structure that was read: adds items to it and asks it, whatever its kind. */
final class GoingOn {
    private static final long STEP = 0x9E3779B97F4A7C15L;

    private GoingOn() {}

    /** Adds this number of items, unless the structure is full or past its limit before, and asks for each. */
    static void with(Sketch sketch, int items) {
        IntConsumer add = adding(sketch);
        try {
            for (int i = 0; i < items; i++) {
                add.accept(i);
            }
        } catch (ArithmeticException | IllegalArgumentException | IllegalStateException full) {
            // A total at its limit is reported as such; other tests check that report.
            assert full.getMessage() != null;
        }
    }

    // The wildcard is what its key says; filters are asked only to see that they return.
    @SuppressWarnings({"unchecked", "CheckReturnValue"})
    private static IntConsumer adding(Sketch sketch) {
        if (sketch instanceof HashFilter.Adds<?> filter) {
            return i -> {
                filter.addHash(i * STEP);
                filter.mightContainHash(i);
            };
        }
        if (sketch instanceof HashFilter<?> filter) {
            return filter::mightContainHash;
        }
        if (sketch instanceof SelectiveCounting<?> counting) {
            return i -> counting.addHash(i * STEP, 0.5);
        }
        if (sketch instanceof CountMin<?> counts) {
            return i -> counts.addHash(i * STEP, 1);
        }
        if (sketch instanceof RangeCounts ranges) {
            return i -> ranges.add(i);
        }
        if (sketch instanceof Distinct<?> distinct) {
            return i -> distinct.addHash(i * STEP);
        }
        if (sketch instanceof Flows<?> flows) {
            return i -> flows.addHash(i * STEP, 1);
        }
        if (sketch instanceof SlidingCounts<?> counts) {
            return i -> counts.addHash(i * STEP, 1, newest(counts.newestMillis()));
        }
        if (sketch instanceof TopK<?> top) {
            return i -> ((TopK<Object>) top).add(value(top.key(), i));
        }
        if (sketch instanceof TinyTopK<?> top) {
            return i -> ((TinyTopK<Object>) top).add(value(top.key(), i));
        }
        if (sketch instanceof HeavyHitters<?> heavy) {
            return i -> ((HeavyHitters<Object>) heavy).add(value(heavy.key(), i));
        }
        if (sketch instanceof SlidingTopK<?> top) {
            return i -> ((SlidingTopK<Object>) top).add(value(top.key(), i), 1, newest(top.newestMillis()));
        }
        if (sketch instanceof SimilarityIndex index && !index.isExact()) {
            return i -> index.add("item " + i, new long[] {i * STEP});
        }
        return i -> {};
    }

    private static long newest(long millis) {
        return millis == Long.MIN_VALUE ? 0 : millis;
    }

    private static Object value(Key<?> key, int i) {
        return switch (key.name()) {
            case "utf8" -> "item " + i;
            case "int64" -> (long) i;
            case "int32" -> i;
            default -> throw new IllegalArgumentException("no values of key " + key.name());
        };
    }
}
