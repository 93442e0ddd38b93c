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
 * Never says less than how many numbers of a range came; says more by at most the planned share of the total, with the
 * planned confidence; and gives quantiles. For any 64-bit numbers, timestamps or IPv4 addresses; 66 MiB for 1 % at 99 %
 * over all 64 bits, 12 MiB over 32. Adding touches d counters per level (d = 5 at 99 %, up to 64 levels), a range asks
 * up to twice as many. One writer at a time, readers only after it.
 *
 * <pre>{@code
 * RangeCounts latencies = RangeCounts.within(0.01).universe(32).build();
 * latencies.add(1_250);
 * long atMost = latencies.estimate(1_000, 2_000);
 * long median = latencies.quantile(0.5);
 * }</pre>
 *
 * One number at a time: {@link CountMin} of {@code Key.longs()}, a thousandth of the memory.
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
     * average, more than e times that with chance below 1/e, and in each of d rows below e^-d = δ. The sum of the least is
     * no more than the least of the sums. So the error is at most 2S·(e/w)·N with confidence 1 - δ; planned with
     * w = ⌈2·log2(U)·e/ε⌉, that is at most εN [1].
     *
     * Quantiles. Down from the top: into the lower half if what is below it and in it, as estimated, reaches the rank
     * wanted, else into the upper one. What lies below the answer is never more than was counted, so fewer than the rank
     * lie below it, for certain. The other way it can stop too low, by counting too much below: let v be the first number
     * that has rank - error numbers up to it. A wrong turn before v is one of S prefixes of v, fixed by the data, that has
     * been over-counted by the whole error; the i-th shortest sums only i estimates, of the 2S that the error is for. So
     * the chance is at most the sum over i = 1 … S of (i / (2e·S))^d (quantileBound), mostly less than δ.
     *
     * Counters do not saturate: a total beyond their limit is refused.
     *
     * [1] Cormode and Muthukrishnan, "An improved data stream summary: the Count-Min sketch and its applications" (2005).
     *
     * Left out: conservative update, for quantiles want to be merged; and the trick that a child is its parent less its
     * sibling, which takes the upper bound away.
     */
    private static final long MIX = 0xC6BC279692B5CC83L;
    private static final int MAX_BITS = 64;

    private final Key.Longs key;
    private final RangeShape shape;
    private final CellRows[] levels;
    private final long[] levelSeeds;
    private long total;

    private RangeCounts(Key.Longs key, RangeShape shape, CellRows[] levels, long total) {
        this.key = key;
        this.shape = shape;
        this.levels = levels;
        this.levelSeeds = new long[levels.length];
        for (int level = 0; level < levels.length; level++) {
            levelSeeds[level] = Mix.finish(key.seed() + level * MIX);
        }
        this.total = total;
    }

    /** Plans a sketch by how far a range's count may be above the truth, as a share of the total. */
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

    public Sizing sizing() {
        return shape.sizing();
    }

    /** The least number that can be counted. */
    public long least() {
        return shape.least();
    }

    /** The greatest number that can be counted. */
    public long greatest() {
        return shape.greatest();
    }

    public void add(long value) {
        add(value, 1);
    }

    /**
     * Counts a number {@code count} times.
     *
     * @throws IllegalArgumentException if the number is outside the universe, the count negative, or the total would pass
     *     the limit of the counters; nothing is changed then
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

    /** How many of the numbers counted are in [from, to], both included, or more. */
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
     * The number at which a share q of all that was counted is reached: fewer than q of the total are below it, and up to
     * it there are at least q of the total less the error of {@link #quantileBound}.
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

    /** The sum of all counts. */
    public long total() {
        return total;
    }

    /** How far the count of a range may be above the truth by now; below it, it never is. */
    public Bound bound() {
        Sizing sizing = sizing();
        return new Bound(sizing.error() * total, sizing.confidence());
    }

    /** How many numbers too few there may be up to a {@link #quantile}, by now. */
    public Bound quantileBound() {
        return new Bound(sizing().error() * total, shape.quantileConfidence());
    }

    /** True if both have the same seed, universe, width, depth and cells. */
    @Override
    public boolean fits(RangeCounts other) {
        Objects.requireNonNull(other, "other must not be null");
        return difference(other).isEmpty();
    }

    /** Adds the other's counters to these: afterwards this is exactly the sketch of everything added to either. */
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

    /** A sketch that answers the same and shares nothing that can change. */
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

    public static RangeCounts open(Path file) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, Key.longs().seeded(in.frame().seed()));
        }
    }

    /** Reads from a stream, not a byte too many; a payload of more than {@code maxBytes} is refused. */
    public static RangeCounts readFrom(InputStream in, long maxBytes) throws IOException {
        FrameReader reader = FrameReader.open(in, maxBytes);
        return read(reader, Key.longs().seeded(reader.frame().seed()));
    }

    /** Reads what {@link #toBytes} returned; bytes that are too many or too few are refused, as of a file. */
    public static RangeCounts fromBytes(byte[] bytes) throws IOException {
        FrameReader reader = FrameReader.open(bytes);
        return read(reader, Key.longs().seeded(reader.frame().seed()));
    }

    /** Reads what {@link #writeTo} wrote; the key must be that of longs. */
    static RangeCounts read(FrameReader in, Key<?> key) throws IOException {
        Frame frame = in.frame(Kind.RANGES, key);
        Key.Longs longs = Key.longs().seeded(frame.seed());
        if (!longs.fits(frame.keyName(), frame.seed())) {
            throw new FormatException("range counts are of key '" + longs.name() + "', not '" + frame.keyName() + "'");
        }
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

    @Override
    public String toString() {
        return sizing() + ", " + Figures.count(total) + " in total";
    }

    /**
     * How big a sketch will be, before memory is taken for it.
     *
     * @param universeBits the number of bits of a number
     * @param width counters in a row of a level that does not count exactly
     * @param depth rows of such a level
     * @param error how far the count of a range may be above the truth, as a share of the total
     * @param confidence the chance that it is not above that
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

    /** What is wanted of a sketch for ranges. */
    public static final class Plan {
        private final double error;
        private final double confidence;
        private final int bits;
        private final CountMin.Cells cells;
        private final Key.Longs key;

        private Plan(double error, double confidence, int bits, CountMin.Cells cells, Key.Longs key) {
            this.error = error;
            this.confidence = confidence;
            this.bits = bits;
            this.cells = cells;
            this.key = key;
        }

        /** The chance, in (0, 1), that the count of a range keeps to the error (default: 0.99). */
        public Plan confidence(double chance) {
            CountMinShape.checkConfidence(chance);
            return new Plan(error, chance, bits, cells, key);
        }

        /**
         * The numbers from 0 to 2^bits - 1, and no others, for that much less memory: 32 bits for IPv4, 48 for
         * milliseconds since 1970. The default is 64 bits: all longs, the negative ones too.
         */
        public Plan universe(int ofBits) {
            if (ofBits < 1 || ofBits > MAX_BITS) {
                throw new IllegalArgumentException("universe must have 1 to " + MAX_BITS + " bits, got " + ofBits);
            }
            return new Plan(error, confidence, ofBits, cells, key);
        }

        /** Counters of this width (default: 64 bits). A total beyond their limit is refused. */
        public Plan cells(CountMin.Cells wide) {
            return new Plan(error, confidence, bits, wide, key);
        }

        /** Places intervals by another seed, so that nobody can aim at them. */
        public Plan seeded(long seed) {
            return new Plan(error, confidence, bits, cells, key.seeded(seed));
        }

        public Sizing sizing() {
            return shape().sizing();
        }

        private RangeShape shape() {
            return RangeShape.planned(error, confidence, bits, cells);
        }

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
