package dev.perhaps.lab.filters;

import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.CountingBloom;
import dev.perhaps.membership.bloom.BloomFormulas;
import dev.perhaps.sketch.Added;

/** A way to remove keys from the filter of a cache, in a given number of bits. */
interface DeletionScheme {
    void add(long hash);

    void remove(long hash);

    boolean mightContain(long hash);

    /** Is called at intervals, with all that is in the cache. */
    default void restart(long[] cached) {}

    /** The schemes that are compared. */
    enum Kind {
        LAZY("lazy, rebuilt at intervals"),
        SECOND("second filter of the deleted"),
        TWO_STICK("2-bit counters that stick"),
        TWO_FALL("2-bit counters that fall"),
        TWO_RESTART("2-bit, fall, restarted"),
        FOUR("4-bit counters"),
        COMPACT("2-bit and overflow table");

        final String title;

        Kind(String title) {
            this.title = title;
        }

        DeletionScheme of(int bits) {
            return switch (this) {
                case LAZY -> new Lazy(bits);
                case SECOND -> new Second(bits);
                case TWO_STICK -> new Small(bits, 2, SmallCounters.Full.STICKS, false);
                case TWO_FALL -> new Small(bits, 2, SmallCounters.Full.FALLS, false);
                case TWO_RESTART -> new Small(bits, 2, SmallCounters.Full.FALLS, true);
                case FOUR -> new Small(bits, 4, SmallCounters.Full.STICKS, false);
                case COMPACT -> new Compact(bits);
            };
        }
    }

    /** Deletes nothing, and is rebuilt from the cache now and then; sized for what gathers in between. */
    final class Lazy implements DeletionScheme {
        private final int bits;
        private BloomFilter<String> filter;

        Lazy(int bits) {
            this.bits = bits;
            this.filter = empty();
        }

        private BloomFilter<String> empty() {
            return BloomFilter.expecting(2L * DeletionExperiment.CACHED)
                    .bits(bits)
                    .build();
        }

        @Override
        public void add(long hash) {
            filter.addHash(hash);
        }

        @Override
        public void remove(long hash) {
            // What is deleted stays until the filter is rebuilt.
            assert filter.mightContainHash(hash);
        }

        @Override
        public boolean mightContain(long hash) {
            return filter.mightContainHash(hash);
        }

        @Override
        public void restart(long[] cached) {
            filter = empty();
            filter.addHashes(cached, 0, cached.length);
        }
    }

    /**
     * One filter of all added keys and one of all removed keys: a key is present if it is in the first and not in the
     * second.
     */
    final class Second implements DeletionScheme {
        private final BloomFilter<String> came;
        private final BloomFilter<String> went;

        Second(int bits) {
            var plan = BloomFilter.expecting(2L * DeletionExperiment.CACHED).bits(bits / 2);
            came = plan.build();
            went = plan.build();
        }

        @Override
        public void add(long hash) {
            came.addHash(hash);
        }

        @Override
        public void remove(long hash) {
            went.addHash(hash);
        }

        @Override
        public boolean mightContain(long hash) {
            return came.mightContainHash(hash) && !went.mightContainHash(hash);
        }
    }

    /** Counters of few bits. */
    final class Small implements DeletionScheme {
        private final SmallCounters counters;
        private final boolean restarts;

        Small(int bits, int counterBits, SmallCounters.Full full, boolean restarts) {
            int count = bits / counterBits;
            int hashes = BloomFormulas.hashes((double) count / DeletionExperiment.CACHED);
            this.counters = new SmallCounters(count, hashes, counterBits, full);
            this.restarts = restarts;
        }

        @Override
        public void add(long hash) {
            counters.add(hash);
        }

        @Override
        public void remove(long hash) {
            counters.remove(hash);
        }

        @Override
        public boolean mightContain(long hash) {
            return counters.mightContain(hash);
        }

        @Override
        public void restart(long[] cached) {
            if (restarts) {
                counters.clear();
                for (long hash : cached) {
                    counters.add(hash);
                }
            }
        }
    }

    /** The library's counters of 2 bits with a table for those that overflow. */
    final class Compact implements DeletionScheme {
        private final CountingBloom<String> filter;

        Compact(int bits) {
            filter = CountingBloom.expecting(DeletionExperiment.CACHED)
                    .compact()
                    .memoryBytes(bits / 8)
                    .build();
        }

        @Override
        public void add(long hash) {
            if (filter.addHash(hash) == Added.FULL) {
                throw new IllegalStateException("the compact filter is full, and was planned for more: " + filter);
            }
        }

        @Override
        public void remove(long hash) {
            filter.removeHash(hash);
        }

        @Override
        public boolean mightContain(long hash) {
            return filter.mightContainHash(hash);
        }
    }
}
