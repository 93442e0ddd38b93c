package dev.perhaps.foreign;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.hash.Murmur2;
import dev.perhaps.io.Figures;
import dev.perhaps.membership.Filter;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.FormatException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The Bloom filter of Redis ({@code BF.*}), bit for bit: it never says "no" to an added item, and says "perhaps" to
 * another one with about the planned probability. When it holds the planned items it grows by another link (a Bloom
 * filter of its own), unless it is planned not to. About 11 bits per item at 1 %. An add touches k places per link, a
 * lookup up to k. Any number of threads may read it while none changes it.
 *
 * <pre>{@code
 * RedisBloom seen = RedisBloom.expecting(1_000_000).falsePositives(0.01).build();
 * Added added = seen.add("apple".getBytes(UTF_8));
 * }</pre>
 *
 * For filters that Redis wrote or will read; otherwise {@link dev.perhaps.membership.ScalableBloom} needs less memory.
 */
public final class RedisBloom implements Filter<byte[]> {
    /*
     * A chain of links, oldest first. A link for n items at error e has
     *
     *     bpe = −ln e / 0.480453013918201,  bits = ⌊n · bpe⌋ up to a multiple of 64,  k = ⌈0.693147180559945 · bpe⌉
     *
     * and an item sets the bits (a + i · b mod 2^64) mod bits, i = 0 … k − 1, where a and b are MurmurHash64A of the
     * item with seed 0xc6a4a7935bd1e995 and with seed a. The first link has half the planned error, each further one
     * half of the one before and `expansion` times its items, so that the sum stays below the plan. Only the newest is
     * written.
     *
     * The header, little-endian and packed; the bits of all links follow it, bit p in byte p >>> 3:
     *
     *     u64 items, u32 links, u32 options, u32 expansion, then per link
     *     u64 bytes, u64 bits, u64 items, f64 error, f64 bpe, u32 k, u64 capacity, u8 n2
     *
     * Options: 1 not rounded to a power of two, 2 (unused), 4 hashes of 64 bits, 8 does not grow. Filters of old
     * servers lack 1 or 4: n2 > 0 then says that positions are taken mod 2^n2, and without 4 the hashes are MurmurHash2
     * of 32 bits. They are read, queried, added to and written again as what they are.
     */
    static final int HEADER_BYTES = 20;
    static final int LINK_BYTES = 53;
    static final int MAX_LINKS = 1 << 12;

    private static final int NOT_ROUNDED = 1;
    private static final int HASH_64 = 4;
    private static final int NON_SCALING = 8;
    private static final int KNOWN_OPTIONS = 15;
    private static final double LN2_SQUARED = 0.480453013918201;
    private static final double LN2 = 0.693147180559945;
    private static final double TIGHTENING = 0.5;
    private static final int SEED_32 = 0x9747b28c;
    private static final long MAX_LINK_BITS = 64L * (Integer.MAX_VALUE - 8);

    /** The least error above 0 needs fewer; more would make every lookup take as long as a stranger likes. */
    private static final int MAX_HASHES = 2_048;

    private static final int NONE = -1;

    /** The most filters of {@link #estimateIntersection}. */
    public static final int MAX_INTERSECTED = 4;

    /** The most items that a filter can be planned for. */
    public static final long MAX_CAPACITY = 1L << 30;

    /** The largest factor by which a further link may be larger. */
    public static final int MAX_EXPANSION = 32_768;

    /** The highest error; a higher one is replaced by this. */
    public static final double MAX_ERROR = 0.25;

    /** The result of {@link #load}. */
    public enum Load {
        /** The bytes are in the filter. */
        LOADED,
        /** There is no link at that position; nothing was changed. */
        NO_LINK,
        /** The bytes reach beyond the end of their link; nothing was changed. */
        TOO_LONG
    }

