package dev.perhaps.foreign;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.hash.Murmur3;
import dev.perhaps.io.Figures;
import dev.perhaps.io.WholeFile;
import dev.perhaps.membership.Filter;
import dev.perhaps.membership.bloom.BloomFormulas;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Mergeable;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;

/**
 * Guava's {@code BloomFilter}, bit for bit, read and written in its stream format: it never says "no" to an added
 * value, and says "perhaps" to another value with about the planned probability. About 9.6 bits per item at 1 %. An add
 * touches k places in memory, a lookup up to k. Any number of threads may read it while none changes it.
 *
 * <pre>{@code
 * GuavaBloom<String> seen = GuavaBloom.open(Path.of("seen.guava"), GuavaBloom.Funnel.utf8());
 * boolean perhaps = seen.mightContain("https://example.org/");
 * }</pre>
 *
 * For filters that Guava wrote or will read. To convert one to a {@code BloomFilter} of this library, add the items
 * again: the hashes differ, and a filter cannot list its items.
 */
public final class GuavaBloom<T> implements Filter<T>, Mergeable<GuavaBloom<T>> {
    /*
     * The stream, numbers big-endian; no magic, no checksum, and nothing about the funnel, which the reader must know.
     *
     *     u8         strategy, 0 or 1
     *     u8         k, 1 to 255
     *     u32        W, words, 1 to 2^31 − 1
     *     W × u64    bit p is bit p & 63 of word p >>> 6; m = 64 · W
     *
     * Positions, from the two halves h1, h2 of MurmurHash3_x64_128 with seed 0 of the funnel's bytes:
     *
     *     strategy 0 (MITZ_32)   c = (low half of h1) + i · (high half of h1) in 32 bits, i = 1 … k;
     *                            the position is (c < 0 ? ~c : c) mod m
     *     strategy 1 (MITZ_64)   c = h1 + i · h2 in 64 bits, i = 0 … k − 1; the position is (c without its sign) mod m
     *
     * Both are double hashing [1]. Strategy 0 reaches 2^31 positions only and is not planned any more, by Guava or
     * here; it is read, asked, added to and written again as what it is.
     *
     * Sizing for n items at error f: m = ⌊−n · ln f / ln²2⌋, rounded up to whole words; k = −log2 f, rounded. That is
     * what Guava does today; older ones take k from m/n, which differs by one for some f. A stream carries its own k.
     *
     * [1] Kirsch and Mitzenmacher, "Less hashing, same performance" (2006).
     */
    static final int HEADER_BYTES = 6;
    static final int MAX_HASHES = 255;

    private static final int CHUNK_WORDS = 1 << 13;

    /** The number of words for which memory is taken before the first is read: 1 MiB. */
    private static final int FIRST_WORDS = 1 << 17;

    private static final double LN2 = Math.log(2);

    private static final String NO_FUNNEL = "funnel must not be null";

    /** The rule by which a hash becomes bit positions; the numbers are Guava's. */
    public enum Strategy {
        /** 32 bits of hash per position: streams of early versions. */
        MITZ_32(0) {
            @Override
            long start(Murmur3.Hash128 hash) {
                return hash.first() + (hash.first() >>> 32);
            }

            @Override
            long step(Murmur3.Hash128 hash) {
                return hash.first() >>> 32;
            }

            @Override
            long place(long c) {
                int low = (int) c;
                return low < 0 ? ~low : low;
            }
        },
        /** 64 bits of hash per position. */
        MITZ_64(1) {
            @Override
            long start(Murmur3.Hash128 hash) {
                return hash.first();
            }

            @Override
            long step(Murmur3.Hash128 hash) {
                return hash.second();
            }

            @Override
            long place(long c) {
                return c & Long.MAX_VALUE;
            }
        };

        private final int number;

        Strategy(int number) {
            this.number = number;
        }

        /** Returns the number in the stream. */
        public int number() {
            return number;
        }

        abstract long start(Murmur3.Hash128 hash);

        abstract long step(Murmur3.Hash128 hash);

        /** The number, not negative, whose remainder by m is the position. */
        abstract long place(long c);

        static Strategy numbered(int number) throws FormatException {
            for (Strategy strategy : values()) {
                if (strategy.number == number) {
                    return strategy;
                }
            }
            throw new FormatException("its strategy is " + number
                    + ", and only 0 and 1 are known: it is not a Bloom filter of Guava, or of a newer one");
        }
    }

