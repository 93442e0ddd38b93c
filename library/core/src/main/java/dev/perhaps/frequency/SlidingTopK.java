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
import java.util.List;
import java.util.Objects;

/**
 * The values that came most often in the last T and up to one pane before that, each with a count that is at least and at most
 * so much, and never outside. Memory is that of one {@link TopK} for each pane and one more; adding touches one of them, the
 * list merges all. Time is told with every event; there is no clock inside. Confined to a thread.
 * Planned {@link Plan#concurrent() concurrent}, or opened and made {@link #concurrent() concurrent}, threads take turns.
 *
 * <pre>{@code
 * SlidingTopK<String> lately = SlidingTopK.last(java.time.Duration.ofMinutes(10)).k(100).build();
 * lately.add("/index.html", 1, System.currentTimeMillis());
 * List<TopK.Ranked<String>> trending = lately.top();
 * }</pre>
 *
 * One count over the last T: {@link SlidingCounts}. Of all time: {@link TopK}.
 */
public final class SlidingTopK<T> extends AbstractSketch
        implements Mergeable<SlidingTopK<T>>, Shareable<SlidingTopK<T>> {
    /*
     * Panes says how time is cut. The list is the merged list of all panes that live; its bounds hold for all events since
     * sinceMillis(), which is T ago or up to T / B more. So what a value is said to have come at most, it came at most in the last
     * T too; what it is said to have come at least may have come in the pane before.
     *
     * A value that is not in a pane's list may have come `missed` times in it, and these add up: with more panes the border is
     * finer and the bounds are wider.
     */
    private final Key.Stored<T> key;
    private final TopK.Plan<T> plan;
    private final Panes<TopK<T>> panes;
    private final OptionalLock lock;

    private SlidingTopK(TopK.Plan<T> plan, Panes<TopK<T>> panes, boolean concurrent) {
        this.key = plan.key();
        this.plan = plan;
        this.panes = panes;
        this.lock = OptionalLock.of(concurrent);
    }

    private SlidingTopK(TopK.Plan<T> plan, long windowMillis, int panes, boolean concurrent) {
        this(plan, new Panes<>(windowMillis, panes, plan.capacity() + " counters", plan::build), concurrent);
    }

    private SlidingTopK<T> with(Panes<TopK<T>> other, boolean concurrent) {
        return new SlidingTopK<>(plan, other, concurrent);
    }

    /** Plans the most frequent values over the last period of this duration. */
    public static Plan<String> last(Duration window) {
        return new Plan<>(Panes.checkedWindow(window.toMillis()), Plan.DEFAULT_PANES, TopK.of(Plan.DEFAULT_K), false);
    }

    /**
     * Counts this number of events, 0 or more, of that time.
     *
     * @return false if they are too late to count: their pane has gone, and only {@link #late} tells of them
     */
    public boolean add(T value, long count, long atMillis) {
        lock.lock();
        try {
            Objects.requireNonNull(value, "value must not be null");
            if (count < 0) {
                throw new IllegalArgumentException("count must be 0 or more, got " + count);
            }
            TopK<T> pane = panes.at(atMillis, count);
            if (pane == null) {
                return false;
            }
            pane.add(value, count);
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

    /** The k values that came most often since {@link #sinceMillis}, the most frequent first. */
    public List<TopK.Ranked<T>> top() {
        return merged().top();
    }

    /** The list of all events since {@link #sinceMillis}, by itself: it does not slide. */
    public TopK<T> merged() {
        lock.lock();
        try {
            TopK<T> all = plan.build();
            panes.living().forEach(all::merge);
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** The value came at most so often. */
    public long atMost(T value) {
        lock.lock();
        try {
            return panes.living().stream().mapToLong(pane -> pane.atMost(value)).sum();
        } finally {
            lock.unlock();
        }
    }

    /** The value came at least so often, since {@link #sinceMillis}. */
    public long atLeast(T value) {
        lock.lock();
        try {
            return panes.living().stream()
                    .mapToLong(pane -> pane.atLeast(value))
                    .sum();
        } finally {
            lock.unlock();
        }
    }

    /** The sum of all counts since {@link #sinceMillis}. */
    public long total() {
        lock.lock();
        try {
            return panes.living().stream().mapToLong(TopK::total).sum();
        } finally {
            lock.unlock();
        }
    }

    /** What is counted came at this time or later: T ago or up to one pane more. */
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

    public Key.Stored<T> key() {
        return key;
    }

    @Override
    public Kind kind() {
        return Kind.SLIDING_TOP;
    }

    /** True if both have the same key, window and panes. */
    @Override
    public boolean fits(SlidingTopK<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        return difference(other).isEmpty();
    }

    private String difference(SlidingTopK<T> other) {
        if (!key.fits(other.key)) {
            return key.against(other.key);
        }
        return panes.difference(other.panes);
    }

    /** Takes in what the other counted, seen from the newer of both times. */
    @Override
    public void merge(SlidingTopK<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        String difference = difference(other);
        if (!difference.isEmpty()) {
            throw new IllegalArgumentException("these sliding top lists do not fit: " + difference);
        }
        // Never under two locks at once: two that are merged with each other would wait for ever.
        SlidingTopK<T> theirs = other.snapshot();
        lock.lock();
        try {
            panes.merge(theirs.panes);
        } finally {
            lock.unlock();
        }
    }

    /** A list that answers the same and shares nothing that can change. */
    public SlidingTopK<T> copy() {
        lock.lock();
        try {
            return with(panes.copy(TopK::copy), isConcurrent());
        } finally {
            lock.unlock();
        }
    }

    /** What it is now: this one, or a copy that no thread changes. */
    private SlidingTopK<T> snapshot() {
        return isConcurrent() ? with(copy().panes, false) : this;
    }

    @Override
    public boolean isConcurrent() {
        return lock.exists();
    }

    /** {@inheritDoc} Threads take turns: every count is as exact as in the plain form. */
    @Override
    public SlidingTopK<T> concurrent() {
        return isConcurrent() ? this : with(panes, true);
    }

    /** The memory of the counters when all panes are in use; values that are not longs come on top. */
    @Override
    public long sizeBytes() {
        return (panes.panes() + 1L) * plan.sizeBytes();
    }

    @Override
    public Description describe() {
        return snapshot().describe(isConcurrent());
    }

    private Description describe(boolean concurrent) {
        return Description.of(kind())
                .text("key", key.name())
                .text("seed", Long.toString(key.seed()))
                .count("windowMillis", panes.windowMillis())
                .count("paneMillis", panes.paneMillis())
                .count("k", plan.k())
                .count("capacity", plan.capacity())
                .count("total", total())
                .count("late", late())
                .flag("concurrent", concurrent)
                .bytes("sizeBytes", sizeBytes())
                .bytes("fileBytes", fileBytes());
    }

    @Override
    public String toString() {
        return "the top " + plan.k() + " of " + Figures.count(total()) + " in the last "
                + Duration.ofMillis(panes.windowMillis()) + " and up to " + Duration.ofMillis(panes.paneMillis())
                + " more";
    }

    // Parameters in the file (docs/format.md): those of Panes, then k and capacity.
    private Frame frame() {
        long[] parameters = Arrays.copyOf(panes.parameters(), Panes.PARAMETERS + 2);
        parameters[Panes.PARAMETERS] = plan.k();
        parameters[Panes.PARAMETERS + 1] = plan.capacity();
        return Frame.of(kind(), key, panes.payloadBytes(), parameters);
    }

    @Override
    public long fileBytes() {
        return snapshot().frame().fileBytes();
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        SlidingTopK<T> now = snapshot();
        now.frame().write(out, now.panes::writeTo);
    }

    public static <T> SlidingTopK<T> open(Path file, Key.Stored<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, key);
        }
    }

    /** Reads from a stream, not a byte too many; a payload of more than {@code maxBytes} is refused. */
    public static <T> SlidingTopK<T> readFrom(InputStream in, Key.Stored<T> key, long maxBytes) throws IOException {
        return read(FrameReader.open(in, maxBytes), key);
    }

    /** Reads what {@link #toBytes} returned; bytes that are too many or too few are refused, as of a file. */
    public static <T> SlidingTopK<T> fromBytes(byte[] bytes, Key.Stored<T> key) throws IOException {
        return read(FrameReader.open(bytes), key);
    }

    /** Reads what {@link #writeTo} wrote; a key that cannot read its values is refused. */
    static <T> SlidingTopK<T> read(FrameReader in, Key.Stored<T> key) throws IOException {
        Frame frame = in.frame(Kind.SLIDING_TOP, key);
        Panes.check(frame);
        long k = frame.parameter(Panes.PARAMETERS);
        long capacity = frame.parameter(Panes.PARAMETERS + 1);
        frame.require(capacity > 0 && capacity <= SpaceSaving.MAX_CAPACITY, "capacity", capacity);
        frame.require(k > 0 && k <= capacity, "k", k);
        byte[] payload = in.bytes(frame.payloadBytes());
        in.end();
        TopK.Plan<T> plan = TopK.of((int) k).capacity((int) capacity).of(key);
        SlidingTopK<T> top = new SlidingTopK<>(plan, frame.parameter(0), (int) frame.parameter(1), false);
        top.panes.readFrom(frame, payload, nested -> {
            TopK<T> pane = TopK.read(nested, key);
            frame.require(pane.capacity() == capacity && pane.k() == k, "a pane that does not fit:", pane);
            return pane;
        });
        return top;
    }

    /** What is wanted of a sliding top list. */
    public static final class Plan<T> {
        private static final int DEFAULT_PANES = 10;
        private static final int DEFAULT_K = 10;

        private final long windowMillis;
        private final int panes;
        private final TopK.Plan<T> top;
        private final boolean concurrent;

        private Plan(long windowMillis, int panes, TopK.Plan<T> top, boolean concurrent) {
            this.windowMillis = windowMillis;
            this.panes = panes;
            this.top = top;
            this.concurrent = concurrent;
        }

        /** The number of steps in which the window moves (default: 10). */
        public Plan<T> panes(int steps) {
            return new Plan<>(windowMillis, Panes.checkedPanes(steps), top, concurrent);
        }

        /** The number of values that are ranked, by 20 counters each in every pane (default: 10). */
        public Plan<T> k(int most) {
            return new Plan<>(windowMillis, panes, TopK.of(most).of(top.key()), concurrent);
        }

        /** The number of counters in every pane, at least k. */
        public Plan<T> capacity(int counters) {
            return new Plan<>(windowMillis, panes, top.capacity(counters), concurrent);
        }

        /**
         * A list that any number of threads may add to and ask at once; they take turns. A file does not record this: after
         * opening, ask for it again with {@link SlidingTopK#concurrent}.
         */
        public Plan<T> concurrent() {
            return new Plan<>(windowMillis, panes, top, true);
        }

        /** Values of another type than strings, or hashed with another seed. */
        public <U> Plan<U> of(Key.Stored<U> other) {
            return new Plan<>(windowMillis, panes, top.of(other), concurrent);
        }

        /** The memory of the counters when all panes are in use; values that are not longs come on top. */
        public long sizeBytes() {
            return (panes + 1L) * top.sizeBytes();
        }

        public SlidingTopK<T> build() {
            return new SlidingTopK<>(top, windowMillis, panes, concurrent);
        }
    }
}
