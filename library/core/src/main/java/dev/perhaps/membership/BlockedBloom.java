package dev.perhaps.membership;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.frame.AbstractSketch;
import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.hash.Mix;
import dev.perhaps.io.Figures;
import dev.perhaps.io.WholeFile;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.membership.bloom.BlockedFormulas;
import dev.perhaps.membership.bloom.BlockedKernel;
import dev.perhaps.membership.bloom.BlockedMasks;
import dev.perhaps.membership.bloom.BlockedRegions;
import dev.perhaps.membership.bloom.BloomKernel;
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
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;

/**
 * A Bloom filter that reads one cache line per lookup: it never says "no" to an added value, and says "perhaps" to
 * another value with the planned probability. An add and a lookup touch two words of one block of eight, whatever the
 * error. About 10.4 bits per item at 1 %, 12.2 at 0.5 %, 17.4 at 0.1 %. Any number of threads may read it while none
 * changes it. The {@link #concurrent() concurrent} form may be added to and queried by any number of threads at once,
 * without locks.
 *
 * <pre>{@code
 * BlockedBloom<String> seen = BlockedBloom.expecting(1_000_000).falsePositives(0.005).build();
 * boolean isNew = seen.add("https://example.org/").isNew();
 * }</pre>
 *
 * Smaller, especially below 0.1 %, but slower: {@link BloomFilter}. Smaller and as fast, for a set that never changes:
 * {@link FuseFilter}. With removal: {@link CuckooFilter}.
 */