    private final Funnel<T> funnel;
    private final Strategy strategy;
    private final int hashes;
    private final long[] words;

    private GuavaBloom(Funnel<T> funnel, Strategy strategy, int hashes, long[] words) {
        assert hashes > 0 && hashes <= MAX_HASHES && words.length > 0;
        this.funnel = funnel;
        this.strategy = strategy;
        this.hashes = hashes;
        this.words = words;
    }

    /** Starts a plan for this number of distinct items, with the size that Guava would choose. */
    public static Plan<String> expecting(long items) {
        if (items < 1) {
            throw new IllegalArgumentException("items must be at least 1, got " + items);
        }
        return new Plan<>(items, 0.01, Funnel.utf8());
    }

    /** Adds a value, as Guava's {@code put}; returns {@code ADDED} where that returns true. */
    @CanIgnoreReturnValue
    public Added add(T value) {
        Murmur3.Hash128 hash = Murmur3.x64_128(funnel.bytesOf(value));
        long bits = bits();
        long step = strategy.step(hash);
        long c = strategy.start(hash);
        long fresh = 0;
        for (int i = 0; i < hashes; i++) {
            long position = strategy.place(c) % bits;
            int at = (int) (position >>> 6);
            fresh |= ~words[at] & 1L << position;
            words[at] |= 1L << position;
            c += step;
        }
        return fresh == 0 ? Added.PRESENT : Added.ADDED;
    }

    @Override
    public boolean mightContain(T value) {
        Murmur3.Hash128 hash = Murmur3.x64_128(funnel.bytesOf(value));
        long bits = bits();
        long step = strategy.step(hash);
        long c = strategy.start(hash);
        for (int i = 0; i < hashes; i++) {
            long position = strategy.place(c) % bits;
            if ((words[(int) (position >>> 6)] >>> position & 1) == 0) {
                return false;
            }
            c += step;
        }
        return true;
    }

    /** True if both have the same strategy, bits, hashes and funnel. */
    @Override
    public boolean fits(GuavaBloom<T> other) {
        return difference(other).isEmpty();
    }

    /** Merges by union, as Guava's {@code putAll}. */
    @Override
    public void merge(GuavaBloom<T> other) {
        String difference = difference(other);
        if (!difference.isEmpty()) {
            throw new IllegalArgumentException("these Guava filters do not fit: " + difference);
        }
        for (int i = 0; i < words.length; i++) {
            words[i] |= other.words[i];
        }
    }

    private String difference(GuavaBloom<T> other) {
        if (strategy != other.strategy) {
            return "strategy " + strategy + " against " + other.strategy;
        }
        if (words.length != other.words.length) {
            return bits() + " bits against " + other.bits();
        }
        if (hashes != other.hashes) {
            return hashes + " hashes against " + other.hashes;
        }
        return funnel.equals(other.funnel) ? "" : "they were opened with different funnels";
    }

    /** Returns the rule by which a hash becomes bit positions. */
    public Strategy strategy() {
        return strategy;
    }

    /** Returns the number of bits. */
    public long bits() {
        return words.length * (long) Long.SIZE;
    }

    /** Returns the number of bits set per item. */
    public int hashes() {
        return hashes;
    }

    /** Returns an estimate of the number of distinct items, as Guava's {@code approximateElementCount}. */
    public long itemsNow() {
        return Math.round(BloomFormulas.distinct(bits(), hashes, setBits()));
    }

    /** Returns the share of bits that are set. */
    public double load() {
        return (double) setBits() / bits();
    }

    /** Returns the current false positive rate, as Guava's {@code expectedFpp}. */
    public double errorNow() {
        return Math.pow(load(), hashes);
    }

    private long setBits() {
        long set = 0;
        for (long word : words) {
            set += Long.bitCount(word);
        }
        return set;
    }

    /** Returns the memory of the bits in bytes. */
    public long sizeBytes() {
        return words.length * (long) Long.BYTES;
    }

    /** Returns a filter with the same content that shares no mutable state with this one. */
    public GuavaBloom<T> copy() {
        return new GuavaBloom<>(funnel, strategy, hashes, words.clone());
    }

