package dev.perhaps.bench.membership;

import com.google.common.hash.Funnels;
import com.google.common.io.ByteStreams;
import com.google.common.io.CountingOutputStream;
import dev.perhaps.bench.Contender;
import dev.perhaps.bench.FreshClass;
import dev.perhaps.bench.FullException;
import dev.perhaps.hash.Mix;
import dev.perhaps.key.Key;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.apache.commons.collections4.bloomfilter.EnhancedDoubleHasher;
import org.apache.commons.collections4.bloomfilter.Shape;
import org.apache.commons.collections4.bloomfilter.SimpleBloomFilter;
import org.apache.datasketches.filters.bloomfilter.BloomFilterBuilder;
import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter;
import org.fastfilter.utils.Hash;

/**
 * The loops over filters of other libraries, each used as its documentation shows, with its own hashing. Every row gets
 * its own copy of them: see {@link FreshClass}.
 */
final class PeerLoops {
    private PeerLoops() {}

    /** Guava's filter of longs: Murmur3 of 128 bits through a funnel. */
    @SuppressWarnings("UnstableApiUsage")
    static final class Guava implements Contender<long[]> {
        private final com.google.common.hash.BloomFilter<Long> filter;

        Guava(double error, int items) {
            this.filter = com.google.common.hash.BloomFilter.create(Funnels.longFunnel(), items, error);
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                filter.put(keys[i]);
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
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
            return serializedBytes(filter);
        }
    }

    /**
     * The usual way to expire items: two of Guava's filters, each for the items of a window at half of the error. Items
     * are added to one, lookups query both, and at the end of a window the older one is cleared and becomes the current
     * one. Here that happened in the middle of the run. An item expires between one and two windows after it was added.
     */
    @SuppressWarnings("UnstableApiUsage")
    static final class GuavaByTurns implements Contender<long[]> {
        private final com.google.common.hash.BloomFilter<Long> older;
        private final com.google.common.hash.BloomFilter<Long> newer;
        private int leftForOlder;

        GuavaByTurns(double error, int items) {
            this.older = com.google.common.hash.BloomFilter.create(Funnels.longFunnel(), items, error / 2);
            this.newer = com.google.common.hash.BloomFilter.create(Funnels.longFunnel(), items, error / 2);
            this.leftForOlder = items / 2;
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                (leftForOlder-- > 0 ? older : newer).put(keys[i]);
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            int found = 0;
            for (int i = from; i < to; i++) {
                if (newer.mightContain(keys[i]) || older.mightContain(keys[i])) {
                    found++;
                }
            }
            return found;
        }

        @Override
        public long sizeBytes() {
            return serializedBytes(older) + serializedBytes(newer);
        }
    }

    /** Guava's filter of strings, by their UTF-8 bytes. */
    @SuppressWarnings("UnstableApiUsage")
    static final class GuavaStrings implements Contender<String[]> {
        private final com.google.common.hash.BloomFilter<CharSequence> filter;

        GuavaStrings(double error, int items) {
            this.filter = com.google.common.hash.BloomFilter.create(
                    Funnels.stringFunnel(StandardCharsets.UTF_8), items, error);
        }

        @Override
        public void add(String[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                filter.put(keys[i]);
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
            return serializedBytes(filter);
        }
    }

