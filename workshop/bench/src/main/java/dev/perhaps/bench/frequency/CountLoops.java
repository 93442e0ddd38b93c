package dev.perhaps.bench.frequency;

import dev.perhaps.bench.FreshClass;
import dev.perhaps.frequency.CountMin;
import dev.perhaps.key.Key;
import java.util.function.LongFunction;

/**
 * The loops over sketches of counts, ours and the peers'. Every row gets its own copy of them: see {@link FreshClass}.
 */
final class CountLoops {
    private CountLoops() {}

    /** Ours, one by one: a long is hashed by its key, without boxing, and the hash is counted or looked up. */
    static final class Ours implements EventCounts {
        private final Key.Longs key;
        private final CountMin<Long> sketch;

        Ours(LongFunction<CountMin<Long>> empty, int seed) {
            this.key = Key.longs().seeded(seed);
            this.sketch = empty.apply(seed);
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                sketch.addHash(key.hash(keys[i]), 1);
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            int found = 0;
            for (int i = from; i < to; i++) {
                found += sketch.estimateHash(key.hash(keys[i])) > 0 ? 1 : 0;
            }
            return found;
        }

        @Override
        public long estimate(long asked) {
            return sketch.estimateHash(key.hash(asked));
        }

        @Override
        public long sizeBytes() {
            return sketch.sizeBytes();
        }
    }

    /** Ours in batches of hashes. */
    static final class OursInBatches implements EventCounts {
        private static final int BATCH = 1 << 10;

        private final Key.Longs key;
        private final CountMin<Long> sketch;
        private final long[] hashes = new long[BATCH];
        private final long[] estimates = new long[BATCH];

        OursInBatches(LongFunction<CountMin<Long>> empty, int seed) {
            this.key = Key.longs().seeded(seed);
            this.sketch = empty.apply(seed);
        }

        private int hash(long[] keys, int from, int to) {
            int count = Math.min(BATCH, to - from);
            for (int i = 0; i < count; i++) {
                hashes[i] = key.hash(keys[from + i]);
            }
            return count;
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int at = from; at < to; at += BATCH) {
                sketch.addHashes(hashes, 0, hash(keys, at, to));
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            int found = 0;
            for (int at = from; at < to; at += BATCH) {
                int count = hash(keys, at, to);
                sketch.estimateHashes(hashes, 0, count, estimates);
                for (int i = 0; i < count; i++) {
                    found += estimates[i] > 0 ? 1 : 0;
                }
            }
            return found;
        }

        @Override
        public long estimate(long asked) {
            return sketch.estimateHash(key.hash(asked));
        }

        @Override
        public long sizeBytes() {
            return sketch.sizeBytes();
        }
    }

    static final class Spark implements EventCounts {
        private final org.apache.spark.util.sketch.CountMinSketch sketch;

        Spark(int width, int depth, int seed) {
            this.sketch = org.apache.spark.util.sketch.CountMinSketch.create(depth, width, seed);
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                sketch.addLong(keys[i]);
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            int found = 0;
            for (int i = from; i < to; i++) {
                found += sketch.estimateCount(keys[i]) > 0 ? 1 : 0;
            }
            return found;
        }

        @Override
        public long estimate(long asked) {
            return sketch.estimateCount(asked);
        }

        @Override
        public long sizeBytes() {
            return (long) sketch.width() * sketch.depth() * Long.BYTES;
        }
    }

    static final class StreamLib implements EventCounts {
        private final com.clearspring.analytics.stream.frequency.CountMinSketch sketch;
        private final long cells;

        StreamLib(int width, int depth, int seed) {
            this.sketch = new com.clearspring.analytics.stream.frequency.CountMinSketch(depth, width, seed);
            this.cells = (long) width * depth;
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                sketch.add(keys[i], 1);
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            int found = 0;
            for (int i = from; i < to; i++) {
                found += sketch.estimateCount(keys[i]) > 0 ? 1 : 0;
            }
            return found;
        }

        @Override
        public long estimate(long asked) {
            return sketch.estimateCount(asked);
        }

        @Override
        public long sizeBytes() {
            return cells * Long.BYTES;
        }
    }
}
