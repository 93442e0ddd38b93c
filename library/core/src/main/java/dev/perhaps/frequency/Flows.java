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
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Mergeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Flags every flow whose weight, in packets or bytes, is above a threshold, and flags another flow with at most the
 * planned probability while there are no more flows than planned. About 461 bits per flow at 0.1 %, whatever its
 * weight. An add and a query touch k counters (10 at 0.1 %). Not thread-safe.
 *
 * <pre>{@code
 * Flows<Flows.Pair> heavy = Flows.above(10_000_000).expecting(100_000).of(Flows.pairs()).build();
 * boolean flagged = heavy.add(new Flows.Pair("10.0.0.7", "192.0.2.1"), 1_500);
 * }</pre>
 *
 * The heaviest flows by name, without a threshold: {@link TopK}. The weight of a flow: {@link CountMin}.
 */
public final class Flows<T> extends AbstractSketch implements Addable<T>, Mergeable<Flows<T>> {
    /*
     * A counting Bloom filter over flows [1]: k counters per flow, one in each of k rows of w. A packet raises all k by
     * its weight; the flow is flagged if the least of them exceeds T. Each is at least what the flow carried, so every
     * flow above T is flagged; a counter that sticks at its limit is above T and flags every flow from then on.
     *
     *     T = 9    row 0   | 2 |12 | 0 | 3 |        12, 10: above 9, flagged
     *              row 1   | 0 | 4 |10 | 3 |        12,  4: one of its counters is its own, so it is not
     *
     * Error. A flow that has one counter to itself is counted exactly. So an innocent one is flagged only if it shares
     * all k: with chance (1 - (1 - 1/w)^n)^k at most, n being the other flows, whatever they carry. The least memory
     * for a rate p has k = log2 1/p rows, half of each in use, as in a Bloom filter: w = n / ln 2. Mostly far fewer are
     * flagged: a shared counter must also be above T. innocentNow() tells the chance as it is: the share of counters
     * above T in a row, multiplied over the rows.
     *
     * Each row has its own counters, where [1] has all of them in one array: the same error to within 1/w, and a flow
     * never shares a counter with itself.
     *
     * [1] Broder and Mitzenmacher, "Network applications of Bloom filters: a survey" (2004), after Estan and Varghese,
     * "New directions in traffic measurement and accounting" (2002).
     *
     * Left out: conservative update, so that sketches of several routers add up to that of all; and forgetting: begin
     * another one for each interval of time.
     */
    private static final long MIX = 0xAF251AF3B0F025B5L;
    private static final double DEFAULT_INNOCENTS = 0.001;

    private final Key<T> key;
    private final Sizing sizing;
    private final CellRows rows;
    private long total;

    private Flows(Key<T> key, Sizing sizing, CellRows rows, long total) {
        this.key = key;
        this.sizing = sizing;
        this.rows = rows;
        this.total = total;
    }

    /** Starts a plan: flows with more than this weight, in packets or bytes, are flagged. */
    public static Plan<String> above(long threshold) {
        if (threshold < 0 || threshold == Long.MAX_VALUE) {
            throw new IllegalArgumentException("threshold must be in [0, 2^63 - 2], got " + threshold);
        }
        return new Plan<>(threshold, 0, DEFAULT_INNOCENTS, Key.strings());
    }

    /** A flow by its source and destination. */
    public record Pair(String source, String destination) {}

    /** The key of pairs: a flow is its source and its destination, in this order. */
    public static Key<Pair> pairs() {
        return Key.all(
                "flow", Key.strings().on("source", Pair::source), Key.strings().on("destination", Pair::destination));
    }

    @Override
    public Kind kind() {
        return Kind.FLOWS;
    }

    /** Returns the key that hashes the flows. */
    public Key<T> key() {
        return key;
    }

    /** Returns what this detector was planned for, and its memory. */
    public Sizing sizing() {
        return sizing;
    }

    /** Returns the weight above which a flow is flagged. */
    public long threshold() {
        return sizing.threshold();
    }

    /** Adds weight 1 to a flow, and returns whether it is above the threshold now. */
    @CanIgnoreReturnValue
    public boolean add(T flow) {
        return addHash(key.hash(flow), 1);
    }

    /** Adds a weight to a flow, and returns whether it is above the threshold now; see {@link #addHash}. */
    @CanIgnoreReturnValue
    public boolean add(T flow, long weight) {
        return addHash(key.hash(flow), weight);
    }

