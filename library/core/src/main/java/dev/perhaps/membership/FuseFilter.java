package dev.perhaps.membership;

import dev.perhaps.frame.AbstractSketch;
import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.hash.Mix;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.membership.fuse.FuseBuild;
import dev.perhaps.membership.fuse.FuseFormulas;
import dev.perhaps.membership.fuse.FuseShape;
import dev.perhaps.membership.request.FilterRequest;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sizing;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Collection;

/**
 * The smallest filter, for a set that never changes: it never says "no" to a value that it was built from, and says
 * "perhaps" to another value with probability 2^−w. 9.0 bits per item at 0.39 % (w = 8); w · 1.125 bits for a million
 * items or more. Built once from all items, repeated or not; nothing can be added later. A lookup reads three places in
 * memory without a branch. Immutable and thread-safe; building uses all cores and 24 bytes per item.
 *
 * <pre>{@code
 * FuseFilter<String> known = FuseFilter.of(Key.strings(), List.of("Lisbon", "Oslo", "Rome"));
 * boolean perhaps = known.mightContain("Berlin");
 * }</pre>
 *
 * For a set that changes: {@link BloomFilter}, or {@link CuckooFilter} with removal.
 */
public abstract sealed class FuseFilter<T> extends AbstractSketch implements HashFilter<T> {
    /*
     * Slots of w bits in segments of a power of two. An item has a fingerprint and three slots, at random places in
     * three neighbouring segments; the build sets the slots so that the three of every item xor to its fingerprint. Of
     * another value they xor to its fingerprint with chance 2^−w.
     *
     *     segments  |   0    |   1    |   2    |   3    |   4    |   5    |   6    |
     *                              ▲     ▲        ▲
     *                        first ┘     │        │         first + 1 segment, xor some bits
     *                             second ┘        │         first + 2 segments, xor other bits
     *                                       third ┘
     *
     * From the hash, x = mixed with this kind's multiplier (bit 63 on the left):
     *
     *     |  first = ⌊(x >>> 32) · starts / 2^32⌋ |····|   second: x >>> 23   |   third: x >>> 8   | fingerprint |
     *     63                                     32   23                      8                    0     of a byte
     *
     *     a fingerprint of any other width: bits 32 … 32 + w − 1 of x · FINGERPRINT, made of all bits of x below them
     *
     * The error is 2^−w if the fingerprint of a value is independent of its slots. A byte has bits of x to itself. A
     * longer fingerprint has not; taken from x as it is, it would share bits with the slots, and small filters would
     * err more (with 32 bits and 50 items 3.2 times as often, measured). One more multiplication makes it of all bits,
     * those that no slot uses among them.
     *
     * Neighbouring segments are the idea of the paper [1]: few items use the first and the last one, so solving
     * (FuseBuild) starts there and works its way inwards, and succeeds with 1.125 slots per item where slots anywhere
     * ([2], the xor filter) need 1.23. The first slot is drawn with 32 bits: near 2^31 slots some come up three times
     * where others come up twice, which solving does not notice (simulated).
     *
     * Layout. Fingerprints lie close together, little-endian: slot s begins at bit s·w. They are kept in bytes, not in
     * words: a slot of 8 bits is one byte load, one of any other width an unaligned load and a shift (measured at 1 M
     * items: 5 and 9 ns; from words of 64 bits, 11 and 16). At most 2^31 bytes: 1.9·10⁹ items at 8 bits.
     *
     * [1] Graf and Lemire, "Binary Fuse Filters: Fast and Smaller Than Xor Filters" (2022). [2] Graf and Lemire, "Xor
     * Filters: Faster and Smaller Than Bloom and Cuckoo Filters" (2020). Sizes: FuseFormulas.
     *
     * Where we deviate: segments are shorter (FuseFormulas says why), the fingerprint has any width, the hash is mixed
     * by one multiplication.
     *
     * Left out: four slots per item (1.07 in all, 5 % smaller; lookups 10–20 % slower, measured). Two pairs of slots in
     * a cache line each (solvable with 1.12 per item; lookups no faster, measured).
     */
    private static final int FAST_BITS = 8;

