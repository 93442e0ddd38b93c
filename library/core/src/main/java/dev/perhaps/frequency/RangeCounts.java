package dev.perhaps.frequency;

import dev.perhaps.frame.AbstractSketch;
import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.hash.Mix;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Addable;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Mergeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Counts numbers in ranges, and gives quantiles: a count is never too low, and too high by at most the planned share of
 * the total, with the planned confidence. For 64-bit numbers, timestamps or IPv4 addresses; 66 MiB for 1 % at 99 % over
 * all 64 bits, 12 MiB over 32. An add touches d counters per level (d = 5 at 99 %, up to 64 levels), a range up to
 * twice as many. Any number of threads may read it while none changes it.
 *
 * <pre>{@code
 * RangeCounts latencies = RangeCounts.within(0.01).universe(32).build();
 * latencies.add(1_250);
 * long atMost = latencies.estimate(1_000, 2_000);
 * long median = latencies.quantile(0.5);
 * }</pre>
 *
 * Counts of single numbers: {@link CountMin} with {@code Key.longs()}, in a thousandth of the memory.
 */
public final class RangeCounts extends AbstractSketch implements Addable<Long>, Mergeable<RangeCounts> {
    /*
     * One Count-Min sketch per level of the dyadic intervals [1]: level l counts intervals of 2^l numbers. A range is
     * the sum of at most two intervals per level, the largest that fit.
     *
     *     level 3   |               0               |
     *     level 2   |       0       |       1       |          3 … 6 of 0 … 7  =  level 0: 3,  level 1: 2,  level 0: 6
     *     level 1   |   0   |   1   |   2   |   3   |                                ^           ^^            ^
     *     level 0   | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
     *
     * Levels with at most w intervals have a counter for each and count exactly; only the others, S of them, can err.
     * Level l places its intervals by a hash of its own: finish(interval xor s_l), s_l = finish(seed + l · C).
     *
     * Error. Take one row of all levels together: the at most 2S intervals asked there receive 2S·N/w from others on
     * average, more than e times that with chance below 1/e, and in each of d rows below e^-d = δ. The sum of the least
     * is no more than the least of the sums. So the error is at most 2S·(e/w)·N with confidence 1 - δ; planned with w =
     * ⌈2·log2(U)·e/ε⌉, that is at most εN [1].
     *
     * Quantiles. Down from the top: into the lower half if what is below it and in it, as estimated, reaches the rank
     * wanted, else into the upper one. What lies below the answer is never more than was counted, so fewer than the
     * rank lie below it, for certain. The other way it can stop too low, by counting too much below: let v be the first
     * number that has rank - error numbers up to it. A wrong turn before v is one of S prefixes of v, fixed by the
     * data, that has been over-counted by the whole error; the i-th shortest sums only i estimates, of the 2S that the
     * error is for. So the chance is at most the sum over i = 1 … S of (i / (2e·S))^d (quantileBound), mostly less than
     * δ.
     *
     * Counters do not saturate: a total beyond their limit is refused.
     *
     * [1] Cormode and Muthukrishnan, "An improved data stream summary: the Count-Min sketch and its applications"
     *     (2005).
     *
     * Left out: conservative update, for quantiles want to be merged; and the trick that a child is its parent less its
     * sibling, which takes the upper bound away.
     */
    private static final long MIX = 0xC6BC279692B5CC83L;
    private static final int MAX_BITS = 64;

    private final Key<Long> key;
    private final RangeShape shape;
    private final CellRows[] levels;
    private final long[] levelSeeds;
    private long total;

    private RangeCounts(Key<Long> key, RangeShape shape, CellRows[] levels, long total) {
        this.key = key;
        this.shape = shape;
        this.levels = levels;
        this.levelSeeds = new long[levels.length];
        for (int level = 0; level < levels.length; level++) {
            levelSeeds[level] = Mix.finish(key.seed() + level * MIX);
        }
        this.total = total;
    }

    /** Starts a plan: the count of a range may be too high by at most this share of the total, in (0, 1). */
    public static Plan within(double shareOfTotal) {
        if (!(shareOfTotal > 0 && shareOfTotal < 1)) {
            throw new IllegalArgumentException("within must be in (0, 1), got " + shareOfTotal);
        }
        return new Plan(shareOfTotal, 0.99, MAX_BITS, CountMin.Cells.BITS_64, Key.longs());
    }

