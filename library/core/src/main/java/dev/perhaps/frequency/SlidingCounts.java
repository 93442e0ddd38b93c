package dev.perhaps.frequency;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Objects;

/**
 * Counts items over a sliding window: an estimate below {@link #limit} is never too low for the window, and too high by
 * at most the events of one pane before it plus the planned share of the total, with the planned confidence. Memory is
 * that of one {@link CountMin} per pane, and one more. An add touches one of them, an estimate all. Every event carries
 * its time; there is no clock inside. Not thread-safe. Threads may share the {@link #concurrent() concurrent} form;
 * they take turns under a lock.
 *
 * <pre>{@code
 * SlidingCounts<String> lately = SlidingCounts.last(java.time.Duration.ofMinutes(10)).panes(20).build();
 * lately.add("/index.html", 1, System.currentTimeMillis());
 * long inTheLastTenMinutes = lately.estimate("/index.html");
 * }</pre>
 *
 * The most frequent items of a window: {@link SlidingTopK}. Counts of all time: {@link CountMin}.
 */
public final class SlidingCounts<T> extends Sliding<T, CountMin<T>, SlidingCounts<T>> {
    /*
     * Panes says how time is cut. The estimate is the sum of the estimates of the panes. Each of them is the minimum
     * over its rows, and the sum of the minima is at most the minimum of the sums, which is the estimate of one sketch
     * of all panes: so its bound holds for the sum too. The total is that since sinceMillis().
     *
     * A pane is as large as a sketch of the whole window would be. What is bought with it is a border that moves in
     * steps of T / B instead of all at once.
     */
    private final Key<T> key;
    private final CountMin.Plan<T> plan;

    private SlidingCounts(Key<T> key, CountMin.Plan<T> plan, Panes<CountMin<T>> panes, boolean concurrent) {
        super(panes, concurrent);
        this.key = key;
        this.plan = plan;
    }

    private SlidingCounts(Key<T> key, CountMin.Plan<T> plan, long windowMillis, int panes, boolean concurrent) {
        this(key, plan, new Panes<>(windowMillis, panes, plan.sizing(), plan::build), concurrent);
    }

    @Override
    SlidingCounts<T> with(Panes<CountMin<T>> other, boolean concurrent) {
        return new SlidingCounts<>(key, plan, other, concurrent);
    }

    @Override
    String plural() {
        return "sliding counts";
    }

    @Override
    SlidingCounts<T> self() {
        return this;
    }

    @Override
    CountMin<T> copyOf(CountMin<T> pane) {
        return pane.copy();
    }

    @Override
    long totalOf(CountMin<T> pane) {
        return pane.total();
    }

    /** Starts a plan for a window of this duration. */
    public static Plan<String> last(Duration window) {
        return new Plan<>(
                Panes.checkedWindow(window), Plan.DEFAULT_PANES, CountMin.within(0.001), 0, Key.strings(), false);
    }

    /**
     * Counts {@code count} events, 0 or more, at a time in milliseconds since 1970.
     *
     * @return false if they are too old for the window: then only {@link #late} counts them
     */
    @CanIgnoreReturnValue
    public boolean add(T value, long count, long atMillis) {
        return addHash(key.hash(value), count, atMillis);
    }