    final byte[] fingerprints;
    final long multiplier;
    final long starts;
    final int segment;
    final int width;

    private final Key<T> key;
    private final int salt;
    private final FuseShape shape;
    private final int tries;
    private final long items;
    private final Sizing sizing;

    private FuseFilter(
            Key<T> key, int salt, FuseShape shape, int tries, long items, Sizing sizing, byte[] fingerprints) {
        assert fingerprints.length == shape.bytes();
        this.key = key;
        this.salt = salt;
        this.shape = shape;
        this.tries = tries;
        this.items = items;
        this.sizing = sizing;
        this.fingerprints = fingerprints;
        this.multiplier = FuseShape.multiplier(salt, tries);
        this.starts = shape.starts();
        this.segment = shape.segment();
        this.width = shape.fingerprintBits();
    }

    private static <T> FuseFilter<T> of(
            Key<T> key, int salt, FuseShape shape, int tries, long items, Sizing sizing, byte[] fingerprints) {
        int width = shape.fingerprintBits();
        if (width == Byte.SIZE) {
            return new Bytes<>(key, salt, shape, tries, items, sizing, fingerprints);
        }
        if (width == Short.SIZE) {
            return new Shorts<>(key, salt, shape, tries, items, sizing, fingerprints);
        }
        return width <= FuseShape.SHORT_BITS
                ? new Packed<>(key, salt, shape, tries, items, sizing, fingerprints)
                : new PackedWide<>(key, salt, shape, tries, items, sizing, fingerprints);
    }

    /** Starts a plan for this number of distinct items. */
    public static Plan<String> expecting(long items) {
        return new Plan<>(FilterRequest.forItems(items), 0);
    }

    /** Builds the filter of these values with fingerprints of 8 bits, which is fastest and has an error of 0.39 %. */
    public static <T> FuseFilter<T> of(Key<T> key, Collection<? extends T> values) {
        return expecting(Math.max(1, values.size()))
                .fingerprintBits(FAST_BITS)
                .of(key)
                .buildFrom(Hashes.of(key, values));
    }

