package dev.perhaps.bench.frequency;

import com.clearspring.analytics.stream.Counter;
import com.clearspring.analytics.stream.StreamSummary;
import dev.perhaps.bench.FreshClass;
import dev.perhaps.frequency.Estimated;
import dev.perhaps.frequency.TinyTopK;
import dev.perhaps.frequency.TopK;
import dev.perhaps.frequency.TopLongs;
import dev.perhaps.key.Key;
import java.util.Arrays;
import java.util.List;
import org.apache.datasketches.frequencies.ErrorType;
import org.apache.datasketches.frequencies.ItemsSketch;
import org.apache.datasketches.frequencies.LongsSketch;

/** The loops over top lists, ours and the peers'. Every row gets its own copy of them: see {@link FreshClass}. */
final class TopLoops {
    /** A slot of DataSketches' map of longs: key, count and a short. */
    static final int LONGS_SKETCH_SLOT_BYTES = 18;

    /** What a counter of any structure takes at least: a key and a count. */
    static final int MIN_COUNTER_BYTES = 16;

    private TopLoops() {}

    /** How many of the keys of {@code [from, to)} are in the list. */
    static int found(long[] list, long[] keys, int from, int to) {
        long[] sorted = list.clone();
        Arrays.sort(sorted);
        int found = 0;
        for (int i = from; i < to; i++) {
            found += Arrays.binarySearch(sorted, keys[i]) >= 0 ? 1 : 0;
        }
        return found;
    }

    static final class Ours implements TopList {
        private final TopLongs list;

        Ours(int k, long bytes, int seed) {
            this.list = (TopLongs)
                    TopK.of(k).memoryBytes(bytes).of(Key.longs().seeded(seed)).build();
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                list.add(keys[i], 1L);
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            return TopLoops.found(top(list.capacity()), keys, from, to);
        }

        @Override
        public long[] top(int most) {
            List<TopK.Ranked<Long>> ranked = list.top(most);
            long[] top = new long[ranked.size()];
            for (int i = 0; i < top.length; i++) {
                top[i] = ranked.get(i).value();
            }
            return top;
        }

        @Override
        public long sizeBytes() {
            return list.sizeBytes();
        }
    }

    static final class Tiny implements TopList {
        private final TinyTopK<Long> list;

        Tiny(int k, long bytes, int seed) {
            this.list = TinyTopK.of(k)
                    .memoryBytes(bytes)
                    .of(Key.longs().seeded(seed))
                    .build();
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                list.add(keys[i]);
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            return TopLoops.found(top(list.k()), keys, from, to);
        }

        @Override
        public long[] top(int most) {
            List<Estimated<Long>> ranked = list.top();
            long[] top = new long[Math.min(most, ranked.size())];
            for (int i = 0; i < top.length; i++) {
                top[i] = ranked.get(i).value();
            }
            return top;
        }

        @Override
        public long sizeBytes() {
            return list.sizeBytes();
        }
    }

    /** DataSketches', of longs: the largest map that fits, of a power of two. */
    static final class Longs implements TopList {
        private final LongsSketch list;
        private final int slots;

        Longs(int k, long bytes, int seed) {
            this.slots = (int) Long.highestOneBit(bytes / LONGS_SKETCH_SLOT_BYTES);
            this.list = new LongsSketch(slots);
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                list.update(keys[i]);
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            return TopLoops.found(top(slots), keys, from, to);
        }

        @Override
        public long[] top(int most) {
            LongsSketch.Row[] rows = list.getFrequentItems(0, ErrorType.NO_FALSE_NEGATIVES);
            long[] top = new long[Math.min(most, rows.length)];
            for (int i = 0; i < top.length; i++) {
                top[i] = rows[i].getItem();
            }
            return top;
        }

        @Override
        public long sizeBytes() {
            return (long) slots * LONGS_SKETCH_SLOT_BYTES;
        }
    }

    /** DataSketches', of objects: with as large a map as that of longs, and the objects on top. */
    static final class Items implements TopList {
        private final ItemsSketch<Long> list;
        private final int slots;

        Items(int k, long bytes, int seed) {
            this.slots = (int) Long.highestOneBit(bytes / LONGS_SKETCH_SLOT_BYTES);
            this.list = new ItemsSketch<>(slots);
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                list.update(keys[i]);
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            return TopLoops.found(top(slots), keys, from, to);
        }

        @Override
        public long[] top(int most) {
            ItemsSketch.Row<Long>[] rows = list.getFrequentItems(0, ErrorType.NO_FALSE_NEGATIVES);
            long[] top = new long[Math.min(most, rows.length)];
            for (int i = 0; i < top.length; i++) {
                top[i] = rows[i].getItem();
            }
            return top;
        }

        @Override
        public long sizeBytes() {
            return (long) slots * LONGS_SKETCH_SLOT_BYTES;
        }
    }

    /**
     * stream-lib's Space-Saving: as many counters as fit if only keys and counts are paid for, not its lists and maps.
     */
    static final class Summary implements TopList {
        private final StreamSummary<Long> list;
        private final int capacity;

        Summary(int k, long bytes, int seed) {
            this.capacity = (int) (bytes / MIN_COUNTER_BYTES);
            this.list = new StreamSummary<>(capacity);
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                list.offer(keys[i]);
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            return TopLoops.found(top(capacity), keys, from, to);
        }

        @Override
        public long[] top(int most) {
            List<Counter<Long>> counters = list.topK(most);
            long[] top = new long[counters.size()];
            for (int i = 0; i < top.length; i++) {
                top[i] = counters.get(i).getItem();
            }
            return top;
        }

        @Override
        public long sizeBytes() {
            return (long) capacity * MIN_COUNTER_BYTES;
        }
    }
}
