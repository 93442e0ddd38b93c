package dev.perhaps.frequency;

import dev.perhaps.frame.AbstractSketch;
import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Mergeable;
import dev.perhaps.sketch.Shareable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;

/**
 * Never says less than how often an item came in the last T; says more by at most what came in one pane before that, and by the
 * planned share of the total, with the planned confidence. Memory is that of one {@link CountMin} for each pane and one more.
 * Adding touches one of them, asking all. Time is told with every event; there is no clock inside. Confined to a thread.
 * Planned {@link Plan#concurrent() concurrent}, or opened and made {@link #concurrent() concurrent}, threads take turns.
 *
 * <pre>{@code
 * SlidingCounts<String> lately = SlidingCounts.last(java.time.Duration.ofMinutes(10)).panes(20).build();
 * lately.add("/index.html", 1, System.currentTimeMillis());
 * long inTheLastTenMinutes = lately.estimate("/index.html");
 * }</pre>
 *
 * The most frequent of the last T: {@link SlidingTopK}. Of all time: {@link CountMin}.
 */
public final class SlidingCounts<T> extends AbstractSketch
        implements Mergeable<SlidingCounts<T>>, Shareable<SlidingCounts<T>> {
    /*
     * Panes says how time is cut. The answer is the sum of the panes' answers. Each is the least over its rows, and the sum of
     * the least is no more than the least of the sums, which is what the sketch of all panes together would say: so its bound,
     * the share of the total at its confidence, holds for the sum too. The total is that since sinceMillis().
     *
     * A pane is as large as a sketch of the whole window would be. What is bought with it is a border that moves in steps of
     * T / B instead of all at once.
     */
    private final Key<T> key;
    private final CountMin.Plan<T> plan;
    private final Panes<CountMin<T>> panes;
    private final OptionalLock lock;

    private SlidingCounts(Key<T> key, CountMin.Plan<T> plan, Panes<CountMin<T>> panes, boolean concurrent) {
        this.key = key;
        this.plan = plan;
        this.panes = panes;
        this.lock = OptionalLock.of(concurrent);
    }

    private SlidingCounts(Key<T> key, CountMin.Plan<T> plan, long windowMillis, int panes, boolean concurrent) {
        this(key, plan, new Panes<>(windowMillis, panes, plan.sizing(), plan::build), concurrent);
    }

    private SlidingCounts<T> with(Panes<CountMin<T>> other, boolean concurrent) {
        return new SlidingCounts<>(key, plan, other, concurrent);
    }

    /** Plans counts over the last period of this duration. */
    public static Plan<String> last(Duration window) {
        return new Plan<>(
                Panes.checkedWindow(window.toMillis()),
                Plan.DEFAULT_PANES,
                CountMin.within(0.001),
                0,
                0,
                Key.strings(),
                false);
    }

    /**
     * Counts this number of events, 0 or more, of that time.
     *
     * @return false if they are too late to count: their pane has gone, and only {@link #late} tells of them
     */
    public boolean add(T value, long count, long atMillis) {
        return addHash(key.hash(value), count, atMillis);
    }

    /** The same, of an item by its hash. */
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

    /** Forgets everything, also the time: it is then as it was built. */
    public void clear() {
        lock.lock();
        try {
            panes.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Tells that this much time has come, though no event did; an earlier time changes nothing. */
    public void advanceTo(long millis) {
        lock.lock();
        try {
            panes.advanceTo(millis);
        } finally {
            lock.unlock();
        }
    }

    public long estimate(T value) {
        return estimateHash(key.hash(value));
    }

    /** How often the item came since {@link #sinceMillis}, or more. */
    public long estimateHash(long hash) {
        lock.lock();
        try {
            long sum = 0;
            for (CountMin<T> pane : panes.living()) {
                sum += pane.estimateHash(hash);
            }
            return sum;
        } finally {
            lock.unlock();
        }
    }

    /** The sum of all counts since {@link #sinceMillis}. */
    public long total() {
        lock.lock();
        try {
            return panes.living().stream().mapToLong(CountMin::total).sum();
        } finally {
            lock.unlock();
        }
    }

    /** How far an estimate may be above what came since {@link #sinceMillis}. */
    public Bound bound() {
        CountMin.Sizing sizing = plan.sizing();
        return new Bound(sizing.error() * total(), sizing.confidence());
    }

    /** What is counted came at this time or later: T ago or less than one pane more. */
    public long sinceMillis() {
        lock.lock();
        try {
            return panes.sinceMillis();
        } finally {
            lock.unlock();
        }
    }

    /** The newest time that was told. */
    public long newestMillis() {
        lock.lock();
        try {
            return panes.newestMillis();
        } finally {
            lock.unlock();
        }
    }

    /** How much came too late to count. */
    public long late() {
        lock.lock();
        try {
            return panes.late();
        } finally {
            lock.unlock();
        }
    }

    public Key<T> key() {
        return key;
    }

    @Override
    public Kind kind() {
        return Kind.SLIDING_COUNT;
    }

    /** True if both have the same key, window, panes and error. */
    @Override
    public boolean fits(SlidingCounts<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        return difference(other).isEmpty();
    }

    private String difference(SlidingCounts<T> other) {
        if (!key.fits(other.key)) {
            return key.against(other.key);
        }
        return panes.difference(other.panes);
    }

    /** Takes in what the other counted, seen from the newer of both times. */
    @Override
    public void merge(SlidingCounts<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        String difference = difference(other);
        if (!difference.isEmpty()) {
            throw new IllegalArgumentException("these sliding counts do not fit: " + difference);
        }
        // Never under two locks at once: two that are merged with each other would wait for ever.
        SlidingCounts<T> theirs = other.snapshot();
        lock.lock();
        try {
            panes.merge(theirs.panes);
        } finally {
            lock.unlock();
        }
    }

    /** A sketch that answers the same and shares nothing that can change. */
    public SlidingCounts<T> copy() {
        lock.lock();
        try {
            return with(panes.copy(CountMin::copy), isConcurrent());
        } finally {
            lock.unlock();
        }
    }

    /** What it is now: this one, or a copy that no thread changes. */
    private SlidingCounts<T> snapshot() {
        return isConcurrent() ? with(copy().panes, false) : this;
    }

    @Override
    public boolean isConcurrent() {
        return lock.exists();
    }

    /** {@inheritDoc} Threads take turns: every count is as exact as in the plain form. */
    @Override
    public SlidingCounts<T> concurrent() {
        return isConcurrent() ? this : with(panes, true);
    }

    /** The memory when all panes are in use. */
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
    private Frame frame() {
        CountMin.Sizing sizing = plan.sizing();
        long[] parameters = Arrays.copyOf(panes.parameters(), Panes.PARAMETERS + 3);
        parameters[Panes.PARAMETERS] = sizing.width();
        parameters[Panes.PARAMETERS + 1] = sizing.depth();
        parameters[Panes.PARAMETERS + 2] = sizing.cells().bits();
        return Frame.of(kind(), key, panes.payloadBytes(), parameters);
    }

    @Override
    public long fileBytes() {
        return snapshot().frame().fileBytes();
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        SlidingCounts<T> now = snapshot();
        now.frame().write(out, now.panes::writeTo);
    }

    public static <T> SlidingCounts<T> open(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, key);
        }
    }

    /** Reads from a stream, not a byte too many; a payload of more than {@code maxBytes} is refused. */
    public static <T> SlidingCounts<T> readFrom(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return read(FrameReader.open(in, maxBytes), key);
    }

    /** Reads what {@link #toBytes} returned; bytes that are too many or too few are refused, as of a file. */
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

    /** What is wanted of sliding counts. */
    public static final class Plan<T> {
        private static final int DEFAULT_PANES = 10;

        private final long windowMillis;
        private final int panes;
        private final CountMin.Plan<T> counts;
        private final long memoryBytes;
        private final double confidence;
        private final Key<T> key;
        private final boolean concurrent;

        /** With 0 for memory or confidence that was not set; with memory, only the key of {@code counts} matters. */
        private Plan(
                long windowMillis,
                int panes,
                CountMin.Plan<T> counts,
                long memoryBytes,
                double confidence,
                Key<T> key,
                boolean concurrent) {
            this.windowMillis = windowMillis;
            this.panes = panes;
            this.counts = counts;
            this.memoryBytes = memoryBytes;
            this.confidence = confidence;
            this.key = key;
            this.concurrent = concurrent;
        }

        /** The number of steps in which the window moves (default: 10). */
        public Plan<T> panes(int steps) {
            return new Plan<>(
                    windowMillis, Panes.checkedPanes(steps), counts, memoryBytes, confidence, key, concurrent);
        }

        /** How far an estimate may be above the truth, as a share of the total (default: 0.1 %). */
        public Plan<T> within(double shareOfTotal) {
            return new Plan<>(windowMillis, panes, sure(CountMin.within(shareOfTotal)), 0, confidence, key, concurrent);
        }

        /** At most this number of bytes in all. */
        public Plan<T> memoryBytes(long bytes) {
            if (bytes < 1) {
                throw new IllegalArgumentException("inMemory must be at least 1 byte, got " + bytes);
            }
            return new Plan<>(windowMillis, panes, counts, bytes, confidence, key, concurrent);
        }

        /** The chance, in (0, 1), that an estimate keeps to the error (default: 0.99). */
        public Plan<T> confidence(double chance) {
            return new Plan<>(windowMillis, panes, counts.confidence(chance), memoryBytes, chance, key, concurrent);
        }

        /** Counts values of this key instead of strings. */
        public <U> Plan<U> of(Key<U> other) {
            Objects.requireNonNull(other, "key must not be null");
            return new Plan<>(windowMillis, panes, counts.of(other), memoryBytes, confidence, other, concurrent);
        }

        /**
         * Counts that any number of threads may add to and ask at once; they take turns. A file does not record this: after
         * opening, ask for it again with {@link SlidingCounts#concurrent}.
         */
        public Plan<T> concurrent() {
            return new Plan<>(windowMillis, panes, counts, memoryBytes, confidence, key, true);
        }

        private CountMin.Plan<T> sure(CountMin.Plan<String> plan) {
            return (confidence > 0 ? plan.confidence(confidence) : plan).of(key);
        }

        /** The plan of a pane. */
        private CountMin.Plan<T> pane() {
            if (memoryBytes == 0) {
                return counts;
            }
            long bytes = memoryBytes / (panes + 1);
            if (bytes < Long.BYTES) {
                throw new IllegalArgumentException("inMemory must be at least " + (panes + 1L) * Long.BYTES
                        + " bytes for " + panes + " panes and their sum, got " + memoryBytes);
            }
            return sure(CountMin.memoryBytes(bytes));
        }

        /** The memory when all panes are in use. */
        public long sizeBytes() {
            return (panes + 1L) * pane().sizing().bytes();
        }

        public SlidingCounts<T> build() {
            return new SlidingCounts<>(key, pane(), windowMillis, panes, concurrent);
        }
    }
}