    @Override
    public Kind kind() {
        return Kind.FUSE;
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

    /** Returns the number of bits of a fingerprint. */
    public int fingerprintBits() {
        return width;
    }

    @Override
    public int mightContainHashes(long[] hashes, int from, int to, long[] answerBits) {
        HashBatch.begin(hashes, from, to, answerBits);
        int found = 0;
        for (int at = from; at < to; at += 64) {
            long answers = 0;
            for (int i = Math.min(64, to - at) - 1; i >= 0; i--) {
                answers = answers << 1 | (mightContainHash(hashes[at + i]) ? 1 : 0);
            }
            answerBits[(at - from) >>> 6] = answers;
            found += Long.bitCount(answers);
        }
        return found;
    }

    /** {@inheritDoc} It is 2^−w, whatever the filter holds. */
    @Override
    public double errorNow() {
        return FuseFormulas.falsePositives(width);
    }

    /** {@inheritDoc} Exact: the number of distinct hashes that it was built from. */
    @Override
    public long itemsNow() {
        return items;
    }

    /** {@inheritDoc} The share of slots that belong to an item. */
    @Override
    public double load() {
        return (double) items / shape.slots();
    }

    /** Returns this filter, which is immutable. */
    @Override
    public FuseFilter<T> copy() {
        return this;
    }

    @Override
    public long sizeBytes() {
        return fingerprints.length;
    }

    @Override
    public long fileBytes() {
        return frame().fileBytes();
    }

    @Override
    public Description describe() {
        return HashFilter.super
                .describe()
                .number("fingerprintBits", width, "bits")
                .count("slots", shape.slots())
                .bytes("buildBytes", sizing.buildBytes());
    }

    // Parameters in the file (docs/format.md): fingerprint bits, segment bits, segments, tries, items, items planned.
    private Frame frame() {
        return Frame.of(
                        Kind.FUSE,
                        key,
                        sizeBytes(),
                        width,
                        shape.segmentBits(),
                        shape.segments(),
                        tries,
                        items,
                        sizing.items())
                .salted(salt);
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        frame().write(out, payload -> payload.bytes(fingerprints));
    }

    /** Opens a file; a file that was written with another key is refused with a {@code FormatException}. */
    public static <T> FuseFilter<T> open(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, key);
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static <T> FuseFilter<T> readFrom(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return read(FrameReader.open(in, maxBytes), key);
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static <T> FuseFilter<T> fromBytes(byte[] bytes, Key<T> key) throws IOException {
        return read(FrameReader.open(bytes), key);
    }

    /** Maps a file into memory; a lookup then reads only the pages that it needs. */
    public static <T> HashFilter.Mapped<T> map(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            Frame frame = in.frame(Kind.FUSE, key);
            FuseShape shape = shape(frame);
            return new MappedFuse<>(frame, key, in.map(), sizing(frame, shape), shape);
        }
    }

    /** Reads what {@link #writeTo} wrote. */
    static <T> FuseFilter<T> read(FrameReader in, Key<T> key) throws IOException {
        Frame frame = in.frame(Kind.FUSE, key);
        FuseShape shape = shape(frame);
        Sizing sizing = sizing(frame, shape);
        byte[] fingerprints = in.bytes(frame.payloadBytes());
        in.end();
        return of(key, frame.salt(), shape, (int) frame.parameter(3), frame.parameter(4), sizing, fingerprints);
    }

    /** Checks what the header says of the slots. */
    private static FuseShape shape(Frame frame) throws IOException {
        long width = frame.parameter(0);
        long segmentBits = frame.parameter(1);
        long segments = frame.parameter(2);
        frame.require(width > 0 && width <= FuseFormulas.MAX_FINGERPRINT_BITS, "fingerprint bits", width);
        frame.require(
                segmentBits >= 0 && segmentBits <= FuseFormulas.MAX_SEGMENT_BITS, "bits of a segment", segmentBits);
        boolean possible = segments >= FuseFormulas.LEAST_SEGMENTS && segments <= FuseFormulas.MAX_SLOTS >> segmentBits;
        frame.require(possible, "segments", segments);
        FuseShape shape = new FuseShape((int) segmentBits, (int) segments, (int) width);
        frame.require(shape.bytes() == frame.payloadBytes(), "a payload of", frame.payloadBytes());
        return shape;
    }

    /** Checks what else the header says, and returns what the filter was planned for. */
    private static Sizing sizing(Frame frame, FuseShape shape) throws IOException {
        long tries = frame.parameter(3);
        long items = frame.parameter(4);
        long planned = frame.parameter(5);
        frame.require(tries >= 0 && tries < FuseBuild.MAX_TRIES, "tries", tries);
        frame.require(planned > 0 && planned <= shape.slots(), "planned items", planned);
        frame.require(items >= 0 && items <= planned, "items", items);
        return sizing(planned, shape);
    }

    private static Sizing sizing(long items, FuseShape shape) {
        double error = FuseFormulas.falsePositives(shape.fingerprintBits());
        return new Sizing(Kind.FUSE, items, error, shape.bytes(), FuseFormulas.buildBytes(items, shape.slots()));
    }

    @Override
    public String toString() {
        return sizing + ", fingerprints of " + width + " bits, " + Figures.count(items, "item") + " in";
    }

    // One class per way of packing, so that a loop over lookups is compiled for the one that it meets. With a switch
    // over the widths inside one method, a program with filters of several widths gets code for all of them (measured:
    // 20 % slower).

    private static final class Bytes<T> extends FuseFilter<T> {
        private final int inSegment;
        private final int twoSegments;

        Bytes(Key<T> key, int salt, FuseShape shape, int tries, long items, Sizing sizing, byte[] fingerprints) {
            super(key, salt, shape, tries, items, sizing, fingerprints);
            this.inSegment = segment - 1;
            this.twoSegments = 2 * segment;
        }

        /** Mix.with and the three slots of FuseShape, in the order that needs the fewest registers at a time. */
        @Override
        public boolean mightContainHash(long hash) {
            byte[] slots = fingerprints;
            long product = hash * multiplier;
            long high = product >>> 32;
            int first = (int) (high * starts >>> 32);
            long x = product ^ high;
            int sum = slots[first] ^ (int) x;
            sum ^= slots[(first ^ ((int) (x >>> FuseShape.SECOND_SHIFT) & inSegment)) + segment];
            sum ^= slots[(first ^ ((int) (x >>> FuseShape.THIRD_SHIFT) & inSegment)) + twoSegments];
            return (sum & 0xFF) == 0;
        }
    }

    private static final class Shorts<T> extends FuseFilter<T> {
        Shorts(Key<T> key, int salt, FuseShape shape, int tries, long items, Sizing sizing, byte[] fingerprints) {
            super(key, salt, shape, tries, items, sizing, fingerprints);
        }

        @Override
        public boolean mightContainHash(long hash) {
            long x = Mix.with(multiplier, hash);
            int first = FuseShape.first(x, starts);
            int three = FuseShape.half(fingerprints, first)
                    ^ FuseShape.half(fingerprints, FuseShape.second(x, first, segment))
                    ^ FuseShape.half(fingerprints, FuseShape.third(x, first, segment));
            return ((three ^ FuseShape.fingerprint(x)) & 0xFFFF) == 0;
        }
    }

    private static final class Packed<T> extends FuseFilter<T> {
        private final int mask;

        Packed(Key<T> key, int salt, FuseShape shape, int tries, long items, Sizing sizing, byte[] fingerprints) {
            super(key, salt, shape, tries, items, sizing, fingerprints);
            this.mask = shape.mask();
        }

        @Override
        public boolean mightContainHash(long hash) {
            long x = Mix.with(multiplier, hash);
            int first = FuseShape.first(x, starts);
            int three = FuseShape.packed(fingerprints, first, width)
                    ^ FuseShape.packed(fingerprints, FuseShape.second(x, first, segment), width)
                    ^ FuseShape.packed(fingerprints, FuseShape.third(x, first, segment), width);
            return ((three ^ FuseShape.fingerprint(x)) & mask) == 0;
        }
    }

    private static final class PackedWide<T> extends FuseFilter<T> {
        private final int mask;

        PackedWide(Key<T> key, int salt, FuseShape shape, int tries, long items, Sizing sizing, byte[] fingerprints) {
            super(key, salt, shape, tries, items, sizing, fingerprints);
            this.mask = shape.mask();
        }

        @Override
        public boolean mightContainHash(long hash) {
            long x = Mix.with(multiplier, hash);
            int first = FuseShape.first(x, starts);
            int three = FuseShape.packedWide(fingerprints, first, width)
                    ^ FuseShape.packedWide(fingerprints, FuseShape.second(x, first, segment), width)
                    ^ FuseShape.packedWide(fingerprints, FuseShape.third(x, first, segment), width);
            return ((three ^ FuseShape.fingerprint(x)) & mask) == 0;
        }
    }

    /** The settings of a fuse filter; see {@link FilterPlan}. */
    public static final class Plan<T> implements FilterPlan<T> {
        private final FilterRequest<T> asked;
        private final int fingerprintBits;

        private Plan(FilterRequest<T> asked, int fingerprintBits) {
            this.asked = asked;
            this.fingerprintBits = fingerprintBits;
        }

        @Override
        public Plan<T> falsePositives(double rate) {
            return new Plan<>(asked.falsePositives(rate), fingerprintBits);
        }

        @Override
        public Plan<T> memoryBytes(long max) {
            return new Plan<>(asked.memoryBytes(max), fingerprintBits);
        }

        @Override
        public <U> Plan<U> of(Key<U> key) {
            return new Plan<>(asked.of(key), fingerprintBits);
        }

        @Override
        public Plan<T> salt(int salt) {
            return new Plan<>(asked.salt(salt), fingerprintBits);
        }

        /**
         * Uses fingerprints of exactly this number of bits w; the error is 2^−w. Lookups are fastest with 8 bits.
         */
        public Plan<T> fingerprintBits(int exactly) {
            if (exactly < 1 || exactly > FuseFormulas.MAX_FINGERPRINT_BITS) {
                throw new IllegalArgumentException(
                        "fingerprintBits must be in [1, " + FuseFormulas.MAX_FINGERPRINT_BITS + "], got " + exactly);
            }
            return new Plan<>(asked, exactly);
        }

        @Override
        public Sizing sizing() {
            return asked.within(FuseFilter.sizing(asked.items(), shape()));
        }

        /**
         * Builds the filter of all these hashes; a hash may be given more than once.
         *
         * @throws IllegalStateException if there are more distinct hashes than planned
         */
        @Override
        public FuseFilter<T> buildFrom(Hashes all) {
            Sizing sizing = sizing();
            FuseShape shape = shape();
            FuseBuild.Solution found = FuseBuild.solve(shape, asked.salt(), all, asked.items());
            return FuseFilter.of(
                    asked.key(), asked.salt(), shape, found.tries, found.items, sizing, found.fingerprints);
        }

        private FuseShape shape() {
            long slots = asked.items() > FuseFormulas.MAX_SLOTS ? Long.MAX_VALUE : FuseFormulas.slots(asked.items());
            if (slots > FuseFormulas.MAX_SLOTS) {
                throw new IllegalArgumentException(Figures.count(asked.items()) + " items need more slots than one "
                        + "filter has, " + Figures.count(FuseFormulas.MAX_SLOTS) + ": split the set");
            }
            int width = plannedBits(slots);
            long bytes = FuseFormulas.bytes(slots, width);
            if (bytes > FuseFormulas.MAX_BYTES) {
                throw new IllegalArgumentException(Figures.count(asked.items()) + " items with fingerprints of " + width
                        + " bits need " + Figures.count(bytes) + " bytes, and one filter has at most "
                        + Figures.count(FuseFormulas.MAX_BYTES) + ": split the set or accept a higher error");
            }
            return FuseShape.of(asked.items(), width);
        }

        private int plannedBits(long slots) {
            if (fingerprintBits > 0) {
                return fingerprintBits;
            }
            if (asked.byMemory()) {
                return largestWithin(slots, asked.memoryBytes());
            }
            int width = FuseFormulas.fingerprintBits(asked.errorOrDefault());
            if (width > FuseFormulas.MAX_FINGERPRINT_BITS) {
                throw new IllegalArgumentException("an error of " + asked.errorOrDefault() + " needs fingerprints of "
                        + width + " bits, and a fuse filter has at most " + FuseFormulas.MAX_FINGERPRINT_BITS
                        + ": ask for at least "
                        + FuseFormulas.falsePositives(FuseFormulas.MAX_FINGERPRINT_BITS));
            }
            return width;
        }

        private int largestWithin(long slots, long memoryBytes) {
            long most = Math.min(memoryBytes, FuseFormulas.MAX_BYTES);
            int width = FuseFormulas.MAX_FINGERPRINT_BITS;
            while (width > 1 && FuseFormulas.bytes(slots, width) > most) {
                width--;
            }
            return width;
        }
    }
}