    /**
     * The parameters and the content of a link.
     *
     * @param bytes the bytes of its bits
     * @param bits the number of its bits
     * @param hashes the number of bits per item
     * @param capacity the items that it is planned for
     * @param items the items that were added to it
     * @param error its planned false positive rate
     */
    public record Link(long bytes, long bits, int hashes, long capacity, long items, double error) {}

    private static final class Part {
        final long[] words;
        final double error;
        final double bitsPerItem;
        final int hashes;
        final long capacity;
        final int n2;
        final long modulus;
        final long reciprocal;
        long items;
        StableView.@Nullable Watched watched;

        Part(long[] words, double error, double bitsPerItem, int hashes, long capacity, int n2) {
            this.words = words;
            this.error = error;
            this.bitsPerItem = bitsPerItem;
            this.hashes = hashes;
            this.capacity = capacity;
            this.n2 = n2;
            this.modulus = n2 > 0 ? 1L << n2 : bits();
            this.reciprocal = Long.divideUnsigned(-1, modulus);
        }

        long bytes() {
            return 8L * words.length;
        }

        long bits() {
            return 64L * words.length;
        }

        /**
         * The number, unsigned, mod the modulus m: a product with ⌊(2^64 − 1) / m⌋ in place of a division. Its upper
         * half is the quotient or one less, as m is far below 2^63.
         */
        private static long remainder(long number, long modulus, long reciprocal) {
            long quotient = Math.multiplyHigh(number, reciprocal) + (number >> 63 & reciprocal);
            long rest = number - quotient * modulus;
            return rest < modulus ? rest : rest - modulus;
        }

        boolean has(long a, long b) {
            for (int i = 0; i < hashes; i++) {
                long bit = remainder(a + i * b, modulus, reciprocal);
                if ((words[(int) (bit >>> 6)] >>> bit & 1) == 0) {
                    return false;
                }
            }
            return true;
        }

        void set(long a, long b) {
            for (int i = 0; i < hashes; i++) {
                long bit = remainder(a + i * b, modulus, reciprocal);
                if (watched != null) {
                    watched.before((int) (bit >>> 6));
                }
                words[(int) (bit >>> 6)] |= 1L << bit;
            }
        }

        long setBits() {
            long set = 0;
            for (long word : words) {
                set += Long.bitCount(word);
            }
            return set;
        }

        boolean hasShapeOf(Part other) {
            return words.length == other.words.length && hashes == other.hashes && n2 == other.n2;
        }

        /** About how many items an array of this shape has in which this number of bits are set. */
        double items(long set) {
            double share = (double) set / modulus;
            return share >= 1 ? Long.MAX_VALUE : -StrictMath.log1p(-share) * modulus / hashes;
        }

        /**
         * About how many items are in either: estimated from the bits, and not less than in one or more than in both.
         */
        long unionItems(Part other) {
            long set = 0;
            for (int i = 0; i < words.length; i++) {
                set += Long.bitCount(words[i] | other.words[i]);
            }
            long least = Math.max(items, other.items);
            return Math.min(Math.max(Math.round(items(set)), least), items + other.items);
        }

        Part copy() {
            Part copy = new Part(words.clone(), error, bitsPerItem, hashes, capacity, n2);
            copy.items = items;
            return copy;
        }
    }

    /** The settings of a filter; each method returns a new plan. */
    public static final class Plan {
        private final long items;
        private final double error;
        private final int expansion;

        private Plan(long items, double error, int expansion) {
            this.items = items;
            this.error = error;
            this.expansion = expansion;
        }

        /**
         * Returns this plan with this false positive rate, in (0, 1); a rate above {@link #MAX_ERROR} is replaced by
         * that.
         */
        public Plan falsePositives(double rate) {
            if (!(rate > 0 && rate < 1)) {
                throw new IllegalArgumentException("the false positive rate must be in (0, 1), got " + rate);
            }
            return new Plan(items, Math.min(rate, MAX_ERROR), expansion);
        }