    @Override
    public Kind kind() {
        return Kind.RANGES;
    }

    /** The key of numbers: {@code int64}, with what {@link Plan#of} added to its name. */
    public Key<Long> key() {
        return key;
    }

    /** Returns the universe, width, depth, error and memory of this sketch. */
    public Sizing sizing() {
        return shape.sizing();
    }

    /** Returns the smallest number that can be counted. */
    public long least() {
        return shape.least();
    }

    /** Returns the largest number that can be counted. */
    public long greatest() {
        return shape.greatest();
    }

    /** Counts a number once; see {@link #add(long, long)}. */
    public void add(long value) {
        add(value, 1);
    }

    /**
     * Counts a number {@code count} times.
     *
     * @throws IllegalArgumentException if the number is outside the universe, the count negative, or the total would
     *     pass the limit of the counters; nothing is changed then
     */
    public void add(long value, long count) {
        long interval = shape.position(value);
        claim(count);
        for (int level = 0; level < levels.length; level++) {
            if (shape.isExact(level)) {
                levels[level].increase((int) interval, count);
            } else {
                levels[level].add(placed(level, interval), count);
            }
            interval >>>= 1;
        }
    }

    @Override
    public boolean offer(Long value) {
        add(Objects.requireNonNull(value, "value must not be null").longValue());
        return true;
    }

    @Override
    public void clear() {
        for (CellRows level : levels) {
            level.clear();
        }
        total = 0;
    }

    private void claim(long count) {
        if (count < 0) {
            throw new IllegalArgumentException("count must be 0 or more, got " + count);
        }
        if (count > shape.cells().limit() - total) {
            throw new IllegalArgumentException(
                    "count must leave the total at most " + shape.cells().limit() + ", got "
                            + count + " at a total of " + total
                            + (shape.cells() == CountMin.Cells.BITS_64 ? "" : ": plan it with cells of 64 bits"));
        }
        total += count;
    }

    private long placed(int level, long interval) {
        return Mix.finish(interval ^ levelSeeds[level]);
    }

    private long count(int level, long interval) {
        return shape.isExact(level) ? levels[level].cell((int) interval) : levels[level].min(placed(level, interval));
    }

    /** Returns how many counted numbers are in [from, to], both included, or more. */
    public long estimate(long from, long to) {
        if (from > to) {
            throw new IllegalArgumentException("from must not be greater than to, got " + from + " and " + to);
        }
        long low = shape.position(from);
        long high = shape.position(to);
        long sum = 0;
        for (int level = 0; level < levels.length; level++) {
            if ((low & 1) == 1) {
                sum = plus(sum, count(level, low));
                if (low++ == high) {
                    return Math.min(sum, total);
                }
            }
            if ((high & 1) == 0) {
                sum = plus(sum, count(level, high));
                if (high-- == low) {
                    return Math.min(sum, total);
                }
            }
            low >>>= 1;
            high >>>= 1;
        }
        return total;
    }

    private static long plus(long sum, long more) {
        return more > Long.MAX_VALUE - sum ? Long.MAX_VALUE : sum + more;
    }

    /**
     * Returns the q-quantile: less than a share q of all counted numbers is below it, and at least a share q, minus the
     * error of {@link #quantileBound}, is at or below it.
     *
     * @throws IllegalArgumentException if q is not in [0, 1], or nothing was counted
     */
    public long quantile(double q) {
        if (!(q >= 0 && q <= 1)) {
            throw new IllegalArgumentException("q must be in [0, 1], got " + q);
        }
        if (total == 0) {
            throw new IllegalArgumentException("a quantile needs something counted, and the total is 0");
        }
        long rank = Math.min(total, Math.max(1, (long) Math.ceil(q * total)));
        long below = 0;
        long interval = 0;
        for (int level = levels.length - 1; level >= 0; level--) {
            interval <<= 1;
            long lower = count(level, interval);
            if (lower < rank - below) {
                below += lower;
                interval++;
            }
        }
        return shape.value(interval);
    }

    /** Returns the sum of all counts. */
    public long total() {
        return total;
    }

    /** Returns how far the count of a range may be too high for the current total; it is never too low. */
    public Bound bound() {
        Sizing sizing = sizing();
        return new Bound(sizing.error() * total, sizing.confidence());
    }

