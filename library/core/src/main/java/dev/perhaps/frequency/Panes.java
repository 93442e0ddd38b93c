package dev.perhaps.frequency;

import dev.perhaps.frame.Frame;
import dev.perhaps.frame.PayloadOutput;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Mergeable;
import dev.perhaps.sketch.Sketch;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The last period of time, cut into panes of equal length, each with a sketch of what happened in it. */
final class Panes<S extends Sketch & Mergeable<S>> {
    /*
     * Pane i is the time [i · L, (i + 1) · L), in milliseconds since 1970, where L is the window over the number of
     * panes B.
     *
     *     i:     a    a+1     ...     c-1     c              c is the pane of the newest event, a that of T before it
     *          |_____|_____|         |_____|__x
     *             ^------------ T -----------^               B + 1 panes at most; they reach back T, and less than L more
     *
     * L is rounded up to a whole millisecond. Where B does not divide T, fewer panes than B may be enough: a window of
     * 11 ms in 10 panes has panes of 2 ms and never more than 7 of them. A pane is live as long as any of it is in the
     * last T. A late event goes to its pane if that is still live; otherwise it is only counted as late. Only the times
     * of events and calls move the panes; there is no clock.
     */
    static final int MAX_PANES = 10_000;
    static final int PARAMETERS = 5;

    private static final long MAX_WINDOW_MILLIS = Long.MAX_VALUE / 4;

    private final long windowMillis;
    private final int panes;
    private final long paneMillis;
    private final Object shape;
    private final Supplier<S> empty;

    /** Replaced, never changed: a reader that a writer overtakes still comes to the end of what it iterates. */
    private volatile NavigableMap<Long, S> living = new TreeMap<>();

    private long newestMillis = Long.MIN_VALUE;
    private long late;
    private long lastIndex;
    private @Nullable S last;

    /** Panes with sketches that are empty at first; the shape is what must be equal for two of them to merge. */
    Panes(long windowMillis, int panes, Object shape, Supplier<S> empty) {
        this.windowMillis = windowMillis;
        this.panes = panes;
        this.paneMillis = paneMillis(windowMillis, panes);
        this.shape = shape;
        this.empty = empty;
    }

    /** The window in milliseconds, rounded up: nothing leaves it early. */
    static long checkedWindow(Duration window) {
        Objects.requireNonNull(window, "window must not be null");
        if (window.compareTo(Duration.ofMillis(1)) < 0 || window.compareTo(Duration.ofMillis(MAX_WINDOW_MILLIS)) > 0) {
            throw new IllegalArgumentException("the window must be at least 1 ms and at most "
                    + Duration.ofMillis(MAX_WINDOW_MILLIS) + ", got " + window);
        }
        long millis = window.toMillis() + (window.toNanosPart() % 1_000_000 == 0 ? 0 : 1);
        return Math.min(MAX_WINDOW_MILLIS, millis);
    }