        /**
         * Returns this plan with links that each have this many times the items of the one before; 0: it does not grow.
         */
        public Plan expansion(int factor) {
            if (factor < 0 || factor > MAX_EXPANSION) {
                throw new IllegalArgumentException(
                        "the expansion must be in [0, " + MAX_EXPANSION + "], got " + factor);
            }
            return new Plan(items, error, factor);
        }

        /**
         * Returns this plan with the lowest false positive rate that fits into this much memory, in bytes, at least 16.
         */
        public Plan memoryBytes(long max) {
            if (max < 16) {
                throw new IllegalArgumentException("a filter takes at least 16 bytes, got " + max);
            }
            double rate = StrictMath.exp(-LN2_SQUARED * (8.0 * max - 64) / items);
            double planned = expansion == 0 ? rate : rate / TIGHTENING;
            return new Plan(items, Math.max(Double.MIN_NORMAL, Math.min(planned, MAX_ERROR)), expansion);
        }

        /** Returns the planned false positive rate. */
        public double error() {
            return error;
        }

        private double firstError() {
            return expansion == 0 ? error : error * TIGHTENING;
        }

        /** Returns the memory of its first link in bytes. */
        public long sizeBytes() {
            return 8 * words(items, bitsPerItem(firstError()));
        }

        /** Returns an empty filter. */
        public RedisBloom build() {
            RedisBloom built = new RedisBloom(NOT_ROUNDED | HASH_64 | (expansion == 0 ? NON_SCALING : 0), expansion);
            built.append(built.part(items, firstError()));
            return built;
        }
    }

    /** The links: an array, as most filters have one, and a server may have millions of filters. */
    private Part[] parts = {};

    private final int options;
    private final int expansion;
    private long items;

    private RedisBloom(int options, int expansion) {
        this.options = options;
        this.expansion = expansion;
    }

    /** Starts a plan for this many items: 1 % false positives, links that double. */
    public static Plan expecting(long items) {
        if (items < 1 || items > MAX_CAPACITY) {
            throw new IllegalArgumentException("the capacity must be in [1, " + MAX_CAPACITY + "], got " + items);
        }
        return new Plan(items, 0.01, 2);
    }

    private static double bitsPerItem(double error) {
        return -Math.log(error) / LN2_SQUARED;
    }

    private static long words(double items, double bitsPerItem) {
        double bits = Math.floor(items * bitsPerItem);
        return bits >= MAX_LINK_BITS ? Long.MAX_VALUE >>> 4 : ((long) Math.max(1, bits) + 63) >>> 6;
    }

    private Part part(long capacity, double error) {
        double bitsPerItem = bitsPerItem(error);
        int hashes = (int) Math.ceil(LN2 * bitsPerItem);
        if ((options & NOT_ROUNDED) != 0) {
            return new Part(
                    new long[Math.toIntExact(words(capacity, bitsPerItem))], error, bitsPerItem, hashes, capacity, 0);
        }
        int n2 = roundedBits(capacity, bitsPerItem);
        long more = (long) (((1L << n2) - capacity * bitsPerItem) / bitsPerItem);
        return new Part(new long[1 << (n2 - 6)], error, bitsPerItem, hashes, capacity + more, n2);
    }

    private static int roundedBits(long capacity, double bitsPerItem) {
        long bits = Math.max(64, (long) (capacity * bitsPerItem));
        return 64 - Long.numberOfLeadingZeros(bits);
    }

    private void append(Part part) {
        Part[] more = Arrays.copyOf(parts, parts.length + 1);
        more[parts.length] = part;
        parts = more;
    }

    private Part newest() {
        return parts[parts.length - 1];
    }

    private static long hash(byte[] item, boolean wide, long first) {
        return wide ? Murmur2.hash64(item, first) : Integer.toUnsignedLong(Murmur2.hash32(item, (int) first));
    }

