package dev.perhaps.frequency;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** Streams of events for tests: a law of frequencies and an order, repeatable by their seed. */
final class Streams {
    /** The order in which the events of a stream come. */
    enum Order {
        SHUFFLED,
        /** The rare values first: each frequent one arrives at a full table. */
        RISING,
        /** The frequent values first: then a flood of rare ones tries to wash them out. */
        FALLING,
        /** One of each in turn, again and again, as long as it lasts. */
        ROUND_ROBIN
    }

    private Streams() {}

    /** {@code events} draws from {@code keys} values, of which value i has weight (i + 1)^-exponent; 0 is uniform. */
    static long[] zipf(int events, int keys, double exponent, long seed) {
        double[] upTo = new double[keys];
        double sum = 0;
        for (int i = 0; i < keys; i++) {
            sum += Math.pow(i + 1, -exponent);
            upTo[i] = sum;
        }
        SplittableRandom random = new SplittableRandom(seed);
        long[] stream = new long[events];
        for (int i = 0; i < events; i++) {
            int at = Arrays.binarySearch(upTo, random.nextDouble() * sum);
            stream[i] = at < 0 ? Math.min(keys - 1, -at - 1) : at;
        }
        return stream;
    }

    /** The same events in another order. */
    static long[] ordered(long[] stream, Order order) {
        Map<Long, Long> counts = counts(stream);
        return switch (order) {
            case SHUFFLED -> stream.clone();
            case RISING -> sorted(stream, counts, 1);
            case FALLING -> sorted(stream, counts, -1);
            case ROUND_ROBIN -> roundRobin(stream);
        };
    }

    private static long[] sorted(long[] stream, Map<Long, Long> counts, int sign) {
        return Arrays.stream(stream)
                .boxed()
                .sorted((a, b) -> {
                    int byCount = sign * Long.compare(counts.getOrDefault(a, 0L), counts.getOrDefault(b, 0L));
                    return byCount != 0 ? byCount : Long.compare(a, b);
                })
                .mapToLong(Long::longValue)
                .toArray();
    }

    private static long[] roundRobin(long[] stream) {
        Map<Long, Long> left = counts(stream);
        long[] ordered = new long[stream.length];
        int at = 0;
        while (at < ordered.length) {
            for (Map.Entry<Long, Long> entry : left.entrySet()) {
                if (entry.getValue() > 0) {
                    entry.setValue(entry.getValue() - 1);
                    ordered[at++] = entry.getKey();
                }
            }
        }
        return ordered;
    }

    static Map<Long, Long> counts(long[] stream) {
        Map<Long, Long> counts = new HashMap<>();
        for (long value : stream) {
            counts.merge(value, 1L, Long::sum);
        }
        return counts;
    }
}
