package dev.perhaps.frequency;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
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
import dev.perhaps.sketch.Shareable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;

/**
 * Counts how often each item was added: an estimate is never too low, and too high by at most the planned share of the
 * total, with the planned confidence. Memory depends only on share and confidence: 53 KiB for 0.1 % at 99 %, for any
 * number of items. An add and an estimate touch one counter per row (5 rows at 99 %). Any number of threads may read it
 * while none changes it. The {@link #concurrent() concurrent} form may be added to and queried by any number of threads
 * at once, without locks.
 *
 * <pre>{@code
 * CountMin<String> visits = CountMin.within(0.001).confidence(0.99).build();
 * visits.add("/index.html");
 * long atMost = visits.estimate("/index.html");
 * }</pre>
 *
 * The most frequent items by name: {@link TopK}. Counts in a range of numbers: {@link RangeCounts}. The number of
 * distinct items: {@link Distinct}.
 */
public sealed class CountMin<T> extends AbstractSketch
        implements Addable<T>, Mergeable<CountMin<T>>, Shareable<CountMin<T>>
        permits CountMin.Turnstile, ConservativeCountMin, ConcurrentCountMin {
    /*
     * d rows of w counters [1]. An item has one counter per row; adding raises all d of them, and the smallest is the
     * estimate: each holds the count of the item plus the counts of the items that share the counter.
     *
     *     row 0   | 0 | 3 | 0 | 7 | 0 | 1 |        add x: its counter in every row
     *     row 1   | 7 | 0 | 4 | 0 | 0 | 0 |        estimate of x: the least of them
     *     row 2   | 0 | 1 | 0 | 3 | 7 | 0 |        (CellRows says how hashes become positions)
     *
     * Error. In one row the others add N/w on average, where N is the total of all counts; they add more than e times
     * that with chance below 1/e (Markov), in all d rows with chance below e^-d. So w = ⌈e/ε⌉ and d = ⌈ln 1/δ⌉ give at
     * most εN with confidence 1 - δ. The error grows with N: an item that came 10 times among 200,000 may read 210 at
     * 0.1 %.
     *
     * Update. Plain: every counter of the item is raised. Conservative [2]: only those that are below the new estimate
     * are raised, which is enough. The error is never larger and mostly half as large, but nothing can be removed.
     *
     * Removal (Turnstile). Counts may go down as long as no item's count falls below zero; a removal of more than the
     * estimate is certainly wrong and is refused. Any other removal of something that was never added lowers the counts
     * of other items unnoticed, as in every counting structure.
     *
     * Saturation. A counter that reaches its limit (255, 65,535, 4,294,967,295) stays there, also when items are
     * removed. An estimate that is the limit means "at least"; every estimate below the limit is still never too low.
     * Counters of 64 bits do not get there: the total is kept below 2^63.
     *
     * Merging adds counter to counter: of plain sketches, exactly the sketch of everything together; of conservative
     * ones, an upper bound that may be above it.
     *
     * [1] Cormode and Muthukrishnan, "An improved data stream summary: the Count-Min sketch and its applications"
     *     (2005).
     * [2] Estan and Varghese, "New directions in traffic measurement and accounting" (2002).
     *
     * Left out: counts below zero (their estimate is a median, and no bound on one side), and conservative update by
     * many threads, which would lose counts: two that raise the same minimum at once raise it once.
     */
    static final long MIX = 0xD1342543DE82EF95L;

    /** The way in which counters are raised, with its number in the file. */
    enum Update {
        PLAIN(0),
        CONSERVATIVE(1),
        TURNSTILE(2);

        private final int number;

        Update(int number) {
            this.number = number;
        }

        static Update read(Frame frame, long number) throws IOException {
            for (Update update : values()) {
                if (update.number == number) {
                    return update;
                }
            }
            throw new FormatException("a " + frame.kind() + " file cannot have update " + number + ": it is damaged");
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    final Update update;
    final CellRows rows;
    long total;

    private final Key<T> key;

    CountMin(Key<T> key, Update update, CellRows rows, long total) {
        this.key = key;
        this.update = update;
        this.rows = rows;
        this.total = total;
    }

    /** Starts a plan: an estimate may be too high by at most this share of the total of all counts, in (0, 1). */
    public static Plan<String> within(double shareOfTotal) {
        return new Plan<>(CountMinShape.within(shareOfTotal), Key.strings());
    }

    /** Starts a plan: the sketch takes at most this number of bytes. */
    public static Plan<String> memoryBytes(long bytes) {
        return new Plan<>(CountMinShape.inMemory(bytes), Key.strings());
    }

    /**
     * Starts a plan: the sketch has exactly this number of counters per row, whatever error that gives; see {@link
     * Plan#depth}.
     */
    public static Plan<String> ofWidth(int counters) {
        return new Plan<>(CountMinShape.ofWidth(counters), Key.strings());
    }

    @Override
    public Kind kind() {
        return Kind.COUNT;
    }

    /** Returns the key that hashes the values. */
    public Key<T> key() {
        return key;
    }

    /** Returns the width, depth, error and memory of this sketch. */
    public Sizing sizing() {
        return Sizing.of(rows.width, rows.depth, rows.cells);
    }

    /** Counts a value once; see {@link #addHash}. */
    public void add(T value) {
        addHash(key.hash(value), 1);
    }

    /** Counts a value {@code count} times, 0 or more; see {@link #addHash}. */
    public void add(T value, long count) {
        addHash(key.hash(value), count);
    }

    /**
     * Counts an item {@code count} times.
     *
     * @throws IllegalArgumentException if the count is negative, or the total would pass 2^63 - 1; nothing is changed
     *     then
     */
    public void addHash(long hash, long count) {
        claim(count);
        rows.add(Mix.with(MIX, hash), count);
    }

    /** Counts each of the hashes in {@code [from, to)} once. */
    public void addHashes(long[] hashes, int from, int to) {
        Objects.checkFromToIndex(from, to, hashes.length);
        claim(to - from);
        for (int i = from; i < to; i++) {
            rows.add(Mix.with(MIX, hashes[i]), 1);
        }
    }

    /** Adds to the total, or refuses. */
    void claim(long count) {
        if (count < 0 || count > Long.MAX_VALUE - total) {
            throw refusal(count);
        }
        total += count;
    }

    final IllegalArgumentException refusal(long count) {
        return new IllegalArgumentException(
                count < 0
                        ? "count must be 0 or more, got " + count
                                + ": only a sketch planned as turnstile allows removal"
                        : "count must leave the total below 2^63, got " + count + " at a total of " + total());
    }

    @Override
    public boolean offer(T value) {
        add(value);
        return true;
    }

    @Override
    public void clear() {
        rows.clear();
        total = 0;
    }

    /** Returns how often the value was counted, never too low; see {@link #estimateHash}. */
    public long estimate(T value) {
        return estimateHash(key.hash(value));
    }

    /**
     * Returns how often the item with this hash was counted, or more. A result equal to {@link #limit} means "at
     * least".
     */
    public long estimateHash(long hash) {
        return rows.min(Mix.with(MIX, hash));
    }

    /**
     * Estimates the hashes in {@code [from, to)}: {@code estimates[i]} becomes the estimate for {@code hashes[from +
     * i]}.
     */
    public void estimateHashes(long[] hashes, int from, int to, long[] estimates) {
        Objects.checkFromToIndex(from, to, hashes.length);
        Objects.checkFromIndexSize(0, to - from, estimates.length);
        rows.minAll(MIX, hashes, from, to, estimates);
    }

    /** Returns the sum of all counts. */
    public long total() {
        return total;
    }

    /**
     * Returns how far an estimate may be too high for the current total. It is never too low, except that an estimate
     * equal to {@link #limit} means "at least"; that can happen only if {@link #saturated} is not 0.
     */
    public Bound bound() {
        Sizing sizing = sizing();
        return new Bound(sizing.error() * total(), sizing.confidence());
    }

    /** Returns the largest estimate; it means "this number or more". */
    public long limit() {
        return rows.cells.limit();
    }

    /** Returns the number of counters that are at their limit and stay there. */
    public long saturated() {
        return rows.saturated();
    }

    /** True if both have the same key, width, depth and cells, and are updated in the same way. */
    @Override
    public boolean fits(CountMin<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        return difference(other).isEmpty();
    }

    /**
     * Adds the counters of the other sketch: afterwards this is exactly the sketch of everything added to either. If
     * they are updated conservatively, its estimates are still never too low, but may be above those of that sketch.
     */
    @Override
    public void merge(CountMin<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        String difference = difference(other);
        if (!difference.isEmpty()) {
            throw new IllegalArgumentException("these Count-Min sketches do not fit: " + difference);
        }
        CountMin<T> theirs = other.snapshot();
        claim(theirs.total());
        rows.addAll(theirs.rows, isConcurrent());
    }

    private String difference(CountMin<T> other) {
        if (!key.fits(other.key)) {
            return key.against(other.key);
        }
        String difference = rows.difference(other.rows);
        return !difference.isEmpty() || update == other.update
                ? difference
                : update.word() + " update against " + other.update.word();
    }

    /** Returns a sketch with the same content that shares no mutable state with this one. */
    public CountMin<T> copy() {
        return new CountMin<>(key, update, rows.copy(), total);
    }

    /** This sketch, or, if threads share it, a plain copy that none of them changes. */
    CountMin<T> snapshot() {
        return this;
    }

    @Override
    public long sizeBytes() {
        return rows.sizeBytes();
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
                .count("total", total())
                .number("errorNow", bound.error(), "at most, above the truth")
                .share("confidence", bound.confidence())
                .share("errorOfTotal", sizing().error())
                .count("width", rows.width)
                .count("depth", rows.depth)
                .count("cellBits", rows.cells.bits())
                .text("update", update.word())
                .count("saturatedCells", saturated())
                .flag("concurrent", isConcurrent())
                .bytes("sizeBytes", sizeBytes())
                .bytes("fileBytes", fileBytes());
    }

    // Parameters in the file (docs/format.md): width, depth, bits of a cell, update, total. Payload: the cells.
    private Frame frame() {
        return Frame.of(kind(), key, sizeBytes(), rows.width, rows.depth, rows.cells.bits(), update.number, total());
    }

    /** {@inheritDoc} A concurrent sketch writes a snapshot, which takes its memory twice for a moment. */
    @Override
    public void writeTo(OutputStream out) throws IOException {
        frame().write(out, rows::write);
    }

    /**
     * Opens a file; for threads that share the sketch: {@code open(file, key).concurrent()}. Another key is refused
     * with a {@code FormatException}.
     */
    public static <T> CountMin<T> open(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, key);
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static <T> CountMin<T> readFrom(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return read(FrameReader.open(in, maxBytes), key);
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static <T> CountMin<T> fromBytes(byte[] bytes, Key<T> key) throws IOException {
        return read(FrameReader.open(bytes), key);
    }

    /** Reads what {@link #writeTo} wrote: a {@link Turnstile} if it was one. */
    static <T> CountMin<T> read(FrameReader in, Key<T> key) throws IOException {
        Frame frame = in.frame(Kind.COUNT, key);
        Update update = Update.read(frame, frame.parameter(3));
        long total = frame.parameter(4);
        frame.require(total >= 0, "a total of", total);
        CellRows rows = CellRows.read(in, frame, 0);
        in.end();
        // A cell that sticks stays when the total goes down.
        if (update != Update.TURNSTILE || rows.saturated() == 0) {
            rows.check(frame, total, update != Update.CONSERVATIVE);
        }
        return switch (update) {
            case PLAIN -> new CountMin<>(key, update, rows, total);
            case CONSERVATIVE -> new ConservativeCountMin<>(key, rows, total);
            case TURNSTILE -> new Turnstile<>(key, rows, total);
        };
    }

    @Override
    public boolean isConcurrent() {
        return false;
    }

    /** {@inheritDoc} Only a sketch that is neither conservative nor a turnstile has a concurrent form. */
    @Override
    public CountMin<T> concurrent() {
        if (update != Update.PLAIN) {
            throw new IllegalStateException("a Count-Min sketch with " + update.word()
                    + " update has no concurrent form: guard it with a lock, or plan it with plain update");
        }
        return new ConcurrentCountMin<>(key, rows, StripedTotal.of(total));
    }

    @Override
    public String toString() {
        return sizing() + ", " + Figures.count(total()) + " in total";
    }

    /** A Count-Min sketch from which counts can also be removed. Not thread-safe. */
    public static final class Turnstile<T> extends CountMin<T> {
        /** False as long as no counter can have come to its limit: then none need be looked at. */
        private boolean limitReached;

        private Turnstile(Key<T> key, CellRows rows, long total) {
            super(key, Update.TURNSTILE, rows, total);
            limitReached = total >= limit() || rows.saturated() > 0;
        }

        @Override
        void claim(long count) {
            super.claim(count);
            limitReached |= total >= limit();
        }

        @Override
        public void clear() {
            super.clear();
            limitReached = false;
        }

        /** {@inheritDoc} Counters that are at their limit in either stay there, even if the total is small. */
        @Override
        public void merge(CountMin<T> other) {
            Objects.requireNonNull(other, "other must not be null");
            super.merge(other);
            limitReached = limitReached || saturated() > 0;
        }

        /**
         * {@inheritDoc} Counters at their limit stay there when the total goes down: if there are any, the only bound
         * is the limit.
         */
        @Override
        public Bound bound() {
            return limitReached && saturated() > 0 ? new Bound(limit(), 1) : super.bound();
        }

        /** Removes one occurrence of a value; see {@link #removeHash}. */
        @CanIgnoreReturnValue
        public boolean remove(T value) {
            return removeHash(key().hash(value), 1);
        }

        /** Removes {@code count} occurrences of a value; see {@link #removeHash}. */
        @CanIgnoreReturnValue
        public boolean remove(T value, long count) {
            return removeHash(key().hash(value), count);
        }

        /**
         * Removes {@code count} occurrences of an item. Remove only what was added: anything else lowers the counts of
         * other items.
         *
         * @return false, with nothing changed, if the item was certainly not counted that often
         */
        @CanIgnoreReturnValue
        public boolean removeHash(long hash, long count) {
            if (count < 0) {
                throw new IllegalArgumentException("count must be 0 or more, got " + count);
            }
            long x = Mix.with(MIX, hash);
            long estimate = rows.min(x);
            if (count > total || count > estimate && estimate < limit()) {
                return false;
            }
            rows.subtract(x, count);
            total -= count;
            return true;
        }

        @Override
        public Turnstile<T> copy() {
            return new Turnstile<>(key(), rows.copy(), total);
        }
    }

    /**
     * The size of a sketch, known before it is allocated.
     *
     * @param width counters in a row
     * @param depth rows
     * @param error the largest error of an estimate, as a share of the total
     * @param confidence the probability that an estimate is within the error
     * @param bytes the memory of its counters, equal to {@code sizeBytes()} of what is built
     */
    public record Sizing(int width, int depth, Cells cells, double error, double confidence, long bytes) {
        static Sizing of(int width, int depth, Cells cells) {
            return new Sizing(
                    width, depth, cells, Math.E / width, -Math.expm1(-depth), CellRows.bytesFor(width, depth, cells));
        }

        @Override
        public String toString() {
            return "count within " + Figures.percent(error) + " of the total at " + Figures.percent(confidence)
                    + " confidence: " + depth + " rows of " + Figures.count(width) + " cells of " + cells.bits()
                    + " bits, " + Figures.bytes(bytes);
        }
    }

    /** Describes a Count-Min sketch before it is allocated. Immutable. */
    public static final class Plan<T> {
        private final CountMinShape shape;
        private final Key<T> key;

        private Plan(CountMinShape shape, Key<T> key) {
            this.shape = shape;
            this.key = key;
        }

        /** The probability, in (0, 1), that an estimate is within the error (default: 0.99). */
        public Plan<T> confidence(double chance) {
            return new Plan<>(shape.confidence(chance), key);
        }

        /** Uses exactly this number of rows, whatever confidence that gives. */
        public Plan<T> depth(int rows) {
            return new Plan<>(shape.depth(rows), key);
        }

        /** Counts values of this key (default: strings). */
        public <U> Plan<U> of(Key<U> other) {
            return new Plan<>(shape, Objects.requireNonNull(other, "key must not be null"));
        }

        /** This plan with the error, memory or width of another. */
        Plan<T> sized(CountMinShape size) {
            return new Plan<>(shape.sized(size), key);
        }

        /** The width of a counter (default: 32 bits). */
        public Plan<T> cells(Cells wide) {
            return new Plan<>(shape.cells(wide), key);
        }

        /** Raises only the counters that need it: about half the error, at up to twice the time. */
        public Plan<T> conservative() {
            return new Plan<>(shape.conservative(), key);
        }

        /**
         * Makes the sketch safe for any number of threads that add and query at once, without locks. A file does not
         * record this: after opening, call {@link CountMin#concurrent}.
         */
        public Plan<T> concurrent() {
            return new Plan<>(shape.concurrent(), key);
        }

        /** Returns a plan for a sketch from which counts can also be removed. */
        public TurnstilePlan<T> turnstile() {
            return new TurnstilePlan<>(shape.turnstile(), key);
        }

        /**
         * Returns the size and error that the sketch will have, without allocating it.
         *
         * @throws IllegalArgumentException if no sketch can satisfy the plan
         */
        public Sizing sizing() {
            return shape.sizing();
        }

        /**
         * Builds an empty sketch.
         *
         * @throws IllegalArgumentException if no sketch can satisfy the plan
         */
        public CountMin<T> build() {
            if (shape.isConcurrent()) {
                return new ConcurrentCountMin<>(key, shape.rows(), new StripedTotal());
            }
            return shape.update() == Update.CONSERVATIVE
                    ? new ConservativeCountMin<>(key, shape.rows(), 0)
                    : new CountMin<>(key, Update.PLAIN, shape.rows(), 0);
        }
    }

    /** Describes a Count-Min sketch with removal before it is allocated. Immutable. */
    public static final class TurnstilePlan<T> {
        private final CountMinShape shape;
        private final Key<T> key;

        private TurnstilePlan(CountMinShape shape, Key<T> key) {
            this.shape = shape;
            this.key = key;
        }

        /** Counts values of this key (default: strings). */
        public <U> TurnstilePlan<U> of(Key<U> other) {
            return new TurnstilePlan<>(shape, Objects.requireNonNull(other, "key must not be null"));
        }

        /** Returns the size and error that the sketch will have, without allocating it. */
        public Sizing sizing() {
            return shape.sizing();
        }

        /** Builds an empty sketch. */
        public Turnstile<T> build() {
            return new Turnstile<>(key, shape.rows(), 0);
        }
    }

    /**
     * The width of a counter. A counter that reaches its {@link #limit} stays there and means "this number or more": it
     * never overflows, and a sketch reports how many of its counters are at the limit.
     */
    public enum Cells {
        /** One byte per counter, up to 255. */
        BITS_8(3),
        /** Two bytes per counter, up to 65,535. */
        BITS_16(4),
        /** Four bytes per counter, up to 4,294,967,295. */
        BITS_32(5),
        /**
         * Eight bytes per counter. It never reaches its limit, because the total of a sketch is limited to 2^63 - 1.
         */
        BITS_64(6);

        private final int log2Bits;

        Cells(int log2Bits) {
            this.log2Bits = log2Bits;
        }

        /** Returns the width of a counter in bits: 8, 16, 32 or 64. */
        public int bits() {
            return 1 << log2Bits;
        }

        /** Returns the largest value of a counter, which means "this number or more". */
        public long limit() {
            return this == BITS_64 ? Long.MAX_VALUE : (1L << bits()) - 1;
        }

        int log2Bits() {
            return log2Bits;
        }

        /** The cells whose bits are a parameter of a file. */
        static Cells read(Frame frame, int parameter) throws FormatException {
            long bits = frame.parameter(parameter);
            for (Cells cells : values()) {
                if (cells.bits() == bits) {
                    return cells;
                }
            }
            throw new FormatException(
                    "a " + frame.kind() + " file cannot have cells of " + bits + " bits: it is damaged");
        }
    }
}