    /**
     * Adds an item: {@link Added#PRESENT} if it perhaps was there, {@link Added#FULL} if the filter does not grow, or
     * cannot.
     */
    @CanIgnoreReturnValue
    public Added add(byte[] item) {
        boolean wide = (options & HASH_64) != 0;
        long a = hash(item, wide, wide ? Murmur2.M64 : SEED_32);
        long b = hash(item, wide, a);
        for (int i = parts.length - 1; i >= 0; i--) {
            if (parts[i].has(a, b)) {
                return Added.PRESENT;
            }
        }
        if (newest().items >= newest().capacity) {
            if (growthBytes() == Long.MAX_VALUE) {
                return Added.FULL;
            }
            append(part(newest().capacity * expansion, newest().error * TIGHTENING));
        }
        newest().set(a, b);
        newest().items++;
        items++;
        return Added.ADDED;
    }

    /**
     * Returns the memory in bytes that the next new item takes: 0 if the newest link has room, {@link Long#MAX_VALUE}
     * if the filter is full and does not grow, or cannot.
     */
    public long growthBytes() {
        Part newest = newest();
        if (newest.items < newest.capacity) {
            return 0;
        }
        if (!isScaling() || parts.length >= MAX_LINKS || newest.capacity > Long.MAX_VALUE / expansion) {
            return Long.MAX_VALUE;
        }
        long capacity = newest.capacity * expansion;
        double bitsPerItem = bitsPerItem(newest.error * TIGHTENING);
        long words = (options & NOT_ROUNDED) != 0 ? words(capacity, bitsPerItem) : words(2.0 * capacity, bitsPerItem);
        return words > MAX_LINK_BITS >>> 6 || Double.isInfinite(bitsPerItem) ? Long.MAX_VALUE : 8 * words;
    }