    /** Counts events of the item with this hash; see {@link #add(Object, long, long)}. */
    @CanIgnoreReturnValue
    public boolean addHash(long hash, long count, long atMillis) {
        lock.lock();
        try {
            if (count < 0) {
                throw new IllegalArgumentException("count must be 0 or more, got " + count);
            }
            CountMin<T> pane = panes.at(atMillis, count);
            if (pane == null) {
                return false;
            }
            pane.addHash(hash, count);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns how often the value was counted since {@link #sinceMillis}, never too low; {@link #limit} or more means
     * "at least".
     */
    public long estimate(T value) {
        return estimateHash(key.hash(value));
    }

    /** Returns how often the item was counted since {@link #sinceMillis}, or more; see {@link #estimate}. */
    public long estimateHash(long hash) {
        lock.lock();
        try {
            return sum(panes.living(), hash);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns how often the item was counted in the window that ends at this time, in milliseconds since 1970, or more.
     * Nothing changes, so any number of threads may query while none writes; a time before the newest time is treated
     * as the newest.
     */
    public long estimateHash(long hash, long atMillis) {
        lock.lock();
        try {
            return sum(panes.living(atMillis), hash);
        } finally {
            lock.unlock();
        }
    }

    private static long sum(Collection<? extends CountMin<?>> panes, long hash) {
        long sum = 0;
        for (CountMin<?> pane : panes) {
            sum = Panes.plus(sum, pane.estimateHash(hash));
        }
        return sum;
    }

    /**
     * Returns the largest count in one pane: counters stay there, and an estimate of this or more means "this number or
     * more". With cells of 32 bits it is 4,294,967,295; to count bytes, take {@link CountMin.Cells#BITS_64}.
     */
    public long limit() {
        return plan.sizing().cells().limit();
    }

    /** Returns how far an estimate may be above the count since {@link #sinceMillis}. */
    public Bound bound() {
        CountMin.Sizing sizing = plan.sizing();
        return new Bound(sizing.error() * total(), sizing.confidence());
    }

    /** Returns {@link #bound()} as of this time, in milliseconds since 1970; nothing changes. */
    public Bound bound(long atMillis) {
        CountMin.Sizing sizing = plan.sizing();
        return new Bound(sizing.error() * total(atMillis), sizing.confidence());
    }

    /** Returns the size and the error of each pane. */
    public CountMin.Sizing sizing() {
        return plan.sizing();
    }

    /** Returns the key that hashes the values. */
    @Override
    public Key<T> key() {
        return key;
    }

    @Override
    public Kind kind() {
        return Kind.SLIDING_COUNT;
    }

    /** Returns the memory in bytes when all panes are in use. */
    @Override
    public long sizeBytes() {
        return (panes.panes() + 1L) * plan.sizing().bytes();
    }

    @Override
    public Description describe() {
        return snapshot().describe(isConcurrent());
    }

    private Description describe(boolean concurrent) {
        Bound bound = bound();
        return Description.of(kind())
                .text("key", key.name())
                .text("seed", Long.toString(key.seed()))
                .count("windowMillis", panes.windowMillis())
                .count("paneMillis", panes.paneMillis())
                .count("total", total())
                .count("late", late())
                .flag("concurrent", concurrent)
                .number("errorNow", bound.error(), "at most, above the truth")
                .share("confidence", bound.confidence())
                .bytes("sizeBytes", sizeBytes())
                .bytes("fileBytes", fileBytes());
    }

    @Override
    public String toString() {
        return Figures.count(total()) + " in the last " + Duration.ofMillis(panes.windowMillis()) + " and up to "
                + Duration.ofMillis(panes.paneMillis()) + " more, " + plan.sizing();
    }

    // Parameters in the file (docs/format.md): those of Panes, then width, depth, bits of a cell.
    @Override
    Frame frame() {
        CountMin.Sizing sizing = plan.sizing();
        long[] parameters = Arrays.copyOf(panes.parameters(), Panes.PARAMETERS + 3);
        parameters[Panes.PARAMETERS] = sizing.width();
        parameters[Panes.PARAMETERS + 1] = sizing.depth();
        parameters[Panes.PARAMETERS + 2] = sizing.cells().bits();
        return Frame.of(kind(), key, panes.payloadBytes(), parameters);
    }

    /** Opens a file; a file that was written with another key is refused with a {@code FormatException}. */
    public static <T> SlidingCounts<T> open(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, key);
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static <T> SlidingCounts<T> readFrom(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return read(FrameReader.open(in, maxBytes), key);
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static <T> SlidingCounts<T> fromBytes(byte[] bytes, Key<T> key) throws IOException {
        return read(FrameReader.open(bytes), key);
    }

    /** Reads what {@link #writeTo} wrote. */
    static <T> SlidingCounts<T> read(FrameReader in, Key<T> key) throws IOException {
        Frame frame = in.frame(Kind.SLIDING_COUNT, key);
        Panes.check(frame);
        long width = frame.parameter(Panes.PARAMETERS);
        long depth = frame.parameter(Panes.PARAMETERS + 1);
        frame.require(CellRows.possible(width, depth), "a width of", width);
        CountMin.Cells cells = CountMin.Cells.read(frame, Panes.PARAMETERS + 2);
        byte[] payload = in.bytes(frame.payloadBytes());
        in.end();
        CountMin.Plan<T> plan =
                CountMin.ofWidth((int) width).depth((int) depth).cells(cells).of(key);
        SlidingCounts<T> counts = new SlidingCounts<>(key, plan, frame.parameter(0), (int) frame.parameter(1), false);
        counts.panes.readFrom(frame, payload, nested -> {
            CountMin<T> pane = CountMin.read(nested, key);
            frame.require(pane.sizing().equals(plan.sizing()), "a pane that does not fit:", pane);
            return pane;
        });
        return counts;
    }

    /** Describes sliding counts before they are allocated. Immutable. */
    public static final class Plan<T> {
        private static final int DEFAULT_PANES = 10;

        private final long windowMillis;
        private final int panes;
        private final CountMin.Plan<T> counts;
        private final long memoryBytes;
        private final Key<T> key;
        private final boolean concurrent;

        /** With 0 for memory that was not set; with memory, the error and width of {@code counts} do not matter. */
        private Plan(
                long windowMillis,
                int panes,
                CountMin.Plan<T> counts,
                long memoryBytes,
                Key<T> key,
                boolean concurrent) {
            this.windowMillis = windowMillis;
            this.panes = panes;
            this.counts = counts;
            this.memoryBytes = memoryBytes;
            this.key = key;
            this.concurrent = concurrent;
        }

        /** The number of steps in which the window moves (default: 10). */
        public Plan<T> panes(int steps) {
            return new Plan<>(windowMillis, Panes.checkedPanes(steps), counts, memoryBytes, key, concurrent);
        }

        /**
         * How far an estimate may be too high, as a share of the total (default: 0.001). Of this, {@link #width} and
         * {@link #memoryBytes}, the last one counts.
         */
        public Plan<T> within(double shareOfTotal) {
            return sized(CountMinShape.within(shareOfTotal), 0);
        }

        /** Uses exactly this number of counters per row, whatever error that gives. */
        public Plan<T> width(int counters) {
            return sized(CountMinShape.ofWidth(counters), 0);
        }

        private Plan<T> sized(CountMinShape size, long bytes) {
            return new Plan<>(windowMillis, panes, counts.sized(size), bytes, key, concurrent);
        }

        /** Uses exactly this number of rows, whatever confidence that gives. */
        public Plan<T> depth(int rows) {
            return new Plan<>(windowMillis, panes, counts.depth(rows), memoryBytes, key, concurrent);
        }

        /** The width of a counter (default: 32 bits); see {@link SlidingCounts#limit}. */
        public Plan<T> cells(CountMin.Cells wide) {
            return new Plan<>(windowMillis, panes, counts.cells(wide), memoryBytes, key, concurrent);
        }

        /** Limits the memory of all panes together, in bytes; the error is what fits. */
        public Plan<T> memoryBytes(long bytes) {
            if (bytes < 1) {
                throw new IllegalArgumentException("memoryBytes must be at least 1 byte, got " + bytes);
            }
            return new Plan<>(windowMillis, panes, counts, bytes, key, concurrent);
        }

        /** The probability, in (0, 1), that an estimate is within the error (default: 0.99). */
        public Plan<T> confidence(double chance) {
            return new Plan<>(windowMillis, panes, counts.confidence(chance), memoryBytes, key, concurrent);
        }

        /** Counts values of this key (default: strings). */
        public <U> Plan<U> of(Key<U> other) {
            Objects.requireNonNull(other, "key must not be null");
            return new Plan<>(windowMillis, panes, counts.of(other), memoryBytes, other, concurrent);
        }

        /**
         * Makes the counts safe for any number of threads, which take turns under a lock. A file does not record this:
         * after opening, call {@link SlidingCounts#concurrent}.
         */
        public Plan<T> concurrent() {
            return new Plan<>(windowMillis, panes, counts, memoryBytes, key, true);
        }

        /** The plan of a pane. */
        private CountMin.Plan<T> pane() {
            if (memoryBytes == 0) {
                return counts;
            }
            long bytes = memoryBytes / (panes + 1);
            if (bytes < Long.BYTES) {
                throw new IllegalArgumentException("memoryBytes must be at least " + (panes + 1L) * Long.BYTES
                        + " bytes for " + panes + " panes and their sum, got " + memoryBytes);
            }
            return counts.sized(CountMinShape.inMemory(bytes));
        }

        /** Returns the memory in bytes when all panes are in use. */
        public long sizeBytes() {
            return (panes + 1L) * pane().sizing().bytes();
        }

        /** Builds an empty structure. */
        public SlidingCounts<T> build() {
            return new SlidingCounts<>(key, pane(), windowMillis, panes, concurrent);
        }
    }
}
