package dev.perhaps.membership.bloom;

import dev.perhaps.key.Hashes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Fills an array of words that is larger than the caches from all hashes at once, on all cores: hashes are first sorted
 * by the region of the array that they go to, and then set region by region. The bits are those of adding one by one.
 * Takes {@link #bytes} of memory besides the array, for any number of hashes.
 */
public abstract class RegionBuild {
    /*
     * One by one, nearly every bit that is set waits for memory. Here every thread has a bucket for each region
     * (512 KiB, which fits the second-level cache of a core; more if there would be over 512 regions), writes what is to
     * be set there into the bucket, one int or two after the other, and when a bucket is full, sets all of it: the region
     * comes into the cache once for thousands of bits.
     *
     *     hashes -> blocks of 8,192 -> thread 1: | bucket 0 | bucket 1 | … |  full -> region 1 of the array, locked
     *                               \-> thread 2: | bucket 0 | bucket 1 | … |
     *
     * The calling thread hands out blocks while a helper is free and works on them itself while none is, so all cores
     * are busy even if the hashes come slowly. Two threads never write to one region at once: a region has a lock, taken
     * once a bucket. Bits are only ever ORed in, so the order of things does not show in the result.
     */
    private static final int BLOCK = 1 << 13;
    private static final int BLOCKS_PER_HELPER = 8;
    private static final int WORTH_A_HELPER = 256;
    private static final int MAX_REGIONS = 512;
    private static final int LEAST_REGION_SHIFT = 16;
    private static final int MAX_THREADS = 16;
    private static final long MAX_BYTES = 64L << 20;

    /** Below this the array is in the cache of a core, or nearly, and one by one is as fast. */
    private static final long LEAST_BYTES = 4L << 20;

    /** A word's region is its number shifted right by this. */
    final int regionShift;

    final long[] words;

    private final int regions;
    private final int entryInts;
    private final Object[] locks;

    RegionBuild(long[] words, int entryInts) {
        int shift = LEAST_REGION_SHIFT;
        while ((words.length - 1 >>> shift) >= MAX_REGIONS) {
            shift++;
        }
        this.words = words;
        this.regionShift = shift;
        this.regions = (words.length - 1 >>> shift) + 1;
        this.entryInts = entryInts;
        this.locks = new Object[regions];
        for (int region = 0; region < regions; region++) {
            locks[region] = new Object();
        }
    }

    /** True if building an array of this size from this number of hashes is faster this way than one by one. */
    public static boolean pays(long arrayBytes, long hashes) {
        return arrayBytes >= LEAST_BYTES && hashes >= arrayBytes / Long.SIZE;
    }

    /** The additional memory that building an array of this size takes at most; 0 if items are added one by one. */
    public static long bytes(long arrayBytes) {
        return arrayBytes < LEAST_BYTES ? 0 : Math.min(MAX_BYTES, arrayBytes / 2);
    }

    /** Puts what the hashes set into the buckets of their regions. */
    abstract void scatter(long[] hashes, int from, int to, Buckets into);

    /** Sets what the first {@code count} ints of a bucket say. */
    abstract void apply(int region, int[] bucket, int count);

    /** Sets the bits of all hashes, on all cores. */
    public final void run(Hashes all) {
        run(all, Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors()));
    }

    public final void run(Hashes all, int threads) {
        long blockBytes = (threads - 1L) * BLOCKS_PER_HELPER * BLOCK * Long.BYTES;
        long ints = (bytes(words.length * (long) Long.BYTES) - blockBytes) / Integer.BYTES / threads / regions;
        // An odd number of cache lines: buckets fill evenly, and their ends must not all fall into one set of the
        // cache.
        int room = (int) Math.max(1, ints / 32) * 32 - 16;
        Buckets own = new Buckets(room);
        try (Helpers helpers = new Helpers(threads - 1, room)) {
            all.replay((hashes, from, to) -> {
                for (int at = from; at < to; at += BLOCK) {
                    int end = Math.min(at + BLOCK, to);
                    if (end - at < WORTH_A_HELPER || !helpers.take(hashes, at, end)) {
                        scatter(hashes, at, end, own);
                    }
                }
            });
            own.empty();
        }
    }

    /**
     * Reads a word of every line of a region, from front to back, as fast as memory gives them: setting bits all over a
     * region that is not in the cache takes three times as long.
     */
    private long touch(int region) {
        long seen = 0;
        int end = (int) Math.min(words.length, (region + 1L) << regionShift);
        for (int i = region << regionShift; i < end; i += 8) {
            seen |= words[i];
        }
        return seen;
    }

    /** What one thread has still to set, by region. Confined to it. */
    final class Buckets {
        private final int[][] entries;
        private final int[] ends = new int[regions];

        /** Never read; without it the compiler would remove the loads. */
        long touched;

        /** With room for {@code room} ints in each. */
        private Buckets(int room) {
            assert room >= entryInts && room % entryInts == 0;
            this.entries = new int[regions][room];
        }

        void put(int region, int entry) {
            int[] bucket = entries[region];
            int at = ends[region];
            bucket[at] = entry;
            ends[region] = at + 1;
            if (at + 1 == bucket.length) {
                empty(region);
            }
        }

        void put(int region, int one, int two) {
            int[] bucket = entries[region];
            int at = ends[region];
            bucket[at] = one;
            bucket[at + 1] = two;
            ends[region] = at + 2;
            if (at + 2 == bucket.length) {
                empty(region);
            }
        }

        private void empty(int region) {
            synchronized (locks[region]) {
                touched |= touch(region);
                apply(region, entries[region], ends[region]);
            }
            ends[region] = 0;
        }

        private void empty() {
            for (int region = 0; region < regions; region++) {
                empty(region);
            }
        }
    }

    /** The other threads, and the blocks of hashes that go to them and come back. */
    private final class Helpers implements AutoCloseable {
        private final List<Thread> threads = new ArrayList<>();
        private final BlockingQueue<Block> free;
        private final BlockingQueue<Block> full;
        private volatile @Nullable Throwable failure;

        Helpers(int count, int room) {
            this.free = new ArrayBlockingQueue<>(Math.max(1, BLOCKS_PER_HELPER * count));
            this.full = new ArrayBlockingQueue<>(Math.max(1, (BLOCKS_PER_HELPER + 1) * count));
            for (int n = 0; n < count; n++) {
                for (int i = 0; i < BLOCKS_PER_HELPER; i++) {
                    free.add(new Block(new long[BLOCK]));
                }
                Buckets buckets = new Buckets(room);
                Thread thread = new Thread(() -> help(buckets), "perhaps-build-" + (n + 1));
                thread.setDaemon(true);
                threads.add(thread);
            }
            threads.forEach(Thread::start);
        }

        /** Gives a copy of the hashes to a helper; false if none is free. */
        boolean take(long[] hashes, int from, int to) {
            Block block = free.poll();
            if (block == null) {
                return false;
            }
            System.arraycopy(hashes, from, block.hashes, 0, to - from);
            block.count = to - from;
            full.add(block);
            return true;
        }

        private void help(Buckets buckets) {
            try {
                for (Block block = full.take(); block.count > 0; block = full.take()) {
                    scatter(block.hashes, 0, block.count, buckets);
                    free.add(block);
                }
                buckets.empty();
            } catch (Throwable e) {
                failure = e;
            }
        }

        /** Waits until all that was given is set. */
        @Override
        public void close() {
            // An empty block is the end of a helper's work.
            threads.forEach(thread -> full.add(new Block(new long[0])));
            boolean interrupted = false;
            for (Thread thread : threads) {
                while (thread.isAlive()) {
                    try {
                        thread.join();
                    } catch (InterruptedException e) {
                        interrupted = true;
                    }
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            if (failure != null) {
                throw new IllegalStateException("a helper of the build failed: " + failure, failure);
            }
        }
    }

    private static final class Block {
        final long[] hashes;
        int count;

        Block(long[] hashes) {
            this.hashes = hashes;
        }
    }
}