    /** Guava does not tell the size of its array; what it writes is the array and six bytes. */
    @SuppressWarnings("UnstableApiUsage")
    static long serializedBytes(com.google.common.hash.BloomFilter<?> filter) {
        try (CountingOutputStream out = new CountingOutputStream(ByteStreams.nullOutputStream())) {
            filter.writeTo(out);
            return out.getCount() - 6;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All of fastfilter: it builds from an array of longs, which it mixes with a seed of its own. */
    static final class FastFilter implements Contender<long[]> {
        private final Function<long[], org.fastfilter.Filter> construct;
        private org.fastfilter.Filter filter;

        FastFilter(Function<long[], org.fastfilter.Filter> construct, int items) {
            Hash.setSeed(items);
            this.construct = construct;
            this.filter = construct.apply(new long[] {items});
        }

        @Override
        public void add(long[] keys, int from, int to) {
            if (from != 0 || to != keys.length) {
                throw new IllegalArgumentException("fastfilter takes all keys at once, got " + from + " to " + to);
            }
            filter = construct.apply(keys);
        }

        @Override
        public int found(long[] keys, int from, int to) {
            int found = 0;
            for (int i = from; i < to; i++) {
                if (filter.mayContain(keys[i])) {
                    found++;
                }
            }
            return found;
        }

        @Override
        public long sizeBytes() {
            return filter.getBitCount() / Byte.SIZE;
        }
    }

    /** DataSketches' Bloom filter: XXH64. */
    static final class DataSketches implements Contender<long[]> {
        private static final long SEED = 1;

        private final org.apache.datasketches.filters.bloomfilter.BloomFilter filter;

        DataSketches(double error, int items) {
            this.filter = BloomFilterBuilder.createByAccuracy(items, error, SEED);
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                filter.update(keys[i]);
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            int found = 0;
            for (int i = from; i < to; i++) {
                if (filter.query(keys[i])) {
                    found++;
                }
            }
            return found;
        }

        @Override
        public long sizeBytes() {
            return filter.getCapacity() / Byte.SIZE;
        }
    }

    /** Spark's Bloom filter: Murmur3 of 32 bits, twice. */
    static final class Spark implements Contender<long[]> {
        private final org.apache.spark.util.sketch.BloomFilter filter;

        Spark(double error, int items) {
            this.filter = org.apache.spark.util.sketch.BloomFilter.create(items, error);
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                filter.putLong(keys[i]);
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            int found = 0;
            for (int i = from; i < to; i++) {
                if (filter.mightContainLong(keys[i])) {
                    found++;
                }
            }
            return found;
        }

        @Override
        public long sizeBytes() {
            return filter.bitSize() / Byte.SIZE;
        }
    }

    /** stream-lib's Bloom filter: Murmur of bytes, here in one array that is used again. */
    static final class StreamLib implements Contender<long[]> {
        private static final VarHandle LONG =
                MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

        private final com.clearspring.analytics.stream.membership.BloomFilter filter;
        private final byte[] bytes = new byte[Long.BYTES];

        StreamLib(double error, int items) {
            this.filter = new com.clearspring.analytics.stream.membership.BloomFilter(items, error);
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                LONG.set(bytes, 0, keys[i]);
                filter.add(bytes);
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            int found = 0;
            for (int i = from; i < to; i++) {
                LONG.set(bytes, 0, keys[i]);
                if (filter.isPresent(bytes)) {
                    found++;
                }
            }
            return found;
        }

        @Override
        public long sizeBytes() {
            return filter.buckets() / Byte.SIZE;
        }
    }

    /** The Bloom filter of Commons Collections brings no hash function: it gets two avalanches of the key. */
    static final class Commons implements Contender<long[]> {
        private final SimpleBloomFilter filter;

        Commons(double error, int items) {
            this.filter = new SimpleBloomFilter(Shape.fromNP(items, error));
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                filter.merge(new EnhancedDoubleHasher(Mix.finish(keys[i]), Mix.finish(~keys[i])));
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            int found = 0;
            for (int i = from; i < to; i++) {
                if (filter.contains(new EnhancedDoubleHasher(Mix.finish(keys[i]), Mix.finish(~keys[i])))) {
                    found++;
                }
            }
            return found;
        }

        @Override
        public long sizeBytes() {
            return filter.getShape().getNumberOfBits() / Byte.SIZE;
        }
    }

    /**
     * cuckoofilter4j: Murmur3 through a Guava funnel. Planned for its exact number of items, it is now and then full
     * before that.
     */
    @SuppressWarnings("UnstableApiUsage")
    static final class CuckooFilter4j implements Contender<long[]> {
        private final com.github.mgunlogson.cuckoofilter4j.CuckooFilter<Long> filter;

        CuckooFilter4j(double error, int items) {
            this.filter = new com.github.mgunlogson.cuckoofilter4j.CuckooFilter.Builder<Long>(
                            Funnels.longFunnel(), items + items / 50L)
                    .withFalsePositiveRate(error)
                    .build();
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                if (!filter.put(keys[i])) {
                    throw new FullException(filter.getCount());
                }
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
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
            return filter.getStorageSize() / Byte.SIZE;
        }
    }

    /** Parquet's split-block filter: XXH64, and an array that is rounded up to a power of two. */
    static final class Parquet implements Contender<long[]> {
        private final BlockSplitBloomFilter filter;

        Parquet(double error, int items) {
            int bytes = BlockSplitBloomFilter.optimalNumOfBits(items, error) / Byte.SIZE;
            this.filter = new BlockSplitBloomFilter(bytes, BlockSplitBloomFilter.UPPER_BOUND_BYTES);
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                filter.insertHash(filter.hash(keys[i]));
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            int found = 0;
            for (int i = from; i < to; i++) {
                if (filter.findHash(filter.hash(keys[i]))) {
                    found++;
                }
            }
            return found;
        }

        @Override
        public long sizeBytes() {
            return filter.getBitsetSize();
        }
    }

    /**
     * Not a filter but the limit of the machine: mixes a key and reads one random word of an array of a filter's size.
     */
    static final class Reference implements Contender<long[]> {
        private final long[] words;

        Reference(double bitsPerKey, int items) {
            this.words = new long[(int) (bitsPerKey * items / Long.SIZE) + 1];
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                long x = Mix.finish(keys[i]);
                words[(int) Mix.reduce(x, words.length)] |= 1L << x;
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            int found = 0;
            for (int i = from; i < to; i++) {
                long x = Mix.finish(keys[i]);
                found += (int) (words[(int) Mix.reduce(x, words.length)] >>> x & 1);
            }
            return found;
        }

        @Override
        public long sizeBytes() {
            return words.length * (long) Long.BYTES;
        }
    }

    /** The same with two random words per lookup, as a cuckoo filter reads them. */
    static final class ReferenceOfTwo implements Contender<long[]> {
        private static final long OTHER = 0x9E3779B97F4A7C15L;

        private final long[] words;

        ReferenceOfTwo(double bitsPerKey, int items) {
            this.words = new long[(int) (bitsPerKey * items / Long.SIZE) + 1];
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                long x = Mix.finish(keys[i]);
                words[(int) Mix.reduce(x, words.length)] |= 1L << x;
                words[(int) Mix.reduce(x * OTHER, words.length)] |= 1L << x;
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            int found = 0;
            for (int i = from; i < to; i++) {
                long x = Mix.finish(keys[i]);
                long both = words[(int) Mix.reduce(x, words.length)] & words[(int) Mix.reduce(x * OTHER, words.length)];
                found += (int) (both >>> x & 1);
            }
            return found;
        }

        @Override
        public long sizeBytes() {
            return words.length * (long) Long.BYTES;
        }
    }

    /**
     * The same with seven random words per lookup, which a Bloom filter of 1 % reads for a hit. None depends on
     * another.
     */
    static final class ReferenceOfSeven implements Contender<long[]> {
        private static final int WORDS = 7;
        private static final long STEP = 0xF1357AEA2E62A9C5L;

        private final long[] words;

        ReferenceOfSeven(double bitsPerKey, int items) {
            this.words = new long[(int) (bitsPerKey * items / Long.SIZE) + 1];
        }

        @Override
        public void add(long[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                long x = Mix.finish(keys[i]);
                for (int j = 0; j < WORDS; j++) {
                    words[(int) ((x >>> 32) * words.length >>> 32)] |= 1L << x;
                    x *= STEP;
                }
            }
        }

        @Override
        public int found(long[] keys, int from, int to) {
            int found = 0;
            for (int i = from; i < to; i++) {
                long x = Mix.finish(keys[i]);
                long all = 1;
                for (int j = 0; j < WORDS; j++) {
                    all &= words[(int) ((x >>> 32) * words.length >>> 32)] >>> x;
                    x *= STEP;
                }
                found += (int) all;
            }
            return found;
        }

        @Override
        public long sizeBytes() {
            return words.length * (long) Long.BYTES;
        }
    }

    /**
     * The limit of the machine for strings: copies the bytes out of the object, as the one method does that reads them
     * all at once, hashes them, and reads one random word of an array of a filter's size. Right only for ASCII.
     */
    static final class StringReference implements Contender<String[]> {
        private static final Key.Bytes KEY = Key.bytes();

        private final byte[] bytes = new byte[1 << 10];
        private final long[] words;

        StringReference(double bitsPerKey, int items) {
            this.words = new long[(int) (bitsPerKey * items / Long.SIZE) + 1];
        }

        @SuppressWarnings("deprecation") // it drops high bytes, and there are none
        private static long hash(String key, byte[] bytes) {
            key.getBytes(0, key.length(), bytes, 0);
            return KEY.hash(bytes, 0, key.length());
        }

        @Override
        public void add(String[] keys, int from, int to) {
            for (int i = from; i < to; i++) {
                long x = hash(keys[i], bytes);
                words[(int) Mix.reduce(x, words.length)] |= 1L << x;
            }
        }

        @Override
        public int found(String[] keys, int from, int to) {
            int found = 0;
            for (int i = from; i < to; i++) {
                long x = hash(keys[i], bytes);
                found += (int) (words[(int) Mix.reduce(x, words.length)] >>> x & 1);
            }
            return found;
        }

        @Override
        public long sizeBytes() {
            return words.length * (long) Long.BYTES;
        }
    }
}
