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
import java.util.List;
import java.util.Objects;

/**
 * The most frequent values of a sliding window, plus up to one pane before it, each with a lower and an upper bound of
 * its count that always hold. Memory is that of one {@link TopK} per pane, and one more; an add touches one of them,
 * the list merges all. Every event carries its time; there is no clock inside. Not thread-safe. Threads may share the
 * {@link #concurrent() concurrent} form; they take turns under a lock.
 *
 * <pre>{@code
 * SlidingTopK<String> lately = SlidingTopK.last(java.time.Duration.ofMinutes(10)).k(100).build();
 * lately.add("/index.html", 1, System.currentTimeMillis());
 * List<TopK.Ranked<String>> trending = lately.top();
 * }</pre>
 *
 * The count of one value over a window: {@link SlidingCounts}. The most frequent of all time: {@link TopK}.
 */
public final class SlidingTopK<T> extends Sliding<T, TopK<T>, SlidingTopK<T>> {
    /*
     * Panes says how time is cut. The list is the merged list of all panes that live; its bounds hold for all events
     * since sinceMillis(), which is T ago or up to T / B more. So an upper bound also holds for the last T; a lower
     * bound may include events of the pane before it.
     *
     * A value that is not in a pane's list may have come `missed` times in it, and these add up: with more panes the
     * border is finer and the bounds are wider.
     */
    private final Key.Stored<T> key;
    private final TopK.Plan<T> plan;

    private SlidingTopK(TopK.Plan<T> plan, Panes<TopK<T>> panes, boolean concurrent) {
        super(panes, concurrent);
        this.key = plan.key();
        this.plan = plan;
    }

    private SlidingTopK(TopK.Plan<T> plan, long windowMillis, int panes, boolean concurrent) {
        this(plan, new Panes<>(windowMillis, panes, plan.capacity() + " counters", plan::build), concurrent);
    }

    @Override
    SlidingTopK<T> with(Panes<TopK<T>> other, boolean concurrent) {
        return new SlidingTopK<>(plan, other, concurrent);
    }

    @Override
    String plural() {
        return "sliding top lists";
    }

    @Override
    SlidingTopK<T> self() {
        return this;
    }

    @Override
    TopK<T> copyOf(TopK<T> pane) {
        return pane.copy();
    }

    @Override
    long totalOf(TopK<T> pane) {
        return pane.total();
    }

    /** Starts a plan for a window of this duration. */
    public static Plan<String> last(Duration window) {
        return new Plan<>(Panes.checkedWindow(window), Plan.DEFAULT_PANES, TopK.of(Plan.DEFAULT_K), false);
    }

    /**
     * Counts {@code count} events, 0 or more, at a time in milliseconds since 1970.
     *
     * @return false if they are too old for the window: then only {@link #late} counts them
     */
    @CanIgnoreReturnValue
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

    /** Returns the k most frequent values since {@link #sinceMillis}, the most frequent first. */
    public List<TopK.Ranked<T>> top() {
        return merged().top();
    }

    /**
     * Returns the k most frequent values of the window that ends at this time, in milliseconds since 1970. Nothing
     * changes; a time before the newest time is treated as the newest.
     */
    public List<TopK.Ranked<T>> top(long atMillis) {
        lock.lock();
        try {
            return merged(panes.living(atMillis)).top();
        } finally {
            lock.unlock();
        }
    }

    /** Returns a list of all events since {@link #sinceMillis} that is independent of this one and does not slide. */
    public TopK<T> merged() {
        lock.lock();
        try {
            return merged(panes.living());
        } finally {
            lock.unlock();
        }
    }

    private TopK<T> merged(Collection<TopK<T>> lists) {
        TopK<T> all = plan.build();
        lists.forEach(all::merge);
        return all;
    }

    /** Returns an upper bound of how often the value was counted. */
    public long atMost(T value) {
        lock.lock();
        try {
            return atMost(panes.living(), value);
        } finally {
            lock.unlock();
        }
    }