    /** Returns by how many numbers the rank of a {@link #quantile} may be too low, for the current total. */
    public Bound quantileBound() {
        return new Bound(sizing().error() * total, shape.quantileConfidence());
    }

    /** True if both have the same seed, universe, width, depth and cells. */
    @Override
    public boolean fits(RangeCounts other) {
        Objects.requireNonNull(other, "other must not be null");
        return difference(other).isEmpty();
    }

    /** Adds the counters of the other sketch: afterwards this is exactly the sketch of everything added to either. */
    @Override
    public void merge(RangeCounts other) {
        Objects.requireNonNull(other, "other must not be null");
        String difference = difference(other);
        if (!difference.isEmpty()) {
            throw new IllegalArgumentException("these range counts do not fit: " + difference);
        }
        claim(other.total);
        for (int level = 0; level < levels.length; level++) {
            levels[level].addAll(other.levels[level], false);
        }
    }

    private String difference(RangeCounts other) {
        if (key.seed() != other.key.seed()) {
            return "seed " + key.seed() + " against seed " + other.key.seed();
        }
        return shape.difference(other.shape);
    }

    /** Returns a sketch with the same content that shares no mutable state with this one. */
    public RangeCounts copy() {
        CellRows[] copies = new CellRows[levels.length];
        for (int level = 0; level < levels.length; level++) {
            copies[level] = levels[level].copy();
        }
        return new RangeCounts(key, shape, copies, total);
    }

    @Override
    public long sizeBytes() {
        return shape.bytes();
    }

    @Override
    public long fileBytes() {
        return frame().fileBytes();
    }

    @Override
    public Description describe() {
        Bound bound = bound();
        return Description.of(kind())
                .text("key", key.name())
                .text("seed", Long.toString(key.seed()))
                .count("total", total)
                .number("errorNow", bound.error(), "at most, above the truth")
                .share("confidence", bound.confidence())
                .share("quantileConfidence", quantileBound().confidence())
                .share("errorOfTotal", sizing().error())
                .count("universeBits", shape.bits())
                .count("levels", levels.length)
                .count("exactLevels", levels.length - shape.sketched())
                .count("width", shape.width())
                .count("depth", shape.depth())
                .count("cellBits", shape.cells().bits())
                .bytes("sizeBytes", sizeBytes())
                .bytes("fileBytes", fileBytes());
    }

    // Parameters in the file (docs/format.md): bits of the universe, width, depth, bits of a cell, total. Payload:
    // levels.
    private Frame frame() {
        return Frame.of(
                kind(),
                key,
                sizeBytes(),
                shape.bits(),
                shape.width(),
                shape.depth(),
                shape.cells().bits(),
                total);
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        frame().write(out, payload -> {
            for (CellRows level : levels) {
                level.write(payload);
            }
        });
    }

