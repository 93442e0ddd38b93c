package dev.perhaps.membership.bloom;

import dev.perhaps.key.Hashes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Fills an array of words that is larger than the caches of a core from all hashes at once, on several cores. The bits
 * are those of adding one by one. Takes {@link #bytes} of memory besides the array, for any number of hashes.
 */
public abstract class RegionBuild {
    /*
     * A large array is filled by regions. One by one, nearly every bit that is set waits for memory. Here every thread
     * has a bucket for each region (256 KiB, which fits the second-level cache of a core beside the ends of the
     * buckets; more if there would be over 512 regions), writes what is to be set there into the bucket, one int or two
     * after the other, and when a bucket is nearly full, sets all of it: the region comes into the cache once for
     * thousands of bits.
     *
     *     hashes -> blocks of 8,192 -> thread 1: | bucket 0 | bucket 1 | … |  full -> region 1 of the array, locked
     *                               \-> thread 2: | bucket 0 | bucket 1 | … |
     *
     * The calling thread hands out blocks while a helper is free and works on them itself while none is, so all cores
     * are busy even if the hashes come slowly. Two threads never write to one region at once: a region has a lock,
     * taken once per bucket. Bits are only ever ORed in, so the order of things does not show in the result.
     *
     * The buckets of a thread lie in one array, and writing into them checks nothing: a pass takes as few hashes as the
     * least room that is left in any bucket can take, and the buckets are looked at between two passes.
     *
     * An array of up to 16 MiB is filled as a whole: it lies in the last-level cache, where sorting by region takes
     * about as long as it saves. Each helper sets bits in an array of its own, and these are ORed together at last.
     * Times as fast as one by one, Bloom filters of 1 %, on an AMD EPYC with two cores (32 MiB of cache):
     *
     *     10 M keys, 11 MiB     by regions 1.1 with buckets of half its size, 1.7 with twice its size; as a whole 1.85
     *     100 M keys, 114 MiB   by regions 8.9
     */
    private static final int BLOCK = 1 << 13;
    private static final int BLOCKS_PER_HELPER = 8;
    private static final long BLOCK_BYTES = (long) BLOCKS_PER_HELPER * BLOCK * Long.BYTES;
    private static final int WORTH_A_HELPER = 256;
    private static final int MAX_REGIONS = 512;
    private static final int LEAST_REGION_SHIFT = 15;
    private static final int MAX_THREADS = 16;
    private static final long MAX_BYTES = 64L << 20;

    /** Ints in a bucket, at least: four times what one hash can take. */
    private static final int LEAST_ROOM = 4 * (BloomKernel.MAX_HASHES + 1) + 32;

    /** Ints that a pass writes, at most. */
    private static final int MAX_PASS = 1 << 12;

    /** Below this the array is in the cache of a core, or nearly, and one by one is as fast. */
    private static final long LEAST_BYTES = 4L << 20;

    /** Up to this the array is in the last-level cache, and so is one more like it. */
    private static final long WHOLE_BYTES = 16L << 20;

    /** A word's region is its number shifted right by this. */
    final int regionShift;

    final long[] words;

    private final int regions;
    private final int intsPerHash;
    private final Object[] locks;

    RegionBuild(long[] words, int intsPerHash) {
        int shift = LEAST_REGION_SHIFT;
        while ((words.length - 1 >>> shift) >= MAX_REGIONS) {
            shift++;
        }
        this.words = words;
        this.regionShift = shift;
        this.regions = (words.length - 1 >>> shift) + 1;
        this.intsPerHash = intsPerHash;
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
        return arrayBytes < LEAST_BYTES ? 0 : Math.min(MAX_BYTES, 2 * arrayBytes);
    }

    /**
     * Puts what the hashes set into the buckets of their regions.
     *
     * @param ends where the next int of each region's bucket goes
     */
    abstract void scatter(long[] hashes, int from, int to, int[] entries, int[] ends);

    /** Sets what the ints in {@code [from, to)} say, which are those of a bucket of this region. */
    abstract void apply(int region, int[] entries, int from, int to);

    /** Sets the bits of these hashes in an array like {@link #words}. */
    abstract void set(long[] hashes, int from, int to, long[] into);

    /** Sets the bits of all hashes, on all cores. */
    public final void run(Hashes all) {
        run(all, Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors()));
    }

    public final void run(Hashes all, int atMostThreads) {
        long arrayBytes = words.length * (long) Long.BYTES;
        if (arrayBytes <= WHOLE_BYTES) {
            fillWhole(all, (int) Math.min(atMostThreads - 1, bytes(arrayBytes) / (arrayBytes + BLOCK_BYTES)));
        } else {
            fillByRegion(all, atMostThreads);
        }
    }

    private void fillWhole(Hashes all, int helpers) {
        List<long[]> copies = new ArrayList<>();
        List<Part> parts = new ArrayList<>();
        for (int n = 0; n < helpers; n++) {
            long[] copy = new long[words.length];
            copies.add(copy);
            parts.add(new Whole(copy));
        }
        fill(all, new Whole(words), parts);
        for (long[] copy : copies) {
            for (int i = 0; i < words.length; i++) {
                words[i] |= copy[i];
            }
        }
    }

    private void fillByRegion(Hashes all, int atMostThreads) {
        long bytes = bytes(words.length * (long) Long.BYTES);
        long leastBytes = BLOCK_BYTES + (long) regions * LEAST_ROOM * Integer.BYTES;
        int threads = (int) Math.max(1, Math.min(atMostThreads, bytes / leastBytes));
        long ints = (bytes - (threads - 1) * BLOCK_BYTES) / Integer.BYTES / threads / regions;
        // An odd number of cache lines: buckets fill evenly, and their ends must not all fall into one set of the
        // cache.
        int room = (int) Math.max(LEAST_ROOM, ints) / 32 * 32 - 16;
        List<Part> parts = new ArrayList<>();
        for (int n = 1; n < threads; n++) {
            parts.add(new Buckets(room));
        }
        fill(all, new Buckets(room), parts);
    }

    private static void fill(Hashes all, Part own, List<Part> ofHelpers) {
        try (Helpers helpers = new Helpers(ofHelpers)) {
            all.replay((hashes, from, to) -> {
                for (int at = from; at < to; at += BLOCK) {
                    int end = Math.min(at + BLOCK, to);
                    if (end - at < WORTH_A_HELPER || !helpers.take(hashes, at, end)) {
                        own.put(hashes, at, end);
                    }
                }
            });
            own.end();
        }
    }

    /** What one thread has to set. Confined to it. */
    private interface Part {
        void put(long[] hashes, int from, int to);

        /** Sets what is still to be set. */
        default void end() {}
    }

    /** Sets every bit at once, in an array that only this thread writes to. */
    private final class Whole implements Part {
        private final long[] into;

        Whole(long[] into) {
            this.into = into;
        }

        @Override
        public void put(long[] hashes, int from, int to) {
            set(hashes, from, to, into);
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

    /** What one thread has still to set, by region. */
    private final class Buckets implements Part {
        private final int[] entries;
        private final int[] starts = new int[regions];
        private final int[] ends = new int[regions];
        private final int pass;
        private final int enough;

        @SuppressWarnings("UnusedVariable") // without it the compiler would remove the loads
        private long touched;

        /** With room for {@code room} ints in each. */
        private Buckets(int room) {
            assert room >= 4 * intsPerHash;
            this.entries = new int[regions * room];
            for (int region = 0; region < regions; region++) {
                starts[region] = region * room;
                ends[region] = starts[region];
            }
            int passInts = Math.min(MAX_PASS, room / 4);
            this.pass = passInts / intsPerHash;
            this.enough = room - pass * intsPerHash;
        }

        @Override
        public void put(long[] hashes, int from, int to) {
            for (int at = from; at < to; at += pass) {
                scatter(hashes, at, Math.min(to, at + pass), entries, ends);
                for (int region = 0; region < regions; region++) {
                    if (ends[region] - starts[region] > enough) {
                        empty(region);
                    }
                }
            }
        }

        private void empty(int region) {
            synchronized (locks[region]) {
                touched |= touch(region);
                apply(region, entries, starts[region], ends[region]);
            }
            ends[region] = starts[region];
        }

        @Override
        public void end() {
            for (int region = 0; region < regions; region++) {
                empty(region);
            }
        }
    }

    /** The other threads, and the blocks of hashes that go to them and come back. */
    private static final class Helpers implements AutoCloseable {
        private final List<Thread> threads = new ArrayList<>();
        private final BlockingQueue<Block> free;
        private final BlockingQueue<Block> full;
        private volatile @Nullable Throwable failure;

        Helpers(List<Part> parts) {
            this.free = new ArrayBlockingQueue<>(Math.max(1, BLOCKS_PER_HELPER * parts.size()));
            this.full = new ArrayBlockingQueue<>(Math.max(1, (BLOCKS_PER_HELPER + 1) * parts.size()));
            for (Part part : parts) {
                for (int i = 0; i < BLOCKS_PER_HELPER; i++) {
                    free.add(new Block(new long[BLOCK]));
                }
                Thread thread = new Thread(() -> help(part), "perhaps-build-" + (threads.size() + 1));
                thread.setDaemon(true);
                threads.add(thread);
            }
            threads.forEach(Thread::start);
        }

        /** Gives a copy of the hashes to a worker. Returns false if no worker is free. */
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

        private void help(Part part) {
            try {
                for (Block block = full.take(); block.count > 0; block = full.take()) {
                    part.put(block.hashes, 0, block.count);
                    free.add(block);
                }
                part.end();
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