public final class BlockedBloom<T> extends AbstractSketch
        implements HashFilter.Adds<T>, Mergeable<BlockedBloom<T>>, Shareable<BlockedBloom<T>> {
    /*
     * A Bloom filter whose bits of an item lie in one line of 8 words = 512 bits [1], and there in two words: b bits in
     * the first, one bit fewer (but at least one) in the second.
     *
     *     hash -> mix -> 32 high bits: word i = ⌊high · words / 2^32⌋
     *                    32 low bits:  |r:2|  unused:8  | row of the second: 11 | row of the first: 11 |
     *
     *     line  | 0 | 1 | 2 | 3 || 4 | 5 | 6 | 7 |       j = i xor (4 + r): another word, of the other half
     *                 i                j
     *                 └ first[row]     └ second[row]     masks from two tables (BlockedMasks)
     *
     * Adding ORs the two masks in; a lookup is "perhaps" iff both are there. High and low bits have nothing in common,
     * so masks do not depend on the place. With 2^31 words some have 3 of the 2^32 places and some 2; below 1 GiB the
     * difference is under 3 %, and half of all masks do not notice, since r evens it out within the line.
     *
     * Error. Lines and words fill unevenly, which costs bits: 10.4 per item instead of 9.6 at 1 %. BlockedFormulas has
     * the exact sum, by which the plan is made. errorNow() goes by the bits that are set: with P(w) and Q(w) the
     * chances that a first and a second mask lie within word w, a line's error is the mean of P(i)·Q(j) over its 32
     * pairs of words, which is (P(0..3)·Q(4..7) + P(4..7)·Q(0..3)) / 32 with the sums over the halves.
     *
     * Why. A lookup waits for memory, and a processor has more lookups in flight the fewer instructions each takes;
     * that, not the number of lines, determined the speed of everything we tried (1 M keys, 12 bits per item, Java 17,
     * time of a hit, fastfilter's BlockedBloom = 1.00 at 0.73 %; at 10 M keys both are equally fast):
     *
     *     2 words, masks from tables, leave after the first word       0.88     0.53 %     this
     *     2 words, masks from tables, no branch                        0.95     0.54 %
     *     2 words, 3 bits each, one shift a bit                        1.30     0.54 %
     *     3 words, 2 bits each, one shift a bit                        1.33     0.47 %
     *     4 words, 2 bits each, one shift a bit                        1.67     0.43 %
     *
     * The one branch is the cheapest there is: of absent keys 95 % end at the first word (that is why it has the extra
     * bit), of present ones none. A batch, whose answers are bits and are not branched on, has no branch at all.
     *
     * Bulk. Once the array is larger than the caches, buildFrom sorts hashes by region first: RegionBuild.
     *
     * [1] Putze, Sanders and Singler, "Cache-, hash- and space-efficient Bloom filters" (2007).
     *
     * Left out: deleting and growing (other kinds do both), and aligning the array to the lines of the cache. Java says
     * nothing about where an array starts; half of all lookups cross a border, and forcing them not to made no
     * difference out of cache and cost a fifth in it, where the second load then waits for the first one's line.
     */
    private final Key<T> key;
    private final int salt;
    private final long mix;
    private final int first;
    private final long[] firsts;
    private final long[] seconds;
    private final Sizing sizing;
    private final boolean concurrent;
    private final long[] words;

    BlockedBloom(Key<T> key, int salt, Sizing sizing, int first, boolean concurrent, long[] words) {
        assert words.length > 0 && words.length % BlockedKernel.LINE_WORDS == 0;
        this.key = key;
        this.salt = salt;
        this.mix = Mix.salted(BlockedKernel.MIX, salt);
        this.first = first;
        this.firsts = BlockedMasks.first(first);
        this.seconds = BlockedMasks.second(BlockedFormulas.second(first));
        this.sizing = sizing;
        this.concurrent = concurrent;
        this.words = words;
    }

    /** Starts a plan for this number of distinct items. */
    public static Plan<String> expecting(long items) {
        return new Plan<>(FilterRequest.forItems(items), false);
    }

    @Override
    public Kind kind() {
        return Kind.BLOCKED;
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

    /** Returns the number of blocks of 512 bits. */
    public long lines() {
        return words.length / BlockedKernel.LINE_WORDS;
    }

    /** The number of bits set per item. */
    public int hashes() {
        return first + BlockedFormulas.second(first);
    }

    @Override
    public boolean mightContainHash(long hash) {
        return BlockedKernel.ask(words, firsts, seconds, hash * mix);
    }

    @Override
    public int mightContainHashes(long[] hashes, int from, int to, long[] answerBits) {
        HashBatch.begin(hashes, from, to, answerBits);
        int found = 0;
        for (int at = from; at < to; at += Long.SIZE) {
            int count = Math.min(Long.SIZE, to - at);
            long answers = BlockedKernel.ask64(words, firsts, seconds, mix, hashes, at, count);
            answerBits[(at - from) >>> 6] = answers;
            found += Long.bitCount(answers);
        }
        return found;
    }

    @CanIgnoreReturnValue
    @Override
    public Added addHash(long hash) {
        long product = hash * mix;
        long high = BlockedKernel.high(product);
        int low = BlockedKernel.low(product, high);
        long fresh = concurrent
                ? BlockedKernel.setAtomically(words, firsts, seconds, high, low)
                : BlockedKernel.set(words, firsts, seconds, high, low);
        return fresh == 0 ? Added.PRESENT : Added.ADDED;
    }

    /** True if both were built with the same key, salt, lines and bits. */
    @Override
    public boolean fits(BlockedBloom<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        return difference(other).isEmpty();
    }

    /** Merges by union: afterwards this is exactly the filter of everything added to either. */
    @Override
    public void merge(BlockedBloom<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        String difference = difference(other);
        if (!difference.isEmpty()) {
            throw new IllegalArgumentException("these blocked Bloom filters do not fit: " + difference);
        }
        for (int i = 0; i < words.length; i++) {
            long more = other.words[i];
            if (concurrent && more != 0) {
                BloomKernel.orAtomically(words, i, more);
            } else {
                words[i] |= more;
            }
        }
    }

    private String difference(BlockedBloom<T> other) {
        if (!key.fits(other.key)) {
            return key.against(other.key);
        }
        if (salt != other.salt) {
            return FilterRequest.salts(salt, other.salt);
        }
        if (words.length != other.words.length) {
            return lines() + " lines against " + other.lines();
        }
        return first == other.first ? "" : hashes() + " bits per item against " + other.hashes();
    }

    @Override
    public double load() {
        return setBits() / (double) (words.length * (long) Long.SIZE);
    }

    private long setBits() {
        long set = 0;
        for (long word : words) {
            set += Long.bitCount(word);
        }
        return set;
    }

    @Override
    public double errorNow() {
        BlockedFormulas.LineErrors errors = new BlockedFormulas.LineErrors(first);
        for (long word : words) {
            errors.next(Long.bitCount(word));
        }
        return errors.mean();
    }

    /** Estimated from the number of set bits. */
    @Override
    public long itemsNow() {
        return Math.round(BlockedFormulas.distinct(lines(), first, setBits()));
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
    public BlockedBloom<T> concurrent() {
        return concurrent ? this : new BlockedBloom<>(key, salt, sizing, first, true, words);
    }

    @Override
    public BlockedBloom<T> copy() {
        return new BlockedBloom<>(key, salt, sizing, first, concurrent, words.clone());
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
                .count("lines", lines())
                .count("hashes", hashes())
                .flag("concurrent", concurrent);
    }

    // Parameters in the file (docs/format.md): lines, bits in the first word, items planned, error planned.
    static Frame frame(Key<?> key, int salt, Sizing sizing, int first) {
        long error = Double.doubleToRawLongBits(sizing.error());
        long lines = sizing.bytes() / BlockedKernel.LINE_BYTES;
        return Frame.of(Kind.BLOCKED, key, sizing.bytes(), lines, first, sizing.items(), error)
                .salted(salt);
    }

    private Frame frame() {
        return frame(key, salt, sizing, first);
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        frame().write(out, payload -> payload.longs(words));
    }

    /** Opens a file; a file that was written with another key is refused with a {@code FormatException}. */
    public static <T> BlockedBloom<T> open(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, key);
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static <T> BlockedBloom<T> readFrom(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return read(FrameReader.open(in, maxBytes), key);
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static <T> BlockedBloom<T> fromBytes(byte[] bytes, Key<T> key) throws IOException {
        return read(FrameReader.open(bytes), key);
    }

    /** Maps a file of any size into memory; a lookup then reads only the pages that it needs. */
    public static <T> HashFilter.Mapped<T> map(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            Frame frame = in.frame(Kind.BLOCKED, key);
            Sizing sizing = sizing(frame);
            return new MappedBlocked<>(frame, key, in.map(), sizing);
        }
    }

    /** Reads what {@link #writeTo} wrote. */
    static <T> BlockedBloom<T> read(FrameReader in, Key<T> key) throws IOException {
        Frame frame = in.frame(Kind.BLOCKED, key);
        Sizing sizing = sizing(frame);
        long[] words = in.longs(frame.payloadBytes() / Long.BYTES);
        in.end();
        return new BlockedBloom<>(key, frame.salt(), sizing, (int) frame.parameter(1), false, words);
    }

    /** Checks what the header says, and returns what the filter was planned for. */
    private static Sizing sizing(Frame frame) throws IOException {
        long lines = frame.parameter(0);
        long first = frame.parameter(1);
        long items = frame.parameter(2);
        double error = frame.parameterAsDouble(3);
        frame.require(lines > 0 && lines <= BlockedFormulas.MAX_LINES, "lines", lines);
        frame.require(lines * BlockedKernel.LINE_BYTES == frame.payloadBytes(), "a payload of", frame.payloadBytes());
        frame.require(first > 0 && first <= BlockedMasks.MAX_BITS, "bits in the first word", first);
        frame.require(items > 0, "planned items", items);
        frame.require(error > 0 && error <= 1, "planned error", error);
        return sizing(items, error, lines);
    }

    private static Sizing sizing(long items, double error, long lines) {
        return new Sizing(
                Kind.BLOCKED,
                items,
                error,
                lines * BlockedKernel.LINE_BYTES,
                RegionBuild.bytes(lines * BlockedKernel.LINE_BYTES));
    }

    @Override
    public String toString() {
        return sizing + ", " + Figures.percent(load()) + " of the bits set, error now " + Figures.percent(errorNow());
    }

    /** The settings of a blocked Bloom filter; see {@link FilterPlan}. */
    public static final class Plan<T> implements FilterPlan.Fillable<T> {
        private final FilterRequest<T> asked;
        private final boolean concurrent;

        private Plan(FilterRequest<T> asked, boolean concurrent) {
            this.asked = asked;
            this.concurrent = concurrent;
        }

        @Override
        public Plan<T> falsePositives(double rate) {
            return new Plan<>(asked.falsePositives(rate), concurrent);
        }

        @Override
        public Plan<T> memoryBytes(long max) {
            if (max < BlockedKernel.LINE_BYTES) {
                throw new IllegalArgumentException(
                        "memoryBytes must be at least " + BlockedKernel.LINE_BYTES + ", got " + max);
            }
            return new Plan<>(asked.memoryBytes(max), concurrent);
        }

        @Override
        public <U> Plan<U> of(Key<U> key) {
            return new Plan<>(asked.of(key), concurrent);
        }

        @Override
        public Plan<T> salt(int salt) {
            return new Plan<>(asked.salt(salt), concurrent);
        }

        /**
         * Makes the filter safe for any number of threads that add and query at once, without locks. If several threads
         * add the same new value at once, at most one of them gets {@code ADDED}; in rare cases, far below the error,
         * none does. A file does not record this: after opening, call {@link BlockedBloom#concurrent}.
         */
        public Plan<T> concurrent() {
            return new Plan<>(asked, true);
        }

        @Override
        public Sizing sizing() {
            return shape().sizing;
        }

        @Override
        public BlockedBloom<T> build() {
            Shape shape = shape();
            return new BlockedBloom<>(
                    asked.key(), asked.salt(), shape.sizing, shape.first, concurrent, new long[shape.words()]);
        }

        @Override
        public BlockedBloom<T> buildFrom(Hashes all) {
            BlockedBloom<T> filter = build();
            if (RegionBuild.pays(filter.sizeBytes(), all.count())) {
                new BlockedRegions(filter.words, filter.firsts, filter.seconds, filter.mix).run(all);
            } else {
                all.replay(filter::addHashes);
            }
            return filter;
        }

        /**
         * Describes the same filter in this number of slices, each of which is built by itself: for a set of which no
         * process holds all hashes.
         */
        public Slices<T> slices(int count) {
            Shape shape = shape();
            return new Slices<>(asked.key(), asked.salt(), shape.sizing, shape.first, count);
        }

        private record Shape(int first, Sizing sizing) {
            int words() {
                return (int) (sizing.bytes() / Long.BYTES);
            }
        }

        private Shape shape() {
            long items = asked.items();
            if (asked.byMemory()) {
                long lines = Math.min(BlockedFormulas.MAX_LINES, asked.memoryBytes() / BlockedKernel.LINE_BYTES);
                return shape(BlockedFormulas.bestFirst(lines, items), lines);
            }
            double error = asked.errorOrDefault();
            int first = BlockedFormulas.firstFor(items, error);
            long lines = BlockedFormulas.linesWithSpare(items, first, error);
            if (lines > BlockedFormulas.MAX_LINES) {
                throw new IllegalArgumentException(
                        Figures.count(items) + " items at " + Figures.percent(error)
                                + " need more than the " + Figures.count(BlockedFormulas.MAX_LINES)
                                + " lines of 512 bits that one filter has: split the set, accept a higher error or take a bloom");
            }
            return shape(first, lines);
        }

        private Shape shape(int first, long lines) {
            double error = BlockedFormulas.falsePositives(lines, first, asked.items());
            return new Shape(first, asked.within(BlockedBloom.sizing(asked.items(), error, lines)));
        }
    }

    /**
     * A blocked filter in slices, for sets whose filter no process should hold as a whole: a hash belongs to one slice,
     * each slice is built by itself from its hashes, and all slices in order are the file that the whole filter would
     * write, byte for byte. Building a slice takes its memory only, twice. Immutable; thread-safe.
     *
     * <pre>{@code
     * BlockedBloom.Slices<Long> slices = BlockedBloom.expecting(1_000_000_000).of(Key.longs()).slices(256);
     * }</pre>
     */
    public static final class Slices<T> {
        /*
         * The word of a hash grows with the high half of its mixed value, so a range of mixed values is a range of
         * lines:
         *
         *     slice s of c     lines [⌊s·lines / c⌋, ⌊(s + 1)·lines / c⌋)
         *
         * Both words of a hash are in one line, hence in one slice. A slice starts at a line, so the bits that lead
         * from the first word to the second are the same within a slice as within the whole.
         */
        private final Key<T> key;
        private final int salt;
        private final Sizing sizing;
        private final int first;
        private final long lines;
        private final int count;

        Slices(Key<T> key, int salt, Sizing sizing, int first, int count) {
            this.key = key;
            this.salt = salt;
            this.sizing = sizing;
            this.first = first;
            this.lines = sizing.bytes() / BlockedKernel.LINE_BYTES;
            this.count = count;
            if (count < 1 || count > lines) {
                throw new IllegalArgumentException("the number of slices must be in [1, " + lines
                        + "], one line of 512 bits each at least, got " + count);
            }
        }

        /** Returns the size and error of the whole filter. */
        public Sizing sizing() {
            return sizing;
        }

        /** Returns the number of slices. */
        public int count() {
            return count;
        }

        /** Returns the slice that a hash belongs to. */
        public int sliceOf(long hash) {
            long word = BlockedKernel.firstWord(BlockedKernel.high(hash * mix()), lines * BlockedKernel.LINE_WORDS);
            long line = word / BlockedKernel.LINE_WORDS;
            return (int) (((line + 1) * count - 1) / lines);
        }

        private long mix() {
            return Mix.salted(BlockedKernel.MIX, salt);
        }

        private long firstLine(int slice) {
            return slice * lines / count;
        }

        /** Returns the length of a slice. */
        public int bytes(int slice) {
            Objects.checkIndex(slice, count);
            return Math.toIntExact((firstLine(slice + 1) - firstLine(slice)) * BlockedKernel.LINE_BYTES);
        }

        /**
         * Builds one slice, whose part of the file it returns.
         *
         * @throws IllegalArgumentException if a hash belongs to another slice
         */
        public byte[] build(int slice, Hashes hashes) {
            long[] words = new long[bytes(slice) / Long.BYTES];
            long[] firsts = BlockedMasks.first(first);
            long[] seconds = BlockedMasks.second(BlockedFormulas.second(first));
            long mix = mix();
            long allWords = lines * BlockedKernel.LINE_WORDS;
            long start = firstLine(slice) * BlockedKernel.LINE_WORDS;
            hashes.replay((batch, from, to) -> {
                for (int n = from; n < to; n++) {
                    long product = batch[n] * mix;
                    long high = BlockedKernel.high(product);
                    int low = BlockedKernel.low(product, high);
                    long i = BlockedKernel.firstWord(high, allWords) - start;
                    if (i < 0 || i >= words.length) {
                        throw new IllegalArgumentException("the hash " + Long.toHexString(batch[n])
                                + " belongs to slice " + sliceOf(batch[n]) + ", not to slice " + slice);
                    }
                    words[(int) i] |= BlockedKernel.firstMask(firsts, low);
                    words[(int) i ^ BlockedKernel.toSecond(low)] |= BlockedKernel.secondMask(seconds, low);
                }
            });
            ByteBuffer bytes = ByteBuffer.allocate(bytes(slice)).order(ByteOrder.LITTLE_ENDIAN);
            bytes.asLongBuffer().put(words);
            return bytes.array();
        }

        /**
         * Writes the file of the whole filter, completely or not at all: to a temporary file in the same folder that is
         * then renamed. The slices are asked for one by one, in order, once it is clear that the file can be written.
         */
        public void write(Path file, Iterable<byte[]> slices) throws IOException {
            WholeFile.write(
                    file,
                    out -> frame(key, salt, sizing, first).write(out, payload -> {
                        int slice = 0;
                        for (byte[] bytes : slices) {
                            if (slice == count || bytes.length != bytes(slice)) {
                                throw new IllegalArgumentException("slice " + slice + " of " + count + " has "
                                        + bytes.length + " bytes, which does not fit");
                            }
                            payload.bytes(bytes);
                            slice++;
                        }
                    }));
        }
    }
}