    /** The sum of two counts, neither of them negative; at most the largest number. */
    static long plus(long one, long other) {
        long sum = one + other;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    static int checkedPanes(int panes) {
        if (panes < 1 || panes > MAX_PANES) {
            throw new IllegalArgumentException("panes must be in [1, " + MAX_PANES + "], got " + panes);
        }
        return panes;
    }

    /** Rounded up, so that the panes reach back as far as the window. */
    private static long paneMillis(long windowMillis, int panes) {
        return (windowMillis + panes - 1) / panes;
    }

    long windowMillis() {
        return windowMillis;
    }

    int panes() {
        return panes;
    }

    long paneMillis() {
        return paneMillis;
    }

    boolean isEmpty() {
        return newestMillis == Long.MIN_VALUE;
    }

    /** The newest time so far; Long.MIN_VALUE if there was none. */
    long newestMillis() {
        return newestMillis;
    }

    /** The beginning of the oldest pane that lives, whether it has events or not. */
    long sinceMillis() {
        return isEmpty() ? Long.MIN_VALUE : oldestIndex() * paneMillis;
    }

    private long oldestIndex() {
        return oldestIndex(newestMillis);
    }

    private long oldestIndex(long millis) {
        return Math.floorDiv(millis - windowMillis, paneMillis);
    }

    /** The number of events for panes that were no longer live. */
    long late() {
        return late;
    }

    Collection<S> living() {
        return living.values();
    }

    /** Those that would live if the window were moved to this time; an earlier one than the newest is taken as that. */
    Collection<S> living(long millis) {
        checkTime(millis);
        long newest = Math.max(millis, newestMillis);
        return living.tailMap(oldestIndex(newest), true).values();
    }

    /** A deep copy. */
    Panes<S> copy(UnaryOperator<S> copying) {
        Panes<S> copy = new Panes<>(windowMillis, panes, shape, empty);
        NavigableMap<Long, S> copies = new TreeMap<>();
        living.forEach((index, sketch) -> copies.put(index, copying.apply(sketch)));
        copy.living = copies;
        copy.newestMillis = newestMillis;
        copy.late = late;
        return copy;
    }

    void clear() {
        living = new TreeMap<>();
        newestMillis = Long.MIN_VALUE;
        late = 0;
        last = null;
    }

    /** Moves the window on to this time; an earlier one changes nothing. */
    void advanceTo(long millis) {
        checkTime(millis);
        if (millis > newestMillis) {
            newestMillis = millis;
            NavigableMap<Long, S> now = living;
            if (!now.isEmpty() && now.firstKey() < oldestIndex()) {
                living = new TreeMap<>(now.tailMap(oldestIndex(), true));
            }
        }
    }

    private static void checkTime(long millis) {
        if (millis < -Long.MAX_VALUE / 2 || millis > Long.MAX_VALUE / 2) {
            throw new IllegalArgumentException("not a time in milliseconds: " + millis);
        }
    }

    /** The sketch of a pane that lives; an empty one at first. */
    private S pane(long index) {
        S found = living.get(index);
        if (found != null) {
            return found;
        }
        S made = empty.get();
        NavigableMap<Long, S> more = new TreeMap<>(living);
        more.put(index, made);
        living = more;
        return made;
    }

    /**
     * The sketch of the pane of this time, or null if it is no longer live: then the count is added to the late events.
     */
    @Nullable
    S at(long millis, long count) {
        advanceTo(millis);
        long index = Math.floorDiv(millis, paneMillis);
        if (last != null && index == lastIndex && index >= oldestIndex()) {
            return last;
        }
        if (index < oldestIndex()) {
            late = plus(late, count);
            return null;
        }
        lastIndex = index;
        S pane = pane(index);
        last = pane;
        return pane;
    }

    String difference(Panes<S> other) {
        if (windowMillis != other.windowMillis) {
            return "a window of " + windowMillis + " ms against " + other.windowMillis;
        }
        if (panes != other.panes) {
            return panes + " panes against " + other.panes;
        }
        return shape.equals(other.shape) ? "" : "panes of " + shape + " against " + other.shape;
    }

    /**
     * Merges the panes of another that are live at the newer of both times; if the sum of two panes, whose totals these
     * are, would be too large, nothing is changed.
     */
    void merge(Panes<S> other, ToLongFunction<S> total) {
        Map<Long, S> theirs = new TreeMap<>(other.living);
        theirs.forEach((index, sketch) -> {
            S here = living.get(index);
            if (here != null && total.applyAsLong(sketch) > Long.MAX_VALUE - total.applyAsLong(here)) {
                throw new IllegalArgumentException("the counts of pane " + index + " sum up to more than "
                        + Long.MAX_VALUE + ": " + total.applyAsLong(here) + " and " + total.applyAsLong(sketch));
            }
        });
        late = plus(late, other.late);
        if (!other.isEmpty()) {
            advanceTo(other.newestMillis);
        }
        theirs.forEach((index, sketch) -> {
            if (index >= oldestIndex()) {
                pane(index).merge(sketch);
            }
        });
    }

    // Parameters from {@code at} on: window, panes, newest, late, living. Payload: of each pane its number and its
    // sketch; if there is none, an empty sketch without a number: no file is smaller than what the next event takes.
    long payloadBytes() {
        long sum = living.isEmpty() ? empty.get().fileBytes() : 0;
        for (S sketch : living.values()) {
            sum += Long.BYTES + sketch.fileBytes();
        }
        return sum;
    }

    long[] parameters() {
        return new long[] {windowMillis, panes, newestMillis, late, living.size()};
    }

    void writeTo(PayloadOutput out) throws IOException {
        if (living.isEmpty()) {
            NestedFrames.write(empty.get(), out);
        }
        for (Map.Entry<Long, S> pane : living.entrySet()) {
            out.longs(new long[] {pane.getKey()});
            NestedFrames.write(pane.getValue(), out);
        }
    }

    /** Checks window and panes of a file. */
    static void check(Frame frame) throws FormatException {
        long window = frame.parameter(0);
        frame.require(window >= 1 && window <= MAX_WINDOW_MILLIS, "a window of", window);
        long panes = frame.parameter(1);
        frame.require(panes >= 1 && panes <= MAX_PANES, "panes", panes);
        frame.require(frame.parameter(2) <= Long.MAX_VALUE / 2, "a newest time of", frame.parameter(2));
        frame.require(frame.parameter(3) >= 0, "late", frame.parameter(3));
        frame.require(frame.parameter(4) >= 0 && frame.parameter(4) <= panes + 1, "living panes", frame.parameter(4));
    }

    void readFrom(Frame frame, byte[] payload, NestedFrames.Reader<S> reader) throws IOException {
        newestMillis = frame.parameter(2);
        late = frame.parameter(3);
        boolean timed = newestMillis >= -Long.MAX_VALUE / 2;
        frame.require(timed || isEmpty() && frame.parameter(4) == 0, "a newest time of", newestMillis);
        ByteArrayInputStream in = new ByteArrayInputStream(payload);
        if (frame.parameter(4) == 0) {
            S sketch = NestedFrames.read(in, reader);
            frame.require(empty.get().fits(sketch), "a pane that does not fit:", sketch);
        }
        NavigableMap<Long, S> read = new TreeMap<>();
        for (long i = 0; i < frame.parameter(4); i++) {
            long index = ValueCodec.longs(in, 1)[0];
            boolean inOrder = read.isEmpty() || index > read.lastKey();
            frame.require(inOrder && index >= oldestIndex(), "a pane", index);
            frame.require(index <= Math.floorDiv(newestMillis, paneMillis), "a pane", index);
            S sketch = NestedFrames.read(in, reader);
            // Only now: an empty sketch takes no more memory than the file has bytes.
            frame.require(empty.get().fits(sketch), "a pane that does not fit:", sketch);
            read.put(index, sketch);
        }
        living = read;
        frame.require(in.available() == 0, "bytes behind its last pane:", in.available());
    }
}