    /**
     * Adds to the flow with this hash, and returns whether it is above the threshold now.
     *
     * @throws IllegalArgumentException if the weight is negative, or the total would pass 2^63 - 1; nothing is changed
     *     then
     */
    @CanIgnoreReturnValue
    public boolean addHash(long hash, long weight) {
        claim(weight);
        long x = Mix.with(MIX, hash);
        rows.add(x, weight);
        return rows.min(x) > sizing.threshold();
    }

    @Override
    public boolean offer(T flow) {
        add(flow);
        return true;
    }

    @Override
    public void clear() {
        rows.clear();
        total = 0;
    }

    private void claim(long weight) {
        if (weight < 0) {
            throw new IllegalArgumentException("weight must be 0 or more, got " + weight);
        }
        if (weight > Long.MAX_VALUE - total) {
            throw new IllegalArgumentException(
                    "weight must leave the total below 2^63, got " + weight + " at a total of " + total);
        }
        total += weight;
    }

    /** Returns true if the flow is above the threshold, and perhaps also if it is not. */
    public boolean isAbove(T flow) {
        return isAboveHash(key.hash(flow));
    }

    /** Returns {@link #isAbove} for the flow with this hash. */
    public boolean isAboveHash(long hash) {
        return estimateHash(hash) > sizing.threshold();
    }

    /** Returns the weight of a flow, never too low; see {@link #estimateHash}. */
    public long estimate(T flow) {
        return estimateHash(key.hash(flow));
    }

    /**
     * Returns the weight of the flow, or more. The limit of the counters, which is above the threshold, means "at
     * least".
     */
    public long estimateHash(long hash) {
        return rows.min(Mix.with(MIX, hash));
    }

    /** Returns the sum of all weights. */
    public long total() {
        return total;
    }

    /** Returns the probability that a flow of negligible weight is flagged, as the counters are now. */
    public double innocentNow() {
        double chance = 1;
        for (int row = 0; row < rows.depth; row++) {
            chance *= (double) rows.above(sizing.threshold(), row) / rows.width;
        }
        return chance;
    }

    /** True if both have the same key, threshold, rows and counters. */
    @Override
    public boolean fits(Flows<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        return difference(other).isEmpty();
    }

    /** Adds the other's counters to these: afterwards this is exactly the detector of everything added to either. */
    @Override
    public void merge(Flows<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        String difference = difference(other);
        if (!difference.isEmpty()) {
            throw new IllegalArgumentException("these flow detectors do not fit: " + difference);
        }
        claim(other.total);
        rows.addAll(other.rows, false);
    }

    private String difference(Flows<T> other) {
        if (!key.fits(other.key)) {
            return key.against(other.key);
        }
        return threshold() == other.threshold()
                ? rows.difference(other.rows)
                : "threshold " + threshold() + " against " + other.threshold();
    }

    /** Returns a detector with the same content that shares no mutable state with this one. */
    public Flows<T> copy() {
        return new Flows<>(key, sizing, rows.copy(), total);
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
        return Description.of(kind())
                .text("key", key.name())
                .text("seed", Long.toString(key.seed()))
                .count("threshold", threshold())
                .count("total", total)
                .count("flowsPlanned", sizing.flows())
                .share("innocentsPlanned", sizing.innocents())
                .share("innocentsNow", innocentNow())
                .count("width", rows.width)
                .count("depth", rows.depth)
                .count("cellBits", rows.cells.bits())
                .count("saturatedCells", rows.saturated())
                .bytes("sizeBytes", sizeBytes())
                .bytes("fileBytes", fileBytes());
    }

    // Parameters in the file (docs/format.md): width, depth, bits of a cell, threshold, total, flows planned, chance
    // that
    // an innocent one is flagged then. Payload: the cells.
    private Frame frame() {
        return Frame.of(
                kind(),
                key,
                sizeBytes(),
                rows.width,
                rows.depth,
                rows.cells.bits(),
                threshold(),
                total,
                sizing.flows(),
                Double.doubleToRawLongBits(sizing.innocents()));
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        frame().write(out, rows::write);
    }

