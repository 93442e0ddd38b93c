package dev.perhaps.membership;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.frame.AbstractSketch;
import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.hash.Mix;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.membership.bloom.BloomFormulas;
import dev.perhaps.membership.bloom.BloomKernel;
import dev.perhaps.membership.bloom.BloomRegions;
import dev.perhaps.membership.bloom.BloomShape;
import dev.perhaps.membership.bloom.RegionBuild;
import dev.perhaps.membership.request.FilterRequest;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Mergeable;
import dev.perhaps.sketch.Shareable;
import dev.perhaps.sketch.Sizing;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;

/**
 * Never says "no" to an added value; says "perhaps" to another value with the planned probability. About 9.6 bits per
 * item at 1 %, and 1.44 bits more for each halving of the error. An add touches k places in memory, a lookup up to k (3
 * on average for an absent value). Any number of threads may read it while none changes it. The {@link #concurrent()
 * concurrent} form may be added to and queried by any number of threads at once, without locks.
 *
 * <pre>{@code
 * BloomFilter<String> seen = BloomFilter.expecting(1_000_000).falsePositives(0.01).build();
 * boolean isNew = seen.add("https://example.org/").isNew();
 * }</pre>
 *
 * Faster, for a tenth more memory at 1 %: {@link BlockedBloom}. Smaller, for a set that never changes: {@link
 * FuseFilter}. With removal: {@link CuckooFilter}. For an unknown number of items: {@link ScalableBloom}.
 */
