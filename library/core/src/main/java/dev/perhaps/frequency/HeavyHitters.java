package dev.perhaps.frequency;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.frame.AbstractSketch;
import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Addable;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Mergeable;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * Reports every value that makes up at least the planned share of all events, and none whose share is lower by more
 * than the planned error, with the planned confidence. For a share of 1/k that is at most 2k values. Memory depends
 * only on the error and the confidence: 10.6 KiB for 1 % at 99 %. An add touches one counter per row, and the heap if
 * the value is frequent. Not thread-safe.
 *
 * <pre>{@code
 * HeavyHitters<String> addresses = HeavyHitters.atLeast(0.01).build();
 * addresses.add("192.0.2.7");
 * boolean heavy = addresses.contains("192.0.2.7");
 * }</pre>
 *
 * The k most frequent, whatever their share: {@link TopK}. One count, without names: {@link CountMin}.
 */
public sealed class HeavyHitters<T> extends AbstractSketch implements Addable<T>, Mergeable<HeavyHitters<T>>
        permits HeavyHitters.Turnstile {
    /*
     * A Count-Min sketch and a heap [1]. On x, with m the sum of all counts so far:
     *
     *     Inc(x); if Count(x) ≥ m/k: put (x, Count(x)) into the heap, or update it there
     *     while the smallest in the heap is < m/k: remove it
     *
     * (1) A value with n/k events at the end was put in, with at least that Count, when it last occurred: Count is
     * never too low. It was not removed since, for m/k never exceeded n/k. This always holds. (2) A value in the heap
     * had a Count of n/k or more, which is too high by at most εm ≤ εn, with confidence 1 - δ for each value. With ε =
     * 1/(2k), if (2) holds, all in it have n/(2k) or more, and so they are at most 2k.
     *
     * Merging adds the sketches. A value that makes up a k-th of both streams together makes up a k-th of at least one,
     * so it is in one of the heaps, and is looked up in the merged sketch.
     *
     * Removal (Turnstile) lowers the count of x, and removes x from the heap when it is too small. When m goes down, so
     * does m/k, and a value that is not in the heap may now be above it: it is reported when it occurs again.
     *
     * m/k is rounded down by a 2^-50th of itself, so that rounding does not lose a value with exactly a k-th.
     *
     * [1] Roughgarden and Valiant, "The Modern Algorithmic Toolbox", lecture 2: approximate heavy hitters and the
     * Count-Min sketch. Cormode and Muthukrishnan (2005). Exact heavy hitters are not possible in one pass and little
     * memory.
     */
    private static final double ROUNDED_DOWN = 1 - 0x1p-50;

    private final Key.Stored<T> key;
    private final double share;
    private final HeavyHeap<T> heap = new HeavyHeap<>();
    final CountMin<T> counts;

    private HeavyHitters(Key.Stored<T> key, double share, CountMin<T> counts) {
        this.key = key;
        this.share = share;
        this.counts = counts;
    }

    /** Starts a plan: values that make up at least this share of all events are reported, for example 0.01 for 1 %. */
    public static Plan<String> atLeast(double share) {
        if (!(share > 0 && share < 1)) {
            throw new IllegalArgumentException("share must be in (0, 1), got " + share);
        }
        return new Plan<>(share, share / 2, Plan.DEFAULT_CONFIDENCE, Key.strings());
    }

    /** Counts one event of a value. */
    public void add(T value) {
        add(value, 1);
    }

    /** Counts {@code count} events of a value, 0 or more. */
    public void add(T value, long count) {
        long hash = key.hash(value);
        counts.addHash(hash, count);
        if (count > 0) {
            settle(value, counts.estimateHash(hash));
        }
    }

    @Override
    public boolean offer(T value) {
        add(value);
        return true;
    }

    @Override
    public void clear() {
        counts.clear();
        heap.clear();
    }

    /** Puts the value in the heap if it is heavy, and removes from it what is not any more. */
    private void settle(T value, long estimate) {
        long least = threshold();
        if (estimate >= least) {
            heap.put(value, estimate);
        }
        heap.removeBelow(least);
    }

    final void settleLess(T value) {
        long estimate = counts.estimate(value);
        if (estimate >= threshold()) {
            heap.put(value, estimate);
        } else {
            heap.remove(value);
        }
    }

    /** Returns the smallest count that is reported now: the share of the total, at least 1. */
    public long threshold() {
        return Math.max(1, (long) Math.ceil(share * ROUNDED_DOWN * counts.total()));
    }

    /** Returns true if the value is reported now. */
    public boolean contains(T value) {
        return heap.contains(value);
    }

    /**
     * Returns the frequent values, the most frequent first, each with its estimate at its last event, which is never
     * too low.
     */
    public List<Estimated<T>> heavy() {
        return heap.sorted(Comparator.comparingLong(key::hash));
    }

    /** Returns the number of values that are reported now. */
    public int size() {
        return heap.size();
    }

    /** Returns how often the value was counted: never too low, and too high by at most {@link #bound}. */
    public long estimate(T value) {
        return counts.estimate(value);
    }

    /** Returns how far an estimate may be too high for the current total. */
    public Bound bound() {
        return counts.bound();
    }

    /** Returns the sum of all counts. */
    public long total() {
        return counts.total();
    }

    /** Returns the share of all events, in (0, 1), from which a value is reported. */
    public double share() {
        return share;
    }

    /** Returns the key that hashes, writes and reads the values. */
    public Key.Stored<T> key() {
        return key;
    }

    @Override
    public Kind kind() {
        return Kind.HEAVY;
    }

    /** True if both have the same key, share and error. */
    @Override
    public boolean fits(HeavyHitters<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        return share == other.share && counts.fits(other.counts);
    }

    @Override
    public void merge(HeavyHitters<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        if (share != other.share) {
            throw new IllegalArgumentException(
                    "these heavy hitters do not fit: a share of " + share + " against " + other.share);
        }
        List<Estimated<T>> theirs = other.heavy();
        List<Estimated<T>> ours = heavy();
        counts.merge(other.counts);
        for (Estimated<T> one : ours) {
            settle(one.value(), counts.estimate(one.value()));
        }
        for (Estimated<T> one : theirs) {
            settle(one.value(), counts.estimate(one.value()));
        }
    }

    /** {@inheritDoc} The counters only; the frequent values need more. */
    @Override
    public long sizeBytes() {
        return counts.sizeBytes();
    }

    @Override
    public Description describe() {
        Bound bound = bound();
        return Description.of(kind())
                .text("key", key.name())
                .text("seed", Long.toString(key.seed()))
                .share("share", share)
                .count("total", total())
                .count("threshold", threshold())
                .count("heavy", size())
                .number("errorNow", bound.error(), "at most, above the truth")
                .share("confidence", bound.confidence())
                .flag("turnstile", this instanceof Turnstile)
                .bytes("sizeBytes", sizeBytes())
                .bytes("fileBytes", fileBytes());
    }

    @Override
    public String toString() {
        return Figures.count(size()) + " values have at least " + Figures.percent(share) + " of "
                + Figures.count(total()) + ", within "
                + Figures.percent(counts.sizing().error()) + " of it";
    }

    // Parameters in the file (docs/format.md): share, heavy values. Payload: the sketch as a frame, the counts, the
    // values.
    private Frame frame(ValueCodec<T> values) throws IOException {
        long payload = counts.fileBytes() + size() * (long) Long.BYTES + values.bytes();
        return Frame.of(Kind.HEAVY, key, payload, Double.doubleToRawLongBits(share), size());
    }

    private ValueCodec<T> values() {
        return new ValueCodec<>(key, heavy().stream().map(Estimated::value).toList());
    }

    @Override
    public long fileBytes() {
        try {
            return frame(values()).fileBytes();
        } catch (IOException e) {
            throw new IllegalStateException("the key '" + key.name() + "' cannot write its values", e);
        }
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        ValueCodec<T> values = values();
        frame(values).write(out, payload -> {
            NestedFrames.write(counts, payload);
            payload.longs(heavy().stream().mapToLong(Estimated::estimate).toArray());
            values.writeTo(payload);
        });
    }

    /** Opens a file; a file that was written with another key is refused with a {@code FormatException}. */
    public static <T> HeavyHitters<T> open(Path file, Key.Stored<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, key);
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static <T> HeavyHitters<T> readFrom(InputStream in, Key.Stored<T> key, long maxBytes) throws IOException {
        return read(FrameReader.open(in, maxBytes), key);
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static <T> HeavyHitters<T> fromBytes(byte[] bytes, Key.Stored<T> key) throws IOException {
        return read(FrameReader.open(bytes), key);
    }

    /** Reads what {@link #writeTo} wrote: a {@link Turnstile} if it was one. */
    static <T> HeavyHitters<T> read(FrameReader in, Key.Stored<T> key) throws IOException {
        Frame frame = in.frame(Kind.HEAVY, key);
        double share = frame.parameterAsDouble(0);
        long size = frame.parameter(1);
        frame.require(share > 0 && share < 1, "a share of", share);
        frame.require(size >= 0 && size <= frame.payloadBytes() / Long.BYTES, "heavy values", size);
        byte[] bytes = in.bytes(frame.payloadBytes());
        in.end();
        ByteArrayInputStream payload = new ByteArrayInputStream(bytes);
        CountMin<T> counts = NestedFrames.read(payload, nested -> CountMin.read(nested, key));
        long[] estimates = ValueCodec.longs(payload, (int) size);
        List<T> values = ValueCodec.read(key, payload.readAllBytes(), (int) size);
        HeavyHitters<T> heavy = counts instanceof CountMin.Turnstile<T> turnstile
                ? new Turnstile<>(key, share, turnstile)
                : new HeavyHitters<>(key, share, counts);
        for (int i = 0; i < size; i++) {
            heavy.load(frame, values.get(i), estimates[i]);
        }
        return heavy;
    }

    private void load(Frame frame, T value, long estimate) throws FormatException {
        boolean notTooMuch = this instanceof Turnstile || estimate <= estimate(value);
        frame.require(estimate >= threshold() && notTooMuch, "a heavy value with", estimate);
        frame.require(!heap.contains(value), "the same value twice,", value);
        heap.put(value, estimate);
    }

    /** Heavy hitters whose counts can also be lowered. */
    public static final class Turnstile<T> extends HeavyHitters<T> {
        private final CountMin.Turnstile<T> turnstile;

        private Turnstile(Key.Stored<T> key, double share, CountMin.Turnstile<T> counts) {
            super(key, share, counts);
            this.turnstile = counts;
        }

        /**
         * Removes this number of events of a value. Remove only what was added. Other values that the smaller total
         * makes frequent are reported when they occur again.
         *
         * @return false, with nothing changed, if the value was certainly not counted that often
         */
        @CanIgnoreReturnValue
        public boolean remove(T value, long count) {
            if (!turnstile.remove(value, count)) {
                return false;
            }
            settleLess(value);
            return true;
        }

        /** Removes one event of a value; see {@link #remove(Object, long)}. */
        @CanIgnoreReturnValue
        public boolean remove(T value) {
            return remove(value, 1);
        }
    }

    /** Describes heavy hitters before they are allocated. Immutable. */
    public static final class Plan<T> {
        static final double DEFAULT_CONFIDENCE = 0.99;

        private final double share;
        private final double error;
        private final double confidence;
        private final Key.Stored<T> key;

        private Plan(double share, double error, double confidence, Key.Stored<T> key) {
            this.share = share;
            this.error = error;
            this.confidence = confidence;
            this.key = key;
        }

        /**
         * By how much the share of a reported value may be below the planned one, as a share of the total (default:
         * half of the planned share).
         */
        public Plan<T> within(double shareOfTotal) {
            if (!(shareOfTotal > 0 && shareOfTotal < share)) {
                throw new IllegalArgumentException(
                        "the error must be in (0, " + share + "), below the share, got " + shareOfTotal);
            }
            return new Plan<>(share, shareOfTotal, confidence, key);
        }

        /** The probability, in (0, 1), that a reported value is within the error (default: 0.99). */
        public Plan<T> confidence(double chance) {
            if (!(chance > 0 && chance < 1)) {
                throw new IllegalArgumentException("confidence must be in (0, 1), got " + chance);
            }
            return new Plan<>(share, error, chance, key);
        }

        /** The key of the values (default: strings). */
        public <U> Plan<U> of(Key.Stored<U> other) {
            return new Plan<>(share, error, confidence, Objects.requireNonNull(other, "key must not be null"));
        }

        private CountMin.Plan<T> counts() {
            return CountMin.within(error)
                    .confidence(confidence)
                    .cells(CountMin.Cells.BITS_64)
                    .of(key);
        }

        /** Returns the size of its sketch, without allocating it. */
        public CountMin.Sizing sizing() {
            return counts().sizing();
        }

        /** Builds an empty structure. */
        public HeavyHitters<T> build() {
            return new HeavyHitters<>(key, share, counts().build());
        }

        /** Heavy hitters whose counts can also be lowered. */
        public Turnstile<T> turnstile() {
            return new Turnstile<>(key, share, counts().turnstile().build());
        }
    }
}