    /** Returns {@link #atMost(Object)} as of this time, in milliseconds since 1970; nothing changes. */
    public long atMost(T value, long atMillis) {
        lock.lock();
        try {
            return atMost(panes.living(atMillis), value);
        } finally {
            lock.unlock();
        }
    }

    private static <T> long atMost(Collection<TopK<T>> lists, T value) {
        return lists.stream().mapToLong(list -> list.atMost(value)).reduce(0, Panes::plus);
    }

    /**
     * Returns an upper bound, as of this time, for all values that are not kept: none of them was counted more often.
     */
    public long missed(long atMillis) {
        lock.lock();
        try {
            return panes.living(atMillis).stream().mapToLong(TopK::missed).reduce(0, Panes::plus);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of values that {@link #top()} returns. */
    public int k() {
        return plan.k();
    }

    /** Returns the number of steps in which the window moves: there is a list for each of them, and one more. */
    public int panes() {
        return panes.panes();
    }

    /** Returns the number of counters of each pane. */
    public int capacity() {
        return plan.capacity();
    }

    /** Returns the memory of the values that are kept, in bytes, if they are byte arrays; 0 if they are not. */
    public long valueBytes() {
        lock.lock();
        try {
            return panes.living().stream()
                    .mapToLong(pane -> pane.counters.valueBytes())
                    .sum();
        } finally {
            lock.unlock();
        }
    }

    /** Returns a lower bound of how often the value was counted since {@link #sinceMillis}. */
    public long atLeast(T value) {
        lock.lock();
        try {
            return panes.living().stream()
                    .mapToLong(pane -> pane.atLeast(value))
                    .reduce(0, Panes::plus);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the key that hashes, writes and reads the values. */
    @Override
    public Key.Stored<T> key() {
        return key;
    }

    @Override
    public Kind kind() {
        return Kind.SLIDING_TOP;
    }

    /** Returns the memory of the counters in bytes when all panes are in use; values that are not longs need more. */
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
                .count("missed", panes.living().stream().mapToLong(TopK::missed).reduce(0, Panes::plus))
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
    @Override
    Frame frame() {
        long[] parameters = Arrays.copyOf(panes.parameters(), Panes.PARAMETERS + 2);
        parameters[Panes.PARAMETERS] = plan.k();
        parameters[Panes.PARAMETERS + 1] = plan.capacity();
        return Frame.of(kind(), key, panes.payloadBytes(), parameters);
    }

    /** Opens a file; a file that was written with another key is refused with a {@code FormatException}. */
    public static <T> SlidingTopK<T> open(Path file, Key.Stored<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, key);
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static <T> SlidingTopK<T> readFrom(InputStream in, Key.Stored<T> key, long maxBytes) throws IOException {
        return read(FrameReader.open(in, maxBytes), key);
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
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

    /** Describes a sliding top list before it is allocated. Immutable. */
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

        /**
         * The number of values that are ranked (default: 10), by 20 counters each in every pane unless their capacity
         * is set.
         */
        public Plan<T> k(int most) {
            return new Plan<>(windowMillis, panes, top.k(most), concurrent);
        }

        /** The number of counters in every pane, at least k. */
        public Plan<T> capacity(int counters) {
            return new Plan<>(windowMillis, panes, top.capacity(counters), concurrent);
        }

        /**
         * Makes the list safe for any number of threads, which take turns under a lock. A file does not record this:
         * after opening, call {@link SlidingTopK#concurrent}.
         */
        public Plan<T> concurrent() {
            return new Plan<>(windowMillis, panes, top, true);
        }

        /** The key of the values (default: strings). */
        public <U> Plan<U> of(Key.Stored<U> other) {
            return new Plan<>(windowMillis, panes, top.of(other), concurrent);
        }

        /**
         * Returns the memory of the counters in bytes when all panes are in use; values that are not longs need more.
         */
        public long sizeBytes() {
            return (panes + 1L) * top.sizeBytes();
        }

        /** Builds an empty list. */
        public SlidingTopK<T> build() {
            return new SlidingTopK<>(top, windowMillis, panes, concurrent);
        }
    }
}