    @Override
    public boolean mightContain(byte[] item) {
        boolean wide = (options & HASH_64) != 0;
        long a = hash(item, wide, wide ? Murmur2.M64 : SEED_32);
        long b = hash(item, wide, a);
        for (int i = parts.length - 1; i >= 0; i--) {
            if (parts[i].has(a, b)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the number of items that were added. */
    public long count() {
        return items;
    }

    /** Returns the number of items that all links together are planned for. */
    public long capacity() {
        return Arrays.stream(parts).mapToLong(part -> part.capacity).sum();
    }

    /** Returns the bytes of the bits of all links. */
    public long dataBytes() {
        // Asked after every addition: a loop without objects.
        long bytes = 0;
        for (int i = 0; i < parts.length; i++) {
            bytes += parts[i].bytes();
        }
        return bytes;
    }

    /** Returns the number of links. */
    public int linkCount() {
        return parts.length;
    }

    /** Returns true if it grows when it is full. */
    public boolean isScaling() {
        return (options & NON_SCALING) == 0 && expansion > 0;
    }

    /** Returns the factor by which a further link is larger. */
    public int expansion() {
        return expansion;
    }

    /** Returns the links, oldest first. */
    public List<Link> links() {
        return Arrays.stream(parts)
                .map(part -> new Link(part.bytes(), part.bits(), part.hashes, part.capacity, part.items, part.error))
                .toList();
    }

    /** Returns the planned false positive rate; for a filter that grows, that of all links together. */
    public double errorPlanned() {
        double largest =
                Arrays.stream(parts).mapToDouble(part -> part.error).max().orElse(0);
        return isScaling() ? largest / TIGHTENING : largest;
    }

    /** Returns the current false positive rate, computed from all bits. */
    public double errorNow() {
        double none = 1;
        for (Part part : parts) {
            none *= 1 - Math.pow((double) part.setBits() / part.modulus, part.hashes);
        }
        return 1 - none;
    }

    /** Returns the share of bits that are set; it reads all of them. */
    public double load() {
        return Arrays.stream(parts).mapToDouble(Part::setBits).sum()
                / Arrays.stream(parts).mapToDouble(part -> part.modulus).sum();
    }

    // Several filters

    /**
     * Returns true if {@link #merge} accepts the other filter: both hash in the same way, and together do not have too
     * many links.
     */
    public boolean fits(RedisBloom other) {
        return ((options ^ other.options) & HASH_64) == 0 && parts.length + other.parts.length <= MAX_LINKS;
    }

    /** For each link of the other filter the link here that takes its bits, or {@link #NONE}: then it is appended. */
    private int[] targets(RedisBloom other) {
        int[] targets = new int[other.parts.length];
        boolean[] isTaken = new boolean[parts.length];
        for (int i = 0; i < targets.length; i++) {
            Part from = other.parts[i];
            targets[i] = NONE;
            for (int j = 0; j < isTaken.length && targets[i] == NONE; j++) {
                Part to = parts[j];
                if (!isTaken[j] && to.hasShapeOf(from) && to.unionItems(from) <= to.capacity) {
                    isTaken[j] = true;
                    targets[i] = j;
                }
            }
        }
        return targets;
    }

    /**
     * Returns the most steps that {@link #merge} of the other filter takes to find links that fit together, four words
     * each: many links of one shape that do not fit are compared each with each. To look at each link of the other one
     * once is not counted.
     */
    public long mergeSteps(RedisBloom other) {
        double words = 0;
        for (Part from : other.parts) {
            int alike = 0;
            for (Part to : parts) {
                alike += to.hasShapeOf(from) ? 1 : 0;
            }
            words += (double) Math.max(0, alike - 1) * from.words.length;
        }
        return (long) (words / 4);
    }

    /** Returns the memory in bytes that {@link #merge} of the other filter takes. */
    public long mergeBytes(RedisBloom other) {
        int[] targets = targets(other);
        long bytes = 0;
        for (int i = 0; i < targets.length; i++) {
            bytes += targets[i] == NONE ? other.parts[i].bytes() : 0;
        }
        return bytes;
    }

    /**
     * Adds everything that the other filter holds. Links of the same shape are merged if they do not have more items
     * than planned together; any other link is appended unchanged, so the error is at most the sum of both errors. The
     * number of items is estimated if links were merged.
     *
     * @throws IllegalArgumentException if they do not fit; nothing is changed then
     */
    public void merge(RedisBloom other) {
        if (!fits(other)) {
            throw new IllegalArgumentException(
                    "these Redis Bloom filters do not fit: one has hashes of 32 bits, or they have "
                            + (parts.length + other.parts.length) + " links together, more than " + MAX_LINKS);
        }
        if (other == this) {
            return;
        }
        int[] targets = targets(other);
        for (int i = 0; i < targets.length; i++) {
            Part from = other.parts[i];
            if (targets[i] != NONE) {
                Part to = parts[targets[i]];
                to.items = to.unionItems(from);
                if (to.watched != null) {
                    to.watched.before(0, to.words.length);
                }
                for (int w = 0; w < to.words.length; w++) {
                    to.words[w] |= from.words[w];
                }
            }
        }
        for (int i = 0; i < targets.length; i++) {
            if (targets[i] == NONE) {
                // The newest link stays the last one: it is the one that is added to.
                Part last = newest();
                parts[parts.length - 1] = other.parts[i].copy();
                append(last);
            }
        }
        items = Arrays.stream(parts).mapToLong(part -> part.items).sum();
    }

    /**
     * Returns about how many items all of 1 to {@value #MAX_INTERSECTED} filters hold, by inclusion and exclusion from
     * the bits of their unions; empty if one has grown, or they were planned for different items or errors.
     */
    public static OptionalLong estimateIntersection(List<RedisBloom> filters) {
        if (filters.isEmpty() || filters.size() > MAX_INTERSECTED) {
            throw new IllegalArgumentException(
                    "1 to " + MAX_INTERSECTED + " filters can be intersected, got " + filters.size());
        }
        Part first = filters.get(0).newest();
        for (RedisBloom filter : filters) {
            if (filter.parts.length > 1
                    || !filter.newest().hasShapeOf(first)
                    || ((filter.options ^ filters.get(0).options) & HASH_64) != 0) {
                return OptionalLong.empty();
            }
        }
        long[] set = new long[1 << filters.size()];
        for (int w = 0; w < first.words.length; w++) {
            long[] union = new long[set.length];
            for (int subset = 1; subset < set.length; subset++) {
                int last = Integer.numberOfTrailingZeros(subset);
                union[subset] = union[subset & subset - 1] | filters.get(last).newest().words[w];
                set[subset] += Long.bitCount(union[subset]);
            }
        }
        double common = 0;
        double most = Long.MAX_VALUE;
        for (int subset = 1; subset < set.length; subset++) {
            double together = first.items(set[subset]);
            common += Integer.bitCount(subset) % 2 == 1 ? together : -together;
            most = Integer.bitCount(subset) == 1 ? Math.min(most, together) : most;
        }
        return OptionalLong.of(Math.round(Math.max(0, Math.min(common, most))));
    }

    /** Returns a filter with the same content that does not change with this one. */
    public RedisBloom copy() {
        RedisBloom copy = new RedisBloom(options, expansion);
        for (Part part : parts) {
            copy.append(part.copy());
        }
        copy.items = items;
        return copy;
    }

    // The bytes

    /** Returns the header, which {@code BF.SCANDUMP} sends first. */
    public byte[] header() {
        ByteBuffer out =
                ByteBuffer.allocate(HEADER_BYTES + LINK_BYTES * parts.length).order(ByteOrder.LITTLE_ENDIAN);
        out.putLong(items).putInt(parts.length).putInt(options).putInt(expansion);
        for (Part part : parts) {
            out.putLong(part.bytes()).putLong(part.bits()).putLong(part.items);
            out.putDouble(part.error).putDouble(part.bitsPerItem).putInt(part.hashes);
            out.putLong(part.capacity).put((byte) part.n2);
        }
        return out.array();
    }

    /**
     * Returns the bytes from this position of the concatenated links, at most as many as given and never from two
     * links; none at the end.
     */
    public byte[] chunk(long position, int maxBytes) {
        long start = 0;
        for (Part part : parts) {
            if (position >= start && position < start + part.bytes()) {
                byte[] bytes = new byte[(int) Math.min(maxBytes, start + part.bytes() - position)];
                LittleEndian.copy(part.words, position - start, bytes);
                return bytes;
            }
            start += part.bytes();
        }
        return new byte[0];
    }

    /** Returns the number of bytes that {@link #chunk} returns, without copying them. */
    public int chunkBytes(long position, int maxBytes) {
        long start = 0;
        for (Part part : parts) {
            if (position >= start && position < start + part.bytes()) {
                return (int) Math.min(maxBytes, start + part.bytes() - position);
            }
            start += part.bytes();
        }
        return 0;
    }

    /** Writes bytes to this position of the concatenated links; they must be those of one link. */
    public Load load(long position, byte[] bytes) {
        long start = 0;
        for (Part part : parts) {
            if (position >= start && position < start + part.bytes()) {
                if (bytes.length > start + part.bytes() - position) {
                    return Load.TOO_LONG;
                }
                if (part.watched != null && bytes.length > 0) {
                    part.watched.before(
                            (int) (position - start >>> 3), (int) ((position - start + bytes.length + 7) >>> 3));
                }
                LittleEndian.copy(bytes, part.words, position - start);
                return Load.LOADED;
            }
            start += part.bytes();
        }
        return Load.NO_LINK;
    }

    /**
     * Returns a filter with empty bits for a {@link #header}; {@link #load} fills it.
     *
     * @param maxBytes the most memory that its links may take
     */
    public static RedisBloom ofHeader(byte[] header, long maxBytes) throws FormatException {
        ByteBuffer in = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
        if (header.length < HEADER_BYTES + LINK_BYTES) {
            throw new FormatException("a header of a Redis Bloom filter has at least " + (HEADER_BYTES + LINK_BYTES)
                    + " bytes, got " + header.length);
        }
        long items = in.getLong();
        int links = in.getInt();
        int options = in.getInt();
        int expansion = in.getInt();
        if (links < 1 || links > MAX_LINKS || header.length != HEADER_BYTES + (long) LINK_BYTES * links) {
            throw new FormatException("a header of " + header.length + " bytes does not have " + links + " links");
        }
        if ((options & ~KNOWN_OPTIONS) != 0 || expansion < 0 || expansion > MAX_EXPANSION) {
            throw new FormatException("unknown options " + options + " or expansion " + expansion);
        }
        RedisBloom filter = new RedisBloom(options, expansion);
        long sum = 0;
        long memory = 0;
        for (int i = 0; i < links; i++) {
            long bytes = in.getLong();
            long bits = in.getLong();
            long size = in.getLong();
            double error = in.getDouble();
            double bitsPerItem = in.getDouble();
            int hashes = in.getInt();
            long capacity = in.getLong();
            int n2 = in.get();
            if (bytes < 8 || bytes % 8 != 0 || bytes > MAX_LINK_BITS / 8 || bits != 8 * bytes) {
                throw new FormatException("link " + i + " has " + bytes + " bytes and " + bits + " bits");
            }
            if (!(error > 0 && error < 1)
                    || hashes < 1
                    || hashes > MAX_HASHES
                    || hashes != Math.ceil(LN2 * bitsPerItem)) {
                throw new FormatException("link " + i + " has error " + error + ", " + bitsPerItem + " bits per item, "
                        + hashes + " hashes");
            }
            if (n2 < 0 || n2 > 63 || n2 > 0 && (n2 == 63 || 1L << n2 > bits) || size < 0 || capacity < 0) {
                throw new FormatException("link " + i + " has n2 " + n2 + ", " + size + " of " + capacity + " items");
            }
            memory += bytes;
            if (memory > maxBytes) {
                throw new FormatException(
                        "its links take more than the " + Figures.bytes(maxBytes) + " that are allowed");
            }
            sum += size;
            Part part = new Part(new long[(int) (bytes >>> 3)], error, bitsPerItem, hashes, capacity, n2);
            part.items = size;
            filter.append(part);
        }
        if (sum != items) {
            throw new FormatException("the links have " + sum + " items, the header says " + items);
        }
        filter.items = items;
        return filter;
    }

    /** Returns the length of what {@link #writeTo} writes, in bytes. */
    public long fileBytes() {
        return 4 + HEADER_BYTES + (long) LINK_BYTES * parts.length + dataBytes();
    }

    /** Writes the length of the header (u32, little-endian), the header and the bits of all links. */
    public void writeTo(OutputStream out) throws IOException {
        LittleEndian.writeBlock(out, header());
        for (Part part : parts) {
            LittleEndian.write(out, part.words);
        }
    }

    /**
     * Returns a view of the content as it is now, which can be written while the filter changes; the call itself must
     * not run while it does.
     *
     * @param maxBytes the memory that the view may take for what changes
     */
    public StableView view(long maxBytes) {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        byte[] header = header();
        head.writeBytes(ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(header.length)
                .array());
        head.writeBytes(header);
        StableView view = new StableView(head.toByteArray(), maxBytes);
        for (Part part : parts) {
            part.watched = view.add(part.words);
        }
        return view;
    }

    /**
     * Reads what {@link #writeTo} wrote and no byte after it; links of more than {@code maxBytes} bytes are refused.
     */
    public static RedisBloom readFrom(InputStream in, long maxBytes) throws IOException {
        byte[] header = LittleEndian.readBlock(in, HEADER_BYTES + LINK_BYTES * MAX_LINKS);
        RedisBloom filter = ofHeader(header, maxBytes);
        for (Part part : filter.parts) {
            LittleEndian.read(in, part.words);
        }
        return filter;
    }
}