    /** Writes what Guava's {@code BloomFilter.readFrom} reads. */
    public void writeTo(OutputStream out) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        out.write(header.put((byte) strategy.number())
                .put((byte) hashes)
                .putInt(words.length)
                .array());
        byte[] chunk = new byte[Math.min(CHUNK_WORDS, words.length) * Long.BYTES];
        for (int at = 0; at < words.length; at += CHUNK_WORDS) {
            int take = Math.min(CHUNK_WORDS, words.length - at);
            ByteBuffer.wrap(chunk).asLongBuffer().put(words, at, take);
            out.write(chunk, 0, take * Long.BYTES);
        }
    }

    /** Writes a file completely or not at all: the previous file stays until the new one is on disk. */
    public void save(Path file) throws IOException {
        WholeFile.write(file, this::writeTo);
    }

    /** Opens a file that holds exactly what Guava's {@code BloomFilter.writeTo} wrote. */
    public static <T> GuavaBloom<T> open(Path file, Funnel<T> funnel) throws IOException {
        if (Files.isDirectory(file)) {
            throw new IOException(file + " is a directory, not a file");
        }
        boolean regular = Files.isRegularFile(file);
        long most = regular ? Files.size(file) : Runtime.getRuntime().maxMemory();
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            GuavaBloom<T> filter = read(in, funnel, most, regular ? Integer.MAX_VALUE : FIRST_WORDS);
            if (regular && in.read() >= 0) {
                throw new FormatException("it is longer than it should be: " + most + " bytes where its header says "
                        + (HEADER_BYTES + filter.sizeBytes()));
            }
            return filter;
        } catch (FormatException e) {
            throw new FormatException(file + ": " + e.getMessage());
        }
    }

    /**
     * Reads what Guava's {@code BloomFilter.writeTo} wrote and no byte after it; more than {@code maxBytes} bytes of
     * bits are refused.
     *
     * <p>The format has no checksum: changed bits cannot be detected.
     */
    public static <T> GuavaBloom<T> readFrom(InputStream in, Funnel<T> funnel, long maxBytes) throws IOException {
        return read(in, funnel, maxBytes, FIRST_WORDS);
    }

    private static <T> GuavaBloom<T> read(InputStream in, Funnel<T> funnel, long maxBytes, int firstWords)
            throws IOException {
        Objects.requireNonNull(funnel, NO_FUNNEL);
        byte[] start = in.readNBytes(HEADER_BYTES);
        if (start.length < HEADER_BYTES) {
            throw new FormatException("it is cut short in its header");
        }
        ByteBuffer header = ByteBuffer.wrap(start);
        Strategy strategy = Strategy.numbered(Byte.toUnsignedInt(header.get()));
        int hashes = Byte.toUnsignedInt(header.get());
        if (hashes == 0) {
            throw new FormatException("it has no hashes: it is damaged, or not a Bloom filter of Guava");
        }
        int count = header.getInt();
        if (count < 1) {
            throw new FormatException("it says that it has " + count + " words of bits: it is damaged");
        }
        if (count > maxBytes / Long.BYTES) {
            throw new FormatException(
                    "it says that it holds " + count * (long) Long.BYTES + " bytes of bits, and at most " + maxBytes
                            + " are there or allowed: it is cut short, damaged, or above the limit");
        }
        if (count > BloomFormulas.MAX_BITS / Long.SIZE) {
            throw new FormatException("it says that it has " + count + " words of bits, and one array has at most "
                    + BloomFormulas.MAX_BITS / Long.SIZE + ": it cannot be opened here, or is damaged");
        }
        return new GuavaBloom<>(funnel, strategy, hashes, words(in, count, firstWords));
    }

    /** Allocates memory as words arrive: a header alone must not cause a large allocation. */
    private static long[] words(InputStream in, int count, int firstWords) throws IOException {
        long[] words = new long[Math.min(firstWords, count)];
        byte[] chunk = new byte[Math.min(CHUNK_WORDS, count) * Long.BYTES];
        int at = 0;
        while (at < count) {
            int take = Math.min(CHUNK_WORDS, count - at);
            int read = in.readNBytes(chunk, 0, take * Long.BYTES);
            if (read < take * Long.BYTES) {
                throw new FormatException("it is cut short: " + (at * (long) Long.BYTES + read)
                        + " bytes of bits where its header says " + count * (long) Long.BYTES);
            }
            if (at + take > words.length) {
                words = Arrays.copyOf(words, (int) Math.min(count, 2L * words.length));
            }
            ByteBuffer.wrap(chunk).asLongBuffer().get(words, at, take);
            at += take;
        }
        return words;
    }

    @Override
    public String toString() {
        return "Guava Bloom filter of " + Figures.bytes(sizeBytes()) + " with " + hashes + " hashes, strategy "
                + strategy + ", about " + Figures.count(itemsNow(), "item") + ", error now "
                + Figures.percent(errorNow());
    }

    /**
     * Describes a filter before it is allocated: items and a false positive rate. Immutable: every method returns a new
     * plan.
     */
    public static final class Plan<T> {
        private final long items;
        private final double error;
        private final Funnel<T> funnel;

        private Plan(long items, double error, Funnel<T> funnel) {
            this.items = items;
            this.error = error;
            this.funnel = funnel;
        }

        /** The false positive rate that the size is computed from (default: 1 %; Guava takes 3 %). */
        public Plan<T> falsePositives(double rate) {
            if (!(rate > 0 && rate < 1)) {
                throw new IllegalArgumentException("falsePositives must be in (0, 1), got " + rate);
            }
            return new Plan<>(items, rate, funnel);
        }

        /** The funnel of the values (default: strings, by their UTF-8 bytes). */
        public <U> Plan<U> of(Funnel<U> other) {
            return new Plan<>(items, error, Objects.requireNonNull(other, NO_FUNNEL));
        }

        /** Returns the memory of the bits in bytes. */
        public long sizeBytes() {
            return words() * (long) Long.BYTES;
        }

        /** Returns the number of bits that will be set per item. */
        public int hashes() {
            long best = Math.max(1, Math.round(-Math.log(error) / LN2));
            if (best > MAX_HASHES) {
                throw new IllegalArgumentException("falsePositives of " + error + " need " + best
                        + " hashes, and Guava has at most " + MAX_HASHES + ": accept a higher error");
            }
            return (int) best;
        }

        private int words() {
            long bits = (long) BloomFormulas.idealBits(items, error);
            if (bits < 1 || bits > BloomFormulas.MAX_BITS) {
                throw new IllegalArgumentException(
                        Figures.count(items) + " items at " + Figures.percent(error) + " need "
                                + Figures.count(bits) + " bits by Guava's rule, and it has 1 to "
                                + Figures.count(BloomFormulas.MAX_BITS));
            }
            return (int) ((bits + 63) >>> 6);
        }

        /** Builds an empty filter, with the strategy that Guava uses today. */
        public GuavaBloom<T> build() {
            return new GuavaBloom<>(funnel, Strategy.MITZ_64, hashes(), new long[words()]);
        }
    }

    /**
     * A funnel of Guava: the bytes that are hashed for a value. For your own funnel, write a lambda that returns all
     * bytes that it puts into the sink, in order (numbers little-endian, unencoded characters as little-endian UTF-16).
     *
     * <p>{@code Funnel<Instant> seconds = time -> Funnel.longs().bytesOf(time.getEpochSecond());}
     */
    @FunctionalInterface
    public interface Funnel<T> {
        /** Returns the bytes that are hashed for this value; equal values must give equal bytes. */
        byte[] bytesOf(T value);

        /** Returns the equivalent of {@code Funnels.byteArrayFunnel()}. */
        static Funnel<byte[]> bytes() {
            return GuavaFunnels.BYTES;
        }

        /** Returns the equivalent of {@code Funnels.stringFunnel(UTF_8)}. */
        static Funnel<String> utf8() {
            return GuavaFunnels.UTF8;
        }

        /** Returns the equivalent of {@code Funnels.unencodedCharsFunnel()}. */
        static Funnel<String> unencodedChars() {
            return GuavaFunnels.UNENCODED_CHARS;
        }

        /** Returns the equivalent of {@code Funnels.longFunnel()}. */
        static Funnel<Long> longs() {
            return GuavaFunnels.LONGS;
        }

        /** Returns the equivalent of {@code Funnels.integerFunnel()}. */
        static Funnel<Integer> ints() {
            return GuavaFunnels.INTS;
        }
    }
}
