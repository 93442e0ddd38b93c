package dev.perhaps.frequency;

import dev.perhaps.io.Description;
import dev.perhaps.io.Figures;
import dev.perhaps.io.Frame;
import dev.perhaps.io.FrameReader;
import dev.perhaps.io.Kind;
import dev.perhaps.io.Mergeable;
import dev.perhaps.io.Sketch;
import dev.perhaps.key.Key;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * The values that came most often in the last T and up to one pane before that, each with a count that is at least and at most
 * so much, and never outside. Memory is that of one {@link TopK} for each pane and one more; adding touches one of them, the
 * list merges all. Time is told with every event; there is no clock inside. Confined to a thread.
 *
 * <pre>{@code
 * SlidingTopK<String> lately = SlidingTopK.last(java.time.Duration.ofMinutes(10)).k(100).build();
 * lately.add("/index.html", 1, System.currentTimeMillis());
 * List<Ranked<String>> trending = lately.top();
 * }</pre>
 *
 * One count over the last T: {@link SlidingCounts}. Of all time: {@link TopK}.
 */
public final class SlidingTopK<T> implements Sketch, Mergeable<SlidingTopK<T>> {
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

    private SlidingTopK(TopK.Plan<T> plan, long windowMillis, int panes) {
        this.key = plan.key();
        this.plan = plan;
        this.panes = new Panes<>(windowMillis, panes, plan.capacity() + " counters", plan::build);
    }

    /** Plans the most frequent values over the last stretch of time of this length. */
    public static Plan<String> last(Duration window) {
        return new Plan<>(Panes.checkedWindow(window.toMillis()), Plan.DEFAULT_PANES, TopK.of(Plan.DEFAULT_K));
    }

    /**
     * Counts so many events, 0 or more, of that time.
     *
     * @return false if they are too late to count: their pane has gone, and only {@link #late} tells of them
     */
    public boolean add(T value, long count, long atMillis) {
        if (count < 0) {
            throw new IllegalArgumentException("count must be 0 or more, got " + count);
        }
        TopK<T> pane = panes.at(atMillis, count);
        if (pane == null) {
            return false;
        }
        pane.add(value, count);
        return true;
    }

    /** Tells that this much time has come, though no event did; an earlier time changes nothing. */
    public void advanceTo(long millis) {
        panes.advanceTo(millis);
    }

    /** The k values that came most often since {@link #sinceMillis}, the most frequent first. */
    public List<Ranked<T>> top() {
        return merged().top();
    }

    /** The list of all events since {@link #sinceMillis}, by itself: it does not slide. */
    public TopK<T> merged() {
        TopK<T> all = plan.build();
        panes.living().forEach(all::merge);
        return all;
    }

    /** The value came at most so often. */
    public long atMost(T value) {
        return panes.living().stream().mapToLong(pane -> pane.atMost(value)).sum();
    }

    /** The value came at least so often, since {@link #sinceMillis}. */
    public long atLeast(T value) {
        return panes.living().stream().mapToLong(pane -> pane.atLeast(value)).sum();
    }

    /** The sum of all counts since {@link #sinceMillis}. */
    public long total() {
        return panes.living().stream().mapToLong(TopK::total).sum();
    }

    /** What is counted came at this time or later: T ago or up to one pane more. */
    public long sinceMillis() {
        return panes.sinceMillis();
    }

    /** The newest time that was told. */
    public long newestMillis() {
        return panes.newestMillis();
    }

    /** How much came too late to count. */
    public long late() {
        return panes.late();
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
        String difference = difference(other);
        if (!difference.isEmpty()) {
            throw new IllegalArgumentException("these sliding top lists do not fit: " + difference);
        }
        panes.merge(other.panes);
    }

    /** The memory of the counters when all panes are in use; values that are not longs come on top. */
    @Override
    public long sizeBytes() {
        return (panes.panes() + 1L) * plan.sizeBytes();
    }

    @Override
    public Description describe() {
        return Description.of(kind())
                .text("key", key.name())
                .text("seed", Long.toString(key.seed()))
                .count("windowMillis", panes.windowMillis())
                .count("paneMillis", panes.paneMillis())
                .count("k", plan.k())
                .count("capacity", plan.capacity())
                .count("total", total())
                .count("late", late())
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
        return frame().fileBytes();
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        frame().write(out, panes::writeTo);
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

    /** Reads what {@link #writeTo} wrote; a key that cannot read its values is refused. */
    public static <T> SlidingTopK<T> read(FrameReader in, Key<T> key) throws IOException {
        Frame frame = in.frame(Kind.SLIDING_TOP, key);
        Key.Stored<T> stored = KeptValues.stored(key);
        Panes.check(frame);
        long k = frame.parameter(Panes.PARAMETERS);
        long capacity = frame.parameter(Panes.PARAMETERS + 1);
        frame.require(capacity > 0 && capacity <= SpaceSaving.MAX_CAPACITY, "capacity", capacity);
        frame.require(k > 0 && k <= capacity, "k", k);
        byte[] payload = in.bytes(frame.payloadBytes());
        in.end();
        TopK.Plan<T> plan = TopK.of((int) k).capacity((int) capacity).of(stored);
        SlidingTopK<T> top = new SlidingTopK<>(plan, frame.parameter(0), (int) frame.parameter(1));
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

        private Plan(long windowMillis, int panes, TopK.Plan<T> top) {
            this.windowMillis = windowMillis;
            this.panes = panes;
            this.top = top;
        }

        /** In so many steps the window moves; 10 if nothing is said. */
        public Plan<T> panes(int steps) {
            return new Plan<>(windowMillis, Panes.checkedPanes(steps), top);
        }

        /** So many values are ranked, by 20 counters each in every pane; 10 if nothing is said. */
        public Plan<T> k(int most) {
            return new Plan<>(windowMillis, panes, TopK.of(most).of(top.key()));
        }

        /** So many counters in every pane, at least k. */
        public Plan<T> capacity(int counters) {
            return new Plan<>(windowMillis, panes, top.capacity(counters));
        }

        /** Values of another type than strings, or hashed with another seed. */
        public <U> Plan<U> of(Key.Stored<U> other) {
            return new Plan<>(windowMillis, panes, top.of(other));
        }

        /** The memory of the counters when all panes are in use; values that are not longs come on top. */
        public long sizeBytes() {
            return (panes + 1L) * top.sizeBytes();
        }

        public SlidingTopK<T> build() {
            return new SlidingTopK<>(top, windowMillis, panes);
        }
    }
}
