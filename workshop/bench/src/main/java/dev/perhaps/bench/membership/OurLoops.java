package dev.perhaps.bench.membership;

import dev.perhaps.bench.Contender;
import dev.perhaps.bench.FreshClass;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.membership.ExpiringBloom;
import dev.perhaps.membership.FilterPlan;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.sketch.Added;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.function.LongFunction;

/** The loops over our own filters. Every row gets its own copy of them: see {@link FreshClass}. */
public final class OurLoops {
    private OurLoops() {}

    /** One by one: a long is hashed by its key, without boxing, and the hash is added or looked up. */
    static final class OneByOne implements Contender<long[]> {
        private static final Key.Longs KEY = Key.longs();

        private final HashFilter.Adds<Long> filter;

        OneByOne(LongFunction<FilterPlan<Long>> plan, int items) {
            this.filter = ((FilterPlan.Fillable<Long>) plan.apply(items)).build();
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                if (filter.addHash(KEY.hash(keys[i])) == Added.FULL) {
                    throw new IllegalStateException("full: " + filter);
                }
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            int found = 0;
            for (int i = from; i < to; i++) {
                if (filter.mightContainHash(KEY.hash(keys[i]))) {
                    found++;
                }
            }
            return found;
        }

        @Override
        public long sizeBytes() {
            return filter.sizeBytes();
        }
    }

    /**
     * One by one, with explicit times: the keys are added evenly over a window, through all of its generations, and
     * looked up at its end.
     */
    static final class OverAWindow implements Contender<long[]> {
        private static final Key.Longs KEY = Key.longs();
        private static final int FRACTION_BITS = 20;

        private final ExpiringBloom<Long> filter;
        private final long step;
        private long time;

        OverAWindow(LongFunction<FilterPlan<Long>> plan, int items) {
            this.filter = ((ExpiringBloom.Plan<Long>) plan.apply(items)).build();
            this.step = (filter.window().toMillis() << FRACTION_BITS) / items;
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                filter.addHash(KEY.hash(keys[i]), time >>> FRACTION_BITS);
                time += step;
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            int found = 0;
            for (int i = from; i < to; i++) {
                if (filter.mightContainHash(KEY.hash(keys[i]), time >>> FRACTION_BITS)) {
                    found++;
                }
            }
            return found;
        }

        @Override
        public long sizeBytes() {
            return filter.sizeBytes();
        }
    }

    /** Built from all keys at once, on all cores or in a pool of one thread, and asked one by one. */
    static final class AtOnce implements Contender<long[]> {
        private static final Key.Longs KEY = Key.longs();
        private static final int SMALLEST = 64;

        private final FilterPlan<Long> plan;
        private final boolean oneThread;
        private HashFilter<Long> filter;

        AtOnce(LongFunction<FilterPlan<Long>> plan, boolean oneThread, int items) {
            this.plan = plan.apply(items);
            this.oneThread = oneThread;
            this.filter = plan.apply(SMALLEST).buildFrom(Hashes.of(0));
        }

        @Override
        public void add(long[] keys, int from, int to) {
            Hashes hashes = new Hashed(keys, from, to);
            filter = oneThread ? buildOnOneThread(plan, hashes) : plan.buildFrom(hashes);
        }

        @Override
        public int found(long[] keys, int from, int to) {
            int found = 0;
            for (int i = from; i < to; i++) {
                if (filter.mightContainHash(KEY.hash(keys[i]))) {
                    found++;
                }
            }
            return found;
        }

        @Override
        public long sizeBytes() {
            return filter.sizeBytes();
        }
    }

    /** What a build does in parallel, it does in the fork-join pool that it is called in. */
    static HashFilter<Long> buildOnOneThread(FilterPlan<Long> plan, Hashes hashes) {
        ForkJoinPool pool = new ForkJoinPool(1);
        try {
            return pool.submit(() -> plan.buildFrom(hashes)).join();
        } finally {
            pool.shutdown();
        }
    }

