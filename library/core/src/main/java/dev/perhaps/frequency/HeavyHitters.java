package dev.perhaps.frequency;

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
 * Reports every value that makes up at least the planned share of all events, and none that falls short of it by more than the
 * planned error, with the planned confidence. For a share of 1/k that is at most 2k values. Memory depends on the error and
 * the confidence only: 10.6 KiB for 1 % at 99 %. Adding touches one counter a row, and the heap if the value is heavy.
 * Confined to a thread.
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
     * (1) Who has n/k at the end was put in, with at least as much, when it came last: Count is never too low. It was not
     * removed since, for m/k never passed n/k. This holds always. (2) Who is in the heap had a Count of n/k or more, which is
     * at most εm ≤ εn above the truth, with confidence 1 - δ for each value. With ε = 1/(2k), if (2) holds, all in it
     * have n/(2k) or more, and so they are at most 2k.
     *
     * Merging adds the sketches. Who has a k-th of both streams together has a k-th of one of them, so it is in one of the
     * heaps, and is asked for in the merged sketch.
     *
     * Taking back (Turnstile) counts x down, and removes it from the heap once it is too small. When m goes down, so does m/k, and
     * somebody who is in no heap may now be above it: (1) then waits until he comes again.
     *
     * m/k is rounded down by a 2^-50th of itself, so that an inexact product does not lose who has exactly a k-th.
     *
     * [1] Roughgarden and Valiant, "The Modern Algorithmic Toolbox", lecture 2: approximate heavy hitters and the Count-Min
     * sketch. Cormode and Muthukrishnan (2005). Exact heavy hitters cannot be had in one pass and little memory.
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

    /** Plans for the values that make up at least this share of all events: 0.01 for those that are every hundredth. */
    public static Plan<String> atLeast(double share) {
        if (!(share > 0 && share < 1)) {
            throw new IllegalArgumentException("share must be in (0, 1), got " + share);
        }
        return new Plan<>(share, share / 2, Plan.DEFAULT_CONFIDENCE, Key.strings());
    }

    /** Counts one event. */
    public void add(T value) {
        add(value, 1);
    }

    /** Counts this number of events, 0 or more. */
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

    /** The least count that is reported now: the share of the total, at least 1. */
    public long threshold() {
        return Math.max(1, (long) Math.ceil(share * ROUNDED_DOWN * counts.total()));
    }

    /** True if the value is among the heavy ones. */
    public boolean contains(T value) {
        return heap.contains(value);
    }

    /** The heavy values, the heaviest first, each with its count when it came last: never less than the truth. */
    public List<Estimated<T>> heavy() {
        return heap.sorted(Comparator.comparingLong(key::hash));
    }

    /** How many values are heavy now. */
    public int size() {
        return heap.size();
    }

    /** How often the value came: never less than the truth, and too much by at most {@link #bound}. */
    public long estimate(T value) {
        return counts.estimate(value);
    }

    /** How far an estimate may be above the truth by now. */
    public Bound bound() {
        return counts.bound();
    }

    /** The sum of all counts. */
    public long total() {
        return counts.total();
    }

    public double share() {
        return share;
    }

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

    /** The memory of the counters; the heavy values come on top. */
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

    public static <T> HeavyHitters<T> open(Path file, Key.Stored<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, key);
        }
    }

    /** Reads from a stream, not a byte too many; a payload of more than {@code maxBytes} is refused. */
    public static <T> HeavyHitters<T> readFrom(InputStream in, Key.Stored<T> key, long maxBytes) throws IOException {
        return read(FrameReader.open(in, maxBytes), key);
    }

    /** Reads what {@link #toBytes} returned; bytes that are too many or too few are refused, as of a file. */
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

    /** Heavy hitters that can also be counted down. */
    public static final class Turnstile<T> extends HeavyHitters<T> {
        private final CountMin.Turnstile<T> turnstile;

        private Turnstile(Key.Stored<T> key, double share, CountMin.Turnstile<T> counts) {
            super(key, share, counts);
            this.turnstile = counts;
        }

        /**
         * Takes back this number of events of a value. Take back only what was added. Others that the smaller total
         * makes heavy are reported when they come again.
         *
         * @return false, with nothing changed, if it is certain that the value did not come so often
         */
        public boolean remove(T value, long count) {
            if (!turnstile.remove(value, count)) {
                return false;
            }
            settleLess(value);
            return true;
        }

        public boolean remove(T value) {
            return remove(value, 1);
        }
    }

    /** What is wanted of heavy hitters. */
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

        /** By how much a reported value may fall short, as a share of the total (default: half of the share). */
        public Plan<T> within(double shareOfTotal) {
            if (!(shareOfTotal > 0 && shareOfTotal < share)) {
                throw new IllegalArgumentException(
                        "the error must be in (0, " + share + "), below the share, got " + shareOfTotal);
            }
            return new Plan<>(share, shareOfTotal, confidence, key);
        }

        /** The chance, in (0, 1), that a reported value keeps to the error (default: 0.99). */
        public Plan<T> confidence(double chance) {
            if (!(chance > 0 && chance < 1)) {
                throw new IllegalArgumentException("confidence must be in (0, 1), got " + chance);
            }
            return new Plan<>(share, error, chance, key);
        }

        /** Values of another type than strings, or hashed with another seed. */
        public <U> Plan<U> of(Key.Stored<U> other) {
            return new Plan<>(share, error, confidence, Objects.requireNonNull(other, "key must not be null"));
        }

        private CountMin.Plan<T> counts() {
            return CountMin.within(error)
                    .confidence(confidence)
                    .cells(CountMin.Cells.BITS_64)
                    .of(key);
        }

        /** How big its sketch will be. */
        public CountMin.Sizing sizing() {
            return counts().sizing();
        }

        public HeavyHitters<T> build() {
            return new HeavyHitters<>(key, share, counts().build());
        }

        /** Heavy hitters that can also be counted down. */
        public Turnstile<T> turnstile() {
            return new Turnstile<>(key, share, counts().turnstile().build());
        }
    }
}