    /** Opens a file; a file that was written with another key is refused with a {@code FormatException}. */
    public static <T> Flows<T> open(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, key);
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static <T> Flows<T> readFrom(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return read(FrameReader.open(in, maxBytes), key);
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static <T> Flows<T> fromBytes(byte[] bytes, Key<T> key) throws IOException {
        return read(FrameReader.open(bytes), key);
    }

    /** Reads what {@link #writeTo} wrote. */
    static <T> Flows<T> read(FrameReader in, Key<T> key) throws IOException {
        Frame frame = in.frame(Kind.FLOWS, key);
        long threshold = frame.parameter(3);
        long total = frame.parameter(4);
        long flows = frame.parameter(5);
        double innocents = frame.parameterAsDouble(6);
        frame.require(threshold >= 0, "threshold", threshold);
        frame.require(total >= 0, "a total of", total);
        frame.require(flows > 0, "planned flows", flows);
        frame.require(innocents > 0 && innocents <= 1, "a planned chance of", innocents);
        CellRows rows = CellRows.read(in, frame, 0);
        in.end();
        frame.require(threshold < rows.cells.limit(), "threshold", threshold);
        rows.check(frame, total, true);
        Sizing sizing =
                new Sizing(threshold, flows, innocents, rows.width, rows.depth, rows.cells, frame.payloadBytes());
        return new Flows<>(key, sizing, rows, total);
    }

    @Override
    public String toString() {
        return sizing + ", " + Figures.count(total) + " in total";
    }

    /**
     * The size of a detector, known before it is allocated.
     *
     * @param threshold flows above it are flagged
     * @param flows the planned number of flows
     * @param innocents the highest probability that a flow below the threshold is flagged, among this number of flows
     * @param width counters in a row
     * @param depth rows
     * @param bytes the memory of its counters, equal to {@code sizeBytes()} of what is built
     */
    public record Sizing(
            long threshold, long flows, double innocents, int width, int depth, CountMin.Cells cells, long bytes) {
        @Override
        public String toString() {
            return "flows above " + Figures.count(threshold) + ", for " + Figures.count(flows) + " flows, at most "
                    + Figures.percent(innocents) + " of the innocent flagged: " + depth + " rows of "
                    + Figures.count(width) + " cells of " + cells.bits() + " bits, " + Figures.bytes(bytes);
        }
    }

    /** Describes a detector before it is allocated. Immutable. */
    public static final class Plan<T> {
        /** The number of flows of a plan that sets none. */
        public static final long DEFAULT_FLOWS = 100_000;

        private final long threshold;
        private final long flows;
        private final double innocents;
        private final Key<T> key;

        private Plan(long threshold, long flows, double innocents, Key<T> key) {
            this.threshold = threshold;
            this.flows = flows;
            this.innocents = innocents;
            this.key = key;
        }

        /** The number of distinct flows that are expected (default: 100,000). */
        public Plan<T> expecting(long different) {
            if (different < 1) {
                throw new IllegalArgumentException("flows must be at least 1, got " + different);
            }
            return new Plan<>(threshold, different, innocents, key);
        }

        /**
         * The highest acceptable probability, in (0, 1), that a flow below the threshold is flagged (default: 0.001).
         */
        public Plan<T> innocents(double rate) {
            if (!(rate > 0 && rate < 1)) {
                throw new IllegalArgumentException("innocents must be in (0, 1), got " + rate);
            }
            return new Plan<>(threshold, flows, rate, key);
        }

        /** The key of the flows (default: strings); see {@link Flows#pairs}. */
        public <U> Plan<U> of(Key<U> other) {
            return new Plan<>(threshold, flows, innocents, Objects.requireNonNull(other, "key must not be null"));
        }

        /**
         * Returns the size that the detector will have, without allocating it.
         *
         * @throws IllegalArgumentException if it would need more counters than a detector can have
         */
        public Sizing sizing() {
            long different = flows > 0 ? flows : DEFAULT_FLOWS;
            int depth = (int) Math.ceil(-Math.log(innocents) / Math.log(2));
            double free = Math.log1p(-Math.pow(innocents, 1.0 / depth));
            double width = Math.ceil(-1 / Math.expm1(free / different));
            if (!(width <= CellRows.MAX_WIDTH) || !CellRows.possible((long) width, depth)) {
                throw new IllegalArgumentException("a detector has at most " + Figures.count(CellRows.MAX_WIDTH)
                        + " counters in a row and " + CellRows.MAX_DEPTH + " rows, got " + depth + " rows of "
                        + Figures.count((long) width) + ": expect fewer flows or allow more innocents");
            }
            double chance = Math.pow(-Math.expm1(different * Math.log1p(-1 / width)), depth);
            CountMin.Cells cells =
                    threshold < CountMin.Cells.BITS_32.limit() ? CountMin.Cells.BITS_32 : CountMin.Cells.BITS_64;
            long bytes = CellRows.bytesFor((long) width, depth, cells);
            return new Sizing(threshold, different, chance, (int) width, depth, cells, bytes);
        }

        /**
         * Builds an empty detector.
         *
         * @throws IllegalArgumentException if it would need more counters than a detector can have
         */
        public Flows<T> build() {
            Sizing sizing = sizing();
            return new Flows<>(key, sizing, CellRows.empty(sizing.width(), sizing.depth(), sizing.cells()), 0);
        }
    }
}