    /** Opens a file with the seed that it was written with. */
    public static RangeCounts open(Path file) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, Key.longs().seeded(in.frame().seed()));
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static RangeCounts readFrom(InputStream in, long maxBytes) throws IOException {
        FrameReader reader = FrameReader.open(in, maxBytes);
        return read(reader, Key.longs().seeded(reader.frame().seed()));
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static RangeCounts fromBytes(byte[] bytes) throws IOException {
        FrameReader reader = FrameReader.open(bytes);
        return read(reader, Key.longs().seeded(reader.frame().seed()));
    }

    /** Reads what {@link #writeTo} wrote; the key must be that of longs. */
    static RangeCounts read(FrameReader in, Key<?> key) throws IOException {
        Frame frame = in.frame(Kind.RANGES, key);
        Key<Long> longs = named(frame.keyName(), frame.seed());
        RangeShape shape = RangeShape.read(frame);
        long total = frame.parameter(4);
        frame.require(total >= 0 && total <= shape.cells().limit(), "a total of", total);
        CellRows[] levels = new CellRows[shape.bits()];
        for (int level = 0; level < levels.length; level++) {
            levels[level] = CellRows.read(in, shape.width(level), shape.depth(level), shape.cells());
        }
        in.end();
        for (CellRows level : levels) {
            level.check(frame, total, true);
        }
        return new RangeCounts(longs, shape, levels, total);
    }

    @SuppressWarnings("unchecked") // only the key of longs fits it
    private static Key<Long> named(String name, long seed) throws FormatException {
        Key.Longs longs = Key.longs().seeded(seed);
        if (!longs.fits(name, seed)) {
            throw new FormatException("range counts are of key '" + longs.name() + "', not '" + name + "'");
        }
        return (Key<Long>) Key.named(name, seed);
    }

    @Override
    public String toString() {
        return sizing() + ", " + Figures.count(total) + " in total";
    }

    /**
     * The size of a sketch, known before it is allocated.
     *
     * @param universeBits the number of bits of a number
     * @param width counters in a row of a level that does not count exactly
     * @param depth rows of such a level
     * @param error the largest error of the count of a range, as a share of the total
     * @param confidence the probability that a count is within the error
     * @param bytes the memory of all levels, equal to {@code sizeBytes()} of what is built
     */
    public record Sizing(
            int universeBits, int width, int depth, CountMin.Cells cells, double error, double confidence, long bytes) {
        @Override
        public String toString() {
            return "ranges of " + universeBits + " bits within " + Figures.percent(error) + " of the total at "
                    + Figures.percent(confidence) + " confidence: " + depth + " rows of " + Figures.count(width)
                    + " cells of " + cells.bits() + " bits per level, " + Figures.bytes(bytes);
        }
    }

    /** Describes a sketch for ranges before it is allocated. Immutable. */
    public static final class Plan {
        private final double error;
        private final double confidence;
        private final int bits;
        private final CountMin.Cells cells;
        private final Key<Long> key;

        private Plan(double error, double confidence, int bits, CountMin.Cells cells, Key<Long> key) {
            this.error = error;
            this.confidence = confidence;
            this.bits = bits;
            this.cells = cells;
            this.key = key;
        }

        /** The probability, in (0, 1), that the count of a range is within the error (default: 0.99). */
        public Plan confidence(double chance) {
            CountMinShape.checkConfidence(chance);
            return new Plan(error, chance, bits, cells, key);
        }

        /**
         * Restricts the numbers to 0 … 2^bits - 1, which takes less memory: 32 bits for IPv4, 48 for milliseconds since
         * 1970 (default: 64, all longs including negative ones).
         */
        public Plan universe(int ofBits) {
            if (ofBits < 1 || ofBits > MAX_BITS) {
                throw new IllegalArgumentException("universe must have 1 to " + MAX_BITS + " bits, got " + ofBits);
            }
            return new Plan(error, confidence, ofBits, cells, key);
        }

        /** The width of a counter (default: 64 bits). A total beyond its limit is refused. */
        public Plan cells(CountMin.Cells wide) {
            return new Plan(error, confidence, bits, Objects.requireNonNull(wide, "cells must not be null"), key);
        }

        /**
         * Names the numbers, as in {@code Key.longs().on("cents", n -> n)}: the name goes into the file. The numbers
         * themselves are counted, so the key must be that of {@link Key#longs} or one named after it.
         */
        public Plan of(Key<Long> named) {
            if (!Key.longs().seeded(named.seed()).fits(named)) {
                throw new IllegalArgumentException(
                        "range counts are of key '" + Key.longs().name() + "', got '" + named.name() + "'");
            }
            return new Plan(error, confidence, bits, cells, named);
        }

        /** Hashes with another seed, so that an attacker cannot choose numbers that collide. */
        public Plan seeded(long seed) {
            return new Plan(error, confidence, bits, cells, key.seeded(seed));
        }

        /**
         * Returns the size and error that the sketch will have, without allocating it.
         *
         * @throws IllegalArgumentException if no sketch can satisfy the plan
         */
        public Sizing sizing() {
            return shape().sizing();
        }

        private RangeShape shape() {
            return RangeShape.planned(error, confidence, bits, cells);
        }

        /**
         * Builds an empty sketch.
         *
         * @throws IllegalArgumentException if no sketch can satisfy the plan
         */
        public RangeCounts build() {
            RangeShape shape = shape();
            CellRows[] levels = new CellRows[bits];
            for (int level = 0; level < bits; level++) {
                levels[level] = CellRows.empty(shape.width(level), shape.depth(level), cells);
            }
            return new RangeCounts(key, shape, levels, 0);
        }
    }
}
