package dev.perhaps.frequency;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/** EventStreams of items to count, and what they exactly hold. */
final class EventStreams {
    private EventStreams() {}

    /** The orders and distributions in which a stream may come. */
    enum Shape {
        UNIFORM,
        ZIPF,
        /** All copies of an item at once, the rarest first: the heavy ones fall on counters that others have raised. */
        RAREST_FIRST,
        /** All copies of an item at once, the most frequent first. */
        HEAVIEST_FIRST
    }

    static long[] of(Shape shape, int events, int items, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        if (shape == Shape.UNIFORM) {
            return random.longs(events, 0, items).toArray();
        }
        long[] stream = zipf(events, items, random);
        if (shape != Shape.ZIPF) {
            // Item numbers are ranks: the higher, the rarer.
            Arrays.sort(stream);
        }
        return shape == Shape.RAREST_FIRST ? reversed(stream) : stream;
    }

    /** Item i comes about as often as 1 / (i + 1) of the first. */
    private static long[] zipf(int events, int items, SplittableRandom random) {
        double scale = Math.log(items + 1.0);
        return LongStream.generate(() -> (long) Math.exp(random.nextDouble() * scale) - 1)
                .limit(events)
                .toArray();
    }

    private static long[] reversed(long[] stream) {
        long[] reversed = new long[stream.length];
        Arrays.setAll(reversed, i -> stream[stream.length - 1 - i]);
        return reversed;
    }

    static Map<Long, Long> exactly(long... stream) {
        Map<Long, Long> counts = new HashMap<>();
        for (long item : stream) {
            counts.merge(item, 1L, Long::sum);
        }
        return counts;
    }
}