    /** Added and asked in batches of hashes. */
    static final class InBatches implements Contender<long[]> {
        private static final Key.Longs KEY = Key.longs();
        private static final int BATCH = 1 << 10;

        private final HashFilter.Adds<Long> filter;
        private final long[] hashes = new long[BATCH];
        private final long[] answers = new long[BATCH / Long.SIZE];

        InBatches(LongFunction<FilterPlan<Long>> plan, int items) {
            this.filter = ((FilterPlan.Fillable<Long>) plan.apply(items)).build();
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int at = from; at < to; at += BATCH) {
                int count = hash(keys, at, to);
                if (filter.addHashes(hashes, 0, count) < count) {
                    throw new IllegalStateException("full: " + filter);
                }
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            int found = 0;
            for (int at = from; at < to; at += BATCH) {
                found += filter.mightContainHashes(hashes, 0, hash(keys, at, to), answers);
            }
            return found;
        }

        private int hash(long[] keys, int from, int to) {
            int count = Math.min(BATCH, to - from);
            for (int i = 0; i < count; i++) {
                hashes[i] = KEY.hash(keys[from + i]);
            }
            return count;
        }

        @Override
        public long sizeBytes() {
            return filter.sizeBytes();
        }
    }

    /** Strings through the typed methods, as a user writes them. */
    static final class Strings implements Contender<String[]> {
        private final HashFilter.Adds<String> filter;

        Strings(LongFunction<FilterPlan.Fillable<String>> plan, int items) {
            this.filter = plan.apply(items).build();
        }

        @Override
        public void add(String[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                if (filter.add(keys[i]) == Added.FULL) {
                    throw new IllegalStateException("full: " + filter);
                }
            }
        }

        @Override
        public int found(String[] keys, int from, int to) {
            int found = 0;
            for (int i = from; i < to; i++) {
                if (filter.mightContain(keys[i])) {
                    found++;
                }
            }
            return found;
        }

        @Override
        public long sizeBytes() {
            return filter.sizeBytes();
        }
    }

    /** Strings in batches, as a user writes them who has a list of them. */
    static final class StringBatches implements Contender<String[]> {
        private static final int BATCH = 1 << 10;

        private final HashFilter.Adds<String> filter;

        StringBatches(LongFunction<FilterPlan.Fillable<String>> plan, int items) {
            this.filter = plan.apply(items).build();
        }

        @Override
        public void add(String[] keys, int from, int to) {
            List<String> all = Arrays.asList(keys);
            for (int at = from; at < to; at += BATCH) {
                List<String> batch = all.subList(at, Math.min(to, at + BATCH));
                if (filter.addAll(batch) < batch.size()) {
                    throw new IllegalStateException("full: " + filter);
                }
            }
        }

        @Override
        public int found(String[] keys, int from, int to) {
            List<String> all = Arrays.asList(keys);
            int found = 0;
            for (int at = from; at < to; at += BATCH) {
                found += filter.mightContainAll(all.subList(at, Math.min(to, at + BATCH)))
                        .cardinality();
            }
            return found;
        }

        @Override
        public long sizeBytes() {
            return filter.sizeBytes();
        }
    }

    /** Hashes keys each time they are asked for, as a build from a file would. */
    public static final class Hashed implements Hashes {
        private static final Key.Longs KEY = Key.longs();
        private static final int BATCH = 1 << 12;

        private final long[] keys;
        private final int from;
        private final int to;

        public Hashed(long[] keys, int from, int to) {
            this.keys = keys;
            this.from = from;
            this.to = to;
        }

        @Override
        public long count() {
            return (long) to - from;
        }

        @Override
        public void replay(Sink sink) {
            long[] batch = new long[BATCH];
            for (int at = from; at < to; at += BATCH) {
                int count = Math.min(BATCH, to - at);
                for (int i = 0; i < count; i++) {
                    batch[i] = KEY.hash(keys[at + i]);
                }
                sink.take(batch, 0, count);
            }
        }
    }
}