public final class BloomFilter<T> extends AbstractSketch
        implements HashFilter.Adds<T>, Mergeable<BloomFilter<T>>, Shareable<BloomFilter<T>> {
    /*
     * An array of m bits and k positions per item. Adding sets the k bits; a lookup is "perhaps" iff all k are set.
     *
     *     words   |...........1....|....1...........|.1..........1...|      bit p is bit p & 63 of word p >>> 6
     *                         ^         ^             ^
     *     hash -> mix -> x0 ──┘   x1 ───┘     x2 ─────┘                     position i = ⌊x_i · m / 2^64⌋
     *
     * Positions. x0 is the mixed hash, x_{i+1} = x_i · STEP mod 2^64: a multiplicative congruential generator whose
     * multiplier [3] is good in all dimensions up to 8, so that pairs and triples of positions are as good as
     * independent. The usual double hashing (a + i·b, [2]) is as fast but errs more in small filters: a step b that is
     * nearly a fraction of 2^64 visits few different bits, which adds in the order of 1/m to the error (Guava, 1,000
     * items at 0.01 %: 0.0099 % stated, 0.0117 % measured).
     *
     * Error. With a share s of all bits set, an absent value is "perhaps" with chance s^k exactly (positions may
     * coincide; that is in it). errorNow() counts the set bits; nothing is counted while adding, so merging and
     * concurrent adding need no book-keeping, and itemsNow() is an estimate from the same count.
     *
     * Lookups ask two positions first, without a branch between them, and then four per step. A lookup that returns
     * false ends at some position, and no branch predictor can know which; after two positions three in four have
     * ended, so the prediction is mostly right (1 M keys, one position per step: 30 ns per miss; two: 18). A batch of
     * 64 asks two positions of each without any branch, then continues with the few that are left. Hits gain nothing by
     * either.
     *
     * Small filters (m < 2^27) take 32 bits of x for a position: a multiplication of 64 bits instead of 128, for a
     * difference between bits of under 3 %, which changes the error by a thousandth of itself.
     *
     * Bulk. Once the array is larger than the caches, buildFrom sorts positions by region first: RegionBuild.
     *
     * [1] Bloom (1970). [2] Kirsch and Mitzenmacher, "Less hashing, same performance" (2006). [3] Steele and Vigna,
     * "Computationally easy, spectrally good multipliers for congruential pseudorandom number generators" (2021).
     *
     * Left out: deleting and growing. Other kinds do both.
     */
    private final Key<T> key;
    private final int salt;
    private final long mix;
    private final long bits;
    private final int hashes;
    private final Sizing sizing;
    private final boolean concurrent;
    private final long[] words;

    BloomFilter(Key<T> key, int salt, long bits, int hashes, Sizing sizing, boolean concurrent, long[] words) {
        assert words.length == BloomKernel.wordsFor(bits);
        this.key = key;
        this.salt = salt;
        this.mix = Mix.salted(BloomKernel.MIX, salt);
        this.bits = bits;
        this.hashes = hashes;
        this.sizing = sizing;
        this.concurrent = concurrent;
        this.words = words;
    }

    /** Starts a plan for this number of distinct items. */
    public static Plan<String> expecting(long items) {
        return new Plan<>(FilterRequest.forItems(items), 0, 0, false);
    }

    @Override
    public Kind kind() {
        return Kind.BLOOM;
    }

    @Override
    public Key<T> key() {
        return key;
    }

    @Override
    public int salt() {
        return salt;
    }

    @Override
    public Sizing sizing() {
        return sizing;
    }

    /** Returns the number of bits. */
    public long bits() {
        return bits;
    }

    /** The number of bits set per item. */
    public int hashes() {
        return hashes;
    }

    @CanIgnoreReturnValue
    @Override
    public Added addHash(long hash) {
        long fresh = concurrent
                ? BloomKernel.setAtomically(words, bits, hashes, Mix.with(mix, hash))
                : BloomKernel.set(words, bits, hashes, Mix.with(mix, hash));
        return fresh == 0 ? Added.PRESENT : Added.ADDED;
    }

    @Override
    public boolean mightContainHash(long hash) {
        return BloomKernel.allSet(words, bits, hashes, Mix.with(mix, hash));
    }

    @Override
    public int mightContainHashes(long[] hashesAsked, int from, int to, long[] answerBits) {
        HashBatch.begin(hashesAsked, from, to, answerBits);
        int found = 0;
        int foundBefore = 0;
        for (int at = from; at < to; at += 64) {
            int count = Math.min(64, to - at);
            long all = BloomKernel.all(count);
            long answers = foundBefore >= BloomKernel.MOST
                    ? BloomKernel.askEach(words, mix, 1, bits, hashes, hashesAsked, at, all)
                    : BloomKernel.ask64(words, mix, 1, bits, hashes, hashesAsked, at, count, all);
            answerBits[(at - from) >>> 6] = answers;
            foundBefore = Long.bitCount(answers);
            found += foundBefore;
        }
        return found;
    }

    /** True if both were built with the same key, salt, bits and hashes. */
    @Override
    public boolean fits(BloomFilter<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        return difference(other).isEmpty();
    }

    /** Merges by union: afterwards this is exactly the filter of everything added to either. */
    @Override
    public void merge(BloomFilter<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        refuseIfDifferent(other);
        for (int i = 0; i < words.length; i++) {
            long more = other.words[i];
            if (concurrent && more != 0) {
                BloomKernel.orAtomically(words, i, more);
            } else {
                words[i] |= more;
            }
        }
    }

    /**
     * Keeps the bits that both filters have. Afterwards no item of the intersection is missed; the false positive rate
     * is higher than that of a filter built from the intersection.
     */
    public void intersect(BloomFilter<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        refuseIfDifferent(other);
        for (int i = 0; i < words.length; i++) {
            long mask = other.words[i];
            if (concurrent) {
                BloomKernel.andAtomically(words, i, mask);
            } else {
                words[i] &= mask;
            }
        }
    }

    void refuseIfDifferent(BloomFilter<T> other) {
        String difference = difference(other);
        if (!difference.isEmpty()) {
            throw new IllegalArgumentException("these Bloom filters do not fit: " + difference);
        }
    }

    private String difference(BloomFilter<T> other) {
        if (!key.fits(other.key)) {
            return key.against(other.key);
        }
        if (salt != other.salt) {
            return FilterRequest.salts(salt, other.salt);
        }
        if (bits != other.bits) {
            return bits + " bits against " + other.bits;
        }
        return hashes == other.hashes ? "" : hashes + " hashes against " + other.hashes;
    }

    /**
     * Returns an estimate of the number of distinct items; if every bit is set, the largest estimate, which then means
     * "at least".
     */
    public long estimateDistinct() {
        return Math.round(BloomFormulas.distinct(bits, hashes, setBits()));
    }

    /** Returns an estimate of the number of distinct items of the union. */
    public long estimateUnion(BloomFilter<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        refuseIfDifferent(other);
        long set = 0;
        for (int i = 0; i < words.length; i++) {
            set += Long.bitCount(words[i] | other.words[i]);
        }
        return Math.round(BloomFormulas.distinct(bits, hashes, set));
    }

    /**
     * Returns an estimate of the number of distinct items of the intersection, with the errors of the three estimates
     * that it is computed from.
     */
    public long estimateIntersection(BloomFilter<T> other) {
        return Math.max(0, estimateDistinct() + other.estimateDistinct() - estimateUnion(other));
    }

    /** The bits, 64 per word; callers must not change them. */
    long[] words() {
        return words;
    }

    private long setBits() {
        long set = 0;
        for (long word : words) {
            set += Long.bitCount(word);
        }
        return set;
    }

    @Override
    public double load() {
        return (double) setBits() / bits;
    }

    @Override
    public double errorNow() {
        return Math.pow(load(), hashes);
    }

    /** As {@link #estimateDistinct}. */
    @Override
    public long itemsNow() {
        return estimateDistinct();
    }

    @Override
    public boolean isItemsEstimated() {
        return true;
    }

    @Override
    public void clear() {
        Arrays.fill(words, 0);
        VarHandle.fullFence();
    }

    @Override
    public boolean isConcurrent() {
        return concurrent;
    }

    @Override
    public BloomFilter<T> concurrent() {
        return concurrent ? this : new BloomFilter<>(key, salt, bits, hashes, sizing, true, words);
    }

    @Override
    public BloomFilter<T> copy() {
        return new BloomFilter<>(key, salt, bits, hashes, sizing, concurrent, words.clone());
    }

    @Override
    public long sizeBytes() {
        return words.length * (long) Long.BYTES;
    }

    @Override
    public long fileBytes() {
        return frame().fileBytes();
    }

    @Override
    public Description describe() {
        return HashFilter.Adds.super
                .describe()
                .count("bits", bits)
                .count("hashes", hashes)
                .flag("concurrent", concurrent);
    }

    // Parameters in the file (docs/format.md): bits, hashes, items planned, error planned. Payload: the words.
    private Frame frame() {
        long error = Double.doubleToRawLongBits(sizing.error());
        return Frame.of(Kind.BLOOM, key, sizeBytes(), bits, hashes, sizing.items(), error)
                .salted(salt);
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        frame().write(out, payload -> payload.longs(words));
    }

    /**
     * Opens a file; for threads that share the filter: {@code open(file, key).concurrent()}. Another key is refused
     * with a {@code FormatException}.
     */
    public static <T> BloomFilter<T> open(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, key);
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static <T> BloomFilter<T> readFrom(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return read(FrameReader.open(in, maxBytes), key);
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static <T> BloomFilter<T> fromBytes(byte[] bytes, Key<T> key) throws IOException {
        return read(FrameReader.open(bytes), key);
    }

    /** Maps a file of any size into memory; a lookup then reads only the pages that it needs. */
    public static <T> HashFilter.Mapped<T> map(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            Frame frame = in.frame(Kind.BLOOM, key);
            return new MappedBloom<>(frame, key, in.map(), sizing(frame));
        }
    }

    /** Reads what {@link #writeTo} wrote. */
    static <T> BloomFilter<T> read(FrameReader in, Key<T> key) throws IOException {
        Frame frame = in.frame(Kind.BLOOM, key);
        Sizing sizing = sizing(frame);
        long[] words = in.longs(frame.payloadBytes() / Long.BYTES);
        in.end();
        return new BloomFilter<>(key, frame.salt(), frame.parameter(0), (int) frame.parameter(1), sizing, false, words);
    }

    /** Checks what the header says, and returns what the filter was planned for. */
    private static Sizing sizing(Frame frame) throws IOException {
        long bits = frame.parameter(0);
        long hashes = frame.parameter(1);
        long items = frame.parameter(2);
        double error = frame.parameterAsDouble(3);
        frame.require(bits > 0 && bits <= BloomFormulas.MAX_BITS, "bits", bits);
        frame.require(
                BloomKernel.wordsFor(bits) * (long) Long.BYTES == frame.payloadBytes(),
                "a payload of",
                frame.payloadBytes());
        frame.require(hashes > 0 && hashes <= BloomKernel.MAX_HASHES, "hashes", hashes);
        frame.require(items > 0, "planned items", items);
        frame.require(error > 0 && error <= 1, "planned error", error);
        return sizing(items, error, frame.payloadBytes());
    }

    static Sizing sizing(long items, double error, long bytes) {
        return new Sizing(Kind.BLOOM, items, error, bytes, RegionBuild.bytes(bytes));
    }

    @Override
    public String toString() {
        return sizing + ", " + Figures.percent(load()) + " of the bits set, error now " + Figures.percent(errorNow());
    }

    /** The settings of a Bloom filter; see {@link FilterPlan}. */
    public static final class Plan<T> implements FilterPlan.Fillable<T> {
        private final FilterRequest<T> asked;
        private final long bits;
        private final int hashes;
        private final boolean concurrent;

        private Plan(FilterRequest<T> asked, long bits, int hashes, boolean concurrent) {
            this.asked = asked;
            this.bits = bits;
            this.hashes = hashes;
            this.concurrent = concurrent;
        }

        @Override
        public Plan<T> falsePositives(double rate) {
            return new Plan<>(asked.falsePositives(rate), bits, hashes, concurrent);
        }

        @Override
        public Plan<T> memoryBytes(long max) {
            return new Plan<>(asked.memoryBytes(max), bits, hashes, concurrent);
        }

        @Override
        public <U> Plan<U> of(Key<U> key) {
            return new Plan<>(asked.of(key), bits, hashes, concurrent);
        }

        @Override
        public Plan<T> salt(int salt) {
            return new Plan<>(asked.salt(salt), bits, hashes, concurrent);
        }

        /** Uses exactly this number of bits, whatever error that gives. */
        public Plan<T> bits(long exactly) {
            if (exactly < 1 || exactly > BloomFormulas.MAX_BITS) {
                throw new IllegalArgumentException(
                        "bits must be in [1, " + BloomFormulas.MAX_BITS + "], got " + exactly);
            }
            return new Plan<>(asked, exactly, hashes, concurrent);
        }

        /** Uses exactly this number of hashes (default: the best number). */
        public Plan<T> hashes(int exactly) {
            if (exactly < 1 || exactly > BloomKernel.MAX_HASHES) {
                throw new IllegalArgumentException(
                        "hashes must be in [1, " + BloomKernel.MAX_HASHES + "], got " + exactly);
            }
            return new Plan<>(asked, bits, exactly, concurrent);
        }

        /**
         * Makes the filter safe for any number of threads that add and query at once, without locks. If several threads
         * add the same new value at once, at most one of them gets {@code ADDED}; in rare cases, far below the error,
         * none does. A file does not record this: after opening, call {@link BloomFilter#concurrent}.
         */
        public Plan<T> concurrent() {
            return new Plan<>(asked, bits, hashes, true);
        }

        @Override
        public Sizing sizing() {
            return sizing(shape());
        }

        @Override
        public BloomFilter<T> build() {
            BloomShape shape = shape();
            return new BloomFilter<>(
                    asked.key(),
                    asked.salt(),
                    shape.bits(),
                    shape.hashes(),
                    sizing(shape),
                    concurrent,
                    new long[BloomKernel.wordsFor(shape.bits())]);
        }

        @Override
        public BloomFilter<T> buildFrom(Hashes all) {
            BloomFilter<T> filter = build();
            if (RegionBuild.pays(filter.sizeBytes(), all.count())) {
                new BloomRegions(filter.words, filter.mix, filter.bits, filter.hashes).run(all);
            } else {
                all.replay(filter::addHashes);
            }
            return filter;
        }

        private Sizing sizing(BloomShape shape) {
            double error = BloomFormulas.falsePositives(shape.bits(), shape.hashes(), asked.items());
            long bytes = BloomKernel.wordsFor(shape.bits()) * (long) Long.BYTES;
            return asked.within(BloomFilter.sizing(asked.items(), error, bytes));
        }

        private BloomShape shape() {
            if (bits > 0) {
                return BloomShape.ofBits(bits, asked.items(), hashes);
            }
            if (asked.byMemory()) {
                return BloomShape.ofBits(BloomShape.bitsWithin(asked.memoryBytes()), asked.items(), hashes);
            }
            return BloomShape.forError(asked.items(), asked.errorOrDefault(), hashes, "bits", BloomFormulas.MAX_BITS);
        }
    }
}
